// A strictly parsed JSON document: no duplicate names, bounded depth and size. Made once per package, read by
// metadata_reader.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace bascule::core {

struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, unsigned_integer, signed_integer, number, string, array, object };

  Kind kind = Kind::null;
  bool boolean = false;
  std::uint64_t unsigned_integer = 0;
  std::int64_t signed_integer = 0;  // negative
  double number = 0;                // of every numeric kind
  std::string string;
  std::vector<JsonValue> items;                            // array
  std::vector<std::pair<std::string, JsonValue>> members;  // object, in order

  // Defined where the struct is complete: clang 22 needs that for a vector of pairs that hold it.
  JsonValue();
  JsonValue(const JsonValue&);
  JsonValue(JsonValue&&) noexcept;
  JsonValue& operator=(const JsonValue&);
  JsonValue& operator=(JsonValue&&) noexcept;
  ~JsonValue();

  const JsonValue* find(std::string_view name) const;
  // "a number", "an object", ... for messages.
  std::string_view kind_name() const;
};

inline constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 27;
inline constexpr std::size_t kMaxJsonDepth = 16;
inline constexpr std::size_t kMaxJsonMembers = 1024;  // of one object
inline constexpr std::size_t kMaxJsonValues = 300'000;

// Errors (BSC_INVALID_PACKAGE) give line and column, or the path of the duplicate name.
Result<JsonValue> parse_json(std::string_view text, std::string_view origin);

}  // namespace bascule::core
