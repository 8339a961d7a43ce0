// See stream.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/stream.hpp"

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/capture.hpp"

namespace bascule::emulated {
namespace {

std::atomic<std::uint64_t> next_id{1};

}  // namespace

Stream::Stream(const std::shared_ptr<Context>& context, Kind its_kind, unsigned its_flags, int its_priority)
    : kind(its_kind), flags(its_flags), priority(its_priority), id(next_id++), context_(context) {}

std::shared_ptr<Context> Stream::context() const {
  std::shared_ptr<Context> context = context_.lock();
  if (context == nullptr) refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the stream's context is destroyed");
  return context;
}

// The default stream and the blocking ones wait for each other.
Operations Stream::predecessors_locked(const Context& context) const {
  Operations before{last_};
  if (kind == Kind::kLegacy) {
    for (const auto& stream : context.created) {
      if (stream->blocking()) before.push_back(stream->last_);
    }
    for (const auto& [thread, stream] : context.per_thread) before.push_back(stream->last_);
    for (const Context::Leftover& leftover : context.leftovers) {
      if (leftover.blocking) before.push_back(leftover.last);
    }
  } else if (blocking() && context.legacy != nullptr) {
    before.push_back(context.legacy->last_);
  }
  return before;
}

Operations Stream::predecessors() {
  const auto of = context();
  const std::lock_guard lock(of->mutex);
  return predecessors_locked(*of);
}

void Stream::enqueue(std::shared_ptr<Operation> operation, const Operations& others) {
  const auto of = context();
  const std::lock_guard lock(of->mutex);
  Operations before = predecessors_locked(*of);
  before.insert(before.end(), others.begin(), others.end());
  last_ = operation;
  Executor::get().submit(std::move(operation), before);
}

void Stream::enqueue(Work work) {
  const auto of = context();
  of->check();
  if (capture_takes(*this, work)) return;
  if (std::holds_alternative<EmptyWork>(work)) {
    enqueue(std::make_shared<Marker>());
  } else {
    enqueue(std::make_shared<WorkOperation>(of, std::move(work)));
  }
}

void Stream::wait() {
  Operations before;
  {
    const auto of = context();
    const std::lock_guard lock(of->mutex);
    before = predecessors_locked(*of);
  }
  for (const auto& operation : before) Executor::get().wait(operation);
}

bool Stream::idle() {
  for (const auto& operation : predecessors()) {
    if (!Executor::get().done(operation)) return false;
  }
  return true;
}

void Stream::record(const std::shared_ptr<Event>& event) {
  context()->check();
  if (capture_records(*this, event)) return;
  auto marker = std::make_shared<Marker>();
  enqueue(marker);
  const std::lock_guard lock(event->mutex);
  event->recorded = std::move(marker);
  event->capture = nullptr;
  event->captured_at.clear();
}

void Stream::wait_for(const std::shared_ptr<Event>& event) {
  context()->check();
  if (capture_waits(*this, event)) return;
  std::shared_ptr<Operation> recorded;
  {
    const std::lock_guard lock(event->mutex);
    recorded = event->recorded;
  }
  if (recorded != nullptr) enqueue(std::make_shared<Marker>(), {recorded});
}

}  // namespace bascule::emulated
