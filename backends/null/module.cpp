// Images of any format. Only the plugin's own format "null" is read: a text that names functions, one a line, each with
// how many arguments it takes and how many bytes its arguments have, as far as known:
//
//   axpy 4 48
//   fill_index
//
// In every other format any name is a function.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "backends/common/struct_access.hpp"
#include "backends/null/entries.hpp"
#include "backends/null/failure.hpp"
#include "backends/null/objects.hpp"

namespace bascule::null_backend {
namespace {

constexpr std::string_view kFormats[] = {"null", "host", "opencl-c", "ptx", "spirv", "hsaco"};

std::string_view take_word(std::string_view& text) {
  const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(start);
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

bool take_number(std::string_view& text, std::uint64_t& number) {
  const std::string_view word = take_word(text);
  if (word.empty()) return true;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), number);
  return code == std::errc{} && end == word.data() + word.size();
}

bool is_name(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
}

bsc_status read_names(Module& module, std::string_view text, bsc_plugin_error* error) {
  module.names_are_known = true;
  std::uint64_t number = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    const std::string_view name = take_word(line);
    if (name.empty()) continue;
    auto function = std::make_unique<Function>(module, std::string(name));
    if (!is_name(name) || !take_number(line, function->argument_count) || !take_number(line, function->argument_bytes) ||
        !take_word(line).empty()) {
      if (has_fault(Fault::load_garbage_accepted)) continue;
      return refuse(error, BSC_INVALID_IMAGE, Entry::module_load,
                    "line {} of the image is not NAME [ARGUMENTS [BYTES]], which format \"null\" consists of", number);
    }
    module.functions.push_back(std::move(function));
  }
  return BSC_OK;
}

bsc_status check_image(const bsc_plugin_image& image, bsc_plugin_error* error) {
  const std::string_view format = image.format != nullptr ? image.format : "";
  if (std::find(std::begin(kFormats), std::end(kFormats), format) == std::end(kFormats) &&
      !has_fault(Fault::load_unknown_format_accepted)) {
    return refuse(error, BSC_UNSUPPORTED, Entry::module_load, "the image format \"{}\" is unknown; there are {}", format,
                  fmt::join(kFormats, ", "));
  }
  const bool has_table = format == "host" && backend::find_in_chain(image.header, BSC_STRUCT_HOST_TABLE_IMAGE) != nullptr;
  if ((image.data == nullptr || image.bytes == 0) && !has_table && !has_fault(Fault::load_empty_accepted)) {
    return refuse(error, BSC_INVALID_IMAGE, Entry::module_load, "the image \"{}\" is empty",
                  image.name != nullptr ? image.name : "");
  }
  if (format == "null" && image.options != nullptr && *image.options != '\0' && !has_fault(Fault::load_options_ignored)) {
    return refuse(error, BSC_BUILD_FAILED, Entry::module_load, "the option \"{}\" is unknown; format \"null\" has none",
                  image.options);
  }
  return BSC_OK;
}

std::string names_of(const Module& module) {
  std::string text;
  for (const auto& function : module.functions) text += (text.empty() ? "" : ", ") + function->name;
  return text;
}

// The fault load_keeps_pointers: what the image says at the time of the question.
bool still_listed(const Module& module, std::string_view name) {
  if (!has_fault(Fault::load_keeps_pointers) || module.borrowed_text == nullptr) return true;
  return std::string_view(module.borrowed_text, module.borrowed_bytes).find(name) != std::string_view::npos;
}

}  // namespace

bsc_status load_module(bsc_plugin_device handle, const bsc_plugin_image* given, bsc_plugin_module* out_module,
                       bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "module.load", [&]() -> bsc_status {
    auto* const device = object<Device>(handle);
    if (device == nullptr) return refuse_handle(error, "module.load", handle, BSC_OBJECT_DEVICE);
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(device->instance, device, Entry::module_load, error));
    const bsc_plugin_image image = backend::read_struct(given);
    BSC_PLUGIN_RETURN_IF_ERROR(check_image(image, error));
    auto module = std::make_unique<Module>(*device);
    module->format = image.format != nullptr ? image.format : "";
    module->host_format = module->format == "host";
    if (module->format == "null" && image.data != nullptr) {
      module->borrowed_text = static_cast<const char*>(image.data);
      module->borrowed_bytes = image.bytes;
      BSC_PLUGIN_RETURN_IF_ERROR(read_names(*module, {module->borrowed_text, image.bytes}, error));
    }
    {
      const std::lock_guard lock(device->instance.mutex);
      device->instance.modules.insert(module.get());
    }
    *out_module = module.release();
    return succeed(error);
  });
}

