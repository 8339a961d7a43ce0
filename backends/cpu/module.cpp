// Loading images and finding functions in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/module.hpp"

#include <algorithm>
#include <string_view>

#include "backends/common/error.hpp"
#include "backends/common/struct_access.hpp"
#include "backends/cpu/instance.hpp"
#include "backends/cpu/plugin.hpp"

namespace bascule::cpu {
namespace {

using backend::fill_error;

constexpr const char* kTableSymbol = "bascule_host_table";

std::string names_of(const Module& module) {
  std::string names;
  for (const auto& function : module.functions) names += (names.empty() ? "" : ", ") + function->name;
  return names.empty() ? "none" : names;
}

}  // namespace

Function::Function(Module& owner, const bsc_host_entry& table_entry)
    : Object(plugin_api()), module(owner), entry(table_entry), name(table_entry.name) {}

Function::Function(Module& owner, std::uint64_t index, const bsc_simt_function_info& info,
                   std::vector<bsc_simt_parameter> parameters)
    : Object(plugin_api()),
      module(owner),
      ptx_index(index),
      ptx_info(info),
      ptx_parameters(std::move(parameters)),
      name(info.name) {}

Module::Module(Device& owner) : Object(plugin_api()), device(owner) {}

Module::~Module() {
  if (ptx == nullptr) return;
  if (device.instance.ptx_options.statistics != 0) log_statistics();
  ptx_api->unload(ptx);
}

// Who asked for counts gets them when the module goes.
void Module::log_statistics() {
  char* json = nullptr;
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  if (ptx_api->report(ptx, &json, &error) != BSC_OK) return;
  device.instance.services.log(BSC_LOG_INFO, "PTX statistics: {}", json);
  ptx_api->release_text(json);
}

bsc_status Module::load_ptx(const bsc_plugin_image& image, bsc_plugin_error* error) {
  const std::string_view name = image.name != nullptr ? image.name : "";
  if (image.options != nullptr && *image.options != '\0') {
    return fill_error(error, BSC_INVALID_ARGUMENT, "module.load", "PTX takes no build options here; the image \"{}\" has \"{}\"",
                      name, image.options);
  }
  BSC_PLUGIN_RETURN_IF_ERROR(device.instance.ptx_engine.open(ptx_api, error));
  const bsc_host_services services = device.instance.services.table();
  BSC_PLUGIN_RETURN_IF_ERROR(
      ptx_api->load(image.data, image.bytes, image.name, &device.instance.ptx_options, &services, &ptx, error));
  bsc_simt_function_info info = {};
  for (std::uint64_t i = 0; ptx_api->function(ptx, i, &info) != 0; ++i) {
    std::vector<bsc_simt_parameter> parameters;
    bsc_simt_parameter parameter = {};
    while (ptx_api->parameter(ptx, i, parameters.size(), &parameter) != 0) parameters.push_back(parameter);
    functions.push_back(std::make_unique<Function>(*this, i, info, std::move(parameters)));
  }
  return BSC_OK;
}

bsc_status Module::load_host(const bsc_plugin_image& image, bsc_plugin_error* error) {
  const std::string_view name = image.name != nullptr ? image.name : "";
  if (image.options != nullptr && *image.options != '\0') {
    return fill_error(error, BSC_INVALID_ARGUMENT, "module.load",
                      "host images are compiled already and take no options; the image \"{}\" has \"{}\"", name,
                      image.options);
  }
  const bsc_host_table* table = nullptr;
  if (const bsc_struct* link = backend::find_in_chain(image.header, BSC_STRUCT_HOST_TABLE_IMAGE); link != nullptr) {
    table = backend::read_struct(reinterpret_cast<const bsc_plugin_host_table_image*>(link)).table;
  } else {
    if (image.data == nullptr || image.bytes == 0) {
      return fill_error(error, BSC_INVALID_IMAGE, "module.load", "the host image \"{}\" is empty and brings no table", name);
    }
    BSC_PLUGIN_RETURN_IF_ERROR(
        library.open({static_cast<const std::byte*>(image.data), static_cast<std::size_t>(image.bytes)}, name, error));
    const auto get_table = reinterpret_cast<bsc_host_table_function>(library.symbol(kTableSymbol));
    if (get_table == nullptr) {
      return fill_error(error, BSC_INVALID_IMAGE, "module.load",
                        "the host image \"{}\" exports no {}(); see host_kernel.h", name, kTableSymbol);
    }
    table = get_table();
  }
  std::vector<bsc_host_entry> entries;
  BSC_PLUGIN_RETURN_IF_ERROR(read_host_table(table, name, entries, error));
  for (const bsc_host_entry& entry : entries) functions.push_back(std::make_unique<Function>(*this, entry));
  return BSC_OK;
}

bsc_status module_load(bsc_plugin_device handle, const bsc_plugin_image* image, bsc_plugin_module* out_module,
                       bsc_plugin_error* error) {
  return backend::guarded(error, "module.load", [&]() -> bsc_status {
    auto* const device = backend::object_cast<Device>(handle, plugin_api());
    if (device == nullptr) return backend::fill_handle_error(error, "module.load", handle, BSC_OBJECT_DEVICE);
    if (image == nullptr || out_module == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "module.load", "image and out_module must not be null");
    }
    BSC_PLUGIN_RETURN_IF_ERROR(device->check_usable("module.load", error));
    const bsc_plugin_image given = backend::read_struct(image);
    const std::string_view format = given.format != nullptr ? given.format : "";
    if (format != kHostFormat && format != kPtxFormat) {
      return fill_error(error, BSC_UNSUPPORTED, "module.load",
                        "the image \"{}\" has the format \"{}\"; the cpu backend takes: {}, {}",
                        given.name != nullptr ? given.name : "", format, kHostFormat, kPtxFormat);
    }
    auto module = std::make_unique<Module>(*device);
    BSC_PLUGIN_RETURN_IF_ERROR(format == kPtxFormat ? module->load_ptx(given, error) : module->load_host(given, error));
    device->adopt(module.get());
    *out_module = module.release();
    return BSC_OK;
  });
}

