// An opened driver: the library, the options and its devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backends/common/host_services.hpp"
#include "backends/common/object.hpp"
#include "backends/common/gpu/device.hpp"
#include "backends/common/gpu/driver.hpp"

namespace bascule::gpu {

struct Options {
  bool pool = true;
  std::uint64_t pool_bytes = std::uint64_t{256} << 20;
};

// Where pinned memory of ours lies: copies from and to it need no detour.
class PinnedRanges {
 public:
  void add(const void* pointer, std::uint64_t bytes);
  void remove(const void* pointer);
  bool contain(const void* pointer, std::uint64_t bytes) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::uint64_t> ranges_;
};

struct Instance : backend::Object<Instance, BSC_OBJECT_INSTANCE> {
  explicit Instance(const bsc_plugin_api* table) : Object(table) {}

  bsc_status open(const bsc_plugin_open_info& open_info, bsc_plugin_error* error);
  // FORKED in a child of the process that opened the driver: it does not survive that.
  bsc_status check_process(std::string_view call, bsc_plugin_error* error) const;
  bool is_forked() const;

  backend::HostServices services;
  Options options;
  Driver driver;
  std::string driver_text;     // "NVIDIA driver, CUDA 13.0"
  std::string driver_version;  // "13.0"
  PinnedRanges pinned;
  std::vector<std::unique_ptr<Device>> devices;

 private:
  bsc_status read_options(const bsc_plugin_open_info& open_info, bsc_plugin_error* error);
  bsc_status find_devices(bsc_plugin_error* error);
  bsc_status no_device(CallResult result, bsc_plugin_error* error) const;

  pid_t process_ = 0;
};

bsc_status instance_open(const bsc_plugin_open_info* open_info, bsc_plugin_instance* out_instance, bsc_plugin_error* error);
bsc_status instance_close(bsc_plugin_instance handle, bsc_plugin_error* error);
bsc_status instance_enumerate(bsc_plugin_instance handle, std::uint64_t capacity, bsc_plugin_device* out_devices,
                              std::uint64_t* out_count, bsc_plugin_error* error);

}  // namespace bascule::gpu
