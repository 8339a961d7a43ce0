// Loading images: text through the driver's compiler and the host's cache, machine code as it is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/module.hpp"

#include <algorithm>

#include "backends/common/build_id.hpp"
#include "backends/common/struct_access.hpp"
#include "backends/common/gpu/compiler.hpp"
#include "backends/common/gpu/context.hpp"
#include "backends/common/gpu/instance.hpp"
#include "backends/common/gpu/plugin.hpp"

namespace bascule::gpu {
namespace {

using backend::fill_error;

constexpr std::size_t kMostParameters = 4096;

std::string formats_of(const Device& device) {
  std::string text;
  for (const char* const format : device.properties.formats) text += (text.empty() ? "" : ", ") + std::string(format);
  return text;
}

}  // namespace

Function::Function(Module& owner, FunctionShape described)
    : Object(owner.api), module(owner), shape(std::move(described)) {}

bsc_status Function::attribute(int which, std::uint64_t& value, bsc_plugin_error* error) {
  int read = 0;
  if (which < 0) return BSC_OK;
  BSC_PLUGIN_RETURN_IF_ERROR(
      module.device.call(error, shape.name, module.device.api().function_attribute, &read, which, handle));
  value = static_cast<std::uint64_t>(std::max(read, 0));
  return BSC_OK;
}

// Where the image does not say where its parameters lie, newer drivers do.
void Function::read_parameters() {
  const Api& api = module.device.api();
  if (shape.parameters_known || !api.function_parameter) return;
  std::vector<Parameter> parameters;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  while (parameters.size() < kMostParameters &&
         api.function_parameter(handle, parameters.size(), &offset, &bytes) == 0) {
    parameters.push_back({offset, bytes});
    shape.argument_bytes = std::max<std::uint64_t>(shape.argument_bytes, offset + bytes);
  }
  shape.parameters = std::move(parameters);
  shape.parameters_known = true;
}

bsc_status Function::create(bsc_plugin_error* error) {
  Device& device = module.device;
  const Vendor& v = vendor();
  BSC_PLUGIN_RETURN_IF_ERROR(
      device.call(error, module.name, device.api().module_function, &handle, module.handle(), shape.name.c_str()));
  // A driver that loads lazily would find out at the first launch that it cannot.
  if (device.api().function_load) {
    BSC_PLUGIN_RETURN_IF_ERROR(device.call(error, shape.name, device.api().function_load, handle));
  }
  BSC_PLUGIN_RETURN_IF_ERROR(attribute(v.function_max_threads, max_block_threads, error));
  BSC_PLUGIN_RETURN_IF_ERROR(attribute(v.function_shared, static_shared_bytes, error));
  BSC_PLUGIN_RETURN_IF_ERROR(attribute(v.function_private, private_bytes, error));
  BSC_PLUGIN_RETURN_IF_ERROR(attribute(v.function_registers, registers, error));
  allowed_shared_bytes_ = device.properties.default_shared_bytes - std::min(device.properties.default_shared_bytes, static_shared_bytes);
  read_parameters();
  return BSC_OK;
}

bsc_status Function::allow_shared_bytes(std::uint64_t dynamic_bytes, bsc_plugin_error* error) {
  const Api& api = module.device.api();
  const std::lock_guard lock(mutex_);
  if (dynamic_bytes <= allowed_shared_bytes_ || !api.function_set_attribute) return BSC_OK;
  BSC_PLUGIN_RETURN_IF_ERROR(module.device.call(error, shape.name, api.function_set_attribute, handle,
                                                vendor().function_max_dynamic_shared, static_cast<int>(dynamic_bytes)));
  allowed_shared_bytes_ = dynamic_bytes;
  return BSC_OK;
}

Module::Module(Device& owner, std::string module_name)
    : Object(owner.bsc_plugin_object::api), device(owner), name(std::move(module_name)) {}

// The device's context must be current.
Module::~Module() {
  if (handle_ != nullptr) device.release(device.api().module_unload, handle_);
}

std::string Module::function_names() const {
  std::string names;
  for (const auto& function : functions) names += (names.empty() ? "" : ", ") + function->shape.name;
  return names.empty() ? "none" : names;
}

bsc_status Module::load_binary(std::span<const std::byte> binary, bsc_plugin_error* error) {
  return device.call(error, fmt::format("{} cannot be loaded on {} ({})", name, device.properties.name, device.properties.target),
                     device.api().module_load, &handle_, binary.data(), 0u, nullptr, nullptr);
}

bsc_status Module::load_text(const Image& image, const std::string& options, bsc_plugin_error* error) {
  CompilerOptions parsed;
  BSC_PLUGIN_RETURN_IF_ERROR(parse_compiler_options(options, parsed, error));
  const backend::HostServices& services = device.instance.services;
  const backend::CacheKey key = {image.bytes, options, backend::build_id(),
                                 device.instance.driver.library.path() + " " + device.instance.driver_version,
                                 device.properties.name + " " + device.properties.target};
  if (const auto kept = services.cache_get(key)) {
    if (load_binary(*kept, nullptr) == BSC_OK) return BSC_OK;
    BSC_PLUGIN_RETURN_IF_ERROR(device.check_usable("module.load", error));
    services.log(BSC_LOG_INFO, "{}: {} refuses the cached machine code of {}; it is compiled again", vendor().backend,
                 device.properties.name, name);
    handle_ = nullptr;
  }
  std::vector<std::byte> binary;
  const std::string_view text(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
  BSC_PLUGIN_RETURN_IF_ERROR(compile_text(device, text.substr(0, text.find('\0')), name, parsed, binary, error));
  BSC_PLUGIN_RETURN_IF_ERROR(load_binary(binary, error));
  services.cache_put(key, binary);
  return BSC_OK;
}

bsc_status Module::create_functions(const ImageShape& shape, bsc_plugin_error* error) {
  for (const FunctionShape& described : shape.functions) {
    auto function = std::make_unique<Function>(*this, described);
    BSC_PLUGIN_RETURN_IF_ERROR(function->create(error));
    functions.push_back(std::move(function));
  }
  return BSC_OK;
}

bsc_status Module::load(const Image& image, const std::string& options, bsc_plugin_error* error) {
  ImageShape shape;
  BSC_PLUGIN_RETURN_IF_ERROR(
      vendor().inspect(device.properties, device.instance.driver.version, image, shape, error));
  if (shape.compiles) {
    BSC_PLUGIN_RETURN_IF_ERROR(load_text(image, options, error));
  } else {
    if (!options.empty()) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "module.load", "{} is machine code; the options \"{}\" cannot be applied",
                        name, options);
    }
    BSC_PLUGIN_RETURN_IF_ERROR(load_binary(image.bytes, error));
  }
  return create_functions(shape, error);
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
    const std::string name =
        given.name != nullptr && *given.name != '\0' ? given.name : fmt::format("the {} image", format);
    const auto& formats = device->properties.formats;
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) {
      return fill_error(error, BSC_UNSUPPORTED, "module.load", "{} has format '{}'; {} takes {}", name, format,
                        device->properties.name, formats_of(*device));
    }
    if (given.data == nullptr || given.bytes == 0) {
      return fill_error(error, BSC_INVALID_IMAGE, "module.load", "{} is empty", name);
    }
    const Image inspected = {format, name,
                             std::span(static_cast<const std::byte*>(given.data), static_cast<std::size_t>(given.bytes))};
    ContextScope scope;
    BSC_PLUGIN_RETURN_IF_ERROR(scope.enter(*device, error));
    auto module = std::make_unique<Module>(*device, name);
    BSC_PLUGIN_RETURN_IF_ERROR(module->load(inspected, given.options != nullptr ? given.options : "", error));
    device->adopt(module.get());
    *out_module = module.release();
    return BSC_OK;
  });
}

