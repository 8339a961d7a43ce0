// Tests of durations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/base/duration.hpp"

#include <doctest/doctest.h>

using namespace bascule::core;
using namespace std::chrono_literals;

TEST_CASE("durations are a number with a unit") {
  CHECK(parse_duration("5s").value() == 5s);
  CHECK(parse_duration("200ms").value() == 200ms);
  CHECK(parse_duration("1.5s").value() == 1500ms);
  CHECK(parse_duration("0s").value() == 0s);
  CHECK(parse_duration("10us").value() == 10us);
  CHECK(parse_duration("7ns").value() == 7ns);
  CHECK(parse_duration("2min").value() == 2min);
  CHECK(parse_duration("1h").value() == 1h);
}

TEST_CASE("a duration without a unit, with a sign, too fine or too long is refused with the valid form") {
  for (const char* bad : {"", "5", "s", "-5s", "5 s", "5sec", "1.2.3s", "1.s", ".5s", "0.5ns", "1e3s", "999999999999h",
                          "18446744073709551616ns"}) {
    CAPTURE(bad);
    const auto result = parse_duration(bad);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().message.find("such as 5s or 200ms") != std::string::npos);
  }
}

TEST_CASE("a duration's text reads back as the same duration") {
  for (const auto value : {0ns, 1ns, 1500ns, 200'000'000ns, 5'000'000'000ns, 90'000'000'000ns, 3'600'000'000'001ns}) {
    CHECK(parse_duration(duration_text(value)).value() == value);
  }
  CHECK(duration_text(5s) == "5s");
  CHECK(duration_text(1500ms) == "1500ms");
}
