// What a null device says about itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/null/device.hpp"

#include <time.h>

#include <algorithm>

#include "backends/common/struct_access.hpp"
#include "backends/null/entries.hpp"
#include "backends/null/failure.hpp"

namespace bascule::null_backend {
namespace {

constexpr const char* kFormats[] = {"null", "host", "opencl-c", "ptx", "spirv", "hsaco"};

constexpr const char* kProcessorFeatures[] = {
    "sse3", "ssse3", "sse4_1", "sse4_2", "popcnt", "avx", "avx2", "bmi", "bmi2", "fma", "f16c", "avx512f",
    "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512ifma", "avx512vbmi", "avx512vbmi2", "avx512vnni",
    "avx512bitalg", "avx512vpopcntdq", "avx512bf16"};

timespec to_timespec(Time time) {
  return {static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
}

// Every capability that a variant may ask for, so that every variant can be chosen, except those whose use would show
// that nothing is computed or that have an interface of their own.
void add_capabilities(backend::CapabilityList& list) {
  list.add("computes", 0).add("device_address", 1).add("queue_compute_unit_limit", 0).add("host_team", 1, "members");
  list.add("fp16", 1).add("fp64", 1).add("int64_atomics", 1).add("local_memory", kMaxShared, "bytes");
  for (const char* const name : kProcessorFeatures) list.add(name, 1);
}

void break_info_rule(Device& device, bsc_plugin_device_info* out_info) {
  static constexpr bsc_plugin_capability kUndocumented = {"warp_drive", 1, ""};
  switch (active_fault.load()) {
    case Fault::info_capability_undocumented:
      out_info->capabilities = &kUndocumented;
      out_info->capability_count = 1;
      break;
    case Fault::info_limit_missing: out_info->max_block_threads = 0; break;
    case Fault::info_strings_change:
      device.changing_text = device.changing_text == "null a" ? "null b" : "null a";
      out_info->name = device.changing_text.c_str();
      break;
    case Fault::info_type_unknown: out_info->type = "none"; break;
    case Fault::info_writes_beyond_size: out_info->capabilities = nullptr; break;
    default: break;
  }
}

}  // namespace

Time now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<Time>(time.tv_sec) * 1'000'000'000 + static_cast<Time>(time.tv_nsec);
}

void sleep_until(Time time) {
  const timespec end = to_timespec(std::min<Time>(time, INT64_MAX));
  while (now() < time) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr);
}

Device::Device(Instance& owner, std::uint64_t number)
    : Object(&kApi),
      instance(owner),
      index(number),
      name(fmt::format("Null device {}", number)),
      uuid(fmt::format("6e756c6c-0000-4000-8000-{:012x}", number)) {
  add_capabilities(capabilities);
}

bsc_status device_info(bsc_plugin_device handle, bsc_plugin_device_info* out_info, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "device.info", [&]() -> bsc_status {
    auto* const device = object<Device>(handle);
    if (device == nullptr) {
      return refuse_handle(error, "device.info", handle, BSC_OBJECT_DEVICE, Fault::info_handle_unchecked);
    }
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(device->instance, device, Entry::device_info, error));
    bsc_plugin_device_info info = {};
    info.name = device->name.c_str();
    info.vendor = "Bascule";
    info.driver = "null " BSC_NULL_VERSION;
    info.driver_version = BSC_NULL_VERSION;
    info.driver_path = "";
    info.architecture = device->instance.options.architecture.c_str();
    info.type = "accelerator";
    info.uuid = device->uuid.c_str();
    info.pci = "";
    info.memory_bytes = static_cast<std::uint64_t>(device->instance.options.memory_bytes);
    info.max_allocation_bytes = static_cast<std::uint64_t>(device->instance.options.max_allocation_bytes);
    info.compute_units = 1;
    info.max_block_threads = kMaxBlockThreads;
    std::copy(std::begin(kMaxBlock), std::end(kMaxBlock), info.max_block);
    std::copy(std::begin(kMaxGrid), std::end(kMaxGrid), info.max_grid);
    info.max_shared_bytes = kMaxShared;
    info.max_argument_bytes = kMaxArgumentBytes;
    info.min_sub_group = 1;
    info.max_sub_group = 1;
    info.format_count = std::size(kFormats);
    info.formats = kFormats;
    device->capabilities.describe(info);
    backend::write_struct(out_info, info);
    if (device->instance.instrumented) break_info_rule(*device, out_info);
    return succeed(error);
  });
}

bsc_status device_memory_state(bsc_plugin_device handle, bsc_plugin_memory_state* out_state,
                               bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "device.memory_state", [&]() -> bsc_status {
    auto* const device = object<Device>(handle);
    if (device == nullptr) return refuse_handle(error, "device.memory_state", handle, BSC_OBJECT_DEVICE);
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(device->instance, device, Entry::device_memory_state, error));
    bsc_plugin_memory_state state = {};
    state.total_bytes = static_cast<std::uint64_t>(device->instance.options.memory_bytes);
    const std::uint64_t allocated = device->allocated_bytes.load();
    state.free_bytes = state.total_bytes - std::min(allocated, state.total_bytes);
    if (has_fault(Fault::state_free_above_total)) state.free_bytes = state.total_bytes + 1;
    backend::write_struct(out_state, state);
    if (has_fault(Fault::state_writes_beyond_size)) out_state->free_is_estimate = 1;
    return succeed(error);
  });
}

}  // namespace bascule::null_backend
