// A source file of the expander: its text without comments, and what its places are called.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bascule::ptx {

struct Position {
  std::size_t line = 1, column = 1;
};

class SourceFile {
 public:
  /// `name` is what messages and line markers show. Comments become blanks, so that every offset keeps its line and column.
  SourceFile(std::string name, std::string text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  Position position(std::size_t offset) const;

 private:
  void blank_comments();

  std::string name_, text_;
  std::vector<std::size_t> line_starts_;
};

/// A place in a file; the file lives as long as something refers to it.
struct Place {
  std::shared_ptr<const SourceFile> file;
  std::size_t offset = 0;

  Place at(std::size_t more) const { return {file, offset + more}; }
  Position position() const { return file->position(offset); }
  std::string shown() const;  // file:line:column
};

[[noreturn]] void fail(const Place& place, const std::string& message, const std::string& remedy = {});

bool is_name_start(char c);  // letters, _ and %
bool is_name_part(char c);   // letters, digits, _
bool is_blank(char c);
std::string_view trimmed(std::string_view text);

}  // namespace bascule::ptx
