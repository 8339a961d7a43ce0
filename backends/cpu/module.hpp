// Modules and functions of the cpu device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/common/object.hpp"
#include "backends/cpu/device.hpp"
#include "backends/cpu/host_image.hpp"
#include "backends/simt/simt.h"

namespace bascule::cpu {

inline constexpr const char* kHostFormat = "host";
inline constexpr const char* kPtxFormat = "ptx";

struct Module;

struct Function : backend::Object<Function, BSC_OBJECT_FUNCTION> {
  Function(Module& owner, const bsc_host_entry& table_entry);
  Function(Module& owner, std::uint64_t index, const bsc_simt_function_info& ptx_info,
           std::vector<bsc_simt_parameter> ptx_parameters);

  Module& module;
  const bsc_host_entry entry = {};  // host images; its name lives in the table
  const std::uint64_t ptx_index = 0;
  const bsc_simt_function_info ptx_info = {};
  const std::vector<bsc_simt_parameter> ptx_parameters;
  const std::string name;
};

struct Module : backend::Object<Module, BSC_OBJECT_MODULE> {
  explicit Module(Device& owner);
  ~Module();

  bsc_status load_host(const bsc_plugin_image& image, bsc_plugin_error* error);
  bsc_status load_ptx(const bsc_plugin_image& image, bsc_plugin_error* error);

  Device& device;
  LoadedLibrary library;
  void log_statistics();

  const bsc_simt_api* ptx_api = nullptr;  // PTX images; else null
  bsc_simt_module* ptx = nullptr;
  std::vector<std::unique_ptr<Function>> functions;
};

}  // namespace bascule::cpu
