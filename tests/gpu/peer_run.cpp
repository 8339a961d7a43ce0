// The vendor's library on a case: see peer_run.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/peer_run.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace bascule::gpu_run {
namespace {

// Where each kernel's contract has what (kernels/sgemm/sgemm.json, kernels/gemm/gemm.json); -1: it has not.
struct Positions {
  const char* kernel;
  Element element;
  int transpose_a, transpose_b, m, n, k, a, lda, b, ldb, c, ldc;
  int alpha, beta, activation, bias;
};
constexpr Positions kKernels[] = {{"sgemm_f32", Element::f32, 0, 1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 5, 10, -1, -1},
                                  {"gemm_bf16", Element::bf16, -1, 0, 3, 4, 5, 6, 7, 8, 9, 11, 12, -1, -1, 1, 2},
                                  {"gemm_f16", Element::f16, -1, 0, 3, 4, 5, 6, 7, 8, 9, 11, 12, -1, -1, 1, 2}};

constexpr unsigned char kPoison = 0xff;

const Positions* positions_of(const char* kernel) {
  const auto found = std::find_if(std::begin(kKernels), std::end(kKernels), [&](const Positions& p) { return std::strcmp(p.kernel, kernel) == 0; });
  return found == std::end(kKernels) ? nullptr : found;
}

struct Arguments {
  const bsc_case_argument* list = nullptr;
  std::uint64_t count = 0;

  template <class T>
  T scalar(int position, T absent) const {
    if (position < 0) return absent;
    T value;
    std::memcpy(&value, list[position].data, sizeof value);
    return value;
  }
};

Arguments arguments_of(const bsc_case& description, bsc_case_data* data) {
  Arguments arguments;
  arguments.count = description.arguments(data, &arguments.list);
  return arguments;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The driver's number of the card at this address; where it has none, the number in the device's name.
int ordinal_of(const gpu::Api& api, const bsc_device_info& info) {
  int count = 0;
  if (api.device_count(&count) == 0 && *info.pci != '\0') {
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      char text[64] = "";
      int device = ordinal;
      if (api.device_get) api.device_get(&device, ordinal);
      if (api.device_pci(text, sizeof text, device) == 0 && lower(text) == lower(info.pci)) return ordinal;
    }
  }
  const std::string id = info.id;
  return std::atoi(id.c_str() + std::min(id.find(':') + 1, id.size()));
}

}  // namespace

void PeerCard::check(int code, const char* call) const {
  if (code != 0) throw std::runtime_error(std::string(call) + " gave " + gpu::result_name(code));
}

void PeerCard::open(const std::string& driver, const bsc_device_info& info) {
  bsc_plugin_error error = {};
  error.header.size = sizeof error;
  if (driver_.open(driver, &error) != BSC_OK) throw std::runtime_error(error.message);
  const int ordinal = ordinal_of(api(), info);
  if (api().context_retain) {
    int device = 0;
    Handle context = nullptr;
    check(api().device_get(&device, ordinal), api().device_get.name);
    check(api().context_retain(&context, device), api().context_retain.name);
    check(api().context_push(context), api().context_push.name);
  } else {
    check(api().current_device_set(ordinal), api().current_device_set.name);
  }
  check(api().stream_create(&stream_, gpu::vendor().stream_flags, 0), api().stream_create.name);
  workspace_ = allocate(kWorkspaceBytes);
  memory_ = {workspace_};
}

Address PeerCard::allocate(std::size_t bytes) {
  Address address = 0;
  check(api().memory_allocate(&address, std::max<std::size_t>(bytes, 1)), api().memory_allocate.name);
  return address;
}

// The context stays: the process ends with it, and a release at exit would race with the driver's own end.
PeerCard::~PeerCard() {
  for (const Address address : memory_) api().memory_free(address);
  if (stream_ != nullptr) api().stream_destroy(stream_);
}

std::string why_no_peer(const bsc_case& description, bsc_case_data* data) {
  const Positions* const where = positions_of(description.kernel);
  if (where == nullptr) return "the library has no such operation";
  const Arguments arguments = arguments_of(description, data);
  if (arguments.scalar<std::uint32_t>(where->activation, 0) != 0) return "its activation is not the library's";
  if (arguments.scalar<std::uint32_t>(where->bias, 0) != 0) return "its bias is f32, the library's is not";
  if (arguments.scalar<float>(where->alpha, 1) != 1 || arguments.scalar<float>(where->beta, 0) != 0) return "it scales or adds to C";
  return {};
}

