// Config: the finished configuration. How it is read stands in reader.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/config/config.hpp"

#include "core/config/keys.hpp"
#include "core/config/reader.hpp"

namespace bascule::core {
namespace {

const std::string kNothing;
const std::string kDefaultOrigin = "default";

}  // namespace

Result<Config> Config::load(const ConfigSources& sources, const Environment& environment) {
  ConfigReader reader(environment);
  BSC_RETURN_IF_ERROR(reader.read(sources));
  return reader.take();
}

const std::string& Config::text_of(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? kNothing : found->second.text;
}

const std::string& Config::origin(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? kDefaultOrigin : found->second.origin;
}

const std::string& Config::backend_driver(std::string_view backend) const {
  return text_of("backend." + std::string(backend) + ".driver");
}

const std::string& Config::kernel_variant(std::string_view kernel) const {
  return text_of("kernel." + std::string(kernel) + ".variant");
}

std::vector<BackendOption> Config::backend_options(std::string_view backend) const {
  const std::string prefix = "backend." + std::string(backend) + ".";
  std::vector<BackendOption> options;
  for (auto it = values_.lower_bound(prefix); it != values_.end() && it->first.starts_with(prefix); ++it) {
    const std::string name = it->first.substr(prefix.size());
    if (name != "driver") options.push_back({name, it->second.text, it->second.origin});
  }
  return options;
}

std::vector<std::pair<std::string, std::string>> Config::configured_backends() const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [key, value] : values_) {
    if (!key.starts_with("backend.")) continue;
    const std::string name = key_subject(key);
    if (found.empty() || found.back().first != name) found.emplace_back(name, value.origin);
  }
  return found;
}

std::vector<ConfigEntry> Config::entries() const {
  std::vector<ConfigEntry> entries;
  const auto is_open = [](std::string_view key) { return key.starts_with("backend.") || key.starts_with("kernel."); };
  for (const KeyDescription& description : known_keys()) {
    const std::string key = description.key;
    if (is_open(key)) continue;
    const auto found = values_.find(key);
    if (found != values_.end()) {
      entries.push_back({key, found->second.text, found->second.origin});
    } else {
      entries.push_back({key, key == "cache.directory" ? cache_directory_ : description.default_value, kDefaultOrigin});
    }
  }
  for (const auto& [key, value] : values_) {
    if (is_open(key)) entries.push_back({key, value.text, value.origin});
  }
  return entries;
}

}  // namespace bascule::core
