// See mbarrier.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/mbarrier.hpp"

namespace bascule::simt {
namespace {

constexpr unsigned kPendingShift = 20;
constexpr unsigned kTxShift = 40;
constexpr unsigned kTxBits = 21;
constexpr unsigned kPhaseShift = 61;
constexpr std::uint64_t kValid = std::uint64_t{1} << 63;

}  // namespace

Mbarrier Mbarrier::unpack(std::uint64_t bits) {
  Mbarrier result;
  result.expected = static_cast<std::uint32_t>(bits) & kMaxCount;
  result.pending = static_cast<std::uint32_t>(bits >> kPendingShift) & kMaxCount;
  result.tx = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> kTxShift) << (32 - kTxBits)) >> (32 - kTxBits);
  result.phase = static_cast<std::uint32_t>(bits >> kPhaseShift) & 3u;
  result.valid = (bits & kValid) != 0;
  return result;
}

std::uint64_t Mbarrier::pack() const {
  const std::uint64_t tx_bits = static_cast<std::uint32_t>(tx) & ((1u << kTxBits) - 1);
  return expected | std::uint64_t{pending} << kPendingShift | tx_bits << kTxShift | std::uint64_t{phase} << kPhaseShift |
         (valid ? kValid : 0);
}

void Mbarrier::advance() {
  if (!complete()) return;
  phase = (phase + 1) & 3u;
  pending = expected;
}

const char* Mbarrier::arrive(std::uint32_t count) {
  if (count == 0 || count > kMaxCount) return "the count is not from 1 to 1048575";
  if (count > pending) return "more arrivals than the phase has left";
  pending -= count;
  advance();
  return nullptr;
}

const char* Mbarrier::drop(std::uint32_t count) {
  if (count > expected) return "more arrivals are dropped than are expected";
  const std::uint32_t before = expected;
  expected -= count;
  if (const char* const wrong = arrive(count)) {
    expected = before;
    return wrong;
  }
  return nullptr;
}

const char* Mbarrier::add_tx(std::int64_t bytes) {
  const std::int64_t sum = tx + bytes;
  if (sum > std::int64_t{kMaxCount} || sum < -std::int64_t{kMaxCount}) return "the tx-count leaves -1048575 to 1048575";
  tx = static_cast<std::int32_t>(sum);
  return nullptr;
}

void Mbarrier::arrive_for_copies(std::byte* at) {
  Mbarrier barrier = load(at);
  if (!barrier.valid || barrier.pending == 0) return;
  --barrier.pending;
  barrier.advance();
  barrier.store(at);
}

}  // namespace bascule::simt
