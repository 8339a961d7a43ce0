// JsonWriter: see json_writer.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/base/json_writer.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/text.hpp"

namespace bascule::core {

std::string json_quoted(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string result = "\"";
  const bool valid = is_valid_utf8(text);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      result += {'\\', 'u', '0', '0', kDigits[byte >> 4], kDigits[byte & 15]};
    } else if (byte >= 0x80 && !valid) {
      result += "\xEF\xBF\xBD";
    } else {
      result += c;
    }
  }
  return result += '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text_ += json_quoted(name);
  text_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) { return raw(json_quoted(text)); }

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return raw(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

std::string JsonWriter::take() {
  if (indent_ > 0) text_ += '\n';
  return std::exchange(text_, {});
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  --depth_;
  if (!first_) line_break();
  text_ += bracket;
  first_ = false;
  return *this;
}

void JsonWriter::separate() {
  if (std::exchange(after_key_, false)) return;
  if (!first_) text_ += indent_ > 0 || depth_ == 0 ? "," : ", ";
  first_ = false;
  if (depth_ > 0) line_break();
}

void JsonWriter::line_break() {
  if (indent_ == 0) return;
  text_ += '\n';
  text_.append(static_cast<std::size_t>(indent_ * depth_), ' ');
}

}  // namespace bascule::core
