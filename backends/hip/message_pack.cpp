// MessagePack's type bytes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/hip/message_pack.hpp"

namespace bascule::gpu {
namespace {

constexpr int kDeepest = 32;

}  // namespace

std::optional<std::uint64_t> MessagePack::big_endian(std::size_t at, std::size_t bytes) const {
  if (at > rest_.size() || bytes > rest_.size() - at) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<std::uint64_t>(rest_[at + i]);
  return value;
}

std::optional<std::uint64_t> MessagePack::map() {
  const auto type = big_endian(0, 1);
  if (!type) return std::nullopt;
  if ((*type & 0xf0) == 0x80) {
    rest_ = rest_.subspan(1);
    return *type & 0x0f;
  }
  if (*type != 0xde && *type != 0xdf) return std::nullopt;
  const std::size_t bytes = *type == 0xde ? 2 : 4;
  const auto count = big_endian(1, bytes);
  if (count) rest_ = rest_.subspan(1 + bytes);
  return count;
}

std::optional<std::uint64_t> MessagePack::array() {
  const auto type = big_endian(0, 1);
  if (!type) return std::nullopt;
  if ((*type & 0xf0) == 0x90) {
    rest_ = rest_.subspan(1);
    return *type & 0x0f;
  }
  if (*type != 0xdc && *type != 0xdd) return std::nullopt;
  const std::size_t bytes = *type == 0xdc ? 2 : 4;
  const auto count = big_endian(1, bytes);
  if (count) rest_ = rest_.subspan(1 + bytes);
  return count;
}

std::optional<std::string_view> MessagePack::text() {
  const auto type = big_endian(0, 1);
  if (!type) return std::nullopt;
  std::size_t header = 1;
  std::optional<std::uint64_t> length;
  if ((*type & 0xe0) == 0xa0) {
    length = *type & 0x1f;
  } else if (*type >= 0xd9 && *type <= 0xdb) {
    const std::size_t bytes = std::size_t{1} << (*type - 0xd9);
    length = big_endian(1, bytes);
    header += bytes;
  }
  if (!length || *length > rest_.size() - header) return std::nullopt;
  const std::string_view value(reinterpret_cast<const char*>(rest_.data()) + header, static_cast<std::size_t>(*length));
  rest_ = rest_.subspan(header + value.size());
  return value;
}

std::optional<std::uint64_t> MessagePack::number() {
  const auto type = big_endian(0, 1);
  if (!type) return std::nullopt;
  if (*type < 0x80) {
    rest_ = rest_.subspan(1);
    return *type;
  }
  const bool is_unsigned = *type >= 0xcc && *type <= 0xcf;
  const bool is_signed = *type >= 0xd0 && *type <= 0xd3;
  if (!is_unsigned && !is_signed) return std::nullopt;
  const std::size_t bytes = std::size_t{1} << (*type - (is_unsigned ? 0xcc : 0xd0));
  const auto value = big_endian(1, bytes);
  if (!value || (is_signed && (*value >> (8 * bytes - 1)) != 0)) return std::nullopt;
  rest_ = rest_.subspan(1 + bytes);
  return value;
}

bool MessagePack::skip_elements(std::uint64_t count, int depth) {
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!skip(depth + 1)) return false;
  }
  return true;
}

bool MessagePack::skip(int depth) {
  if (depth > kDeepest || rest_.empty()) return false;
  if (const auto pairs = map()) return skip_elements(2 * *pairs, depth);
  if (const auto elements = array()) return skip_elements(*elements, depth);
  if (text() || number()) return true;
  // What is left: small negative numbers, nil, booleans, floats, negative numbers, binary data and extensions.
  const std::uint64_t type = *big_endian(0, 1);
  std::uint64_t bytes = 1;
  if (type >= 0xd0 && type <= 0xd3) {
    bytes += std::uint64_t{1} << (type - 0xd0);
  } else if (type == 0xca || type == 0xcb) {
    bytes += type == 0xca ? 4 : 8;
  } else if (type >= 0xd4 && type <= 0xd8) {
    bytes += 1 + (std::uint64_t{1} << (type - 0xd4));
  } else if (type >= 0xc4 && type <= 0xc9) {
    const std::size_t width = std::size_t{1} << ((type - 0xc4) % 3);
    const auto length = big_endian(1, width);
    if (!length) return false;
    bytes += width + *length + (type >= 0xc7 ? 1 : 0);
  } else if (type < 0xe0 && (type < 0xc0 || type > 0xc3)) {
    return false;
  }
  if (bytes > rest_.size()) return false;
  rest_ = rest_.subspan(static_cast<std::size_t>(bytes));
  return true;
}

}  // namespace bascule::gpu
