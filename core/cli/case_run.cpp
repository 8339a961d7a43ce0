// One case on one device: see case_run.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace bascule::cli {
namespace {

// Wide enough that a vector store past the end, or before the start, lands in it.
constexpr std::uint64_t kGuardBytes = 256;
constexpr unsigned char kGuardByte = 0xa5;
constexpr unsigned char kPoisonByte = 0xff;  // a NaN in every float format, a value no kernel's test inputs give elsewhere

constexpr std::uint64_t kMemoryShare = 4;  // a case may take a quarter of a device's memory
constexpr double kCpuOperationsPerUnit = 2e9;
constexpr double kEmulatedOperations = 1 << 24;
constexpr std::uint64_t kEmulatedBytes = 1u << 26;

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

bool is_output(const bsc_case_argument& argument) { return argument.kind == BSC_CASE_OUT || argument.kind == BSC_CASE_INOUT; }

}  // namespace

bool computes(const bsc_device* device) {
  std::int64_t value = 1;
  return bsc_device_capability(device, "computes", &value, nullptr) != BSC_OK || value != 0;
}

double lane_operations(const bsc_case& description) {
  constexpr double kPerByte = 16;
  return description.operations + kPerByte * description.bytes;
}

CaseLimits case_limits(const std::vector<bsc_device*>& devices, bool full_size) {
  CaseLimits limits;
  for (const bsc_device* device : devices) {
    if (!computes(device)) continue;
    const bsc_device_info info = info_of(device);
    limits.max_bytes = std::min({limits.max_bytes, info.memory_bytes / kMemoryShare, info.max_allocation_bytes});
    const bool emulated = info.emulated != 0;
    if (full_size || (!emulated && std::string_view(info.type) != "cpu")) continue;
    const double operations = emulated ? kEmulatedOperations : kCpuOperationsPerUnit * static_cast<double>(info.compute_units);
    limits.max_operations = limits.max_operations == 0 ? operations : std::min(limits.max_operations, operations);
    if (emulated) limits.max_bytes = std::min(limits.max_bytes, kEmulatedBytes);
  }
  return limits;
}

CaseRun::CaseRun(bsc_device* device, bsc_package* package, const bsc_case& description, bsc_case_data* data, std::uint64_t copies,
                 const std::string& variant, std::uint64_t placement)
    : description_(description), data_(data) {
  bsc_queue_options queue_options = BSC_QUEUE_OPTIONS_INIT;
  queue_options.profile = 1;
  queue_ = make<QueueHandle>([&](auto** out, auto** error) { return bsc_queue_create(device, &queue_options, out, error); });

  const auto load_start = Clock::now();
  kernel_ = make<KernelHandle>([&](auto** out, auto** error) {
    return bsc_kernel_create(device, package, description.kernel, variant.empty() ? nullptr : variant.c_str(), out, error);
  });
  phases_.load = nanoseconds_since(load_start);

  const auto upload_start = Clock::now();
  const bsc_case_argument* list = nullptr;
  const std::uint64_t count = description.arguments(data, &list);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t elements = (placement >> (4 * (i % 16))) & 15;
    arguments_.push_back({list[i], kGuardBytes + elements * list[i].element_bytes, {}});
  }
  launch_arguments_.resize(copies);
  for (std::size_t set = 0; set < copies; ++set) {
    for (Argument& argument : arguments_) {
      if (argument.description.kind == BSC_CASE_SCALAR) {
        launch_arguments_[set].push_back({BSC_ARG_VALUE, 0, argument.description.data, argument.description.bytes, nullptr, 0});
        continue;
      }
      argument.buffers.push_back(make<BufferHandle>([&](auto** out, auto** error) {
        return bsc_buffer_create(device, argument.offset + argument.description.bytes + kGuardBytes, BSC_BUFFER_DEVICE, out, error);
      }));
      upload(argument, set);
      launch_arguments_[set].push_back({BSC_ARG_BUFFER, argument.description.element_bytes, nullptr, argument.description.bytes,
                                        argument.buffers.back().get(), argument.offset});
    }
  }
  require([&](bsc_error** error) { return bsc_queue_wait(queue_.get(), BSC_FOREVER, error); });
  phases_.upload = nanoseconds_since(upload_start);
}

void CaseRun::upload(Argument& argument, std::size_t set) {
  bsc_buffer* buffer = argument.buffers[set].get();
  const std::uint64_t bytes = argument.description.bytes;
  const auto fill = [&](std::uint64_t offset, std::uint64_t length, unsigned char byte) {
    require([&](bsc_error** error) { return bsc_queue_fill(queue_.get(), buffer, offset, length, &byte, 1, nullptr, error); });
  };
  fill(0, argument.offset, kGuardByte);
  fill(argument.offset + bytes, kGuardBytes, kGuardByte);
  if (argument.description.kind == BSC_CASE_OUT) {
    fill(argument.offset, bytes, kPoisonByte);
  } else {
    require([&](bsc_error** error) {
      return bsc_queue_upload(queue_.get(), buffer, argument.offset, argument.description.data, bytes, error);
    });
  }
}

