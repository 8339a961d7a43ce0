// Reading a device's properties and describing it to the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/device.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "backends/common/struct_access.hpp"
#include "backends/opencl/instance.hpp"
#include "backends/opencl/memory.hpp"
#include "backends/opencl/module.hpp"
#include "backends/opencl/plugin.hpp"
#include "backends/opencl/queue.hpp"

namespace bascule::opencl {
namespace {

using backend::fill_error;

constexpr std::uint32_t kLeastVersion = 102;
constexpr const char* kFormats[] = {"opencl-c"};

template <class Handle, class Query>
cl::Int query_text(Query query, Handle handle, cl::Uint what, std::string& text) {
  text.clear();
  std::size_t bytes = 0;
  if (const cl::Int code = query(handle, what, 0, nullptr, &bytes); code != cl::kSuccess || bytes == 0) return code;
  std::string whole(bytes, '\0');
  if (const cl::Int code = query(handle, what, bytes, whole.data(), nullptr); code != cl::kSuccess) return code;
  whole.resize(std::min(whole.find('\0'), whole.size()));
  const auto first = whole.find_first_not_of(" \t\n");
  const auto last = whole.find_last_not_of(" \t\n");
  if (first != std::string::npos) text = whole.substr(first, last - first + 1);
  return cl::kSuccess;
}

class PropertyReader {
 public:
  PropertyReader(const cl::Api& api, cl::DeviceId device, bsc_plugin_error* error)
      : api_(api), device_(device), error_(error) {}

  template <class T>
  void required(cl::Uint what, T& value) {
    check(api_.clGetDeviceInfo(device_, what, sizeof value, &value, nullptr));
  }
  void required(cl::Uint what, std::string& text) { check(query_text(api_.clGetDeviceInfo, device_, what, text)); }
  template <class T>
  T optional(cl::Uint what, T fallback) {
    T value = fallback;
    return api_.clGetDeviceInfo(device_, what, sizeof value, &value, nullptr) == cl::kSuccess ? value : fallback;
  }
  bsc_status status() const { return status_; }

 private:
  void check(cl::Int code) {
    if (status_ == BSC_OK) status_ = Check(error_, "cannot read a device's properties")(code, "clGetDeviceInfo");
  }

