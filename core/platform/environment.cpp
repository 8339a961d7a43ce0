// Environment: see environment.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/platform/environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>

namespace bascule::core {

Environment Environment::process() {
  const bool privileged = getauxval(AT_SECURE) != 0;
  Variables variables;
  for (char** entry = privileged ? nullptr : environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name(text.substr(0, equals));
    // secure_getenv besides AT_SECURE: the C library may know of more reasons (file capabilities, security modules).
    if (const char* value = secure_getenv(name.c_str())) variables.emplace(name, value);
  }
  return Environment(std::move(variables), privileged);
}

Environment::Environment(Variables variables, bool privileged)
    : variables_(std::move(variables)), privileged_(privileged) {
  if (privileged_) variables_.clear();
}

std::optional<std::string> Environment::get(std::string_view name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::vector<std::pair<std::string, std::string>> Environment::with_prefix(std::string_view prefix) const {
  std::vector<std::pair<std::string, std::string>> found;
  for (auto it = variables_.lower_bound(prefix); it != variables_.end() && it->first.starts_with(prefix); ++it) {
    if (!it->second.empty()) found.emplace_back(it->first, it->second);
  }
  return found;
}

}  // namespace bascule::core
