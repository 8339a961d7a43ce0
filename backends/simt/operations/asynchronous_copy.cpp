// See asynchronous_copy.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/asynchronous_copy.hpp"

#include <algorithm>
#include <array>

#include "backends/simt/execute/access.hpp"
#include "backends/simt/execute/services.hpp"
#include "backends/simt/operations/mbarrier.hpp"

namespace bascule::simt {

void perform(const AsynchronousCopy& copy) {
  std::array<std::byte, 16> data{};
  guest_read(data.data(), copy.from, copy.taken);
  guest_write(copy.to, data.data(), copy.bytes);
}

void AsynchronousCopies::add(const AsynchronousCopy& copy) {
  Thread& thread = threads_[copy.thread];
  if (!late_) perform(copy);
  thread.open.push_back({copy, thread.next++});
}

void AsynchronousCopies::finish(const Numbered& copy, bool waited) {
  if (late_) perform(copy.copy);
  if (observer != nullptr) observer->copy_completed(copy.copy, waited);
}

void AsynchronousCopies::commit(std::uint32_t thread) {
  Thread& own = threads_[thread];
  own.groups.push_back(std::move(own.open));
  own.open.clear();
}

void AsynchronousCopies::wait(std::uint32_t thread, std::uint32_t left) {
  Thread& own = threads_[thread];
  while (own.groups.size() > left) {
    for (const Numbered& copy : own.groups.front()) {
      // One that an mbarrier tracks is known to those who wait there, not only to this thread and those it tells.
      const bool tracked = std::any_of(own.arrivals.begin(), own.arrivals.end(),
                                       [&](const Arrival& arrival) { return copy.number < arrival.before; });
      finish(copy, !tracked);
    }
    own.groups.pop_front();
  }
  arrive_for(own);
}

void AsynchronousCopies::wait_all(std::uint32_t thread) {
  commit(thread);
  wait(thread, 0);
}

std::uint64_t AsynchronousCopies::first_pending(const Thread& thread) {
  for (const auto& group : thread.groups) {
    if (!group.empty()) return group.front().number;
  }
  return thread.open.empty() ? UINT64_MAX : thread.open.front().number;
}

void AsynchronousCopies::arrive_for(Thread& thread) {
  const std::uint64_t pending = first_pending(thread);
  std::erase_if(thread.arrivals, [&](const Arrival& arrival) {
    if (arrival.before > pending) return false;
    Mbarrier::arrive_for_copies(arrival.barrier);
    return true;
  });
}

void AsynchronousCopies::finish_before(Thread& thread, std::uint64_t number) {
  const auto finish_in = [&](std::vector<Numbered>& copies) {
    std::erase_if(copies, [&](const Numbered& copy) {
      if (copy.number >= number) return false;
      finish(copy, false);
      return true;
    });
  };
  for (auto& group : thread.groups) finish_in(group);
  finish_in(thread.open);
}

void AsynchronousCopies::arrive_when_done(std::uint32_t thread, std::byte* barrier) {
  Thread& own = threads_[thread];
  own.arrivals.push_back({barrier, own.next});
  arrive_for(own);
}

void AsynchronousCopies::complete(std::byte* barrier) {
  for (Thread& thread : threads_) {
    std::uint64_t number = 0;
    for (const Arrival& arrival : thread.arrivals) {
      if (arrival.barrier == barrier) number = std::max(number, arrival.before);
    }
    if (number == 0) continue;
    finish_before(thread, number);
    arrive_for(thread);
  }
}

AsynchronousCopies* copies_of(Block& block) {
  if (block.services == nullptr || block.services->sanitizer == nullptr) return nullptr;
  auto& extension = block.extensions[static_cast<std::size_t>(ExtensionKind::asynchronous_copies)];
  if (extension == nullptr) {
    // One bit of the seed decides; the others are for the order of warps.
    const bool late = (block.services->seed & 1) != 0;
    const std::uint32_t threads = (block.threads + kLanes - 1) / kLanes * kLanes;
    extension = std::make_unique<AsynchronousCopies>(threads, late);
  }
  return static_cast<AsynchronousCopies*>(extension.get());
}

}  // namespace bascule::simt