  const cl::Api& api_;
  cl::DeviceId device_;
  bsc_plugin_error* error_;
  bsc_status status_ = BSC_OK;
};

// "OpenCL 1.2 whatever" -> 102; 0 where the text is something else.
std::uint32_t parse_version(const std::string& text) {
  unsigned major = 0;
  unsigned minor = 0;
  return std::sscanf(text.c_str(), "OpenCL %u.%u", &major, &minor) == 2 ? major * 100 + minor : 0;
}

std::string read_uuid(const cl::Api& api, cl::DeviceId device) {
  unsigned char bytes[16] = {};
  if (api.clGetDeviceInfo(device, cl::kDeviceUuid, sizeof bytes, bytes, nullptr) != cl::kSuccess) return {};
  std::string text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

std::string read_pci(const cl::Api& api, cl::DeviceId device) {
  cl::PciBusInfo info = {};
  if (api.clGetDeviceInfo(device, cl::kDevicePciBusInfo, sizeof info, &info, nullptr) != cl::kSuccess) return {};
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", info.domain, info.bus, info.device, info.function);
}

void read_sub_groups(const cl::Api& api, cl::DeviceId device, DeviceProperties& properties) {
  if (properties.has_extension("cl_intel_required_subgroup_size")) {
    std::size_t sizes[16] = {};
    std::size_t bytes = 0;
    if (api.clGetDeviceInfo(device, cl::kDeviceSubGroupSizes, sizeof sizes, sizes, &bytes) == cl::kSuccess && bytes > 0) {
      const auto [least, most] = std::minmax_element(sizes, sizes + std::min(bytes / sizeof *sizes, std::size(sizes)));
      properties.min_sub_group = *least;
      properties.max_sub_group = *most;
    }
    return;
  }
  PropertyReader reader(api, device, nullptr);
  cl::Uint width = 1;
  if (properties.has_extension("cl_nv_device_attribute_query")) width = reader.optional<cl::Uint>(cl::kDeviceWarpSize, 1);
  if (properties.has_extension("cl_amd_device_attribute_query")) {
    width = reader.optional<cl::Uint>(cl::kDeviceWavefrontWidth, 1);
  }
  properties.min_sub_group = properties.max_sub_group = std::max<cl::Uint>(width, 1);
}

std::string why_unusable(const DeviceProperties& properties, PropertyReader& reader, const std::string& version,
                         const std::string& profile) {
  if (properties.version < kLeastVersion) {
    return fmt::format("it is '{}', and OpenCL 1.2 is needed", version);
  }
  if (profile == "EMBEDDED_PROFILE") return "it has the embedded profile only";
  if (reader.optional<cl::Bool>(cl::kDeviceAvailable, cl::kTrue) == cl::kFalse) return "the driver says it is not available";
  if (reader.optional<cl::Bool>(cl::kDeviceCompilerAvailable, cl::kTrue) == cl::kFalse) return "its driver has no compiler";
  if (reader.optional<cl::Bool>(cl::kDeviceEndianLittle, cl::kTrue) == cl::kFalse) return "it is big-endian";
  return {};
}

}  // namespace

bool DeviceProperties::has_extension(std::string_view extension) const {
  return extensions.find(fmt::format(" {} ", extension)) != std::string::npos;
}

std::string read_text(const cl::Api& api, cl::DeviceId device, cl::Uint what) {
  std::string text;
  query_text(api.clGetDeviceInfo, device, what, text);
  return text;
}

std::string read_text(const cl::Api& api, cl::PlatformId platform, cl::Uint what) {
  std::string text;
  query_text(api.clGetPlatformInfo, platform, what, text);
  return text;
}

bsc_status read_properties(const cl::Api& api, cl::PlatformId platform, cl::DeviceId id, DeviceProperties& properties,
                           std::string& unusable, bsc_plugin_error* error) {
  DeviceProperties& p = properties;
  PropertyReader reader(api, id, error);
  std::string version, driver_version;
  reader.required(cl::kDeviceName, p.name);
  reader.required(cl::kDeviceVersion, version);
  reader.required(cl::kDriverVersion, driver_version);
  BSC_PLUGIN_RETURN_IF_ERROR(reader.status());
  p.platform = read_text(api, platform, cl::kPlatformName);
  p.vendor = read_text(api, id, cl::kDeviceVendor);
  p.driver = fmt::format("{} {}", p.platform, driver_version);
  p.driver_version = fmt::format("{}; {}; {}", driver_version, version, read_text(api, platform, cl::kPlatformVersion));
  p.extensions = " " + read_text(api, id, cl::kDeviceExtensions) + " ";
  p.version = parse_version(version);

  unusable = why_unusable(p, reader, version, read_text(api, id, cl::kDeviceProfile));
  if (!unusable.empty()) return BSC_OK;

  std::size_t argument_bytes = 0;
  std::size_t group_size = 0;
  std::size_t timer_resolution = 0;
  cl::Uint dimensions = 0;
  cl::Uint base_align_bits = 0;
  cl::Uint local_type = 0;
  cl::Bitfield float_config = 0;
  reader.required(cl::kDeviceType, p.type);
  reader.required(cl::kDeviceMaxComputeUnits, p.compute_units);
  reader.required(cl::kDeviceGlobalMemSize, p.memory_bytes);
  reader.required(cl::kDeviceMaxMemAllocSize, p.max_allocation_bytes);
  reader.required(cl::kDeviceLocalMemSize, p.local_bytes);
  reader.required(cl::kDeviceLocalMemType, local_type);
  reader.required(cl::kDeviceMaxParameterSize, argument_bytes);
  reader.required(cl::kDeviceMemBaseAddrAlign, base_align_bits);
  reader.required(cl::kDeviceMaxWorkGroupSize, group_size);
  reader.required(cl::kDeviceMaxWorkItemDimensions, dimensions);
  reader.required(cl::kDeviceProfilingTimerResolution, timer_resolution);
  reader.required(cl::kDeviceSingleFpConfig, float_config);
  std::vector<std::size_t> item_sizes(std::max<cl::Uint>(dimensions, 3), 1);
  if (reader.status() == BSC_OK) {
    BSC_VENDOR_RETURN_IF_ERROR(Check(error, "cannot read a device's properties"), api, clGetDeviceInfo, id,
                               cl::kDeviceMaxWorkItemSizes, dimensions * sizeof(std::size_t), item_sizes.data(), nullptr);
  }
  BSC_PLUGIN_RETURN_IF_ERROR(reader.status());

  std::copy_n(item_sizes.begin(), 3, p.max_block);
  p.max_argument_bytes = argument_bytes;
  p.max_block_threads = group_size;
  p.timer_resolution_ns = timer_resolution;
  p.base_alignment = std::max<std::uint64_t>(base_align_bits / 8, 1);
  p.dedicated_local_memory = local_type == cl::kLocalMemoryDedicated;
  p.float_denormals = (float_config & cl::kFpDenorm) != 0;
  p.correctly_rounded_divide_sqrt = (float_config & cl::kFpCorrectlyRoundedDivideSqrt) != 0;
  p.fp64 = reader.optional<cl::Bitfield>(cl::kDeviceDoubleFpConfig, 0) != 0;
  p.fp16 = p.has_extension("cl_khr_fp16") && reader.optional<cl::Bitfield>(cl::kDeviceHalfFpConfig, 0) != 0;
  p.unified_memory = reader.optional<cl::Bool>(cl::kDeviceHostUnifiedMemory, cl::kFalse) != cl::kFalse;
  p.fine_grained_svm = p.version >= 200 && api.clSVMAlloc != nullptr && api.clSVMFree != nullptr &&
                       (reader.optional<cl::Bitfield>(cl::kDeviceSvmCapabilities, 0) & cl::kSvmFineGrainBuffer) != 0;
  if (p.has_extension("cl_khr_device_uuid")) p.uuid = read_uuid(api, id);
  if (p.has_extension("cl_khr_pci_bus_info")) p.pci = read_pci(api, id);
  read_sub_groups(api, id, p);
  return BSC_OK;
}

Device::Device(Instance& owner, cl::DeviceId device_id, DeviceProperties device_properties)
    : Object(owner.api), instance(owner), id(device_id), properties(std::move(device_properties)) {
  const DeviceProperties& p = properties;
  capabilities.add("fp64", p.fp64)
      .add("fp16", p.fp16)
      .add("int64_atomics", p.has_extension("cl_khr_int64_base_atomics"))
      .add("fp32_denormals", p.float_denormals)
      .add("fp32_correctly_rounded_divide_sqrt", p.correctly_rounded_divide_sqrt)
      .add("local_memory", static_cast<std::int64_t>(p.local_bytes), "bytes")
      .add("dedicated_local_memory", p.dedicated_local_memory)
      .add("buffer_base_alignment", static_cast<std::int64_t>(p.base_alignment), "bytes")
      .add("kernels_reach_host_memory", host_memory_is_shared(*this))
      .add("device_address", 0)
      .add("queue_compute_unit_limit", 0);
}

Device::~Device() {
  // Queues first: they wait for the work that uses the rest.
  for (Queue* const queue : queues_) delete queue;
  for (Module* const module : modules_) delete module;
  for (Memory* const memory : memories_) delete memory;
}

const cl::Api& Device::api() const { return instance.driver.api; }

bsc_status Device::create_context(bsc_plugin_error* error) {
  cl::Int code = cl::kSuccess;
  const cl::Context created = api().clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code);
  BSC_PLUGIN_RETURN_IF_ERROR(Check(error, "the device cannot be opened")(code, "clCreateContext"));
  context = OwnedContext(api(), created);
  return BSC_OK;
}

bsc_status Device::check_usable(std::string_view call, bsc_plugin_error* error) const {
  if (forked_since_open()) {
    return fill_error(error, BSC_FORKED, call,
                      "this process was forked after OpenCL had been opened; a driver does not survive that. Fork first, or "
                      "start a new program");
  }
  if (lost.load(std::memory_order_relaxed)) {
    return fill_error(error, BSC_DEVICE_LOST, call, "{} was lost earlier and cannot be used again in this process",
                      properties.name);
  }
  return BSC_OK;
}

bsc_status Device::note(bsc_status status) {
  if (status == BSC_DEVICE_LOST) lost.store(true, std::memory_order_relaxed);
  return status;
}

bsc_status Device::describe(bsc_plugin_device_info* out_info) const {
  const DeviceProperties& p = properties;
  bsc_plugin_device_info info = {};
  info.name = p.name.c_str();
  info.vendor = p.vendor.c_str();
  info.driver = p.driver.c_str();
  info.driver_version = p.driver_version.c_str();
  info.driver_path = instance.driver.library.path().c_str();
  info.architecture = p.name.c_str();  // OpenCL C is compiled for the device at hand; nothing more is known of it
  info.type = (p.type & cl::kDeviceTypeGpu) != 0   ? "gpu"
              : (p.type & cl::kDeviceTypeCpu) != 0 ? "cpu"
                                                   : "accelerator";
  info.uuid = p.uuid.c_str();
  info.pci = p.pci.c_str();
  info.unified_memory = p.unified_memory ? 1 : 0;
  info.memory_bytes = p.memory_bytes;
  info.max_allocation_bytes = p.max_allocation_bytes;
  info.compute_units = p.compute_units;
  info.max_block_threads = p.max_block_threads;
  std::copy_n(p.max_block, 3, info.max_block);
  std::fill_n(info.max_grid, 3, kMaxGridDimension);
  info.max_shared_bytes = p.local_bytes;
  info.max_argument_bytes = p.max_argument_bytes;
  info.min_sub_group = p.min_sub_group;
  info.max_sub_group = p.max_sub_group;
  info.format_count = std::size(kFormats);
  info.formats = kFormats;
  capabilities.describe(info);
  backend::write_struct(out_info, info);
  return BSC_OK;
}

void Device::adopt(Memory* memory) {
  const std::lock_guard lock(mutex_);
  memories_.insert(memory);
}
void Device::adopt(Queue* queue) {
  const std::lock_guard lock(mutex_);
  queues_.insert(queue);
}
void Device::adopt(Module* module) {
  const std::lock_guard lock(mutex_);
  modules_.insert(module);
}
bool Device::disown(Memory* memory) {
  const std::lock_guard lock(mutex_);
  return memories_.erase(memory) == 1;
}
bool Device::disown(Queue* queue) {
  const std::lock_guard lock(mutex_);
  return queues_.erase(queue) == 1;
}
bool Device::disown(Module* module) {
  const std::lock_guard lock(mutex_);
  return modules_.erase(module) == 1;
}

bsc_status device_info(bsc_plugin_device handle, bsc_plugin_device_info* out_info, bsc_plugin_error* error) {
  auto* const device = backend::object_cast<Device>(handle, plugin_api());
  if (device == nullptr) return backend::fill_handle_error(error, "device.info", handle, BSC_OBJECT_DEVICE);
  if (out_info == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "device.info", "out_info must not be null");
  return device->describe(out_info);
}

bsc_status device_memory_state(bsc_plugin_device handle, bsc_plugin_memory_state* out_state, bsc_plugin_error* error) {
  auto* const device = backend::object_cast<Device>(handle, plugin_api());
  if (device == nullptr) return backend::fill_handle_error(error, "device.memory_state", handle, BSC_OBJECT_DEVICE);
  if (out_state == nullptr) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "device.memory_state", "out_state must not be null");
  }
  bsc_plugin_memory_state state = {};
  state.total_bytes = device->properties.memory_bytes;
  // OpenCL does not say what other programs use.
  const std::uint64_t used = device->allocated_bytes.load();
  state.free_bytes = state.total_bytes - std::min(used, state.total_bytes);
  state.free_is_estimate = 1;
  backend::write_struct(out_state, state);
  return BSC_OK;
}

}  // namespace bascule::opencl
