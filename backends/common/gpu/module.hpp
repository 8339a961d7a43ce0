// Kernel images as the driver loaded them, and their functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backends/common/object.hpp"
#include "backends/common/gpu/device.hpp"

namespace bascule::gpu {

struct Function : backend::Object<Function, BSC_OBJECT_FUNCTION> {
  Function(Module& owner, FunctionShape described);

  bsc_status create(bsc_plugin_error* error);
  // Asks for more dynamic shared memory than a launch may have by default; once per function and size.
  bsc_status allow_shared_bytes(std::uint64_t dynamic_bytes, bsc_plugin_error* error);

  Module& module;
  FunctionShape shape;
  Handle handle = nullptr;
  std::uint64_t max_block_threads = 0;
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t private_bytes = 0;
  std::uint64_t registers = 0;

 private:
  bsc_status attribute(int which, std::uint64_t& value, bsc_plugin_error* error);
  void read_parameters();

  std::mutex mutex_;
  std::uint64_t allowed_shared_bytes_ = 0;
};

struct Module : backend::Object<Module, BSC_OBJECT_MODULE> {
  Module(Device& owner, std::string module_name);
  ~Module();

  bsc_status load(const Image& image, const std::string& options, bsc_plugin_error* error);
  std::string function_names() const;
  Handle handle() const { return handle_; }

  Device& device;
  const std::string name;
  std::vector<std::unique_ptr<Function>> functions;

 private:
  bsc_status load_text(const Image& image, const std::string& options, bsc_plugin_error* error);
  bsc_status load_binary(std::span<const std::byte> binary, bsc_plugin_error* error);
  bsc_status create_functions(const ImageShape& shape, bsc_plugin_error* error);

  Handle handle_ = nullptr;
};

bsc_status module_load(bsc_plugin_device handle, const bsc_plugin_image* image, bsc_plugin_module* out_module,
                       bsc_plugin_error* error);
bsc_status module_unload(bsc_plugin_module handle, bsc_plugin_error* error);
bsc_status module_function(bsc_plugin_module handle, const char* name, bsc_plugin_function* out_function,
                           bsc_plugin_error* error);
bsc_status module_function_info(bsc_plugin_function handle, bsc_plugin_function_info* out_info, bsc_plugin_error* error);
bsc_status module_function_name(bsc_plugin_module handle, std::uint64_t index, const char** out_name,
                                bsc_plugin_error* error);

}  // namespace bascule::gpu
