// Environment: the process's variables as the library is allowed to see them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bascule::core {

// A snapshot, so that later changes (setenv is not thread-safe) neither race with us nor change what was decided.
class Environment {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  // Of this process. Privileged (set-user-id and the like, AT_SECURE): no variable is visible.
  static Environment process();
  // For tests, and for a caller who wants no variable at all.
  explicit Environment(Variables variables = {}, bool privileged = false);

  bool privileged() const { return privileged_; }

  // An empty variable is an unset one.
  std::optional<std::string> get(std::string_view name) const;

  // Names and values, not empty, sorted by name.
  std::vector<std::pair<std::string, std::string>> with_prefix(std::string_view prefix) const;

 private:
  Variables variables_;
  bool privileged_;
};

}  // namespace bascule::core
