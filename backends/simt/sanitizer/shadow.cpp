// See shadow.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/sanitizer/shadow.hpp"

namespace bascule::simt {
namespace {

bool same_thread(const AccessRecord& a, const AccessRecord& b) { return a.block == b.block && a.thread == b.thread; }

bool happened_before(const AccessRecord& before, const AccessRecord& now, const ThreadClock& clock) {
  return same_thread(before, now) || clock.known.of(now.block, before.block, before.thread) >= before.clock;
}

bool strong_for_each_other(const AccessRecord& a, const AccessRecord& b) {
  const Strength needed = a.block == b.block       ? Strength::block
                          : a.cluster == b.cluster ? Strength::cluster
                                                   : Strength::everyone;
  return a.strength >= needed && b.strength >= needed;
}

bool races(const AccessRecord& before, const AccessRecord& now, const ThreadClock& clock) {
  return before.clock != 0 && !strong_for_each_other(before, now) && !happened_before(before, now, clock);
}

}  // namespace

const AccessRecord* find_race(const ShadowCell& cell, const AccessRecord& now, bool writes, const ThreadClock& clock) {
  if (races(cell.write, now, clock)) return &cell.write;
  if (races(cell.weak_write, now, clock)) return &cell.weak_write;
  if (!writes) return nullptr;
  for (const AccessRecord& read : cell.reads) {
    if (races(read, now, clock)) return &read;
  }
  return nullptr;
}

void record(ShadowCell& cell, const AccessRecord& now, bool writes, const ThreadClock& clock) {
  if (writes) {
    cell.write = now;
    if (now.strength == Strength::weak) cell.weak_write = now;
    cell.reads = {};
    return;
  }
  for (AccessRecord& read : cell.reads) {
    if (read.clock == 0 || happened_before(read, now, clock)) {
      read = now;
      return;
    }
  }
  cell.reads[0] = cell.reads[1];
  cell.reads[1] = now;
}

Shadow::Page& Shadow::page_of(std::uint64_t address) {
  const std::uint64_t number = address / kPageBytes;
  if (number == last_number_) return *last_;
  Page& page = pages_[number];
  if (page.cells.empty()) page.cells.resize(kPageBytes >> page.shift);
  last_number_ = number;
  last_ = &page;
  return page;
}

void Shadow::split(Page& page) {
  std::vector<ShadowCell> cells(kPageBytes);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = page.cells[i >> page.shift];
  page.cells = std::move(cells);
  page.shift = 0;
}

}  // namespace bascule::simt
