// Strict parsing of option values.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "backends/common/error.hpp"
#include "backends/common/struct_access.hpp"

namespace bascule::backend {
namespace {

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr std::array kUnits = {Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6},
                               Unit{"s", 1e9}, Unit{"min", 60e9}, Unit{"h", 3600e9}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& character : result) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  }
  return result;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text;
  if (negative || text.starts_with('+')) digits.remove_prefix(1);
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (hexadecimal) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, hexadecimal ? 16 : 10);
  if (code != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  const std::uint64_t limit = std::uint64_t{1} << 63;
  if (magnitude > (negative ? limit : limit - 1)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
}

std::optional<bool> parse_boolean(std::string_view text) {
  const std::string word = lower(text);
  if (word == "1" || word == "true" || word == "yes" || word == "on") return true;
  if (word == "0" || word == "false" || word == "no" || word == "off") return false;
  return std::nullopt;
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  double number = 0;
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (code != std::errc{} || !(number >= 0) || text.starts_with('-')) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit.empty()) {
    if (number == 0) return std::chrono::nanoseconds{0};
    return std::nullopt;
  }
  const auto found = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& known) { return known.name == unit; });
  if (found == kUnits.end()) return std::nullopt;
  const double nanoseconds = number * found->nanoseconds;
  if (!(nanoseconds < 9.2e18)) return std::nullopt;
  return std::chrono::nanoseconds{std::llround(nanoseconds)};
}

std::string format_duration(std::chrono::nanoseconds duration) {
  const auto count = duration.count();
  const Unit* best = &kUnits.front();
  for (const Unit& unit : kUnits) {
    if (count != 0 && count % static_cast<std::int64_t>(unit.nanoseconds) == 0) best = &unit;
  }
  return fmt::format("{}{}", count / static_cast<std::int64_t>(best->nanoseconds), best->name);
}

OptionReader::OptionReader(std::string_view backend, const bsc_plugin_open_info& open_info) : backend_(backend) {
  const StridedSpan<bsc_plugin_option_value> options(open_info.options, open_info.option_count, open_info.option_stride);
  if (!options.valid()) return;
  for (const bsc_plugin_option_value& option : options) {
    if (option.name != nullptr && option.value != nullptr) values_.emplace_back(option.name, option.value);
  }
}

const std::string* OptionReader::find(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name) return value.empty() ? nullptr : &value;
  }
  return nullptr;
}

bsc_status OptionReader::refuse(std::string_view name, std::string_view value, std::string_view allowed,
                                bsc_plugin_error* error) const {
  return fill_error(error, BSC_INVALID_CONFIG, "instance.open", "backend.{}.{} = \"{}\": must be {}", backend_, name, value,
                    allowed);
}

bsc_status OptionReader::integer(std::string_view name, std::int64_t least, std::int64_t most, std::int64_t& value,
                                 bsc_plugin_error* error) const {
  const std::string* const text = find(name);
  if (text == nullptr) return BSC_OK;
  const auto parsed = parse_integer(*text);
  if (!parsed || *parsed < least || *parsed > most) {
    return refuse(name, *text, fmt::format("an integer from {} to {}", least, most), error);
  }
  value = *parsed;
  return BSC_OK;
}

bsc_status OptionReader::boolean(std::string_view name, bool& value, bsc_plugin_error* error) const {
  const std::string* const text = find(name);
  if (text == nullptr) return BSC_OK;
  const auto parsed = parse_boolean(*text);
  if (!parsed) return refuse(name, *text, "a boolean: true/false, yes/no, on/off or 1/0", error);
  value = *parsed;
  return BSC_OK;
}

bsc_status OptionReader::duration(std::string_view name, std::chrono::nanoseconds least, std::chrono::nanoseconds most,
                                  std::chrono::nanoseconds& value, bsc_plugin_error* error) const {
  const std::string* const text = find(name);
  if (text == nullptr) return BSC_OK;
  const auto parsed = parse_duration(*text);
  if (!parsed || *parsed < least || *parsed > most) {
    return refuse(name, *text,
                  fmt::format("a duration from {} to {}, as a number with a unit (ns, us, ms, s, min, h)",
                              format_duration(least), format_duration(most)),
                  error);
  }
  value = *parsed;
  return BSC_OK;
}

bsc_status OptionReader::string(std::string_view name, std::string& value, bsc_plugin_error*) const {
  if (const std::string* const text = find(name)) value = *text;
  return BSC_OK;
}

bsc_status OptionReader::choice(std::string_view name, const std::vector<std::string_view>& allowed, std::string& value,
                                bsc_plugin_error* error) const {
  const std::string* const text = find(name);
  if (text == nullptr) return BSC_OK;
  if (std::find(allowed.begin(), allowed.end(), *text) == allowed.end()) {
    return refuse(name, *text, fmt::format("one of {}", fmt::join(allowed, ", ")), error);
  }
  value = *text;
  return BSC_OK;
}

}  // namespace bascule::backend
