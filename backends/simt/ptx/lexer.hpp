// Words, numbers and punctuation of PTX text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt::ptx {

enum class TokenKind : std::uint8_t {
  end,
  identifier,   // name, %name, $name, _name
  dot_word,     // .name, .L2::128B, .2d: one dotted part, text without the dot
  integer,      // Token::bits; is_unsigned
  real,         // Token::bits as a double
  single,       // 0fXXXXXXXX: Token::bits as a float
  string,       // text without the quotes, escapes untouched
  punctuation,  // Token::symbol
  line_marker,  // a line that begins with #
  bad,          // already explained by Lexer::problem()
};

struct Token {
  TokenKind kind = TokenKind::end;
  char symbol = 0;  // punctuation: the character; shl and shr: '<<' is 'L', '>>' 'R', '<=' 'l', '>=' 'g', '==' 'e',
                    // '!=' 'n', '&&' 'A', '||' 'O'
  bool is_unsigned = false;
  bool spaced = false;  // white space or a comment stands before it
  std::uint32_t line = 1;
  std::uint32_t offset = 0;  // in the text
  std::uint32_t line_start = 0;
  std::string_view text;
  std::uint64_t bits = 0;

  [[nodiscard]] Location location() const { return {line, offset - line_start + 1}; }
  [[nodiscard]] bool is(char c) const { return kind == TokenKind::punctuation && symbol == c; }
  [[nodiscard]] bool is_word(std::string_view word) const { return kind == TokenKind::dot_word && text == word; }
};

inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxTokenBytes = 8192;

class Lexer {
 public:
  /// A trailing NUL and all that follows it is not part of the text. Longer than kMaxTextBytes: the caller's error.
  explicit Lexer(std::string_view text);

  [[nodiscard]] Token next();
  /// What was wrong with the last token of kind `bad`.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  bool skip_blanks();
  [[nodiscard]] bool at_fraction() const;
  void start_line(std::size_t at);
  Token finish(Token token, TokenKind kind, std::size_t end);
  Token bad(Token token, std::size_t end, std::string problem);
  Token identifier(Token token);
  Token dot_word(Token token);
  Token number(Token token);
  Token hexadecimal_real(Token token, unsigned digits, TokenKind kind);
  Token digits(Token token, std::size_t first, unsigned base);
  Token decimal_real(Token token, std::size_t end);
  Token string(Token token);
  Token punctuation(Token token);
  Token line_marker(Token token);
  [[nodiscard]] char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t line_start_ = 0;
  bool only_blanks_in_line_ = true;
  bool unterminated_comment_ = false;
  std::string problem_;
};

/// Letters, digits, _ and $.
[[nodiscard]] bool is_name_character(char c);

}  // namespace bascule::simt::ptx
