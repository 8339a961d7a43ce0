// Words, numbers and punctuation of PTX text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/lexer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace bascule::simt::ptx {
namespace {

enum Class : unsigned char { kOther = 0, kName = 1, kDigit = 2, kBlank = 4 };

constexpr std::array<unsigned char, 256> kClasses = [] {
  std::array<unsigned char, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] = kName;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] = kName;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] = kName | kDigit;
  classes['_'] = classes['$'] = kName;
  classes[' '] = classes['\t'] = classes['\r'] = classes['\n'] = classes['\f'] = classes['\v'] = kBlank;
  return classes;
}();

bool is_digit(char c) { return (kClasses[static_cast<unsigned char>(c)] & kDigit) != 0; }
bool is_blank(char c) { return (kClasses[static_cast<unsigned char>(c)] & kBlank) != 0; }

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

std::string printable(char c) {
  if (c >= ' ' && c < 127) return std::string("'") + c + "'";
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("the byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
}

}  // namespace

bool is_name_character(char c) { return (kClasses[static_cast<unsigned char>(c)] & kName) != 0; }

Lexer::Lexer(std::string_view text) : text_(text) {
  while (!text_.empty() && text_.back() == '\0') text_.remove_suffix(1);
}

void Lexer::start_line(std::size_t at) {
  ++line_;
  line_start_ = static_cast<std::uint32_t>(at);
  only_blanks_in_line_ = true;
}

// Skips blanks and comments; whether there were any.
bool Lexer::skip_blanks() {
  const std::size_t before = position_;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (is_blank(c)) {
      ++position_;
      if (c == '\n') start_line(position_);
    } else if (c == '/' && at(position_ + 1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == '/' && at(position_ + 1) == '*') {
      const std::size_t end = text_.find("*/", position_ + 2);
      unterminated_comment_ = end == std::string_view::npos;
      if (unterminated_comment_) return true;
      for (; position_ < end + 2; ++position_) {
        if (text_[position_] == '\n') start_line(position_ + 1);
      }
    } else {
      break;
    }
  }
  return position_ != before;
}

Token Lexer::finish(Token token, TokenKind kind, std::size_t end) {
  token.kind = kind;
  token.text = text_.substr(token.offset, end - token.offset);
  position_ = end;
  if (token.text.size() > kMaxTokenBytes) {
    token.kind = TokenKind::bad;
    problem_ = "a word of " + std::to_string(token.text.size()) + " characters; at most " +
               std::to_string(kMaxTokenBytes) + " are supported";
  }
  return token;
}

Token Lexer::bad(Token token, std::size_t end, std::string problem) {
  token = finish(token, TokenKind::bad, end);
  problem_ = std::move(problem);
  return token;
}

Token Lexer::next() {
  Token token;
  token.spaced = skip_blanks();
  token.line = line_;
  token.line_start = line_start_;
  token.offset = static_cast<std::uint32_t>(position_);
  if (unterminated_comment_) {
    unterminated_comment_ = false;
    return bad(token, text_.size(), "a comment that begins here never ends");
  }
  if (position_ >= text_.size()) return token;
  const char c = text_[position_];
  const bool first_in_line = only_blanks_in_line_;
  only_blanks_in_line_ = false;
  if (is_digit(c)) return number(token);
  if (is_name_character(c)) return identifier(token);
  if (c == '%' && is_name_character(at(position_ + 1))) return identifier(token);
  if (c == '.' && is_name_character(at(position_ + 1))) return dot_word(token);
  if (c == '"') return string(token);
  if (c == '#' && first_in_line) return line_marker(token);
  return punctuation(token);
}

Token Lexer::identifier(Token token) {
  std::size_t end = position_ + 1;
  while (end < text_.size() && is_name_character(text_[end])) ++end;
  return finish(token, TokenKind::identifier, end);
}

// .5 and .5e-3; everything else that begins with a dot and a digit (.2d, .16x64b) is a word.
bool Lexer::at_fraction() const {
  std::size_t end = position_ + 1;
  while (is_digit(at(end))) ++end;
  if (end == position_ + 1) return false;
  if (at(end) == 'e' || at(end) == 'E') {
    ++end;
    if (at(end) == '+' || at(end) == '-') ++end;
    if (!is_digit(at(end))) return false;
    while (is_digit(at(end))) ++end;
  }
  return !is_name_character(at(end)) && at(end) != ':';
}

Token Lexer::dot_word(Token token) {
  if (at_fraction()) return decimal_real(token, position_);
  std::size_t end = position_ + 1;
  while (end < text_.size()) {
    if (is_name_character(text_[end])) {
      ++end;
    } else if (text_[end] == ':' && at(end + 1) == ':' && is_name_character(at(end + 2))) {
      end += 3;
    } else {
      break;
    }
  }
  token = finish(token, TokenKind::dot_word, end);
  token.text.remove_prefix(1);
  return token;
}

