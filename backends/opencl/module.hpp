// Compiled programs and their kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backends/common/host_services.hpp"
#include "backends/common/object.hpp"
#include "backends/opencl/device.hpp"

namespace bascule::opencl {

// One kernel function. A kernel object carries its arguments as mutable state, so each launch borrows one of its own.
struct Function : backend::Object<Function, BSC_OBJECT_FUNCTION> {
  Function(Module& owner, std::string kernel_name);

  bsc_status create(bsc_plugin_error* error);
  bsc_status borrow(OwnedKernel& kernel, bsc_plugin_error* error);
  void give_back(OwnedKernel kernel);

  Module& module;
  const std::string name;
  std::uint64_t argument_count = 0;
  std::uint64_t max_block_threads = 0;
  std::uint64_t static_local_bytes = 0;
  std::uint64_t private_bytes = 0;
  std::uint64_t preferred_multiple = 0;

 private:
  std::mutex mutex_;
  std::vector<OwnedKernel> idle_;
};

struct Module : backend::Object<Module, BSC_OBJECT_MODULE> {
  Module(Device& owner, std::string module_name);

  bsc_status load(std::string_view source, std::string options, bsc_plugin_error* error);
  std::string function_names() const;

  Device& device;
  const std::string name;
  OwnedProgram program;
  std::vector<std::unique_ptr<Function>> functions;

 private:
  bool build_cached(const std::vector<std::byte>& binary, const std::string& options);
  bsc_status build_source(std::string_view source, const std::string& options, bsc_plugin_error* error);
  void put_binary(const backend::CacheKey& key);
  bsc_status create_functions(bsc_plugin_error* error);
  std::string build_log() const;
};

bsc_status module_load(bsc_plugin_device handle, const bsc_plugin_image* image, bsc_plugin_module* out_module,
                       bsc_plugin_error* error);
bsc_status module_unload(bsc_plugin_module handle, bsc_plugin_error* error);
bsc_status module_function(bsc_plugin_module handle, const char* name, bsc_plugin_function* out_function,
                           bsc_plugin_error* error);
bsc_status module_function_info(bsc_plugin_function handle, bsc_plugin_function_info* out_info, bsc_plugin_error* error);
bsc_status module_function_name(bsc_plugin_module handle, std::uint64_t index, const char** out_name,
                                bsc_plugin_error* error);

}  // namespace bascule::opencl
