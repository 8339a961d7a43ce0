// Tests of the selector grammar.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/config/selector.hpp"

#include <doctest/doctest.h>

#include <random>

#include "core/base/text.hpp"
#include "tests/support/seed.hpp"

using namespace bascule::core;
using Kind = Selector::Kind;

TEST_CASE("each form of a selector is understood") {
  CHECK(parse_selector("").value().kind == Kind::kFirst);
  CHECK(parse_selector("hip").value().kind == Kind::kBackend);
  CHECK(parse_selector("hip").value().backend == "hip");
  const Selector index = parse_selector("level_zero:12").value();
  CHECK(index.kind == Kind::kIndex);
  CHECK(index.backend == "level_zero");
  CHECK(index.index == 12);
  CHECK(parse_selector("uuid:01234567-89AB-cdef-0123-456789abcdef").value().value ==
        "0123456789abcdef0123456789abcdef");
  CHECK(parse_selector("pci:65:00.0").value().value == "0000:65:00.0");
  CHECK(parse_selector("pci:0000:C1:0").value().value == "0000:c1:00.0");
  CHECK(parse_selector("emulated:sm_90a").value().value == "sm_90a");
}

TEST_CASE("an index that is none (-1, 2^31, 2^64, abc, 1x, empty) is refused with its column and the valid form") {
  for (const char* bad : {"cpu:-1", "cpu:2147483648", "cpu:65536", "cpu:18446744073709551616", "cpu:abc", "cpu:1x",
                          "cpu:", "cpu: 1", "cpu:+1", "cpu:1:2"}) {
    CAPTURE(bad);
    const auto result = parse_selector(bad);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().status == BSC_INVALID_CONFIG);
    CHECK(result.error().message.find("column 5") != std::string::npos);
    CHECK(result.error().remedy.find("BACKEND:INDEX") != std::string::npos);
  }
}

TEST_CASE("an unknown token in a selector is an error with its column") {
  const auto column = [](const char* text) {
    const auto result = parse_selector(text);
    REQUIRE_FALSE(result.ok());
    const std::string& message = result.error().message;
    return std::stoi(message.substr(message.find("column ") + 7));
  };
  CHECK(column(":0") == 1);
  CHECK(column("GPU:0") == 1);
  CHECK(column("cu da") == 3);
  CHECK(column("*") == 1);
  CHECK(column("uuid:") == 6);
  CHECK(column("uuid:xyz") == 6);
  CHECK(column("uuid:0123456789abcdef0123456789abcde") == 6);
  CHECK(column("pci:") == 5);
  CHECK(column("pci:65") == 5);
  CHECK(column("pci:0000:65:00.0.0") == 5);
  CHECK(column("pci:00000:65:00.0") == 5);
  CHECK(column("emulated:") == 10);
  CHECK(column("emulated:sm 90") == 10);
}

TEST_CASE(
    "no text makes the selector's parser fail otherwise than by an error, and what is accepted is one of the forms") {
  std::mt19937_64 random(bascule::test::seed());
  const std::string alphabet = "abz09_:.-AF \xff\x01uidpcemlt";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t length = random() % 24; length > 0; --length) text += alphabet[random() % alphabet.size()];
    if (i % 3 == 0) text = "uuid:" + text;
    if (i % 3 == 1) text = "pci:" + text;
    CAPTURE(quoted(text));
    const auto result = parse_selector(text);
    if (!result.ok())
      CHECK(result.error().status == BSC_INVALID_CONFIG);
    else if (result->kind == Kind::kUuid)
      CHECK(result->value.size() == 32);
    else if (result->kind == Kind::kPci)
      CHECK(result->value.size() == 12);
  }
}
