// Parsing JSON with nlohmann's SAX interface, so that duplicate names, depth and count are checked on the way.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/json_value.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/package/concat.hpp"

namespace bascule::core {
namespace {

using Kind = JsonValue::Kind;

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::string_view source) : source_(source) {}

  bool null() override { return add({}); }
  bool boolean(bool value) override {
    JsonValue result;
    result.kind = Kind::boolean;
    result.boolean = value;
    return add(std::move(result));
  }
  bool number_integer(number_integer_t value) override {
    JsonValue result;
    result.kind = Kind::signed_integer;
    result.signed_integer = value;
    result.number = static_cast<double>(value);
    return add(std::move(result));
  }
  bool number_unsigned(number_unsigned_t value) override {
    JsonValue result;
    result.kind = Kind::unsigned_integer;
    result.unsigned_integer = value;
    result.number = static_cast<double>(value);
    return add(std::move(result));
  }
  bool number_float(number_float_t value, const string_t& /*digits*/) override {
    JsonValue result;
    result.kind = Kind::number;
    result.number = value;
    return add(std::move(result));
  }
  bool string(string_t& value) override {
    JsonValue result;
    result.kind = Kind::string;
    result.string = std::move(value);
    return add(std::move(result));
  }
  bool binary(binary_t& /*value*/) override { return refuse("holds binary data"); }
  bool start_object(std::size_t /*count*/) override { return open(Kind::object); }
  bool start_array(std::size_t /*count*/) override { return open(Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (open_.back()->members.size() == kMaxJsonMembers) return refuse(concat("has an object of more than ", kMaxJsonMembers, " names"));
    if (open_.back()->find(name) != nullptr) return refuse(concat("has the name \"", name, "\" twice in one object"));
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/, const nlohmann::json::exception& error) override {
    const std::string_view before = source_.substr(0, position == 0 ? 0 : std::min(position - 1, source_.size()));
    const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    const std::size_t start = before.rfind('\n');
    const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
    std::string what = error.what();
    if (const auto detail = what.find(": ", what.find("column")); detail != std::string::npos) what.erase(0, detail + 2);
    return refuse(concat("is not JSON at line ", line, ", column ", column, ": ", what));
  }

  JsonValue take() { return std::move(root_); }
  const std::string& problem() const { return problem_; }

 private:
  bool refuse(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
    return false;
  }

  JsonValue* place(JsonValue value) {
    if (++count_ > kMaxJsonValues) {
      refuse(concat("holds more than ", kMaxJsonValues, " values"));
      return nullptr;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    JsonValue& parent = *open_.back();
    if (parent.kind == Kind::array) return &parent.items.emplace_back(std::move(value));
    return &parent.members.emplace_back(std::move(key_), std::move(value)).second;
  }
  bool add(JsonValue value) { return place(std::move(value)) != nullptr; }
  bool open(Kind kind) {
    if (open_.size() == kMaxJsonDepth) return refuse(concat("is nested more than ", kMaxJsonDepth, " levels deep"));
    JsonValue value;
    value.kind = kind;
    JsonValue* placed = place(std::move(value));
    // Stays valid while it is open: its parent gets no further element before it is closed.
    if (placed != nullptr) open_.push_back(placed);
    return placed != nullptr;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view source_;
  JsonValue root_;
  std::vector<JsonValue*> open_;
  std::string key_;
  std::string problem_;
  std::size_t count_ = 0;
};

}  // namespace

JsonValue::JsonValue() = default;
JsonValue::JsonValue(const JsonValue&) = default;
JsonValue::JsonValue(JsonValue&&) noexcept = default;
JsonValue& JsonValue::operator=(const JsonValue&) = default;
JsonValue& JsonValue::operator=(JsonValue&&) noexcept = default;
JsonValue::~JsonValue() = default;

const JsonValue* JsonValue::find(std::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string_view JsonValue::kind_name() const {
  switch (kind) {
    case Kind::null: return "null";
    case Kind::boolean: return "a boolean";
    case Kind::unsigned_integer:
    case Kind::signed_integer:
    case Kind::number: return "a number";
    case Kind::string: return "a string";
    case Kind::array: return "an array";
    case Kind::object: return "an object";
  }
  return "a value";
}

Result<JsonValue> parse_json(std::string_view source, std::string_view origin) {
  if (source.size() > kMaxJsonBytes) {
    return Error{BSC_INVALID_PACKAGE, concat(origin, " has ", source.size(), " bytes of JSON, the limit is ", kMaxJsonBytes)};
  }
  Builder builder(source);
  const bool complete = nlohmann::json::sax_parse(source.begin(), source.end(), &builder);
  if (!complete) {
    return Error{BSC_INVALID_PACKAGE, concat(origin, " ", builder.problem().empty() ? "is not JSON" : builder.problem()),
                 "correct the JSON; docs/package-format.md describes its shape"};
  }
  return builder.take();
}

}  // namespace bascule::core
