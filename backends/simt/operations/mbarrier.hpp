// The mbarrier object: what its 64 bits in shared memory hold, and what the operations do to it.
//
// A count of threads that still have to arrive, one of bytes that are under way, and a phase, which ends when both are zero.
// Bit 63 says that the object is initialised: memory that holds none is told from one that does. The states that programs get
// from mbarrier.arrive are the object's bits as they were before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/simt/execute/access.hpp"

namespace bascule::simt {

struct Mbarrier {
  static constexpr std::uint32_t kMaxCount = (1u << 20) - 1;

  std::uint32_t expected = 0;  // arrivals per phase
  std::uint32_t pending = 0;   // arrivals left in this phase
  std::int32_t tx = 0;         // may be below zero while completions overtake what announces them
  std::uint32_t phase = 0;     // modulo 4
  bool valid = false;

  [[nodiscard]] static Mbarrier unpack(std::uint64_t bits);
  [[nodiscard]] std::uint64_t pack() const;
  [[nodiscard]] static Mbarrier load(const std::byte* at) { return unpack(guest_load<std::uint64_t>(at)); }
  void store(std::byte* at) const { guest_store(at, pack()); }

  [[nodiscard]] bool complete() const { return pending == 0 && tx == 0; }
  /// Goes on to the next phase, if this one is complete.
  void advance();
  /// What is wrong, or null: nothing is changed then.
  [[nodiscard]] const char* arrive(std::uint32_t count);
  [[nodiscard]] const char* drop(std::uint32_t count);
  [[nodiscard]] const char* add_tx(std::int64_t bytes);

  /// Whether the phase that a state was taken in, or the last one of this parity, has ended.
  [[nodiscard]] bool has_left(std::uint64_t state) const { return unpack(state).phase != phase; }
  [[nodiscard]] bool has_left_parity(std::uint32_t parity) const { return (phase & 1u) != (parity & 1u); }

  /// The arrival that cp.async.mbarrier.arrive has announced. Objects that are no longer valid are left alone.
  static void arrive_for_copies(std::byte* at);
};

}  // namespace bascule::simt
