// WorkQueue: what can be asked of a queue; the executor moves it along.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "work_queue.hpp"

#include <algorithm>
#include <utility>

#include "spin.hpp"

namespace bascule::cpu {

WaitCommand::WaitCommand(std::shared_ptr<WorkQueue> queue, std::uint64_t value) noexcept
    : Command({.kind = Extent::Kind::wait}), queue_(std::move(queue)), value_waited_(value) {}

bsc_status WaitCommand::run(const Slice&, Failure& failure) {
  Failure theirs = queue_->failure_up_to(value_waited_);
  if (!theirs) return BSC_OK;
  failure.status = theirs.status;
  failure.vendor_code = theirs.vendor_code;
  failure.message = "the queue that this one waited for failed at or before its submission " +
                    std::to_string(value_waited_) + ": " + theirs.message;
  return failure.status;
}

Failure WorkQueue::failure_up_to(std::uint64_t value) const {
  if (!failed_.load(std::memory_order_acquire)) return {};
  const auto lock = lock_briefly_held(mutex_);
  return value > failure_.last_completed ? failure_ : Failure{};
}

bool WorkQueue::times(std::uint64_t value, SubmissionTimes& out) const {
  if (value > completed()) return false;
  const auto lock = lock_briefly_held(mutex_);
  const SubmissionTimes* found = const_cast<WorkQueue*>(this)->find_times(value);
  if (found != nullptr) out = *found;
  return found != nullptr;
}

// The entries are in the order of their values.
SubmissionTimes* WorkQueue::find_times(std::uint64_t value) {
  const auto found = std::lower_bound(times_.begin(), times_.end(), value,
                                      [](const SubmissionTimes& times, std::uint64_t v) { return times.value < v; });
  return found != times_.end() && found->value == value ? &*found : nullptr;
}

}  // namespace bascule::cpu
