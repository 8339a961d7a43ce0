// What differs between the vendors: names, result codes, and a few functions over the driver's table. Each plugin defines
// vendor() once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/common/capabilities.hpp"
#include "backends/common/vendor_library.hpp"
#include "backends/common/gpu/api.hpp"

namespace bascule::gpu {

// What a result code means. `remedy` is "" where nothing general can be said.
struct ResultCode {
  int code;
  const char* name;
  bsc_status status;
  const char* remedy = "";
  bool sticky = false;  // every later call in this process gives it again
};

// What was learnt of a device when it was found; no context is needed for it.
struct DeviceProperties {
  int ordinal = 0;
  std::string name;
  std::string architecture;  // what variants' targets are compared with
  std::string target;        // the same with the features that an image may ask for ("gfx90a:sramecc+:xnack-")
  std::string uuid;
  std::string pci;
  bool emulated = false;
  bool unified_memory = false;
  bool cooperative = false;
  bool clusters = false;
  bool pools = false;
  bool maps_host_memory = true;
  std::uint64_t memory_bytes = 0;
  std::uint64_t compute_units = 0;
  std::uint64_t max_block_threads = 0;
  std::uint64_t max_block[3] = {1, 1, 1};
  std::uint64_t max_grid[3] = {1, 1, 1};
  std::uint64_t default_shared_bytes = 0;  // what a launch may use without asking
  std::uint64_t max_shared_bytes = 0;
  std::uint64_t max_argument_bytes = 4096;
  std::uint64_t sub_group = 1;
  int image_version = 0;  // newest textual image that the driver takes, major * 10 + minor; 0: unknown
  int image_target = 0;   // newest target of such a text, XY of sm_XY
  std::vector<const char*> formats;
  backend::CapabilityList capabilities;
};

struct Parameter {
  std::uint64_t offset;
  std::uint64_t bytes;
};

// A kernel as its image describes it, before the driver has seen it.
struct FunctionShape {
  std::string name;
  bool parameters_known = false;
  std::vector<Parameter> parameters;
  std::uint64_t argument_bytes = 0;
};

struct ImageShape {
  bool compiles = false;  // text for the driver's compiler, else machine code
  std::vector<FunctionShape> functions;
};

struct Image {
  std::string_view format;
  std::string_view name;  // for messages
  std::span<const std::byte> bytes;
};

struct LaunchRequest {
  Handle function = nullptr;
  Handle stream = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned cluster[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  bool cooperative = false;
  const std::byte* arguments = nullptr;
  std::size_t argument_bytes = 0;
  std::span<const std::uint32_t> offsets;  // of the parameters in `arguments`
};

// The result of several driver calls of which one failed.
struct CallResult {
  int code = 0;
  const char* call = "";
};

struct LimitedStream {
  Handle stream = nullptr;
  Handle partition = nullptr;
  std::uint64_t compute_units = 0;  // what it got
};

struct Vendor {
  const char* backend;      // "cuda"
  const char* vendor_name;  // "NVIDIA"
  const char* driver_name;  // "NVIDIA driver"
  std::span<const char* const> libraries;  // sonames in order
  const char* install_remedy;
  const char* update_remedy;
  std::span<const char* const> visibility;    // environment variables that hide devices
  std::span<const char* const> device_files;  // what a user must be able to open
  const char* permission_remedy;
  const char* emulated_symbol;  // exported by a driver that computes on the host; "" if there is none
  std::span<const char* const> library_folders;  // where another version may be installed, with * for one component

  std::span<const ResultCode> results;
  const char* unknown_result;
  // Codes with a meaning of their own.
  int code_out_of_memory;
  int code_not_ready;
  int code_shutting_down;
  // What initialising and counting devices says; searched before `results`.
  std::span<const ResultCode> open_results;

  int oldest_version;                      // of the driver
  std::string (*version_text)(int version);
  std::uint64_t clock_resolution_ns;       // of events
  bool free_memory_is_estimate;

  unsigned host_memory_flags;  // pinned for every device, and mapped
  unsigned stream_flags;       // does not wait for the default stream
  unsigned event_flags;        // without times
  unsigned timed_event_flags;
  int capture_mode;            // other threads' calls do not disturb a capture
  int attribute_pool_threshold;

  // Of functions; -1 where the driver has none.
  int function_max_threads;
  int function_shared;
  int function_private;
  int function_registers;
  int function_max_dynamic_shared;

  // Of the driver's compiler.
  int option_error_log;
  int option_error_log_bytes;
  int option_optimisation;
  int option_max_registers;
  int link_input_text;

  void (*load)(const backend::VendorLibrary& library, Api& api, std::vector<std::string>& missing);
  CallResult (*read_properties)(const Api& api, int ordinal, int driver_version, bool emulated,
                                DeviceProperties& properties);
  bsc_status (*inspect)(const DeviceProperties& device, int driver_version, const Image& image, ImageShape& shape,
                        bsc_plugin_error* error);
  CallResult (*launch)(const Api& api, const LaunchRequest& request);
  int (*update_graph)(const Api& api, Handle executable, Handle graph);
  bool (*limits_compute_units)(const Api& api);
  CallResult (*create_limited_stream)(const Api& api, const DeviceProperties& device, std::uint64_t compute_units,
                                      int priority, LimitedStream& stream);
  void (*destroy_limited_stream)(const Api& api, LimitedStream& stream);
};

const Vendor& vendor();

}  // namespace bascule::gpu
