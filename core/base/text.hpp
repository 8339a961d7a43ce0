// Small helpers for text: splitting, quoting for messages, and the nearest valid name for "did you mean".
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bascule::core {

std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);  // ASCII only
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

// The text in double quotes, made safe for a terminal: control characters and bytes that are not valid UTF-8 appear as
// \xNN, and what goes beyond `limit` bytes is cut with "...".
std::string quoted(std::string_view text, std::size_t limit = 200);

bool is_valid_utf8(std::string_view text);

// Decimal digits only, no sign, no spaces; false on overflow.
bool parse_u64(std::string_view text, std::uint64_t* out_value);

// Number of single-character insertions, deletions, substitutions and neighbour swaps from one to the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The name nearest to `word`, or "" if none is near enough to be what was meant.
std::string nearest(std::string_view word, std::span<const std::string> names);

// "; did you mean \"cache.enabled\"?", or "; valid: a, b, c" if nothing is near. "" for an empty list.
std::string suggestion(std::string_view word, std::span<const std::string> names);

}  // namespace bascule::core
