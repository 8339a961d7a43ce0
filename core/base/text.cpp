// Text helpers: see text.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/base/text.hpp"

#include <algorithm>
#include <charconv>

namespace bascule::core {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Length of the UTF-8 sequence at the start of `text`, 0 if it is none (overlong, surrogate, beyond U+10FFFF, cut off).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
      (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) result += separator;
    result += parts[i];
  }
  return result;
}

std::string quoted(std::string_view text, std::size_t limit) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string result = "\"";
  std::size_t i = 0;
  while (i < text.size() && i < limit) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const std::size_t length = c < 0x20 || c == 0x7F ? 0 : utf8_length(text.substr(i));
    if (length == 0) {
      result += {'\\', 'x', kDigits[c >> 4], kDigits[c & 15]};
      ++i;
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += text.substr(i, length);
      i += length;
    }
  }
  result += '"';
  if (i < text.size()) result += "...";
  return result;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool parse_u64(std::string_view text, std::uint64_t* out_value) {
  const char* end = text.data() + text.size();
  const auto [position, error] = std::from_chars(text.data(), end, *out_value, 10);
  return error == std::errc{} && position == end && !text.empty();
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table; the one before the last serves the swap of neighbours.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> names) {
  constexpr std::size_t kLongestName = 200;  // nobody mistypes a longer one, and the table grows with the product
  if (word.size() > kLongestName) return "";
  const std::string lower = to_lower(word);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names) {
    if (name.size() > kLongestName) continue;
    std::size_t distance = edit_distance(lower, to_lower(name));
    // "threads" for "backend.cpu.threads", "BACKEND" for "BACKENDS": a part of the name is a strong hint too.
    if (lower.size() >= 4 && to_lower(name).find(lower) != std::string::npos)
      distance = std::min<std::size_t>(distance, 2);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> names) {
  if (names.empty()) return "";
  if (std::string name = nearest(word, names); !name.empty()) return "; did you mean " + quoted(name) + "?";
  return "; valid: " + join(names, ", ");
}

}  // namespace bascule::core
