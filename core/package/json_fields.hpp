// Reads the members of JSON objects strictly: wrong types, missing and unknown names are errors with the member's path.
//
// The first error of a document is kept and later ones are dropped, so that a reader can go on with defaults and look at
// the error once, at its end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/package/json_value.hpp"

namespace bascule::core {

// Where the first error goes. One per document.
class JsonErrors {
 public:
  explicit JsonErrors(std::string_view origin) : origin_(origin) {}
  void add(std::string_view path, std::string_view message, std::string_view remedy = {});
  void add(std::string_view path, Error error);
  bool any() const { return error_.has_value(); }
  Error take() { return std::move(*error_); }

 private:
  std::string origin_;
  std::optional<Error> error_;
};

// One object. Each accessor marks its member as known; finish() complains about the others.
class JsonFields {
 public:
  JsonFields(const JsonValue& value, std::string path, JsonErrors& errors);

  std::string string(std::string_view name, std::string_view fallback);
  std::string required_string(std::string_view name);
  // One of the listed words.
  std::string word(std::string_view name, std::initializer_list<std::string_view> allowed, std::string_view fallback);
  std::string required_word(std::string_view name, std::initializer_list<std::string_view> allowed);
  std::uint64_t unsigned_integer(std::string_view name, std::uint64_t fallback);
  std::int64_t signed_integer(std::string_view name, std::int64_t fallback);
  double number(std::string_view name, double fallback);  // >= 0
  std::optional<double> any_number(std::string_view name);
  bool boolean(std::string_view name, bool fallback);
  // The elements, at most `limit`; empty if the member is absent and not required.
  const std::vector<JsonValue>& array(std::string_view name, std::size_t limit, bool required = false);
  // Null if absent.
  const JsonValue* object(std::string_view name);
  // Any value; null if absent.
  const JsonValue* any(std::string_view name);

  void finish();
  std::string path(std::string_view name) const;
  const std::string& path() const { return path_; }
  void fail(std::string_view name, std::string_view message, std::string_view remedy = {});

 private:
  const JsonValue* take(std::string_view name, bool required);
  void wrong_kind(std::string_view name, std::string_view wanted, const JsonValue& found);

  const JsonValue& value_;
  std::string path_;
  JsonErrors& errors_;
  const std::vector<JsonValue> none_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace bascule::core
