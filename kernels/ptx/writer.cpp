// Lines and their markers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/ptx/writer.hpp"

#include <algorithm>

namespace bascule::ptx {
namespace {

bool is_head(const std::string& text) { return text.starts_with(".version") || text.starts_with(".target") || text.starts_with(".address_size"); }

// Only what executes has a place in machine code.
bool executes(const std::string& text) { return text.front() != '.' && text.back() != ':'; }

}  // namespace

std::size_t Writer::file_number(const std::string& name) {
  const auto found = std::find(files_.begin(), files_.end(), name);
  if (found != files_.end()) return static_cast<std::size_t>(found - files_.begin()) + 1;
  files_.push_back(name);
  return files_.size();
}

void Writer::line(const std::string& text, const Place& place, bool with_location) {
  const Position at = place.position();
  const std::string& name = place.file->name();
  if (markers_ && with_location) {
    text_ += ".loc " + std::to_string(file_number(name)) + " " + std::to_string(at.line) + " " + std::to_string(at.column) + "\n";
    ++shown_line_;
  }
  if (markers_ && (shown_file_ != name || shown_line_ != at.line)) {
    text_ += "# " + std::to_string(at.line) + " \"" + name + "\"\n";
    shown_file_ = name;
    shown_line_ = at.line;
  }
  text_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n";
  ++shown_line_;
}

void Writer::statement(const std::string& text, const Place& place) {
  if (in_head_ && is_head(text)) {
    head_ += text + "\n";
    return;
  }
  in_head_ = false;
  line(text, place, depth_ > 0 && executes(text));
}

void Writer::open(const Place& place) {
  line("{", place, false);
  ++depth_;
}

void Writer::close(const Place& place) {
  if (depth_ == 0) fail(place, "this '}' closes nothing");
  --depth_;
  line("}", place, false);
}

std::string Writer::finish(const std::string& first_line) const {
  std::string text = first_line + head_;
  for (std::size_t i = 0; i < files_.size(); ++i) text += ".file " + std::to_string(i + 1) + " \"" + files_[i] + "\"\n";
  return text + text_;
}

}  // namespace bascule::ptx
