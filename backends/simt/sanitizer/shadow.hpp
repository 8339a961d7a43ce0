// What is remembered of each byte: who wrote it last, and who has read it since.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "backends/simt/ptx/ir.hpp"
#include "backends/simt/sanitizer/clock.hpp"

namespace bascule::simt {

/// How far an access is strong in the sense of the memory model: accesses that are strong for each other do not race.
enum class Strength : std::uint8_t { weak, block, cluster, everyone };
/// Of a strong access.
[[nodiscard]] inline Scope scope_of(Strength strength) {
  return strength == Strength::everyone ? Scope::everyone : strength == Strength::cluster ? Scope::cluster : Scope::block;
}

struct AccessRecord {
  std::uint32_t block = 0;
  std::uint32_t cluster = 0;
  std::uint32_t clock = 0;  // 0: no access
  std::uint16_t thread = 0;
  Strength strength = Strength::weak;
  bool asynchronous = false;  // by a cp.async that the thread has waited for
  const ptx::Instruction* at = nullptr;
};

struct ShadowCell {
  AccessRecord write;                  // the latest
  AccessRecord weak_write;             // the latest weak one: a strong one by the same thread must not hide it
  std::array<AccessRecord, 2> reads;  // the latest by different threads
};

/// Which of the accesses in the cell `now` races with; null: none. `clock`: of the thread of `now`.
[[nodiscard]] const AccessRecord* find_race(const ShadowCell& cell, const AccessRecord& now, bool writes, const ThreadClock& clock);

/// Remembers it.
void record(ShadowCell& cell, const AccessRecord& now, bool writes, const ThreadClock& clock);

/// Cells for memory of any size, made when first used: one per four bytes until smaller pieces are accessed, then one per byte.
class Shadow {
 public:
  /// f(cell) for all cells of the bytes.
  template <class F>
  void each(std::uint64_t address, std::uint64_t bytes, F f) {
    while (bytes != 0) {
      Page& page = page_of(address);
      const std::uint64_t inside = address % kPageBytes;
      const std::uint64_t here = bytes < kPageBytes - inside ? bytes : kPageBytes - inside;
      if (page.shift != 0 && (inside % 4 != 0 || here % 4 != 0)) split(page);
      const std::uint64_t end = (inside + here) >> page.shift;
      for (std::uint64_t i = inside >> page.shift; i < end; ++i) f(page.cells[i]);
      address += here;
      bytes -= here;
    }
  }
  /// Nothing is known of these bytes any more.
  void forget(std::uint64_t address, std::uint64_t bytes) {
    each(address, bytes, [](ShadowCell& cell) { cell = ShadowCell{}; });
  }

 private:
  static constexpr std::uint64_t kPageBytes = 1024;
  struct Page {
    unsigned shift = 2;
    std::vector<ShadowCell> cells;
  };
  Page& page_of(std::uint64_t address);
  static void split(Page& page);

  std::unordered_map<std::uint64_t, Page> pages_;
  std::uint64_t last_number_ = UINT64_MAX;
  Page* last_ = nullptr;
};

/// A bit per byte.
class ByteSet {
 public:
  void resize(std::uint64_t bytes) { bits_.resize((bytes + 63) / 64); }
  void insert(std::uint64_t first, std::uint64_t bytes) {
    for (std::uint64_t i = first; i < first + bytes; ++i) bits_[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  void erase(std::uint64_t first, std::uint64_t bytes) {
    for (std::uint64_t i = first; i < first + bytes; ++i) bits_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  }
  [[nodiscard]] std::uint64_t count(std::uint64_t first, std::uint64_t bytes) const {
    std::uint64_t result = 0;
    for (std::uint64_t i = first; i < first + bytes; ++i) result += bits_[i / 64] >> (i % 64) & 1;
    return result;
  }

 private:
  std::vector<std::uint64_t> bits_;
};

}  // namespace bascule::simt
