// Content hashes on top of xxHash, which is compiled into this file alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/base/hash.hpp"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

namespace bascule::core {

std::string Hash128::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 16; ++i) {
    text[15 - i] = kDigits[(high >> (4 * i)) & 15];
    text[31 - i] = kDigits[(low >> (4 * i)) & 15];
  }
  return text;
}

Hash128 hash128(const void* data, std::size_t bytes) {
  const XXH128_hash_t hash = XXH3_128bits(data, bytes);
  return {hash.high64, hash.low64};
}

struct Hasher::State {
  alignas(64) XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::add(const void* data, std::size_t bytes) {
  const std::uint64_t length = bytes;
  XXH3_128bits_update(&state_->xxh, &length, sizeof length);
  if (bytes != 0) XXH3_128bits_update(&state_->xxh, data, bytes);
  return *this;
}

Hasher& Hasher::add(std::uint64_t number) { return add(&number, sizeof number); }

Hash128 Hasher::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return {hash.high64, hash.low64};
}

}  // namespace bascule::core
