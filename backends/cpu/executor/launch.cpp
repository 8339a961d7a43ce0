// Launch: claiming chunks, keeping the first failure.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.hpp"

#include <algorithm>
#include <utility>

namespace bascule::cpu {

namespace {

constexpr std::uint64_t kChunksPerParticipant = 8;

void member_barrier(bsc_host_team* view) {
  auto* member = static_cast<TeamMember*>(view);
  ++member->barrier_calls;
  member->team->barrier.arrive_and_wait();
}

}  // namespace

void Team::leave(std::uint64_t barrier_calls) noexcept {
  std::uint64_t first = kNobodyYet;
  if (!barrier_calls_.compare_exchange_strong(first, barrier_calls, std::memory_order_relaxed) && first != barrier_calls) {
    unequal_.store(true, std::memory_order_relaxed);
  }
  barrier.leave();
}

TeamMember::TeamMember(Team& all) noexcept
    : bsc_host_team{sizeof(bsc_host_team), all.size, all.shared, member_barrier}, team(&all) {}

Split split_range(std::uint64_t items, std::uint64_t grain, std::uint32_t participants) noexcept {
  grain = std::max<std::uint64_t>(grain, 1);
  const std::uint64_t grains = items / grain + (items % grain != 0 ? 1 : 0);
  if (grains <= 1 || participants <= 1) return {items, items != 0 ? 1u : 0u};
  const std::uint64_t per_chunk = std::max<std::uint64_t>(1, grains / (kChunksPerParticipant * participants));
  return {per_chunk * grain, grains / per_chunk + (grains % per_chunk != 0 ? 1 : 0)};
}

void Launch::prepare_range(Command& command, const Split& split, std::uint32_t limit) noexcept {
  command_ = &command;
  split_ = split;
  limit_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(limit, split.chunks));
  next_chunk_.store(0, std::memory_order_relaxed);
  stopped_.store(false, std::memory_order_relaxed);
}

void Launch::prepare_team(Command& command, std::uint32_t size, ScratchBlock shared, std::chrono::microseconds spin) noexcept {
  command_ = &command;
  limit_ = size;
  shared_ = std::move(shared);
  team_.emplace(size, shared_.data(), spin);
  stopped_.store(false, std::memory_order_relaxed);
}

bool Launch::claim(Slice& slice) noexcept {
  if (stopped_.load(std::memory_order_relaxed)) return false;
  const std::uint64_t chunk = next_chunk_.fetch_add(1, std::memory_order_relaxed);
  if (chunk >= split_.chunks) return false;
  slice.begin = chunk * split_.chunk_items;
  slice.end = std::min(command_->extent().items - slice.begin, split_.chunk_items) + slice.begin;
  return true;
}

bool Launch::has_chunks() const noexcept {
  return !stopped_.load(std::memory_order_relaxed) && next_chunk_.load(std::memory_order_relaxed) < split_.chunks;
}

void Launch::fail(Failure&& failure) {
  stopped_.store(true, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> lock(failure_mutex_);
  if (!failure_) failure_ = std::move(failure);
}

Failure Launch::finish() {
  if (team_ && team_->unequal() && !failure_) {
    failure_ = {.status = BSC_LAUNCH_FAILED,
                .message = "the members of a team called its barrier unequally often; every member must call it equally "
                           "often, also where it returns early"};
  }
  team_.reset();
  shared_ = ScratchBlock();
  command_ = nullptr;
  return std::exchange(failure_, Failure{});
}

}  // namespace bascule::cpu
