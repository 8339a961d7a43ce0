// Encoding of cache entries. The header guards against everything but intent: the directory's owner guards against that.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/jit_cache_entry.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace bascule::core {
namespace {

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t reserved;
  std::uint64_t key_high;
  std::uint64_t key_low;
  std::uint64_t payload_bytes;
  std::uint64_t hash_high;  // of the payload
  std::uint64_t hash_low;
  std::uint64_t reserved2;
};
static_assert(sizeof(Header) == 64);

constexpr std::array<char, 8> kMagic = {'B', 'S', 'C', 'J', 'I', 'T', '\r', '\n'};
constexpr std::uint32_t kVersion = 1;

Header header_for(const Hash128& key, std::span<const std::byte> payload) {
  const Hash128 hash = hash128(payload.data(), payload.size());
  return {kMagic, kVersion, 0, key.high, key.low, payload.size(), hash.high, hash.low, 0};
}

}  // namespace

std::string encode_cache_entry(const Hash128& key, std::span<const std::byte> payload) {
  const Header header = header_for(key, payload);
  std::string file(sizeof header + payload.size(), '\0');
  std::memcpy(file.data(), &header, sizeof header);
  if (!payload.empty()) std::memcpy(file.data() + sizeof header, payload.data(), payload.size());
  return file;
}

std::optional<std::vector<std::byte>> decode_cache_entry(const Hash128& key, std::string_view file) {
  if (file.size() < sizeof(Header)) return std::nullopt;
  const auto bytes = std::as_bytes(std::span(file.data(), file.size()));
  const auto payload = bytes.subspan(sizeof(Header));
  const Header expected = header_for(key, payload);
  if (std::memcmp(file.data(), &expected, sizeof expected) != 0) return std::nullopt;
  return std::vector<std::byte>(payload.begin(), payload.end());
}

}  // namespace bascule::core
