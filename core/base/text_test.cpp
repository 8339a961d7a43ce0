// Tests of the text helpers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/base/text.hpp"

#include <doctest/doctest.h>

using namespace bascule::core;

TEST_CASE("the nearest name is found through typing errors, swaps, case and missing parts") {
  const std::vector<std::string> names{"backends", "device", "log.level", "cache.enabled", "backend.cpu.threads"};
  CHECK(nearest("backend", names) == "backends");
  CHECK(nearest("BACKENDS", names) == "backends");
  CHECK(nearest("devcie", names) == "device");
  CHECK(nearest("loglevel", names) == "log.level");
  CHECK(nearest("threads", names) == "backend.cpu.threads");
  CHECK(nearest("zzzzzz", names) == "");
  CHECK(nearest("", names) == "");
  CHECK(nearest(std::string(100000, 'a'), names) == "");
}

TEST_CASE("a suggestion names the nearest name, or all where none is near") {
  const std::vector<std::string> names{"cpu", "cuda"};
  CHECK(suggestion("cudaa", names) == "; did you mean \"cuda\"?");
  CHECK(suggestion("vulkan", names) == "; valid: cpu, cuda");
  CHECK(suggestion("x", {}) == "");
}

TEST_CASE("edit distance counts insertions, deletions, substitutions and swaps of neighbours") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("abc", "abd") == 1);
  CHECK(edit_distance("abc", "acb") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("quoted text is safe for a terminal") {
  CHECK(quoted("plain") == "\"plain\"");
  CHECK(quoted("a\x1b[31m\n") == "\"a\\x1b[31m\\x0a\"");
  CHECK(quoted(std::string_view("\0", 1)) == "\"\\x00\"");
  CHECK(quoted("\xff\xc3\xa9") == "\"\\xff\xc3\xa9\"");
  CHECK(quoted("say \"x\"") == "\"say \\\"x\\\"\"");
  CHECK(quoted(std::string(300, 'a')) == "\"" + std::string(200, 'a') + "\"...");
}

TEST_CASE("only well-formed UTF-8 counts as UTF-8") {
  CHECK(is_valid_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char* bad : {"\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "\xf5\x80\x80\x80", "\xe2\x82", "\xff"}) {
    CAPTURE(quoted(bad));
    CHECK_FALSE(is_valid_utf8(bad));
  }
}

TEST_CASE("numbers are digits only, without sign, space or overflow") {
  std::uint64_t value = 0;
  CHECK(parse_u64("18446744073709551615", &value));
  CHECK(value == UINT64_MAX);
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "1x", "abc", "0x10", "18446744073709551616"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_u64(bad, &value));
  }
}

TEST_CASE("split keeps empty parts, trim removes all white space") {
  CHECK(split("a,,b", ',') == std::vector<std::string>{"a", "", "b"});
  CHECK(split("", ',') == std::vector<std::string>{""});
  CHECK(trim(" \t\r\na b\v\f ") == "a b");
  CHECK(trim("   ") == "");
}
