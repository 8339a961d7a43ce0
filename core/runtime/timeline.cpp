// Timelines, uses, and the graveyard of resources that are still in use.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/timeline.hpp"

#include <algorithm>

namespace bascule::core {

void Timeline::advance(std::uint64_t value) {
  std::uint64_t known = completed_.load(std::memory_order_relaxed);
  while (known < value && !completed_.compare_exchange_weak(known, value, std::memory_order_release)) {
  }
}

std::uint64_t Timeline::poll() {
  const std::lock_guard lock(mutex_);
  if (queue_) advance(ask());
  return known();
}

void Timeline::detach() {
  const std::lock_guard lock(mutex_);
  queue_ = nullptr;
}

std::uint64_t Timeline::ask() {
  const std::uint64_t last = submitted();
  if (backend_->tables().has_completed) {
    PluginError error;
    std::uint64_t value = 0;
    // A queue that cannot answer (device lost) runs nothing any more.
    return backend_->tables().event.completed(queue_, &value, error.raw()) == BSC_OK ? value : last;
  }
  // The plugin can only wait: find the highest completed value by bisection, looking without waiting.
  std::uint64_t low = known();
  std::uint64_t high = last;
  while (low < high) {
    const std::uint64_t middle = high - (high - low) / 2;
    if (looks_done(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

bool Timeline::looks_done(std::uint64_t value) {
  PluginError error;
  return backend_->tables().event.wait(queue_, value, 0, error.raw()) != BSC_TIMED_OUT;
}

void Uses::mark_new(const std::shared_ptr<Timeline>& timeline, std::uint64_t value) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(overflow_.begin(), overflow_.end(), [&](const Entry& entry) { return entry.timeline == timeline; });
  if (found != overflow_.end()) {
    found->value = value;
    return;
  }
  for (Slot& slot : slots_) {
    // A slot of a queue that is gone is free again: nobody marks it any more.
    if (slot.owner && !slot.owner->closed()) continue;
    slot.key.store(nullptr, std::memory_order_relaxed);
    slot.owner = timeline;
    slot.value.store(value, std::memory_order_relaxed);
    slot.key.store(timeline.get(), std::memory_order_release);
    return;
  }
  std::erase_if(overflow_, [](const Entry& entry) { return entry.timeline->closed(); });
  overflow_.push_back({timeline, value});
}

bool Uses::idle(const Timeline* except) {
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_) {
    if (slot.owner && slot.owner.get() != except && !slot.owner->reached(slot.value.load(std::memory_order_relaxed))) {
      return false;
    }
  }
  return std::all_of(overflow_.begin(), overflow_.end(), [&](const Entry& entry) {
    return entry.timeline.get() == except || entry.timeline->reached(entry.value);
  });
}

std::vector<std::pair<std::shared_ptr<Timeline>, std::uint64_t>> Uses::pending() {
  std::vector<std::pair<std::shared_ptr<Timeline>, std::uint64_t>> result;
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_) {
    const std::uint64_t value = slot.value.load(std::memory_order_relaxed);
    if (slot.owner && !slot.owner->reached(value)) result.emplace_back(slot.owner, value);
  }
  for (const Entry& entry : overflow_) {
    if (!entry.timeline->reached(entry.value)) result.emplace_back(entry.timeline, entry.value);
  }
  return result;
}

void Graveyard::bury(std::unique_ptr<Resource> resource) {
  if (resource->uses.idle()) return;  // destroyed on return
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(resource));
  count_.fetch_add(1, std::memory_order_release);
}

void Graveyard::collect() {
  if (count_.load(std::memory_order_acquire) == 0) return;
  std::vector<std::unique_ptr<Resource>> done;
  {
    const std::lock_guard lock(mutex_);
    const auto first_done =
        std::partition(waiting_.begin(), waiting_.end(), [](const auto& resource) { return !resource->uses.idle(); });
    done.assign(std::make_move_iterator(first_done), std::make_move_iterator(waiting_.end()));
    waiting_.erase(first_done, waiting_.end());
    count_.fetch_sub(done.size(), std::memory_order_release);
  }
  // Destroyed here, with no lock held: the plugin may take its time.
}

}  // namespace bascule::core
