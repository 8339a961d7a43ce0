// Copies and fills, split over the pool where they are large.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/executor/command.hpp"

namespace bascule::cpu {

/// A piece smaller than this is not worth a second thread: copying it takes about as long as waking one.
inline constexpr std::uint64_t kTransferGrain = 256 * 1024;

/// Copy of device memory, WRITE and READ. The ranges do not overlap.
class CopyCommand final : public Command {
 public:
  CopyCommand(std::byte* destination, const std::byte* source, std::uint64_t bytes) noexcept
      : Command({.items = bytes, .grain = kTransferGrain}), destination_(destination), source_(source) {}
  bsc_status run(const Slice& slice, Failure& failure) override;

 private:
  std::byte* destination_;
  const std::byte* source_;
};

class FillCommand final : public Command {
 public:
  /// `pattern_bytes` is 1, 2, 4, 8 or 16 and divides `bytes`.
  FillCommand(std::byte* destination, std::uint64_t bytes, const std::uint8_t* pattern, std::uint32_t pattern_bytes) noexcept;
  bsc_status run(const Slice& slice, Failure& failure) override;

 private:
  std::byte* destination_;
  std::array<std::byte, 16> block_;  // the pattern, repeated
  bool one_byte_;
};

}  // namespace bascule::cpu
