// Constant expressions: the ISA's rules, 64-bit integers and doubles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/ptx/tokens.hpp"

namespace bascule::simt::ptx {

struct Constant {
  enum class Kind : std::uint8_t { signed_integer, unsigned_integer, real, single };
  Kind kind = Kind::signed_integer;
  std::uint64_t bits = 0;  // integer, or the bits of a double, or of a float (single)

  [[nodiscard]] bool is_integer() const { return kind == Kind::signed_integer || kind == Kind::unsigned_integer; }
};

/// Whether a constant expression may begin with the token.
[[nodiscard]] bool begins_constant(const Token& token);

/// Reads an expression. Reports and throws Recover where it is none.
[[nodiscard]] Constant parse_constant(Tokens& tokens);

/// An expression that must be an integer.
[[nodiscard]] Constant parse_integer_constant(Tokens& tokens, std::string_view what);

/// As parse_constant, but stops before `|`, which separates operands (p|q).
[[nodiscard]] Constant parse_operand_constant(Tokens& tokens);

}  // namespace bascule::simt::ptx