bsc_status unload_module(bsc_plugin_module handle, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "module.unload", [&]() -> bsc_status {
    auto* const module = object<Module>(handle);
    if (module == nullptr) {
      const bool released = handle != nullptr && handle->magic == 0;
      return refuse_handle(error, "module.unload", handle, BSC_OBJECT_MODULE,
                           released ? Fault::unload_released_accepted : Fault::unload_handle_unchecked);
    }
    Instance& instance = module->device.instance;
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(instance, &module->device, Entry::module_unload, error));
    if (has_fault(Fault::function_survives_unload)) return BSC_OK;
    {
      const std::lock_guard lock(instance.mutex);
      instance.modules.erase(module);
    }
    delete module;
    return succeed(error);
  });
}

bsc_status module_function(bsc_plugin_module handle, const char* name, bsc_plugin_function* out_function,
                           bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "module.function", [&]() -> bsc_status {
    auto* const module = object<Module>(handle);
    if (module == nullptr) return refuse_handle(error, "module.function", handle, BSC_OBJECT_MODULE);
    Instance& instance = module->device.instance;
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(instance, &module->device, Entry::module_function, error));
    const std::string_view wanted = name != nullptr ? name : "";
    const std::lock_guard lock(module->mutex);
    for (auto& function : module->functions) {
      if (function->name != wanted || !still_listed(*module, wanted)) continue;
      if (has_fault(Fault::function_handle_changes)) {
        auto twin = std::make_unique<Function>(*module, function->name);
        module->surplus.push_back(std::exchange(function, std::move(twin)));
      }
      *out_function = function.get();
      return succeed(error);
    }
    if (wanted.empty() || (module->names_are_known && !has_fault(Fault::function_unknown_accepted))) {
      const std::string names = has_fault(Fault::function_names_missing) ? "" : names_of(*module);
      return refuse(error, BSC_NOT_FOUND, Entry::module_function, "no function \"{}\"; there are: {}", wanted, names);
    }
    module->functions.push_back(std::make_unique<Function>(*module, std::string(wanted)));
    *out_function = module->functions.back().get();
    return succeed(error);
  });
}

bsc_status function_info(bsc_plugin_function handle, bsc_plugin_function_info* out_info,
                         bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "module.function_info", [&]() -> bsc_status {
    auto* const function = object<Function>(handle);
    if (function == nullptr) return refuse_handle(error, "module.function_info", handle, BSC_OBJECT_FUNCTION);
    Device& device = function->module.device;
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(device.instance, &device, Entry::module_function_info, error));
    bsc_plugin_function_info info = {};
    info.argument_count = function->argument_count;
    info.argument_bytes = function->argument_bytes;
    if (has_fault(Fault::function_info_wrong_count)) info.argument_count = 99;
    backend::write_struct(out_info, info);
    if (has_fault(Fault::function_info_writes_beyond_size)) out_info->argument_bytes = 1;
    return succeed(error);
  });
}

bsc_status function_name(bsc_plugin_module handle, std::uint64_t index, const char** out_name,
                         bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "module.function_name", [&]() -> bsc_status {
    auto* const module = object<Module>(handle);
    if (module == nullptr) return refuse_handle(error, "module.function_name", handle, BSC_OBJECT_MODULE);
    Instance& instance = module->device.instance;
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(instance, &module->device, Entry::module_function_name, error));
    const std::lock_guard lock(module->mutex);
    const std::size_t count = module->functions.size();
    if (has_fault(Fault::function_name_never_ends) && count != 0) index %= count;
    if (index >= count) {
      return refuse(error, BSC_NOT_FOUND, Entry::module_function_name, "index {} of {} functions", index, count);
    }
    *out_name = module->functions[index]->name.c_str();
    return succeed(error);
  });
}

}  // namespace bascule::null_backend
