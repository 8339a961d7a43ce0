// See work.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/work.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <thread>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/faults.hpp"

namespace bascule::emulated {
namespace {

struct Sticky {
  std::string_view kind;
  CUresult code;
};

// The engine's findings begin with their kind.
constexpr Sticky kFindings[] = {
    {"out_of_bounds", CUDA_ERROR_ILLEGAL_ADDRESS}, {"memory_fault", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"misaligned", CUDA_ERROR_MISALIGNED_ADDRESS}, {"assert", CUDA_ERROR_ASSERT},
    {"bad_stack", CUDA_ERROR_HARDWARE_STACK_ERROR}, {"bad_branch", CUDA_ERROR_INVALID_PC},
};

CUresult code_of(bsc_status status, std::string_view message) {
  if (status == BSC_TIMED_OUT) return CUDA_ERROR_LAUNCH_TIMEOUT;
  for (const Sticky& finding : kFindings) {
    if (message.starts_with(finding.kind)) return finding.code;
  }
  return CUDA_ERROR_LAUNCH_FAILED;
}

template <class Element>
void fill_rows(const CUDA_MEMSET_NODE_PARAMS& fill) {
  for (std::size_t row = 0; row < fill.height; ++row) {
    auto* const to = reinterpret_cast<Element*>(fill.dst + row * fill.pitch);
    std::fill_n(to, fill.width, static_cast<Element>(fill.value));
  }
}

}  // namespace

void CopyWork::run() const {
  const bool from_staged = !staged.empty();
  const std::byte* const from = from_staged ? staged.data() : source;
  const std::size_t pitch = from_staged ? width : source_pitch;
  const std::size_t slice = from_staged ? width * height : source_slice;
  if (pitch == width && destination_pitch == width && (depth == 1 || (slice == width * height && destination_slice == slice))) {
    std::memmove(destination, from, width * height * depth);
    return;
  }
  for (std::size_t z = 0; z < depth; ++z) {
    for (std::size_t y = 0; y < height; ++y) {
      std::memmove(destination + z * destination_slice + y * destination_pitch, from + z * slice + y * pitch, width);
    }
  }
}

void CopyWork::stage() {
  std::vector<std::byte> rows(width * height * depth);
  for (std::size_t z = 0; z < depth; ++z) {
    for (std::size_t y = 0; y < height; ++y) {
      std::memcpy(rows.data() + (z * height + y) * width, source + z * source_slice + y * source_pitch, width);
    }
  }
  staged = std::move(rows);
}

void FillWork::run() const {
  if (asked.elementSize == 1) fill_rows<std::uint8_t>(asked);
  if (asked.elementSize == 2) fill_rows<std::uint16_t>(asked);
  if (asked.elementSize == 4) fill_rows<std::uint32_t>(asked);
}

std::uint32_t WorkOperation::width() {
  const auto* const kernel = std::get_if<KernelWork>(&work_);
  if (kernel == nullptr) return 1;
  const std::uint64_t blocks = std::uint64_t{kernel->grid[0]} * kernel->grid[1] * kernel->grid[2];
  const auto units = static_cast<std::uint64_t>(context_->device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  const std::uint64_t threads = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, std::min({blocks, units, threads})));
}

bool WorkOperation::met_fault(const char* kind) {
  const CUresult wanted = Faults::get().meet(kind);
  if (wanted == CUDA_SUCCESS) return false;
  context_->fail(wanted, std::string(kind) + ": asked for by BASCULE_EMULATED_FAIL");
  return true;
}

void WorkOperation::prepare(const KernelWork& kernel) {
  if (met_fault("kernel")) return;
  bsc_simt_launch launch = {};
  launch.function = kernel.function->index;
  for (std::size_t i = 0; i < 3; ++i) {
    launch.grid[i] = kernel.grid[i];
    launch.block[i] = kernel.block[i];
    launch.cluster[i] = kernel.cluster[i];
  }
  launch.shared_bytes = kernel.shared_bytes;
  launch.flags = kernel.cooperative ? BSC_LAUNCH_COOPERATIVE : 0;
  launch.arguments = kernel.arguments.data();
  launch.argument_bytes = kernel.arguments.size();
  if (Driver::get().sanitize()) ranges_ = Memory::get().ranges();
  launch.ranges = ranges_.data();
  launch.range_count = ranges_.size();
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  const Module& module = kernel.function->module;
  const bsc_status status = module.api().prepare(module.engine_module(), &launch, &job_, &error);
  if (status != BSC_OK) context_->fail(CUDA_ERROR_LAUNCH_FAILED, error.message);
}

void WorkOperation::run_kernel(const KernelWork& kernel, std::uint32_t worker) {
  std::call_once(prepared_, [&] { prepare(kernel); });
  if (job_ == nullptr) return;
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  const bsc_status status = kernel.function->module.api().run(job_, worker, &error);
  if (status != BSC_OK) context_->fail(code_of(status, error.message), error.message);
}

void WorkOperation::run_host(const HostWork& host) {
  const InsideHostFunction scope;
  if (host.callback != nullptr) {
    host.callback(host.stream, context_->error(), host.data);
  } else if (context_->error() == CUDA_SUCCESS) {
    host.function(host.data);
  }
}

void WorkOperation::run(std::uint32_t worker) {
  if (const auto* const host = std::get_if<HostWork>(&work_)) return run_host(*host);  // callbacks hear of failures
  if (const auto* const free = std::get_if<FreeWork>(&work_)) {
    Memory::get().remove(free->address);
    return;
  }
  if (context_->error() != CUDA_SUCCESS) return;
  if (const auto* const kernel = std::get_if<KernelWork>(&work_)) return run_kernel(*kernel, worker);
  if (const auto* const copy = std::get_if<CopyWork>(&work_)) {
    if (!met_fault("copy")) copy->run();
  } else if (const auto* const fill = std::get_if<FillWork>(&work_)) {
    if (!met_fault("fill")) fill->run();
  }
}

void WorkOperation::end() {
  if (job_ != nullptr) std::get<KernelWork>(work_).function->module.api().finish(job_);
  job_ = nullptr;
  // Whoever keeps the operation, as a stream keeps its last one, keeps neither memory nor modules nor the context.
  work_ = EmptyWork();
  context_ = nullptr;
}

}  // namespace bascule::emulated
