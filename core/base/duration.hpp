// Durations as people write them in configuration: "5s", "200ms", "1.5s".
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace bascule::core {

inline constexpr std::string_view kDurationForm = "a number followed by ns, us, ms, s, min or h, such as 5s or 200ms";

// Refuses a missing unit, a sign, and more than about 292 years.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);

// The shortest exact form: "5s", "1500ms".
std::string duration_text(std::chrono::nanoseconds duration);

}  // namespace bascule::core
