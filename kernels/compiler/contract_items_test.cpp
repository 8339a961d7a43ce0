// What may stand in BASCULE_CONTRACT, and what is refused.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "kernels/compiler/failure.hpp"
#include "kernels/compiler/signature.hpp"

using namespace bascule::compiler;

TEST_CASE("items are split at commas outside of parentheses and texts") {
  const auto items = parse_contract_items("doc(\"a, (b\"), length(x, max(y.length, 2)), nan(propagate)", "k");
  REQUIRE(items.size() == 3);
  CHECK(items[0].key == "doc");
  CHECK(items[0].arguments == std::vector<std::string>{"a, (b"});
  CHECK(items[1].key == "length");
  CHECK(items[1].arguments == std::vector<std::string>{"x", "max(y.length, 2)"});
  CHECK(items[2].arguments == std::vector<std::string>{"propagate"});
}

TEST_CASE("neighbouring texts become one, and their escapes are read") {
  const auto items = parse_contract_items("doc(\"say \" \"\\\"yes\\\"\")", "k");
  REQUIRE(items.size() == 1);
  CHECK(items[0].arguments == std::vector<std::string>{"say \"yes\""});
}

TEST_CASE("an empty contract has no items") { CHECK(parse_contract_items("  ", "k").empty()); }

TEST_CASE("what is no key(...) is refused with the place") {
  for (const char* text : {"nan", "nan(propagate", "doc(\"open)", "length(x, n))"}) {
    CAPTURE(text);
    try {
      parse_contract_items(text, "here");
      FAIL("not refused");
    } catch (const Failure& failure) {
      CHECK(std::string(failure.what()).starts_with("here"));
    }
  }
}