Token Lexer::number(Token token) {
  const char second = at(position_ + 1);
  if (text_[position_] == '0') {
    if (second == 'x' || second == 'X') return digits(token, position_ + 2, 16);
    if (second == 'b' || second == 'B') return digits(token, position_ + 2, 2);
    if (second == 'f' || second == 'F') return hexadecimal_real(token, 8, TokenKind::single);
    if (second == 'd' || second == 'D') return hexadecimal_real(token, 16, TokenKind::real);
  }
  std::size_t end = position_;
  while (is_digit(at(end))) ++end;
  if (at(end) == '.' || at(end) == 'e' || at(end) == 'E') return decimal_real(token, end);
  return digits(token, position_, text_[position_] == '0' ? 8 : 10);
}

Token Lexer::hexadecimal_real(Token token, unsigned count, TokenKind kind) {
  std::size_t end = position_ + 2;
  while (is_name_character(at(end))) ++end;
  const std::size_t first = position_ + 2;
  for (std::size_t i = first; i < end; ++i) {
    if (digit_value(text_[i]) > 15)
      return bad(token, end, "'" + std::string(1, text_[i]) + "' is no hexadecimal digit");
    token.bits = token.bits << 4 | static_cast<unsigned>(digit_value(text_[i]));
  }
  if (end - first != count) {
    return bad(token, end,
               "a floating-point number that begins with 0" + std::string(1, text_[position_ + 1]) + " has " +
                   std::to_string(count) + " hexadecimal digits, not " + std::to_string(end - first));
  }
  return finish(token, kind, end);
}

Token Lexer::digits(Token token, std::size_t first, unsigned base) {
  std::size_t end = first;
  bool too_large = false;
  for (; static_cast<unsigned>(digit_value(at(end))) < base; ++end) {
    const std::uint64_t value = token.bits * base + static_cast<unsigned>(digit_value(text_[end]));
    too_large = too_large || token.bits > (~std::uint64_t{0} - static_cast<unsigned>(digit_value(text_[end]))) / base;
    token.bits = value;
  }
  const bool empty = end == first;
  token.is_unsigned = token.bits >> 63 != 0;
  if (at(end) == 'U' || at(end) == 'u') {
    token.is_unsigned = true;
    ++end;
  }
  if (empty || is_name_character(at(end))) {
    const char stray = at(end);
    while (is_name_character(at(end))) ++end;
    return bad(token, end, "'" + std::string(1, stray) + "' is no digit of a number of base " + std::to_string(base));
  }
  if (too_large) return bad(token, end, "the number does not fit 64 bits");
  return finish(token, TokenKind::integer, end);
}

Token Lexer::decimal_real(Token token, std::size_t end) {
  if (at(end) == '.') ++end;
  while (is_digit(at(end))) ++end;
  if (at(end) == 'e' || at(end) == 'E') {
    std::size_t exponent = end + 1;
    if (at(exponent) == '+' || at(exponent) == '-') ++exponent;
    if (!is_digit(at(exponent))) return bad(token, exponent, "the exponent has no digits");
    while (is_digit(at(exponent))) ++exponent;
    end = exponent;
  }
  if (is_name_character(at(end))) {
    while (is_name_character(at(end))) ++end;
    return bad(token, end, "a floating-point number takes no suffix");
  }
  token = finish(token, TokenKind::real, end);
  if (token.kind != TokenKind::real) return token;
  double value = 0;
  const auto result = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (result.ec != std::errc{}) return bad(token, end, "the number does not fit a double");
  token.bits = std::bit_cast<std::uint64_t>(value);
  return token;
}

Token Lexer::string(Token token) {
  std::size_t end = position_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
  if (at(end) != '"')
    return bad(token, std::min(end, text_.size()), "a string that begins here does not end in its line");
  token.kind = TokenKind::string;
  token.text = text_.substr(position_ + 1, end - position_ - 1);
  position_ = end + 1;
  return token;
}

Token Lexer::line_marker(Token token) {
  return finish(token, TokenKind::line_marker, std::min(text_.find('\n', position_), text_.size()));
}

Token Lexer::punctuation(Token token) {
  struct Pair {
    char first, second, symbol;
  };
  constexpr Pair kPairs[] = {{'<', '<', 'L'}, {'>', '>', 'R'}, {'<', '=', 'l'}, {'>', '=', 'g'},
                             {'=', '=', 'e'}, {'!', '=', 'n'}, {'&', '&', 'A'}, {'|', '|', 'O'}};
  const char c = text_[position_];
  for (const Pair& pair : kPairs) {
    if (c == pair.first && at(position_ + 1) == pair.second) {
      token.symbol = pair.symbol;
      return finish(token, TokenKind::punctuation, position_ + 2);
    }
  }
  if (c == '\0' || std::string_view(",;:{}()[]@!|+-*/%&^~<>=?.").find(c) == std::string_view::npos) {
    return bad(token, position_ + 1, printable(c) + " has no meaning in PTX");
  }
  token.symbol = c;
  return finish(token, TokenKind::punctuation, position_ + 1);
}

}  // namespace bascule::simt::ptx
