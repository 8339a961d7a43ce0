// Source files, comments, places.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/ptx/source.hpp"

#include <algorithm>

#include "kernels/compiler/failure.hpp"

namespace bascule::ptx {

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
  blank_comments();
}

void SourceFile::blank_comments() {
  const auto blank = [this](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (text_[i] != '\n') text_[i] = ' ';
    }
  };
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '"') {
      while (++i < text_.size() && text_[i] != '"' && text_[i] != '\n') {
      }
    } else if (text_.compare(i, 2, "//") == 0) {
      const std::size_t end = std::min(text_.find('\n', i), text_.size());
      blank(i, end);
      i = end;
    } else if (text_.compare(i, 2, "/*") == 0) {
      const std::size_t end = text_.find("*/", i + 2);
      if (end == std::string::npos) {
        const Position at = position(i);
        throw compiler::Failure(name_ + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                                ": a comment that begins here never ends");
      }
      blank(i, end + 2);
      i = end + 1;
    }
  }
}

Position SourceFile::position(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::size_t>(after - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

std::string Place::shown() const {
  const Position at = position();
  return file->name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

void fail(const Place& place, const std::string& message, const std::string& remedy) {
  throw compiler::Failure(place.shown() + ": " + message, remedy);
}

bool is_name_part(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_name_start(char c) { return c == '%' || (is_name_part(c) && !(c >= '0' && c <= '9')); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace bascule::ptx
