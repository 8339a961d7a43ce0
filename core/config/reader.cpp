// ConfigReader: see reader.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/config/reader.hpp"

#include <unistd.h>

#include <memory>

#include "core/base/duration.hpp"
#include "core/base/text.hpp"
#include "core/config/value.hpp"
#include "core/platform/file.hpp"
#include "core/platform/paths.hpp"

namespace bascule::core {
namespace {

Error at(const std::string& origin, const std::string& what, const std::string& remedy) {
  return {BSC_INVALID_CONFIG, origin + ": " + what, remedy};
}

// Absolute where the working directory is known. It may have been removed; then the path stays relative.
std::string absolute_path(const std::string& path) {
  if (path.starts_with('/')) return path;
  const auto release = [](char* text) { free(text); };
  const std::unique_ptr<char, decltype(release)> directory(getcwd(nullptr, 0), release);
  return directory == nullptr ? path : anchored(path, directory.get());
}

// A value written as text: split at the separator of its type.
std::vector<std::string> text_items(ValueType type, std::string_view text) {
  if (type == ValueType::kBackendList) return split(text, ',');
  if (type == ValueType::kPathList) return split(text, ':');
  return {std::string(text)};
}

}  // namespace

Status ConfigReader::read(const ConfigSources& sources) {
  config_.privileged_ = environment_.privileged();
  set_directories();
  BSC_RETURN_IF_ERROR(read_files(sources));
  BSC_RETURN_IF_ERROR(read_text(sources.text, "config_text", "", false));
  if (!sources.ignore_environment) BSC_RETURN_IF_ERROR(read_variables());
  for (const Setting& setting : sources.settings) BSC_RETURN_IF_ERROR(read_setting(setting));
  return {};
}

void ConfigReader::set_directories() {
  config_.cache_directory_ = cache_directory(environment_).value_or("");
  if (const auto data = data_directory(environment_)) config_.user_plugin_directory_ = *data + "/plugins";
}

Status ConfigReader::read_files(const ConfigSources& sources) {
  if (!sources.ignore_files) {
    BSC_RETURN_IF_ERROR(read_file_at(sources.system_file, Missing::kSkip, "", false));
    // A privileged process sees no HOME, so it has no user file.
    if (const auto directory = config_directory(environment_)) {
      BSC_RETURN_IF_ERROR(read_file_at(*directory + "/bascule.toml", Missing::kSkip, "", false));
    }
  }
  if (sources.read_working_directory && !environment_.privileged()) {
    BSC_RETURN_IF_ERROR(read_file_at(sources.working_file, Missing::kSkip, "", true));
  }
  if (!sources.file.empty()) return read_file_at(sources.file, Missing::kError, "config_file", false);
  if (sources.ignore_files || sources.ignore_environment) return {};
  if (const auto path = environment_.get(kConfigFileVariable)) {
    return read_file_at(*path, Missing::kError, kConfigFileVariable, false);
  }
  return {};
}

Status ConfigReader::read_file_at(const std::string& path, Missing missing, const std::string& named_by,
                                  bool restricted) {
  auto text = read_file(path, kMostConfigBytes);
  config_.files_.push_back({path, text.ok()});
  if (text.ok()) return read_text(*text, path, parent_directory(absolute_path(path)), restricted);
  if (missing == Missing::kSkip && text.error().status == BSC_NOT_FOUND) return {};
  Error error = text.take_error();
  error.status = BSC_INVALID_CONFIG;
  error.message = (named_by.empty() ? "configuration file: " : named_by + ": ") + error.message;
  if (error.remedy.empty())
    error.remedy = named_by.empty() ? "Make it readable, or remove it." : "Name a readable file.";
  return error;
}

Status ConfigReader::read_text(std::string_view text, const std::string& name, const std::string& directory,
                               bool restricted) {
  auto values = parse_toml(text, name, directory);
  if (!values.ok()) return values.take_error();
  for (const RawValue& value : *values) BSC_RETURN_IF_ERROR(apply(value, restricted));
  return {};
}

Status ConfigReader::read_variables() {
  for (const auto& [name, text] : environment_.with_prefix("BASCULE_")) {
    if (name == kConfigFileVariable || name.starts_with(kTestVariablePrefix) || name.starts_with(kEmulatedVariablePrefix)) continue;
    const std::string key = key_of_variable(name);
    const KeyDescription* description = describe_key(key);
    if (description == nullptr) {
      return at(name, "no such variable" + suggestion(name, all_variables()),
                "Correct the name or unset it; `bascule config --help` lists all variables.");
    }
    BSC_RETURN_IF_ERROR(
        apply_typed(*description, {key, text_items(description->type, text), false, false, name, ""}));
  }
  return {};
}

Status ConfigReader::read_setting(const Setting& setting) {
  const KeyDescription* description = describe_key(setting.key);
  const ValueType type = description == nullptr ? ValueType::kText : description->type;
  if (!is_valid_utf8(setting.value))
    return at("setting " + quoted(setting.key), "the value is not valid UTF-8", "Write UTF-8.");
  return apply({setting.key, text_items(type, setting.value), false, false, "setting", ""}, false);
}

Status ConfigReader::apply(const RawValue& value, bool restricted) {
  if (value.is_table) {
    if (is_key_group(value.key)) return {};
    return at(value.origin, "unknown table " + quoted(value.key) + suggestion(value.key, all_keys()),
              "Remove or correct it.");
  }
  const KeyDescription* description = describe_key(value.key);
  if (description == nullptr) {
    return at(value.origin, "unknown key " + quoted(value.key) + suggestion(value.key, all_keys()),
              "Correct the key or remove it; `bascule config --help` lists all keys.");
  }
  if (restricted && description->names_code) {
    return at(value.origin,
              quoted(value.key) + " is refused in a file of the working directory, which anybody may have put there",
              "Set it in your own configuration file, by a BASCULE_* variable, or name this file in BASCULE_CONFIG.");
  }
  return apply_typed(*description, value);
}

Status ConfigReader::apply_typed(const KeyDescription& description, const RawValue& raw) {
  RawValue value = raw;
  const bool list_type = description.type == ValueType::kBackendList || description.type == ValueType::kPathList;
  if (value.is_list && !list_type) {
    return at(value.origin, quoted(value.key) + " is one value, not a list",
              "Write " + std::string(valid_form(description.type)) + ".");
  }
  // Text in place of a list has the form that it has in a variable.
  if (!value.is_list && list_type && value.items.size() == 1) {
    value.items = value.items[0].empty() ? std::vector<std::string>{} : text_items(description.type, value.items[0]);
  }
  Status status;
  if (description.type == ValueType::kBackendList) {
    auto names = parse_backend_list(value.items);
    if (names.ok()) {
      config_.backends_ = *names;
      config_.values_[value.key] = {names->empty() ? "auto" : join(*names, ","), value.origin};
    } else {
      status = names.take_error();
    }
  } else {
    status = list_type ? apply_path_list(description, value) : apply_scalar(description, value);
  }
  if (status.ok()) return {};
  Error error = status.take_error();
  error.message = value.origin + ": " + (value.origin == description.key ? "" : value.key + ": ") + error.message;
  if (error.remedy.empty()) error.remedy = "Write " + std::string(valid_form(description.type)) + ".";
  return error;
}

Status ConfigReader::apply_path_list(const KeyDescription&, const RawValue& value) {
  std::vector<std::string> paths;
  for (const std::string& item : value.items) {
    if (item.empty()) continue;  // "a::b" and a trailing colon are common and mean nothing here
    auto path = parse_path(item, value.directory);
    if (!path.ok()) return path.take_error();
    paths.push_back(std::move(*path));
  }
  config_.values_[value.key] = {join(paths, ":"), value.origin};
  config_.plugin_path_ = std::move(paths);
  return {};
}

Status ConfigReader::apply_scalar(const KeyDescription& description, const RawValue& value) {
  std::string text = value.items.empty() ? "" : value.items[0];
  const std::string_view key = description.key;
  switch (description.type) {
    case ValueType::kSelector: {
      auto selector = parse_selector(text);
      if (!selector.ok()) return selector.take_error();
      config_.device_ = std::move(*selector);
      break;
    }
    case ValueType::kLogLevel: {
      auto level = parse_log_level(text);
      if (!level.ok()) return level.take_error();
      config_.log_level_ = *level;
      text = log_level_name(*level);
      break;
    }
    case ValueType::kBoolean: {
      auto boolean = parse_boolean(text);
      if (!boolean.ok()) return boolean.take_error();
      config_.cache_enabled_ = *boolean;
      text = *boolean ? "true" : "false";
      break;
    }
    case ValueType::kDuration: {
      auto duration = parse_duration(text);
      if (!duration.ok()) return duration.take_error();
      if (duration->count() == 0) return Error{BSC_INVALID_CONFIG, quoted(text) + " leaves no time at all"};
      config_.probe_timeout_ = *duration;
      break;
    }
    case ValueType::kPath: {
      if (!text.empty()) {
        auto path = parse_path(text, value.directory);
        if (!path.ok()) return path.take_error();
        text = std::move(*path);
      }
      if (key == "cache.directory")
        config_.cache_directory_ = text.empty() ? cache_directory(environment_).value_or("") : text;
      break;
    }
    default:
      break;
  }
  config_.values_[value.key] = {std::move(text), value.origin};
  return {};
}

}  // namespace bascule::core
