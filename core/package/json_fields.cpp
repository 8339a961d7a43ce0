// Strict access to JSON members.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/json_fields.hpp"

#include <algorithm>
#include <limits>

#include "core/package/concat.hpp"

namespace bascule::core {
namespace {

using Kind = JsonValue::Kind;

std::string listed(std::initializer_list<std::string_view> words) {
  std::string result;
  for (const std::string_view word : words) result += concat(result.empty() ? "\"" : ", \"", word, "\"");
  return result;
}

}  // namespace

void JsonErrors::add(std::string_view path, std::string_view message, std::string_view remedy) {
  if (error_) return;
  error_ = Error{BSC_INVALID_PACKAGE, concat(origin_, ": ", path.empty() ? "" : path, path.empty() ? "" : ": ", message)};
  error_->remedy = remedy.empty() ? "correct the metadata; docs/package-format.md describes it" : remedy;
}

void JsonErrors::add(std::string_view path, Error error) { add(path, error.message, error.remedy); }

JsonFields::JsonFields(const JsonValue& value, std::string path, JsonErrors& errors)
    : value_(value), path_(std::move(path)), errors_(errors) {
  if (value.kind != Kind::object) errors_.add(path_, concat("must be an object, not ", value.kind_name()));
}

std::string JsonFields::path(std::string_view name) const { return path_.empty() ? std::string(name) : concat(path_, ".", name); }

void JsonFields::fail(std::string_view name, std::string_view message, std::string_view remedy) {
  errors_.add(path(name), message, remedy);
}

const JsonValue* JsonFields::take(std::string_view name, bool required) {
  known_.emplace(name);
  const JsonValue* found = value_.find(name);
  if (found == nullptr && required) errors_.add(path_, concat("the name \"", name, "\" is missing"));
  return found;
}

void JsonFields::wrong_kind(std::string_view name, std::string_view wanted, const JsonValue& found) {
  fail(name, concat("must be ", wanted, ", not ", found.kind_name()));
}

std::string JsonFields::string(std::string_view name, std::string_view fallback) {
  const JsonValue* found = take(name, false);
  if (found == nullptr) return std::string(fallback);
  if (found->kind != Kind::string) wrong_kind(name, "a string", *found);
  else if (found->string.find('\0') != std::string::npos) fail(name, "holds a NUL character");
  return found->string;
}

std::string JsonFields::required_string(std::string_view name) {
  take(name, true);
  std::string result = string(name, "");
  if (result.empty() && value_.find(name) != nullptr) fail(name, "must not be empty");
  return result;
}

std::string JsonFields::word(std::string_view name, std::initializer_list<std::string_view> allowed, std::string_view fallback) {
  std::string result = string(name, fallback);
  const bool known = std::find(allowed.begin(), allowed.end(), result) != allowed.end();
  if (!known && value_.find(name) != nullptr) fail(name, concat("is \"", result, "\"; allowed are ", listed(allowed)));
  return result;
}

std::string JsonFields::required_word(std::string_view name, std::initializer_list<std::string_view> allowed) {
  take(name, true);
  return word(name, allowed, "");
}

std::uint64_t JsonFields::unsigned_integer(std::string_view name, std::uint64_t fallback) {
  const JsonValue* found = take(name, false);
  if (found == nullptr) return fallback;
  if (found->kind != Kind::unsigned_integer) wrong_kind(name, "an integer from 0 to 2^64 - 1", *found);
  return found->unsigned_integer;
}

std::int64_t JsonFields::signed_integer(std::string_view name, std::int64_t fallback) {
  const JsonValue* found = take(name, false);
  if (found == nullptr) return fallback;
  if (found->kind == Kind::signed_integer) return found->signed_integer;
  if (found->kind != Kind::unsigned_integer || found->unsigned_integer > std::numeric_limits<std::int64_t>::max()) {
    wrong_kind(name, "an integer of 64 bits with sign", *found);
    return fallback;
  }
  return static_cast<std::int64_t>(found->unsigned_integer);
}

double JsonFields::number(std::string_view name, double fallback) {
  const JsonValue* found = take(name, false);
  if (found == nullptr) return fallback;
  if (found->kind != Kind::unsigned_integer && found->kind != Kind::number) wrong_kind(name, "a number of at least 0", *found);
  else if (!(found->number >= 0)) fail(name, "must be at least 0");
  return found->number;
}

std::optional<double> JsonFields::any_number(std::string_view name) {
  const JsonValue* found = take(name, false);
  if (found == nullptr) return std::nullopt;
  switch (found->kind) {
    case Kind::unsigned_integer:
    case Kind::signed_integer:
    case Kind::number: return found->number;
    default: wrong_kind(name, "a number", *found); return std::nullopt;
  }
}

bool JsonFields::boolean(std::string_view name, bool fallback) {
  const JsonValue* found = take(name, false);
  if (found == nullptr) return fallback;
  if (found->kind != Kind::boolean) wrong_kind(name, "true or false", *found);
  return found->boolean;
}

const std::vector<JsonValue>& JsonFields::array(std::string_view name, std::size_t limit, bool required) {
  const JsonValue* found = take(name, required);
  if (found == nullptr) return none_;
  if (found->kind != Kind::array) {
    wrong_kind(name, "an array", *found);
    return none_;
  }
  if (found->items.size() > limit) {
    fail(name, concat("has ", found->items.size(), " elements, the limit is ", limit));
    return none_;
  }
  if (required && found->items.empty()) fail(name, "must have at least one element");
  return found->items;
}

const JsonValue* JsonFields::object(std::string_view name) {
  const JsonValue* found = take(name, false);
  if (found != nullptr && found->kind != Kind::object) {
    wrong_kind(name, "an object", *found);
    return nullptr;
  }
  return found;
}

const JsonValue* JsonFields::any(std::string_view name) { return take(name, false); }

void JsonFields::finish() {
  for (const auto& [name, value] : value_.members) {
    if (known_.contains(name)) continue;
    std::string valid;
    for (const std::string& known : known_) valid += concat(valid.empty() ? "" : ", ", known);
    errors_.add(path_, concat("unknown name \"", name, "\"; known here: ", valid));
  }
}

}  // namespace bascule::core