PeerRun::PeerRun(PeerCard& card, Blas& blas, const bsc_case& description, bsc_case_data* data)
    : card_(card), blas_(blas), description_(description), data_(data) {
  try {
    prepare();
  } catch (...) {
    release();
    throw;
  }
}

void PeerRun::prepare() {
  const bsc_case& description = description_;
  bsc_case_data* const data = data_;
  const Positions& where = *positions_of(description.kernel);
  const Arguments arguments = arguments_of(description, data);
  const auto size = [&](int position) { return arguments.scalar<std::uint64_t>(position, 0); };
  const auto place = [&](int position) {
    const bsc_case_argument& argument = arguments.list[position];
    memory_.push_back(card_.allocate(argument.bytes));
    if (argument.data != nullptr) {
      card_.check(card_.api().copy_to_device(memory_.back(), argument.data, argument.bytes, card_.stream()), card_.api().copy_to_device.name);
    }
    return memory_.back();
  };
  product_ = {where.element, arguments.scalar<std::uint32_t>(where.transpose_a, 0) != 0, arguments.scalar<std::uint32_t>(where.transpose_b, 0) != 0,
              size(where.m), size(where.n), size(where.k), place(where.a), place(where.b), place(where.c), size(where.lda), size(where.ldb), size(where.ldc)};
  output_ = static_cast<std::size_t>(where.c);
  output_bytes_ = arguments.list[where.c].bytes;
  card_.check(card_.api().stream_synchronize(card_.stream()), card_.api().stream_synchronize.name);
  card_.check(card_.api().event_create(&begin_, gpu::vendor().timed_event_flags), card_.api().event_create.name);
  card_.check(card_.api().event_create(&end_, gpu::vendor().timed_event_flags), card_.api().event_create.name);
  blas_.prepare(product_);
}

PeerRun::~PeerRun() { release(); }

void PeerRun::release() {
  card_.api().stream_synchronize(card_.stream());
  for (const Address address : memory_) card_.api().memory_free(address);
  for (const Handle event : {begin_, end_}) {
    if (event != nullptr) card_.api().event_destroy(event);
  }
}

cli::CheckResult PeerRun::check() {
  const gpu::Api& api = card_.api();
  card_.check(api.fill_8(product_.c, kPoison, output_bytes_, card_.stream()), api.fill_8.name);
  card_.check(api.stream_synchronize(card_.stream()), api.stream_synchronize.name);
  blas_.run(card_.stream());
  std::vector<unsigned char> contents(output_bytes_);
  card_.check(api.copy_to_host(contents.data(), product_.c, output_bytes_, card_.stream()), api.copy_to_host.name);
  card_.check(api.stream_synchronize(card_.stream()), api.stream_synchronize.name);
  std::vector<const void*> outputs(arguments_of(description_, data_).count, nullptr);
  outputs[output_] = contents.data();
  bsc_case_verdict verdict = {};
  verdict.size = sizeof verdict;
  const bsc_status status = description_.check(data_, outputs.data(), &verdict);
  if (status != BSC_OK) throw std::runtime_error(std::string("checking failed: ") + bsc_status_name(status));
  return {verdict.pass != 0, verdict.worst_ratio, verdict.checked, verdict.total, verdict.message};
}

double PeerRun::sample(std::uint64_t calls) {
  const gpu::Api& api = card_.api();
  card_.check(api.event_record(begin_, card_.stream()), api.event_record.name);
  for (std::uint64_t call = 0; call < calls; ++call) blas_.run(card_.stream());
  card_.check(api.event_record(end_, card_.stream()), api.event_record.name);
  card_.check(api.event_synchronize(end_), api.event_synchronize.name);
  float milliseconds = 0;
  card_.check(api.event_elapsed(&milliseconds, begin_, end_), api.event_elapsed.name);
  return double{milliseconds} * 1e6 / static_cast<double>(calls);
}

}  // namespace bascule::gpu_run