EventHandle CaseRun::launch(std::size_t set) {
  bsc_launch_options options = {};
  options.size = sizeof options;
  options.work_items = description_.work_items;
  return make<EventHandle>([&](auto** out, auto** error) {
    return bsc_queue_launch(queue_.get(), kernel_.get(), &options, launch_arguments_[set].size(), launch_arguments_[set].data(), out,
                            error);
  });
}

CheckResult CaseRun::check() {
  for (Argument& argument : arguments_) {
    if (is_output(argument.description)) upload(argument, 0);
  }
  require([&](bsc_error** error) { return bsc_queue_wait(queue_.get(), BSC_FOREVER, error); });
  const auto start = Clock::now();
  const EventHandle event = launch(0);
  require([&](bsc_error** error) { return bsc_event_wait(event.get(), BSC_FOREVER, error); });
  phases_.first_call = nanoseconds_since(start);

  bsc_times times = {};
  times.size = sizeof times;
  if (bsc_event_times(event.get(), &times, nullptr) == BSC_OK) {
    device_clock_ = times.host_clock == 0;
    clock_resolution_ = static_cast<double>(std::max<std::uint64_t>(times.resolution_ns, 1));
  }
  return judge_outputs();
}

CheckResult CaseRun::recheck() {
  const bool accumulates = std::any_of(arguments_.begin(), arguments_.end(),
                                       [](const Argument& a) { return a.description.kind == BSC_CASE_INOUT; });
  return accumulates ? check() : judge_outputs();  // an in-out argument has moved on: judge one run from the start
}

CheckResult CaseRun::judge_outputs() {
  const auto start = Clock::now();
  std::vector<std::vector<unsigned char>> contents(arguments_.size());
  std::vector<const void*> outputs(arguments_.size(), nullptr);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (!is_output(arguments_[i].description)) continue;
    contents[i].resize(arguments_[i].offset + arguments_[i].description.bytes + kGuardBytes);
    require([&](bsc_error** error) {
      return bsc_queue_read(queue_.get(), arguments_[i].buffers[0].get(), 0, contents[i].data(), contents[i].size(), nullptr, error);
    });
    outputs[i] = contents[i].data() + arguments_[i].offset;
  }
  require([&](bsc_error** error) { return bsc_queue_wait(queue_.get(), BSC_FOREVER, error); });
  phases_.download += nanoseconds_since(start);

  CheckResult result;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const auto intact = [](const unsigned char* guard, std::uint64_t bytes) {
      return std::all_of(guard, guard + bytes, [](unsigned char byte) { return byte == kGuardByte; });
    };
    if (contents[i].empty()) continue;
    if (!intact(contents[i].data(), arguments_[i].offset) || !intact(contents[i].data() + contents[i].size() - kGuardBytes, kGuardBytes)) {
      result.message = "argument " + std::to_string(i) + ": the kernel wrote outside its output buffer";
      return result;
    }
  }
  bsc_case_verdict verdict = {};
  verdict.size = sizeof verdict;
  const bsc_status status = description_.check(data_, outputs.data(), &verdict);
  if (status != BSC_OK) throw Failure(ExitCode::kFailed, std::string("checking ") + description_.label + " failed: " + bsc_status_name(status));
  result.pass = verdict.pass != 0;
  result.worst_ratio = verdict.worst_ratio;
  result.checked = verdict.checked;
  result.total = verdict.total;
  result.message = verdict.message;
  return result;
}

double CaseRun::sample(std::uint64_t calls) {
  const auto host_start = Clock::now();
  EventHandle first, last;
  for (std::uint64_t call = 0; call < calls; ++call) {
    last = launch(next_set_);
    next_set_ = (next_set_ + 1) % launch_arguments_.size();
    if (call == 0) first.reset(bsc_event_retain(last.get()));
  }
  require([&](bsc_error** error) { return bsc_event_wait(last.get(), BSC_FOREVER, error); });
  const double host = nanoseconds_since(host_start);
  if (!device_clock_) return host / static_cast<double>(calls);
  bsc_times begin = {}, end = {};
  begin.size = end.size = sizeof begin;
  require([&](bsc_error** error) { return bsc_event_times(first.get(), &begin, error); });
  require([&](bsc_error** error) { return bsc_event_times(last.get(), &end, error); });
  return static_cast<double>(end.ended_ns - begin.started_ns) / static_cast<double>(calls);
}

double CaseRun::launch_and_wait() {
  const auto start = Clock::now();
  const EventHandle event = launch(0);
  require([&](bsc_error** error) { return bsc_event_wait(event.get(), BSC_FOREVER, error); });
  return nanoseconds_since(start);
}

}  // namespace bascule::cli