bsc_status module_unload(bsc_plugin_module handle, bsc_plugin_error* error) {
  return backend::guarded(error, "module.unload", [&]() -> bsc_status {
    auto* const module = backend::object_cast<Module>(handle, plugin_api());
    if (module == nullptr) return backend::fill_handle_error(error, "module.unload", handle, BSC_OBJECT_MODULE);
    if (module->device.instance.executor.forked()) return BSC_OK;  // the parent's
    module->device.disown(module);
    delete module;
    return BSC_OK;
  });
}

bsc_status module_function(bsc_plugin_module handle, const char* name, bsc_plugin_function* out_function,
                           bsc_plugin_error* error) {
  return backend::guarded(error, "module.function", [&]() -> bsc_status {
    auto* const module = backend::object_cast<Module>(handle, plugin_api());
    if (module == nullptr) return backend::fill_handle_error(error, "module.function", handle, BSC_OBJECT_MODULE);
    if (name == nullptr || out_function == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "module.function", "name and out_function must not be null");
    }
    const auto found = std::find_if(module->functions.begin(), module->functions.end(),
                                    [&](const auto& function) { return function->name == name; });
    if (found == module->functions.end()) {
      return fill_error(error, BSC_NOT_FOUND, "module.function", "there is no function \"{}\"; there are: {}", name,
                        names_of(*module));
    }
    *out_function = found->get();
    return BSC_OK;
  });
}

bsc_status module_function_info(bsc_plugin_function handle, bsc_plugin_function_info* out_info, bsc_plugin_error* error) {
  auto* const function = backend::object_cast<Function>(handle, plugin_api());
  if (function == nullptr) return backend::fill_handle_error(error, "module.function_info", handle, BSC_OBJECT_FUNCTION);
  if (out_info == nullptr) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "module.function_info", "out_info must not be null");
  }
  bsc_plugin_function_info info = {};
  if (function->module.ptx != nullptr) {
    info.max_block_threads = function->ptx_info.max_block_threads;
    info.static_shared_bytes = function->ptx_info.static_shared_bytes;
    info.private_bytes = function->ptx_info.local_bytes;
    info.registers = function->ptx_info.registers;
    info.preferred_multiple = 32;  // a warp
    info.argument_count = function->ptx_info.argument_count;
    info.argument_bytes = function->ptx_info.argument_bytes;
    backend::write_struct(out_info, info);
    return BSC_OK;
  }
  info.static_shared_bytes = function->entry.shared_bytes;
  info.private_bytes = function->entry.scratch_bytes;
  info.argument_count = UINT64_MAX;  // a table says how large the arguments are, not how many
  info.argument_bytes = function->entry.argument_bytes;
  backend::write_struct(out_info, info);
  return BSC_OK;
}

bsc_status module_function_name(bsc_plugin_module handle, uint64_t index, const char** out_name, bsc_plugin_error* error) {
  auto* const module = backend::object_cast<Module>(handle, plugin_api());
  if (module == nullptr) return backend::fill_handle_error(error, "module.function_name", handle, BSC_OBJECT_MODULE);
  if (out_name == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "module.function_name", "out_name must not be null");
  if (index >= module->functions.size()) {
    return fill_error(error, BSC_NOT_FOUND, "module.function_name", "there are {} functions, no index {}",
                      module->functions.size(), index);
  }
  *out_name = module->functions[index]->name.c_str();
  return BSC_OK;
}

}  // namespace bascule::cpu
