// Plugin: see plugin.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/plugin.hpp"

#include <cstring>

#include "core/base/duration.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/config/value.hpp"
#include "core/loader/plugin_tables.hpp"
#include "core/platform/elf.hpp"
#include "core/platform/file.hpp"
#include "core/platform/library.hpp"

namespace bascule::core {
namespace {

constexpr std::uint64_t kMostOptions = 1024;

Error broken(const std::string& message) { return {BSC_BROKEN, message, "Install a matching build of the plugin."}; }

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

bool is_option_type(std::string_view type) {
  return type == "integer" || type == "boolean" || type == "string" || type == "duration";
}

Result<std::vector<OptionDescription>> read_options(const bsc_plugin_info& info, const std::string& who) {
  std::vector<OptionDescription> options;
  if (info.option_count == 0) return options;
  // v1 of the struct is what a smaller stride could not hold.
  if (info.options == nullptr || info.option_stride < sizeof(bsc_plugin_option) || info.option_count > kMostOptions) {
    return broken(who + " declares its options in a malformed list");
  }
  const auto* at = reinterpret_cast<const char*>(info.options);
  for (std::uint64_t i = 0; i < info.option_count; ++i, at += info.option_stride) {
    bsc_plugin_option option;
    std::memcpy(&option, at, sizeof option);
    OptionDescription description{text_or_empty(option.name), text_or_empty(option.type),
                                  text_or_empty(option.default_value), text_or_empty(option.description)};
    if (!is_backend_name(description.name) || description.name == "driver") {
      return broken(who + " declares an option with the impossible name " + quoted(description.name));
    }
    if (!is_option_type(description.type)) {
      return broken(who + " declares option " + quoted(description.name) + " of unknown type " +
                    quoted(description.type));
    }
    options.push_back(std::move(description));
  }
  return options;
}

// The plugin's answer. Fields that it does not know stay zero.
Result<bsc_plugin_info> ask(const Library& library, const std::string& who) {
  const auto query = reinterpret_cast<bsc_plugin_query_function>(library.symbol(BSC_PLUGIN_QUERY_SYMBOL));
  if (query == nullptr) return broken(who + " does not export " BSC_PLUGIN_QUERY_SYMBOL ": it is no Bascule plugin");
  bsc_plugin_host_info host{};
  host.header = {sizeof host, BSC_STRUCT_HOST_INFO, nullptr};
  host.abi_major = BSC_PLUGIN_ABI_MAJOR;
  host.abi_minor = BSC_PLUGIN_ABI_MINOR;
  host.library_version = kVersion;
  bsc_plugin_info info{};
  info.header = {sizeof info, BSC_STRUCT_PLUGIN_INFO, nullptr};
  bsc_status status = BSC_INTERNAL;
  try {
    status = query(&host, &info);
  } catch (...) {
    return broken(who + " threw a C++ exception from " BSC_PLUGIN_QUERY_SYMBOL);
  }
  if (status != BSC_OK && status != BSC_ABI_MISMATCH) {
    return broken(who + " answered " BSC_PLUGIN_QUERY_SYMBOL " with status " + std::to_string(status));
  }
  BSC_RETURN_IF_ERROR(check_plugin_abi(info, who));
  if (status != BSC_OK) {
    return Error{BSC_ABI_MISMATCH, who + " refuses this library's plugin ABI",
                 "Install plugin and library of one version."};
  }
  return info;
}

bool is_integer(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  return !text.empty() &&
         text.find_first_not_of(hexadecimal ? "0123456789abcdefABCDEF" : "0123456789") == std::string_view::npos;
}

bool has_type(std::string_view value, std::string_view type) {
  if (type == "integer") return is_integer(value);
  if (type == "boolean") return parse_boolean(value).ok();
  if (type == "duration") return value == "0" || parse_duration(value).ok();
  return true;
}

std::string form_of(std::string_view type) {
  if (type == "integer") return "a whole number";
  if (type == "boolean") return "1/0, true/false, yes/no or on/off";
  return std::string(kDurationForm);
}

}  // namespace

Result<Plugin> Plugin::load(const Manifest& manifest) {
  BSC_RETURN_IF_ERROR(check_manifest_abi(manifest));
  if (Status elf = check_shared_object(manifest.plugin_path); !elf.ok()) {
    Error error = elf.take_error();
    error.status = BSC_BROKEN;
    error.message = "the plugin that " + manifest.path + " names is unusable: " + error.message;
    if (error.remedy.empty()) error.remedy = "Install the plugin again, or remove its manifest.";
    return error;
  }
  auto library = Library::open(manifest.plugin_path);
  if (!library.ok()) {
    Error error = library.take_error();
    error.remedy = "Install what the message names as missing, or a matching build of the plugin.";
    return error;
  }
  const std::string& who = manifest.plugin_path;
  auto info = ask(*library, who);
  if (!info.ok()) return info.take_error();

  Plugin plugin;
  plugin.name_ = text_or_empty(info->name);
  if (plugin.name_ != manifest.name) {
    return broken(who + " says that it is the backend " + quoted(plugin.name_) + ", its manifest " + manifest.path +
                  " says " + quoted(manifest.name));
  }
  plugin.version_ = text_or_empty(info->version);
  plugin.build_ = text_or_empty(info->build);
  plugin.path_ = library->path();
  BSC_RETURN_IF_ERROR(check_plugin_tables(info->api, who));
  plugin.api_ = info->api;
  auto options = read_options(*info, who);
  if (!options.ok()) return options.take_error();
  plugin.options_ = std::move(*options);
  return plugin;
}

Status check_options(const std::string& backend, std::span<const BackendOption> options,
                     std::span<const OptionDescription> declared) {
  for (const BackendOption& option : options) {
    const OptionDescription* description = nullptr;
    std::vector<std::string> names{"driver"};
    for (const OptionDescription& candidate : declared) {
      names.push_back(candidate.name);
      if (candidate.name == option.name) description = &candidate;
    }
    const std::string key = "backend." + backend + "." + option.name;
    if (description == nullptr) {
      return Error{BSC_INVALID_CONFIG,
                   option.origin + ": " + key + ": backend " + backend + " has no option " + quoted(option.name) +
                       suggestion(option.name, names),
                   "Correct the name or remove it; `bascule doctor` lists every backend's options.", backend};
    }
    if (!option.value.empty() && !has_type(option.value, description->type)) {
      return Error{BSC_INVALID_CONFIG,
                   option.origin + ": " + key + ": " + quoted(option.value) + " is no " + description->type +
                       "; write " + form_of(description->type),
                   "The option: " + description->description + ".", backend};
    }
  }
  return {};
}

}  // namespace bascule::core
