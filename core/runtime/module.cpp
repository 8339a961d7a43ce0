// Loading images; the module part of the C API.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/module.hpp"

#include <optional>

#include "core/base/text.hpp"
#include "core/package/jit_cache.hpp"
#include "core/runtime/error_handle.hpp"
#include "core/runtime/kernel.hpp"

using namespace bascule::core;

namespace bascule::core {

LoadedImage::~LoadedImage() {
  PluginError error;
  (void)backend_->tables().module.unload(handle_, error.raw());
}

}  // namespace bascule::core

Result<Ref<bsc_module>> bsc_module::load(bsc_device& device, const ImageSource& source) {
  if (!device.takes_format(source.format)) {
    return Error{.status = BSC_UNSUPPORTED,
                 .message = std::string(device.info().id) + " takes no images of format " + quoted(source.format) +
                            "; it takes: " + join(device.formats(), ", "),
                 .remedy = "give an image of one of these formats, or use another device",
                 .backend = device.backend().name()};
  }
  bsc_plugin_host_table_image table{};
  table.header = {sizeof table, BSC_STRUCT_HOST_TABLE_IMAGE, nullptr};
  table.table = source.host_table;
  bsc_plugin_image image{};
  image.header = {sizeof image, BSC_STRUCT_IMAGE, source.host_table ? &table.header : nullptr};
  image.format = source.format.c_str();
  image.data = source.bytes.data();
  image.bytes = source.bytes.size();
  image.options = source.options.c_str();
  image.name = source.name.c_str();
  // The thread that finds nothing in the cache is the one that compiles; a failure must not keep others waiting.
  std::optional<JitCache::CompileScope> scope;
  const auto& services = device.instance().parts().services;
  if (services && services->jit_cache()) scope.emplace(*services->jit_cache());
  PluginError error;
  bsc_plugin_module handle = nullptr;
  const Backend& backend = device.backend();
  const bsc_status status = backend.tables().module.load(device.handle(), &image, &handle, error.raw());
  if (status != BSC_OK) return error.take(status, backend.name(), "loading " + source.name);
  return make_ref<bsc_module>(device, std::make_unique<LoadedImage>(backend, handle), source.format, source.name);
}

bsc_module::~bsc_module() { device_.graveyard().bury(std::move(image_)); }

Result<bsc_plugin_function> bsc_module::function(const std::string& name) const {
  PluginError error;
  bsc_plugin_function function = nullptr;
  const Backend& backend = device_.backend();
  const bsc_status status = backend.tables().module.function(handle(), name.c_str(), &function, error.raw());
  if (status != BSC_OK) return error.take(status, backend.name(), "looking for function " + quoted(name));
  return function;
}

bsc_plugin_function_info bsc_module::function_info(bsc_plugin_function function) const {
  bsc_plugin_function_info info{};
  info.header = {sizeof info, BSC_STRUCT_FUNCTION_INFO, nullptr};
  info.argument_count = UINT64_MAX;
  PluginError error;
  // Optional: without it everything stays unknown.
  (void)device_.backend().tables().module.function_info(function, &info, error.raw());
  return info;
}

extern "C" {

bsc_status bsc_module_load(bsc_device* device, const char* format, const void* data, uint64_t bytes,
                           const char* options, const struct bsc_host_table* host_table, bsc_module** out,
                           bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(device);
    if (!format || !*format) return invalid_argument("format is missing", "name one of the device's formats");
    if (!out) return invalid_argument("out is NULL");
    if (!data && bytes != 0) return invalid_argument("data is NULL with " + std::to_string(bytes) + " bytes");
    if (host_table && bytes != 0) return invalid_argument("both image bytes and a host table were given", "give one");
    if (!host_table && bytes == 0) return invalid_argument("the image is empty", "give its bytes, or a host table");
    BSC_CHECK_USABLE(device->instance());
    auto module = bsc_module::load(*device, {.format = format,
                                             .bytes = {static_cast<const std::byte*>(data), bytes},
                                             .options = options ? options : "",
                                             .host_table = host_table,
                                             .name = std::string("a module of format ") + format});
    if (!module.ok()) return module.take_error();
    *out = module->detach();
    return {};
  });
}

void bsc_module_release(bsc_module* module) { release_handle(module); }

const char* bsc_module_function_name(const bsc_module* module, uint64_t index) {
  if (!is_handle(module) || module->instance().forked()) return nullptr;
  const char* name = nullptr;
  PluginError error;
  const bsc_status status =
      module->device().backend().tables().module.function_name(module->handle(), index, &name, error.raw());
  return status == BSC_OK ? name : nullptr;
}

bsc_status bsc_module_kernel(bsc_module* module, const char* function, bsc_kernel** out, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(module);
    if (!function || !*function) return invalid_argument("function is missing");
    if (!out) return invalid_argument("out is NULL");
    BSC_CHECK_USABLE(module->instance());
    auto kernel = bsc_kernel::from_module(*module, function);
    if (!kernel.ok()) return kernel.take_error();
    *out = kernel->detach();
    return {};
  });
}

}  // extern "C"
