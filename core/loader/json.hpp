// Strict reading of small JSON documents: manifests, the list of known backends, verdicts. The parser itself is in
// json.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace bascule::core {

inline constexpr std::size_t kMostJsonBytes = 1 << 20;

// One object of a document. Reading a field that is missing or of another type records a fault with the field's path;
// the fields read so far are the known ones, so that finish() can refuse all others.
class JsonObject {
 public:
  // `name` stands before messages, usually the file's path. INVALID_CONFIG for anything but one object without
  // duplicate names, of at most kMostJsonBytes.
  static Result<JsonObject> parse(std::string_view text, const std::string& name);
  ~JsonObject();
  JsonObject(JsonObject&&) noexcept;
  JsonObject& operator=(JsonObject&&) noexcept;

  bool has(const char* field) const;
  std::string text(const char* field);
  std::string text_or(const char* field, std::string default_value);
  std::int64_t integer(const char* field);  // signed, 64 bits
  bool boolean_or(const char* field, bool default_value);
  std::vector<std::string> texts_or_none(const char* field);
  JsonObject object(const char* field);
  std::vector<JsonObject> objects_or_none(const char* field);

  // OK, or the first fault of this object and of all objects read from it, or a field that nobody asked for.
  Status finish();
  // Also records a fault found by the caller.
  void fail(std::string message);

 private:
  struct State;
  explicit JsonObject(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace bascule::core
