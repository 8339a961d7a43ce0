// Reads TOML text into a flat list of keys with their values and positions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace bascule::core {

inline constexpr std::size_t kMostConfigBytes = 256 << 10;

struct RawValue {
  std::string key;                 // dotted
  std::vector<std::string> items;  // one, or those of a list
  bool is_list = false;
  bool is_table = false;  // an empty table: only its name says something
  std::string origin;     // "/etc/bascule.toml:3:1"
  std::string directory;  // where relative paths start; "" if nowhere
};

// `name` stands before positions in messages. Hostile text (deep nesting, NUL, invalid UTF-8, too much of it) is an
// INVALID_CONFIG like any other fault. Values are booleans, numbers, text, and lists of these.
Result<std::vector<RawValue>> parse_toml(std::string_view text, const std::string& name, const std::string& directory);

}  // namespace bascule::core
