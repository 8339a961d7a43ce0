// Value parsers: see value.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/config/value.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "core/config/keys.hpp"
#include "core/config/selector.hpp"
#include "core/platform/file.hpp"

namespace bascule::core {
namespace {

Error refused(std::string message) { return {BSC_INVALID_CONFIG, std::move(message)}; }

}  // namespace

Result<bool> parse_boolean(std::string_view text) {
  const std::string word = to_lower(text);
  for (const char* yes : {"1", "true", "yes", "on"}) {
    if (word == yes) return true;
  }
  for (const char* no : {"0", "false", "no", "off"}) {
    if (word == no) return false;
  }
  return refused(quoted(text) + " is no boolean; write " + std::string(valid_form(ValueType::kBoolean)));
}

Result<LogLevel> parse_log_level(std::string_view text) {
  const std::string word = to_lower(text);
  std::vector<std::string> names;
  for (int level = 0; level <= static_cast<int>(LogLevel::kOff); ++level) {
    names.emplace_back(log_level_name(static_cast<LogLevel>(level)));
    if (word == names.back()) return static_cast<LogLevel>(level);
  }
  return refused(quoted(text) + " is no log level" + suggestion(text, names));
}

Result<std::vector<std::string>> parse_backend_list(const std::vector<std::string>& items) {
  std::vector<std::string> names;
  for (const std::string& item : items) {
    const std::string name(trim(item));
    if (name.empty())
      return refused("a backend's name is empty; write " + std::string(valid_form(ValueType::kBackendList)));
    if (!is_backend_name(name)) {
      const std::string lower = to_lower(name);
      return refused(quoted(name) + " is not a backend's name (lower-case letters, digits and _)" +
                     (is_backend_name(lower) ? "; did you mean " + quoted(lower) + "?" : ""));
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) return refused(quoted(name) + " is named twice");
    names.push_back(name);
  }
  const bool automatic = std::find(names.begin(), names.end(), "auto") != names.end();
  if (automatic && names.size() > 1) return refused("\"auto\" stands for a whole list and cannot be a part of one");
  return automatic ? std::vector<std::string>{} : names;
}

Result<std::string> parse_path(std::string_view text, const std::string& directory) {
  const std::string path(text);
  if (path.find('\0') != std::string::npos) return refused(quoted(text) + " contains a NUL byte");
  const std::string result = anchored(path, directory);
  if (result.starts_with('/')) return result;
  return refused(quoted(text) + " is a relative path; write an absolute one");
}

}  // namespace bascule::core
