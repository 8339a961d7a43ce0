// Durations: see duration.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/base/duration.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include "core/base/text.hpp"

namespace bascule::core {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
// Longest first: duration_text() takes the first that divides.
constexpr Unit kUnits[] = {{"h", 3'600'000'000'000}, {"min", 60'000'000'000}, {"s", 1'000'000'000},
                           {"ms", 1'000'000},        {"us", 1'000},           {"ns", 1}};

// digits[.digits] times `scale`, exactly; false on syntax, overflow, or a fraction finer than a nanosecond.
bool scaled(std::string_view number, std::int64_t scale, std::int64_t* out) {
  const std::size_t point = number.find('.');
  std::uint64_t whole = 0;
  if (!parse_u64(number.substr(0, point), &whole)) return false;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (whole > kMost / static_cast<std::uint64_t>(scale)) return false;
  std::uint64_t total = whole * static_cast<std::uint64_t>(scale);
  if (point != std::string_view::npos) {
    const std::string_view fraction = number.substr(point + 1);
    if (fraction.empty()) return false;
    std::int64_t place = scale;
    for (const char c : fraction) {
      if (c < '0' || c > '9') return false;
      if (place % 10 != 0 && c != '0') return false;
      place /= 10;
      total += static_cast<std::uint64_t>(c - '0') * static_cast<std::uint64_t>(place);
    }
  }
  if (total > kMost) return false;
  *out = static_cast<std::int64_t>(total);
  return true;
}

}  // namespace

Result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  if (end != std::string_view::npos && end != 0) {
    for (const Unit& unit : kUnits) {
      std::int64_t value = 0;
      if (text.substr(end) == unit.name && scaled(text.substr(0, end), unit.nanoseconds, &value)) {
        return std::chrono::nanoseconds(value);
      }
    }
  }
  return Error{BSC_INVALID_CONFIG, quoted(text) + " is not a duration; write " + std::string(kDurationForm)};
}

std::string duration_text(std::chrono::nanoseconds duration) {
  const std::int64_t value = duration.count();
  if (value == 0) return "0s";
  for (const Unit& unit : kUnits) {
    if (value % unit.nanoseconds == 0) return std::to_string(value / unit.nanoseconds) + std::string(unit.name);
  }
  return std::to_string(value) + "ns";
}

}  // namespace bascule::core
