// JsonWriter: builds JSON text piece by piece, without a document in memory and without a heavy header.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace bascule::core {

// The caller keeps begin/end and key/value in order; the writer places commas, line breaks and escapes. Bytes that are
// no valid UTF-8 are written as U+FFFD, non-finite numbers as null, so the result is always valid JSON.
class JsonWriter {
 public:
  // indent == 0: one line.
  explicit JsonWriter(int indent = 2) : indent_(indent) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool boolean) { return raw(boolean ? "true" : "false"); }
  JsonWriter& value(double number);
  template <std::integral T>
  requires(!std::same_as<T, bool>) JsonWriter& value(T number) { return raw(std::to_string(number)); }
  JsonWriter& null() { return raw("null"); }
  // Text that is JSON already.
  JsonWriter& raw(std::string_view json);

  template <class T>
  JsonWriter& member(std::string_view name, const T& what) {
    return key(name).value(what);
  }

  // Ends with a line break when indented.
  std::string take();

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();
  void line_break();

  std::string text_;
  int indent_;
  int depth_ = 0;
  bool first_ = true;  // nothing in the innermost bracket yet
  bool after_key_ = false;
};

// The text in double quotes with JSON's escapes.
std::string json_quoted(std::string_view text);

}  // namespace bascule::core
