// The parser's view of the text: the current token, one ahead, and what may be demanded of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "backends/simt/ptx/lexer.hpp"
#include "backends/simt/ptx/reporter.hpp"

namespace bascule::simt::ptx {

/// Thrown after an error was reported, caught where the next statement can be found. It never leaves parse().
struct Recover {};

class Tokens {
 public:
  Tokens(std::string_view text, Reporter& reporter) : lexer_(text), reporter_(reporter) { advance(); }

  [[nodiscard]] const Token& current() const { return token_; }
  [[nodiscard]] const Token& peek();
  void advance();
  /// The current token, which is then left behind.
  Token take() {
    Token token = token_;
    advance();
    return token;
  }
  [[nodiscard]] bool at(char c) const { return token_.is(c); }
  [[nodiscard]] bool at_end() const { return token_.kind == TokenKind::end; }
  bool accept(char c) {
    if (!token_.is(c)) return false;
    advance();
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!token_.is_word(word)) return false;
    advance();
    return true;
  }
  void expect(char c, std::string_view where);
  /// The ; that ends a statement. Where it is missing at the end of a line, that is reported and parsing goes on.
  void expect_semicolon(std::string_view where);
  Token expect_identifier(std::string_view what);
  std::uint64_t expect_integer(std::string_view what);

  [[noreturn]] void fail(const Token& at, std::string message, std::string hint = {});
  /// "... was expected <where>, not <current token>"
  [[noreturn]] void fail_expected(std::string_view what, std::string_view where);
  [[nodiscard]] std::string describe(const Token& token) const;
  [[nodiscard]] Reporter& reporter() { return reporter_; }
  [[nodiscard]] std::string_view text() const { return lexer_.text(); }
  /// The line on which the token before the current one ended.
  [[nodiscard]] std::uint32_t previous_line() const { return previous_.line; }

  /// Skips past the next ; on this level, or to the } that closes it. `open`: braces that were opened and are still
  /// open.
  void skip_statement(unsigned open = 0);

 private:
  Token fetch();

  Lexer lexer_;
  Reporter& reporter_;
  Token token_, next_, previous_;
  bool has_next_ = false;
};

}  // namespace bascule::simt::ptx
