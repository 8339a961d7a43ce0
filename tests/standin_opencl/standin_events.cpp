// The stand-in's events.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <condition_variable>
#include <memory>

#include "tests/standin_opencl/standin_objects.hpp"

namespace bascule::standin {
namespace {

std::condition_variable_any& changed() {
  static std::condition_variable_any variable;
  return variable;
}

std::vector<cl::Event>& unfinished() {
  static std::vector<cl::Event> events;
  return events;
}

void drop(cl::Event event) {
  if (event == nullptr || --event->references > 0) return;
  --state().objects;
  delete event;
}

bool user_event(cl::Event event) { return event->held && event->outcome == 1; }

// Ends every event that can end, then calls back.
void settle() {
  std::vector<std::pair<std::pair<cl::EventCallback, void*>, std::pair<cl::Event, Int>>> calls;
  {
    const std::lock_guard guard(lock());
    for (bool again = true; again;) {
      again = false;
      auto& events = unfinished();
      for (std::size_t i = 0; i < events.size(); ++i) {
        const cl::Event event = events[i];
        const bool waiting =
            std::any_of(event->waits.begin(), event->waits.end(), [](cl::Event other) { return other->status > 0; });
        if (event->held || waiting) continue;
        const bool failed =
            std::any_of(event->waits.begin(), event->waits.end(), [](cl::Event other) { return other->status < 0; });
        event->status = failed ? cl::kExecStatusErrorForEventsInWaitList : event->outcome;
        for (const cl::Event other : event->waits) drop(other);
        event->waits.clear();
        for (const auto& callback : event->callbacks) {
          ++event->references;
          calls.push_back({callback, {event, event->status}});
        }
        events.erase(events.begin() + static_cast<std::ptrdiff_t>(i));
        drop(event);
        again = true;
        break;
      }
    }
    changed().notify_all();
  }
  for (const auto& [callback, argument] : calls) {
    callback.first(argument.first, argument.second, callback.second);
    const std::lock_guard guard(lock());
    drop(argument.first);
  }
}

}  // namespace

void set_last_event(cl::CommandQueue queue, cl::Event event) {
  const std::lock_guard guard(lock());
  if (event != nullptr) ++event->references;
  drop(std::exchange(queue->last, event));
}

Int enqueue(cl::CommandQueue queue, Uint wait_count, const cl::Event* waits, cl::Event* out) {
  const cl::Event event = make<cl::EventTag>();
  {
    const std::lock_guard guard(lock());
    event->held = state().hold;
    event->outcome = state().execution_status;
    event->waits.assign(waits, waits + wait_count);
    if (queue->last != nullptr && queue->last->status > 0) event->waits.push_back(queue->last);
    for (const cl::Event other : event->waits) ++other->references;
    ++event->references;  // of `unfinished`
    unfinished().push_back(event);
    set_last_event(queue, event);
    if (out != nullptr) *out = event;
  }
  settle();
  if (out == nullptr) {
    const std::lock_guard guard(lock());
    drop(event);
  }
  return 0;
}

void release_held() {
  {
    const std::lock_guard guard(lock());
    state().hold = false;
    for (const cl::Event event : unfinished()) {
      if (!user_event(event)) event->held = false;
    }
  }
  settle();
}

}  // namespace bascule::standin

using namespace bascule::standin;

extern "C" {

STANDIN_EXPORT Int clRetainEvent(cl::Event event) {
  const std::lock_guard guard(lock());
  ++event->references;
  return 0;
}
STANDIN_EXPORT Int clReleaseEvent(cl::Event event) {
  const std::lock_guard guard(lock());
  drop(event);
  return 0;
}
STANDIN_EXPORT Int clWaitForEvents(Uint, const cl::Event* events) {
  if (const Int told = failing("clWaitForEvents"); told != 0) return told;
  std::unique_lock guard(lock());
  changed().wait(guard, [&] { return events[0]->status <= 0; });
  return events[0]->status < 0 ? cl::kExecStatusErrorForEventsInWaitList : 0;
}
STANDIN_EXPORT Int clFinish(cl::CommandQueue queue) {
  std::unique_lock guard(lock());
  changed().wait(guard, [&] { return queue->last == nullptr || queue->last->status <= 0; });
  return 0;
}
STANDIN_EXPORT Int clGetEventInfo(cl::Event event, Uint, std::size_t, void* out, std::size_t*) {
  if (const Int told = failing("clGetEventInfo"); told != 0) return told;
  const std::lock_guard guard(lock());
  *static_cast<Int*>(out) = event->status;
  return 0;
}
STANDIN_EXPORT Int clGetEventProfilingInfo(cl::Event, Uint what, std::size_t, void* out, std::size_t*) {
  if (const Int told = failing("clGetEventProfilingInfo"); told != 0) return told;
  *static_cast<cl::Ulong*>(out) = what;  // queued < start < end
  return 0;
}
STANDIN_EXPORT Int clSetEventCallback(cl::Event event, Int, cl::EventCallback callback, void* context) {
  if (const Int told = failing("clSetEventCallback"); told != 0) return told;
  std::unique_lock guard(lock());
  if (event->status > 0) {
    event->callbacks.emplace_back(callback, context);
    return 0;
  }
  const Int status = event->status;
  guard.unlock();
  callback(event, status, context);
  return 0;
}
STANDIN_EXPORT cl::Event clCreateUserEvent(cl::Context, Int* out_code) {
  *out_code = failing("clCreateUserEvent");
  if (*out_code != 0) return nullptr;
  const cl::Event event = make<cl::EventTag>();
  const std::lock_guard guard(lock());
  event->held = true;
  event->outcome = 1;  // marks a user event until its status is set
  ++event->references;
  unfinished().push_back(event);
  return event;
}
STANDIN_EXPORT Int clSetUserEventStatus(cl::Event event, Int status) {
  {
    const std::lock_guard guard(lock());
    event->held = false;
    event->outcome = status;
  }
  settle();
  return 0;
}

}  // extern "C"
