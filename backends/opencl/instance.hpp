// An opened OpenCL: the driver library, the options, and the devices of all platforms that can be used.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/common/host_services.hpp"
#include "backends/common/object.hpp"
#include "backends/opencl/device.hpp"
#include "backends/opencl/driver.hpp"

namespace bascule::opencl {

// How BSC_MEMORY_HOST is made; see memory.hpp.
enum class HostMemory { kAutomatic, kShared, kStaged };

struct Options {
  std::string platform;  // only platforms whose name contains this; "" for all
  HostMemory host_memory = HostMemory::kAutomatic;
};

// Devices and platforms that are not used, and why. A failure of the driver weighs more than a device that is too old.
struct Rejections {
  std::string text;
  bsc_plugin_error first_failure = {{sizeof(bsc_plugin_error), BSC_STRUCT_ERROR, nullptr}, BSC_OK, 0, 0, 0, 0, {}, {}, {}};
};

struct Instance : backend::Object<Instance, BSC_OBJECT_INSTANCE> {
  explicit Instance(const bsc_plugin_api* table) : Object(table) {}

  bsc_status open(const bsc_plugin_open_info& open_info, bsc_plugin_error* error);

  backend::HostServices services;
  Options options;
  Driver driver;
  std::vector<std::unique_ptr<Device>> devices;

 private:
  bsc_status read_options(const bsc_plugin_open_info& open_info, bsc_plugin_error* error);
  bsc_status find_platforms(std::vector<cl::PlatformId>& platforms, bsc_plugin_error* error);
  void find_devices(cl::PlatformId platform, const std::string& platform_name, Rejections& rejections);
  void try_device(cl::PlatformId platform, const std::string& platform_name, cl::DeviceId id, Rejections& rejections);
  void reject(std::string_view what, std::string_view reason, Rejections& rejections) const;
  void reject(std::string_view what, const bsc_plugin_error& failure, Rejections& rejections) const;
};

// True in a child of the process that opened OpenCL.
bool forked_since_open();

bsc_status instance_open(const bsc_plugin_open_info* open_info, bsc_plugin_instance* out_instance, bsc_plugin_error* error);
bsc_status instance_close(bsc_plugin_instance handle, bsc_plugin_error* error);
bsc_status instance_enumerate(bsc_plugin_instance handle, std::uint64_t capacity, bsc_plugin_device* out_devices,
                              std::uint64_t* out_count, bsc_plugin_error* error);

}  // namespace bascule::opencl
