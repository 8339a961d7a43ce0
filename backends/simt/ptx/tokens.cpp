// The parser's view of the text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/tokens.hpp"

namespace bascule::simt::ptx {

// What the lexer does not understand is reported here and left out; line markers are comments.
Token Tokens::fetch() {
  for (;;) {
    Token token = lexer_.next();
    if (token.kind == TokenKind::line_marker) continue;
    if (token.kind != TokenKind::bad) return token;
    reporter_.error(token.location(), static_cast<std::uint32_t>(token.text.size()), lexer_.problem());
    if (reporter_.full()) {
      token.kind = TokenKind::end;
      return token;
    }
  }
}

void Tokens::advance() {
  previous_ = token_;
  token_ = has_next_ ? next_ : fetch();
  has_next_ = false;
}

const Token& Tokens::peek() {
  if (!has_next_) next_ = fetch();
  has_next_ = true;
  return next_;
}

std::string Tokens::describe(const Token& token) const {
  constexpr std::size_t kMost = 40;
  if (token.kind == TokenKind::end) return "the end of the text";
  const std::string text(token.text.substr(0, kMost));
  const std::string more = token.text.size() > kMost ? "..." : "";
  if (token.kind == TokenKind::dot_word) return "'." + text + more + "'";
  if (token.kind == TokenKind::string) return "a string";
  return "'" + text + more + "'";
}

void Tokens::fail(const Token& at, std::string message, std::string hint) {
  std::uint32_t length = static_cast<std::uint32_t>(at.text.size());
  if (at.kind == TokenKind::dot_word) ++length;
  reporter_.error(at.location(), length, std::move(message), std::move(hint));
  throw Recover{};
}

void Tokens::fail_expected(std::string_view what, std::string_view where) {
  fail(token_, std::string(what) + " was expected " + std::string(where) + ", not " + describe(token_));
}

void Tokens::expect(char c, std::string_view where) {
  if (accept(c)) return;
  fail_expected(std::string("'") + c + "'", where);
}

void Tokens::expect_semicolon(std::string_view where) {
  if (accept(';')) return;
  if (token_.line == previous_.line && !at_end()) fail_expected("',' or ';'", where);
  Location end = previous_.location();
  end.column += static_cast<std::uint32_t>(previous_.text.size()) + (previous_.kind == TokenKind::dot_word ? 1 : 0);
  reporter_.error(end, 1, "';' was expected " + std::string(where));
}

Token Tokens::expect_identifier(std::string_view what) {
  if (token_.kind != TokenKind::identifier) fail_expected(what, "here");
  return take();
}

std::uint64_t Tokens::expect_integer(std::string_view what) {
  if (token_.kind != TokenKind::integer) fail_expected(what, "here");
  return take().bits;
}

void Tokens::skip_statement(unsigned open) {
  while (!at_end()) {
    if (at(';') && open == 0) {
      advance();
      return;
    }
    if (at('}')) {
      if (open == 0) return;
      --open;
    } else if (at('{')) {
      ++open;
    } else if (at(';')) {
      open = 0;  // a vector was not closed: statements end in vectors never
      continue;
    }
    advance();
  }
}

}  // namespace bascule::simt::ptx