bsc_status module_unload(bsc_plugin_module handle, bsc_plugin_error* error) {
  return backend::guarded(error, "module.unload", [&]() -> bsc_status {
    auto* const module = backend::object_cast<Module>(handle, plugin_api());
    if (module == nullptr) return backend::fill_handle_error(error, "module.unload", handle, BSC_OBJECT_MODULE);
    Device& device = module->device;
    if (device.instance.is_forked()) return BSC_OK;  // the parent's
    ContextScope scope;
    if (!device.is_lost()) BSC_PLUGIN_RETURN_IF_ERROR(scope.enter_context(device, error));
    device.disown(module);
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
    for (const auto& function : module->functions) {
      if (function->shape.name == name) {
        *out_function = function.get();
        return BSC_OK;
      }
    }
    return fill_error(error, BSC_NOT_FOUND, "module.function", "{} has no kernel '{}'; it has: {}", module->name, name,
                      module->function_names());
  });
}

bsc_status module_function_info(bsc_plugin_function handle, bsc_plugin_function_info* out_info, bsc_plugin_error* error) {
  auto* const function = backend::object_cast<Function>(handle, plugin_api());
  if (function == nullptr) return backend::fill_handle_error(error, "module.function_info", handle, BSC_OBJECT_FUNCTION);
  if (out_info == nullptr) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "module.function_info", "out_info must not be null");
  }
  bsc_plugin_function_info info = {};
  info.max_block_threads = function->max_block_threads;
  info.static_shared_bytes = function->static_shared_bytes;
  info.private_bytes = function->private_bytes;
  info.registers = function->registers;
  info.preferred_multiple = function->module.device.properties.sub_group;
  info.argument_count = function->shape.parameters_known ? function->shape.parameters.size() : UINT64_MAX;
  info.argument_bytes = function->shape.argument_bytes;
  backend::write_struct(out_info, info);
  return BSC_OK;
}

bsc_status module_function_name(bsc_plugin_module handle, std::uint64_t index, const char** out_name,
                                bsc_plugin_error* error) {
  auto* const module = backend::object_cast<Module>(handle, plugin_api());
  if (module == nullptr) return backend::fill_handle_error(error, "module.function_name", handle, BSC_OBJECT_MODULE);
  if (out_name == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "module.function_name", "out_name must not be null");
  if (index >= module->functions.size()) {
    return fill_error(error, BSC_NOT_FOUND, "module.function_name", "{} has {} kernels; there is no index {}", module->name,
                      module->functions.size(), index);
  }
  *out_name = module->functions[index]->shape.name.c_str();
  return BSC_OK;
}

}  // namespace bascule::gpu
