// Modules and functions of the cpu device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/common/object.hpp"
#include "backends/cpu/device.hpp"
#include "backends/cpu/host_image.hpp"

namespace bascule::cpu {

inline constexpr const char* kHostFormat = "host";

struct Module;

struct Function : backend::Object<Function, BSC_OBJECT_FUNCTION> {
  Function(Module& owner, const bsc_host_entry& table_entry);

  Module& module;
  const bsc_host_entry entry;  // its name lives in the table
  const std::string name;
};

struct Module : backend::Object<Module, BSC_OBJECT_MODULE> {
  explicit Module(Device& owner);

  bsc_status load_host(const bsc_plugin_image& image, bsc_plugin_error* error);

  Device& device;
  LoadedLibrary library;
  std::vector<std::unique_ptr<Function>> functions;
};

}  // namespace bascule::cpu
