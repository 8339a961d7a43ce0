// Option values: what is understood, and what the refusal of the rest says.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/options.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace {

using namespace bascule::backend;
using namespace std::chrono_literals;

bsc_plugin_error fresh_error() {
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  return error;
}

OptionReader reader_with(const char* name, const char* value) {
  const std::array<bsc_plugin_option_value, 1> options = {{{name, value}}};
  bsc_plugin_open_info info = {};
  info.header = {sizeof info, BSC_STRUCT_OPEN_INFO, nullptr};
  info.option_count = options.size();
  info.option_stride = sizeof options[0];
  info.options = options.data();
  return {"test", info};
}

}  // namespace

TEST_CASE("integers are whole texts in range") {
  CHECK(parse_integer("0") == 0);
  CHECK(parse_integer("-17") == -17);
  CHECK(parse_integer("+17") == 17);
  CHECK(parse_integer("0x10") == 16);
  CHECK(parse_integer("9223372036854775807") == INT64_MAX);
  CHECK(parse_integer("-9223372036854775808") == INT64_MIN);
  for (const char* text : {"", "-", "1x", "x1", " 1", "1 ", "1.5", "0x", "9223372036854775808", "--1", "-9223372036854775809"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_integer(text).has_value());
  }
}

TEST_CASE("booleans have four spellings each, in any case") {
  for (const char* text : {"1", "true", "YES", "On"}) CHECK(parse_boolean(text) == true);
  for (const char* text : {"0", "False", "no", "OFF"}) CHECK(parse_boolean(text) == false);
  for (const char* text : {"", "2", "tru", "enabled"}) CHECK_FALSE(parse_boolean(text).has_value());
}

TEST_CASE("durations need a unit, except zero") {
  CHECK(parse_duration("0") == 0ns);
  CHECK(parse_duration("5s") == 5s);
  CHECK(parse_duration("1.5ms") == 1500us);
  CHECK(parse_duration("20 us") == 20us);
  CHECK(parse_duration("2min") == 2min);
  for (const char* text : {"", "5", "s", "-1s", "5 seconds", "nan s", "inf s", "1e3s", "99999999h"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_duration(text).has_value());
  }
  CHECK(format_duration(1500us) == "1500us");
  CHECK(format_duration(120s) == "2min");
  CHECK(format_duration(0ns) == "0ns");
}

TEST_CASE("an absent or empty option keeps its default") {
  std::int64_t number = 4;
  CHECK(reader_with("threads", "").integer("threads", 1, 8, number, nullptr) == BSC_OK);
  CHECK(reader_with("other", "7").integer("threads", 1, 8, number, nullptr) == BSC_OK);
  CHECK(number == 4);
  CHECK(reader_with("threads", "7").integer("threads", 1, 8, number, nullptr) == BSC_OK);
  CHECK(number == 7);
}

TEST_CASE("a refused value is named with its option and what is allowed, and changes nothing") {
  bsc_plugin_error error = fresh_error();
  std::int64_t number = 4;
  CHECK(reader_with("threads", "9").integer("threads", 1, 8, number, &error) == BSC_INVALID_CONFIG);
  CHECK(std::string(error.message) == "backend.test.threads = \"9\": must be an integer from 1 to 8");
  CHECK(number == 4);

  bool flag = true;
  CHECK(reader_with("pin", "maybe").boolean("pin", flag, &error) == BSC_INVALID_CONFIG);
  CHECK(std::string(error.message).find("backend.test.pin = \"maybe\"") == 0);

  std::chrono::nanoseconds delay = 1s;
  CHECK(reader_with("delay", "2h").duration("delay", 0ns, 1min, delay, &error) == BSC_INVALID_CONFIG);
  CHECK(std::string(error.message).find("from 0ns to 1min") != std::string::npos);
  CHECK(delay == 1s);

  std::string mode = "a";
  CHECK(reader_with("mode", "c").choice("mode", {"a", "b"}, mode, &error) == BSC_INVALID_CONFIG);
  CHECK(std::string(error.message).find("one of a, b") != std::string::npos);
  CHECK(reader_with("mode", "b").choice("mode", {"a", "b"}, mode, &error) == BSC_OK);
  CHECK(mode == "b");
}
