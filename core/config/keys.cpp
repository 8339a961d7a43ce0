// The table of configuration keys: see keys.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/config/keys.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "core/config/selector.hpp"

namespace bascule::core {
namespace {

constexpr KeyDescription kKeys[] = {
    {"backends", "BASCULE_BACKENDS", ValueType::kBackendList, "auto",
     "backends to use, tried exactly in this order; auto takes what the machine has, graphics processors first", false},
    {"device", "BASCULE_DEVICE", ValueType::kSelector, "",
     "default device; empty: the first device of the first usable backend", false},
    {"plugins.path", "BASCULE_PLUGIN_PATH", ValueType::kPathList, "",
     "directories searched for plugins before the installed ones; relative ones start at the file that names them",
     true},
    {"log.level", "BASCULE_LOG", ValueType::kLogLevel, "warning", "least severity of messages that are shown", false},
    {"cache.directory", "BASCULE_CACHE_DIR", ValueType::kPath, "",
     "where compiled kernels and probe verdicts are kept; default: $XDG_CACHE_HOME/bascule or $HOME/.cache/bascule, in "
     "memory "
     "where neither variable is set",
     true},
    {"cache.enabled", "BASCULE_CACHE", ValueType::kBoolean, "true",
     "whether compiled kernels and verdicts are kept on disk", false},
    {"probe.timeout", "BASCULE_PROBE_TIMEOUT", ValueType::kDuration, "5s",
     "how long a backend may take to answer when it is probed in a child process", false},
    {"backend.NAME.driver", nullptr, ValueType::kPath, "",
     "path of the vendor's library for this backend; replaces the backend's own list", true},
    {"backend.NAME.OPTION", nullptr, ValueType::kText, "", "an option that the backend declares; `bascule doctor -v` lists them",
     false},
    {"kernel.NAME.variant", nullptr, ValueType::kText, "",
     "the variant of this kernel to use; an unusable one is an error", false},
};

constexpr std::string_view kBackendPrefix = "backend.";
constexpr std::string_view kKernelPrefix = "kernel.";
constexpr std::string_view kVariantSuffix = ".variant";

const KeyDescription* exactly(std::string_view key) {
  for (const KeyDescription& description : kKeys) {
    if (key == description.key) return &description;
  }
  return nullptr;
}

std::string to_upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

bool is_option_name(std::string_view text) {
  return !text.empty() && text.find('.') == std::string_view::npos && text != "OPTION";
}

}  // namespace

std::span<const KeyDescription> known_keys() { return kKeys; }

std::string_view valid_form(ValueType type) {
  switch (type) {
    case ValueType::kBackendList:
      return "names of backends in order, such as cuda,cpu, or auto";
    case ValueType::kSelector:
      return kSelectorForm;
    case ValueType::kPathList:
      return "absolute directories separated by colons";
    case ValueType::kPath:
      return "an absolute path";
    case ValueType::kLogLevel:
      return "trace, debug, info, warning, error or off";
    case ValueType::kBoolean:
      return "1/0, true/false, yes/no or on/off";
    case ValueType::kDuration:
      return "a number followed by ns, us, ms, s, min or h, such as 5s or 200ms";
    case ValueType::kText:
      return "text";
  }
  return "";
}

std::string key_subject(std::string_view key) {
  if (key.starts_with(kBackendPrefix)) {
    key.remove_prefix(kBackendPrefix.size());
    return std::string(key.substr(0, key.find('.')));
  }
  if (key.starts_with(kKernelPrefix) && key.ends_with(kVariantSuffix) &&
      key.size() > kKernelPrefix.size() + kVariantSuffix.size()) {
    return std::string(key.substr(kKernelPrefix.size(), key.size() - kKernelPrefix.size() - kVariantSuffix.size()));
  }
  return "";
}

const KeyDescription* describe_key(std::string_view key) {
  const std::string subject = key_subject(key);
  if (key.starts_with(kBackendPrefix)) {
    if (!is_backend_name(subject) || key.size() <= kBackendPrefix.size() + subject.size()) return nullptr;
    const std::string_view option = key.substr(kBackendPrefix.size() + subject.size() + 1);
    if (option == "driver") return exactly("backend.NAME.driver");
    return is_option_name(option) ? exactly("backend.NAME.OPTION") : nullptr;
  }
  if (key.starts_with(kKernelPrefix)) return subject.empty() ? nullptr : exactly("kernel.NAME.variant");
  return exactly(key);
}

const KeyDescription* describe_variable(std::string_view variable) {
  for (const KeyDescription& description : kKeys) {
    if (description.variable != nullptr && variable == description.variable) return &description;
  }
  return nullptr;
}

std::string key_of_variable(std::string_view variable) {
  if (const KeyDescription* description = describe_variable(variable)) return description->key;
  constexpr std::string_view kPrefix = "BASCULE_", kSuffix = "_DRIVER";
  if (variable.size() <= kPrefix.size() + kSuffix.size() || !variable.starts_with(kPrefix) || !variable.ends_with(kSuffix)) return "";
  const std::string_view name = variable.substr(kPrefix.size(), variable.size() - kPrefix.size() - kSuffix.size());
  const std::string backend = to_lower(name);
  return is_backend_name(backend) && to_upper(backend) == name ? "backend." + backend + ".driver" : "";
}

bool is_key_group(std::string_view name) {
  if (name == "backend" || name == "kernel" || name.starts_with(kKernelPrefix)) return true;
  if (name.starts_with(kBackendPrefix)) return is_backend_name(name.substr(kBackendPrefix.size()));
  for (const KeyDescription& description : kKeys) {
    const std::string_view key = description.key;
    if (key.size() > name.size() && key.starts_with(name) && key[name.size()] == '.') return true;
  }
  return false;
}

std::vector<std::string> all_keys() {
  std::vector<std::string> names;
  for (const KeyDescription& description : kKeys) names.emplace_back(description.key);
  return names;
}

std::vector<std::string> all_variables() {
  std::vector<std::string> names{kConfigFileVariable};
  for (const KeyDescription& description : kKeys) {
    if (description.variable != nullptr) names.emplace_back(description.variable);
  }
  return names;
}

}  // namespace bascule::core
