// Reading the values of a plugin's own options ([backend.NAME] in a config file). What cannot be understood is an error
// that names option, value and what is allowed; nothing is guessed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bascule::backend {

// A whole number with an optional sign, in decimal or, after 0x, in hexadecimal; the whole text must be one.
std::optional<std::int64_t> parse_integer(std::string_view text);
// 1/0, true/false, yes/no, on/off in any case.
std::optional<bool> parse_boolean(std::string_view text);
// A non-negative number, decimal fraction allowed, with a unit: ns, us, ms, s, min, h. A bare 0 needs no unit.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);
std::string format_duration(std::chrono::nanoseconds duration);

// The options given at open. Each reader leaves `value` at its default when the option is absent or empty.
class OptionReader {
 public:
  OptionReader(std::string_view backend, const bsc_plugin_open_info& open_info);

  bsc_status integer(std::string_view name, std::int64_t least, std::int64_t most, std::int64_t& value,
                     bsc_plugin_error* error) const;
  bsc_status boolean(std::string_view name, bool& value, bsc_plugin_error* error) const;
  bsc_status duration(std::string_view name, std::chrono::nanoseconds least, std::chrono::nanoseconds most,
                      std::chrono::nanoseconds& value, bsc_plugin_error* error) const;
  bsc_status string(std::string_view name, std::string& value, bsc_plugin_error* error) const;
  // One of a few words, matched exactly.
  bsc_status choice(std::string_view name, const std::vector<std::string_view>& allowed, std::string& value,
                    bsc_plugin_error* error) const;

 private:
  const std::string* find(std::string_view name) const;
  bsc_status refuse(std::string_view name, std::string_view value, std::string_view allowed,
                    bsc_plugin_error* error) const;

  std::string backend_;
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace bascule::backend
