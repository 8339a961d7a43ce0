// Words, numbers, punctuation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/lexer.hpp"

#include <doctest/doctest.h>
#include <bit>
#include <vector>

namespace bascule::simt::ptx {
namespace {

std::vector<Token> tokens_of(std::string_view text) {
  Lexer lexer(text);
  std::vector<Token> tokens;
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) tokens.push_back(token);
  return tokens;
}

Token one(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  REQUIRE(tokens.size() == 1);
  return tokens[0];
}

}  // namespace

TEST_CASE("names may begin with a letter, %, $ or _; a dotted word includes its :: parts") {
  const auto tokens = tokens_of("foo %r1 $L__BB0_1 _Z3foo _ .L2::cache_hint .2d .f32");
  REQUIRE(tokens.size() == 8);
  for (int i = 0; i < 5; ++i) CHECK(tokens[i].kind == TokenKind::identifier);
  for (int i = 5; i < 8; ++i) CHECK(tokens[i].kind == TokenKind::dot_word);
  CHECK(tokens[1].text == "%r1");
  CHECK(tokens[5].text == "L2::cache_hint");
  CHECK(tokens[6].text == "2d");
}

TEST_CASE("integers have four bases and are unsigned where they must be or say so") {
  CHECK(one("42").bits == 42);
  CHECK(one("0x1F").bits == 31);
  CHECK(one("0777").bits == 511);
  CHECK(one("0b101").bits == 5);
  CHECK_FALSE(one("0x7fffffffffffffff").is_unsigned);
  CHECK(one("0xffffffffffffffff").is_unsigned);
  CHECK(one("5U").is_unsigned);
  for (const char* text : {"0x", "08", "0b2", "12ab", "18446744073709551616", "0xfffffffffffffffff"}) {
    CAPTURE(text);
    CHECK(one(text).kind == TokenKind::bad);
  }
}

TEST_CASE("floating-point numbers are decimal or exact in hexadecimal") {
  CHECK(std::bit_cast<double>(one("1.5").bits) == 1.5);
  CHECK(std::bit_cast<double>(one("2e3").bits) == 2000.0);
  CHECK(std::bit_cast<double>(one(".25").bits) == 0.25);
  CHECK(std::bit_cast<double>(one(".5e-1").bits) == 0.05);
  CHECK(one("0f3F800000").kind == TokenKind::single);
  CHECK(one("0f3F800000").bits == 0x3f800000);
  CHECK(one("0d3FF0000000000000").kind == TokenKind::real);
  for (const char* text : {"0f3F80000", "0d3FF", "0f3F80000G", "1e", "1.0f", "1e999"}) {
    CAPTURE(text);
    CHECK(one(text).kind == TokenKind::bad);
  }
}

TEST_CASE("comments are blanks, lines that begin with # are markers, and places are counted from 1") {
  const auto tokens = tokens_of("// one\n# 1 \"file.cu\"\n  a /* b\nc */ d");
  REQUIRE(tokens.size() == 3);
  CHECK(tokens[0].kind == TokenKind::line_marker);
  CHECK(tokens[1].location().line == 3);
  CHECK(tokens[1].location().column == 3);
  CHECK(tokens[2].location().line == 4);
  CHECK(tokens[2].location().column == 6);
  CHECK(tokens[2].spaced);
}

TEST_CASE("NUL bytes after the text do not belong to it") {
  CHECK(tokens_of(std::string_view("a\0\0", 3)).size() == 1);
}

TEST_CASE("what is no token is explained and passed over") {
  for (const std::string_view text : {std::string_view("/* never ends"), std::string_view("\"never ends"),
                                      std::string_view("\x80"), std::string_view("`"), std::string_view("a\0b", 3)}) {
    Lexer lexer(text);
    bool bad = false;
    for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next())
      bad = bad || token.kind == TokenKind::bad;
    CHECK(bad);
    CHECK_FALSE(lexer.problem().empty());
  }
  CHECK(one(std::string(kMaxTokenBytes + 1, 'a')).kind == TokenKind::bad);
}

}  // namespace bascule::simt::ptx
