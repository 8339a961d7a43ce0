// See block_sanitizer.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/sanitizer/block_sanitizer.hpp"

#include <algorithm>

#include "backends/simt/execute/services.hpp"

namespace bascule::simt {

BlockSanitizer::BlockSanitizer(Block& of, LaunchSanitizer& in)
    : block(of),
      launch(in),
      number_(static_cast<std::uint32_t>(of.linear_index)),
      cluster_number_(of.cluster != nullptr ? static_cast<std::uint32_t>(of.cluster->blocks[0]->linear_index) : number_),
      clocks_((of.threads + kLanes - 1) / kLanes * kLanes) {
  unwritten_shared.resize(of.shared_bytes);
  unwritten_shared.insert(0, of.shared_bytes);
}

Message BlockSanitizer::hand_over(std::uint32_t thread) {
  return simt::hand_over(clocks_[thread], number_, thread, static_cast<std::uint32_t>(clocks_.size()));
}

void BlockSanitizer::come_to_barrier(std::uint32_t barrier, std::uint32_t thread, bool waits) {
  if (barrier >= barriers_.size()) return;  // the operation itself reports it
  Gathering& gathering = barriers_[barrier];
  join(gathering.known, clocks_[thread].known);
  gathering.arrivals.push_back({thread, clocks_[thread].now++, waits});
}

void take_in_arrivals(Gathering& gathering, std::size_t threads) {
  auto times = gathering.known.own != nullptr ? std::make_shared<Times>(*gathering.known.own) : std::make_shared<Times>();
  times->resize(threads);
  for (const Gathering::Arrival& arrival : gathering.arrivals) {
    (*times)[arrival.thread] = std::max((*times)[arrival.thread], arrival.clock);
  }
  gathering.known.own = std::move(times);
}

void BlockSanitizer::complete(Gathering& gathering) {
  take_in_arrivals(gathering, clocks_.size());
  for (const Gathering::Arrival& arrival : gathering.arrivals) {
    if (arrival.waits) clocks_[arrival.thread].known = gathering.known;
  }
  gathering = Gathering{};
}

void BlockSanitizer::barrier_completed(std::uint32_t barrier) {
  if (barrier < barriers_.size()) complete(barriers_[barrier]);
}

void BlockSanitizer::come_to_warp_barrier(std::uint32_t warp, std::uint32_t members, std::uint32_t lanes) {
  Gathering& gathering = warp_barriers_[{warp, members}];
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const std::uint32_t thread = warp * kLanes + static_cast<std::uint32_t>(__builtin_ctz(left));
    join(gathering.known, clocks_[thread].known);
    gathering.arrivals.push_back({thread, clocks_[thread].now++, true});
  }
  std::uint32_t here = 0;
  for (const Gathering::Arrival& arrival : gathering.arrivals) here |= 1u << (arrival.thread % kLanes);
  if ((members & ~here) == 0) complete_warp_barrier(warp, members);
}

void BlockSanitizer::complete_warp_barrier(std::uint32_t warp, std::uint32_t members) {
  const auto found = warp_barriers_.find({warp, members});
  complete(found->second);
  warp_barriers_.erase(found);
}

void BlockSanitizer::leave_warp_barrier(std::uint32_t warp, std::uint32_t lanes) {
  // Where lanes were let through because others have exited, their gathering is still open.
  for (auto at = warp_barriers_.begin(); at != warp_barriers_.end();) {
    const bool ours = at->first.first == warp && std::any_of(at->second.arrivals.begin(), at->second.arrivals.end(), [&](const auto& arrival) {
      return (lanes >> (arrival.thread % kLanes) & 1u) != 0;
    });
    if (ours) complete(at->second);
    at = ours ? warp_barriers_.erase(at) : std::next(at);
  }
}

void BlockSanitizer::fence(std::uint32_t thread, Scope scope) {
  ThreadClock& clock = clocks_[thread];
  const auto reach = static_cast<std::size_t>(scope);
  for (std::size_t i = 0; i <= reach; ++i) {
    join(clock.known, number_, clock.seen[i]);
    clock.seen[i].clear();
  }
  clock.fenced[0] = hand_over(thread);
  for (std::size_t i = 1; i <= reach; ++i) clock.fenced[i] = clock.fenced[0];
}

