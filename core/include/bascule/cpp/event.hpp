/* Points on a queue's timeline. Include <bascule/bascule.hpp>.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CPP_EVENT_HPP
#define BASCULE_CPP_EVENT_HPP

#include <chrono>
#include <cstdint>

#include "handle.hpp"

namespace bascule {
inline namespace BASCULE_ERROR_FORM {

/// Times of a submission, in nanoseconds of the device's clock: only differences mean something.
struct Times {
  std::uint64_t submitted_ns = 0;  ///< 0 where unknown
  std::uint64_t started_ns = 0;
  std::uint64_t ended_ns = 0;
  std::uint64_t resolution_ns = 0;
  bool host_clock = false;  ///< measured on the host around submit and wait: the backend has no device clock
};

/// A point on a queue's timeline. An empty event has been reached.
class Event {
 public:
  Event() = default;
  explicit Event(bsc_event* adopted) : handle_(adopted) {}

  /// Blocks until the point is reached; fails with the error of any submission up to it.
  Outcome<void> wait() const {
    if (!handle_.get()) return internal::success();
    bsc_error* error = nullptr;
    const bsc_status status = bsc_event_wait(handle_.get(), BSC_FOREVER, &error);
    return internal::check(status, error);
  }
  /// True if the point was reached in time; the work goes on if not.
  Outcome<bool> wait_for(std::chrono::nanoseconds limit) const {
    if (!handle_.get()) return true;
    bsc_error* error = nullptr;
    const auto nanoseconds = limit.count() < 0 ? 0 : static_cast<std::uint64_t>(limit.count());
    const bsc_status status = bsc_event_wait(handle_.get(), nanoseconds, &error);
    if (status == BSC_TIMED_OUT) {
      bsc_error_release(error);
      return false;
    }
    if (status != BSC_OK) return internal::fail<bool>(Error(status, error));
    return true;
  }
  /// Reached (or failed). Does not block.
  bool done() const noexcept { return !handle_.get() || bsc_event_done(handle_.get()) != 0; }
  std::uint64_t value() const noexcept { return bsc_event_value(handle_.get()); }
  /// Of the submission that the event ends; its queue must profile. Blocks until the event.
  Outcome<Times> times() const {
    bsc_times times{};
    times.size = sizeof times;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_event_times(handle_.get(), &times, &error);
    if (status != BSC_OK) return internal::fail<Times>(Error(status, error));
    return Times{times.submitted_ns, times.started_ns, times.ended_ns, times.resolution_ns, times.host_clock != 0};
  }
  bsc_event* get() const noexcept { return handle_.get(); }

 private:
  internal::EventHandle handle_;
};

}  // namespace BASCULE_ERROR_FORM
}  // namespace bascule
#endif
