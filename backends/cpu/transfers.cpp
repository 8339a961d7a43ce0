// Copies and fills: what one thread does of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/transfers.hpp"

#include <algorithm>
#include <cstring>

namespace bascule::cpu {

bsc_status CopyCommand::run(const Slice& slice, Failure&) {
  std::memcpy(destination_ + slice.begin, source_ + slice.begin, slice.end - slice.begin);
  return BSC_OK;
}

FillCommand::FillCommand(std::byte* destination, std::uint64_t bytes, const std::uint8_t* pattern,
                         std::uint32_t pattern_bytes) noexcept
    : Command({.items = bytes, .grain = kTransferGrain}), destination_(destination), block_{} {
  for (std::size_t i = 0; i < block_.size(); ++i) block_[i] = std::byte{pattern[i % pattern_bytes]};
  one_byte_ = std::all_of(block_.begin(), block_.end(), [&](std::byte b) { return b == block_[0]; });
}

bsc_status FillCommand::run(const Slice& slice, Failure&) {
  // A slice begins at a multiple of the grain, so at the beginning of a pattern.
  static_assert(kTransferGrain % 16 == 0);
  std::byte* const begin = destination_ + slice.begin;
  const std::uint64_t bytes = slice.end - slice.begin;
  if (one_byte_) {
    std::memset(begin, std::to_integer<int>(block_[0]), bytes);
    return BSC_OK;
  }
  // What is filled is copied on, twice as much each time, up to what stays in the first-level cache.
  constexpr std::uint64_t kMostAtOnce = 8192;
  std::uint64_t filled = std::min<std::uint64_t>(bytes, block_.size());
  std::memcpy(begin, block_.data(), filled);
  while (filled < bytes) {
    const std::uint64_t more = std::min({filled, bytes - filled, kMostAtOnce});
    std::memcpy(begin + filled, begin, more);
    filled += more;
  }
  return BSC_OK;
}

}  // namespace bascule::cpu