void BlockSanitizer::strong_write(SynchronisedWord& word, std::uint32_t thread, bool releases, Scope scope, bool replaces) {
  const ThreadClock& clock = clocks_[thread];
  if (replaces) word = SynchronisedWord{};
  if (!releases && clock.fenced[0].empty()) return;
  const Message released = releases ? hand_over(thread) : Message{};
  if (word.block != number_) word.to[0].clear();
  if (word.cluster != cluster_number_) word.to[1].clear();
  word.block = number_;
  word.cluster = cluster_number_;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(scope); ++i) join(word.to[i], releases ? released : clock.fenced[i]);
}

void BlockSanitizer::strong_read(const SynchronisedWord& word, std::uint32_t thread, bool acquires, Scope scope) {
  ThreadClock& clock = clocks_[thread];
  const std::array<bool, kScopes> reaches = {word.block == number_, word.cluster == cluster_number_, true};
  for (std::size_t i = 0; i <= static_cast<std::size_t>(scope); ++i) {
    if (!reaches[i]) continue;
    if (acquires) {
      join(clock.known, number_, word.to[i]);
    } else {
      join(clock.seen[i], word.to[i]);
    }
  }
}

ByteSet& BlockSanitizer::unwritten_local(const Group& group, std::uint32_t thread) {
  if (unwritten_local_.empty()) {
    unwritten_local_.resize(clocks_.size());
    for (ByteSet& set : unwritten_local_) set.resize(group.local_bytes);
  }
  return unwritten_local_[thread];
}

void BlockSanitizer::copy_completed(const AsynchronousCopy& copy, bool waited) {
  const auto offset = static_cast<std::uint64_t>(copy.to - block.shared);
  const auto [first, last] = in_flight_.equal_range(offset);
  const auto found = std::find_if(first, last, [&](const auto& entry) {
    return entry.second.thread == copy.thread && entry.second.op->instruction == copy.op->instruction;
  });
  if (found == last) return;
  // Known to those who wait at the mbarrier that tracks it: from when it was issued. Else from when the thread has waited.
  const std::uint32_t time = waited ? clocks_[copy.thread].now : found->second.issued;
  in_flight_.erase(found);
  AccessRecord write{number_, cluster_number_, time, static_cast<std::uint16_t>(copy.thread), Strength::weak, true, copy.op->instruction};
  shared.each(offset, copy.bytes, [&](ShadowCell& cell) { record(cell, write, true, clocks_[copy.thread]); });
}

void BlockSanitizer::copy_issued(const AsynchronousCopy& copy) {
  in_flight_.emplace(static_cast<std::uint64_t>(copy.to - block.shared), copy);
}

const AsynchronousCopy* BlockSanitizer::copy_into(std::uint64_t offset, std::uint64_t bytes) const {
  constexpr std::uint64_t kLongest = 16;
  for (auto at = in_flight_.lower_bound(offset < kLongest ? 0 : offset - kLongest + 1); at != in_flight_.end(); ++at) {
    if (at->first >= offset + bytes) break;
    if (at->first + at->second.bytes > offset) return &at->second;
  }
  return nullptr;
}

const AsynchronousCopy* BlockSanitizer::copy_from(std::uint64_t address, std::uint64_t bytes) const {
  for (const auto& [offset, copy] : in_flight_) {
    const auto from = reinterpret_cast<std::uintptr_t>(copy.from);
    if (from < address + bytes && address < from + copy.taken) return &copy;
  }
  return nullptr;
}

bool BlockSanitizer::holds_mbarrier(std::uint64_t offset, std::uint64_t bytes) const {
  const auto at = mbarriers.lower_bound(offset < 8 ? 0 : offset - 7);
  return at != mbarriers.end() && at->first < offset + bytes;
}

BlockSanitizer& sanitizer_of(Block& block) {
  auto& extension = block.extensions[static_cast<std::size_t>(ExtensionKind::shared_shadow)];
  if (extension == nullptr) {
    auto made = std::make_unique<BlockSanitizer>(block, *block.services->sanitizer);
    if (AsynchronousCopies* const copies = copies_of(block)) copies->observer = made.get();
    extension = std::move(made);
  }
  return static_cast<BlockSanitizer&>(*extension);
}

}  // namespace bascule::simt
