// Finding and opening the plugin.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/plugin_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

namespace bascule::conformance {
namespace {

namespace fs = std::filesystem;

PluginLocation from_manifest(const fs::path& manifest) {
  std::ifstream stream(manifest);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  PluginLocation location;
  if (!json.is_object() || !json.contains("file") || !json["file"].is_string()) {
    location.problem = fmt::format("{} is no plugin manifest", manifest.string());
    return location;
  }
  location.name = json.value("name", "");
  location.file = fs::absolute(manifest.parent_path() / json["file"].get<std::string>()).lexically_normal().string();
  return location;
}

std::vector<fs::path> search_directories() {
  std::vector<fs::path> directories;
  std::string_view list = std::getenv("BASCULE_PLUGIN_PATH") != nullptr ? std::getenv("BASCULE_PLUGIN_PATH") : "";
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(':'));
    if (!item.empty()) directories.emplace_back(item);
    list.remove_prefix(item.size() < list.size() ? item.size() + 1 : item.size());
  }
  directories.push_back(fs::path(program_directory()) / "../../lib/bascule/plugins");
  return directories;
}

}  // namespace

std::string program_directory() {
  std::error_code code;
  return fs::read_symlink("/proc/self/exe", code).parent_path().string();
}

PluginLocation locate_plugin(const std::string& text) {
  std::error_code code;
  if (text.find('/') != std::string::npos || text.ends_with(".so") || text.ends_with(".json")) {
    if (!fs::is_regular_file(text, code)) return {"", "", fmt::format("there is no file {}", text)};
    if (text.ends_with(".json")) return from_manifest(text);
    return {"", fs::absolute(text).lexically_normal().string(), ""};
  }
  std::string tried;
  for (const fs::path& directory : search_directories()) {
    const fs::path manifest = directory / (text + ".json");
    if (fs::is_regular_file(manifest, code)) return from_manifest(manifest);
    tried += (tried.empty() ? "" : ", ") + manifest.lexically_normal().string();
  }
  return {"", "", fmt::format("no plugin \"{}\"; tried {}", text, tried)};
}

bsc_plugin_host_info host_info() {
  bsc_plugin_host_info host = {};
  host.header = {sizeof host, BSC_STRUCT_HOST_INFO, nullptr};
  host.abi_major = BSC_PLUGIN_ABI_MAJOR;
  host.abi_minor = BSC_PLUGIN_ABI_MINOR;
  host.library_version = "conformance";
  return host;
}

PluginLibrary::PluginLibrary(const PluginLocation& location) : location_(location), problem_(location.problem) {
  if (!problem_.empty()) return;
  void* const handle = dlopen(location_.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    problem_ = fmt::format("{} does not load: {}", location_.file, dlerror());
    return;
  }
  query_ = reinterpret_cast<bsc_plugin_query_function>(dlsym(handle, BSC_PLUGIN_QUERY_SYMBOL));
  if (query_ == nullptr) {
    problem_ = fmt::format("{} exports no {}", location_.file, BSC_PLUGIN_QUERY_SYMBOL);
    return;
  }
  const bsc_plugin_host_info host = host_info();
  info_.header = {sizeof info_, BSC_STRUCT_PLUGIN_INFO, nullptr};
  const bsc_status status = query_(&host, &info_);
  if (status != BSC_OK || info_.api == nullptr) {
    problem_ = fmt::format("{}: {} answered {} to a host of ABI {}.{}; the plugin's is {}.{}", location_.file,
                           BSC_PLUGIN_QUERY_SYMBOL, status, host.abi_major, host.abi_minor, info_.abi_major,
                           info_.abi_minor);
  }
}

std::vector<bsc_plugin_option> options_of(const bsc_plugin_info& info) {
  std::vector<bsc_plugin_option> options;
  const auto* at = reinterpret_cast<const char*>(info.options);
  for (std::uint64_t i = 0; i < info.option_count; ++i, at += info.option_stride) {
    bsc_plugin_option option = {};
    std::memcpy(&option, at, std::min<std::uint64_t>(sizeof option, info.option_stride));
    options.push_back(option);
  }
  return options;
}

bool PluginLibrary::declares_option(std::string_view name) const {
  for (const bsc_plugin_option& option : options_of(info_)) {
    if (option.name != nullptr && option.name == name) return true;
  }
  return false;
}

}  // namespace bascule::conformance
