// Streams and events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/executor.hpp"
#include "backends/emulated/cuda/work.hpp"

namespace bascule::emulated {

struct Capture;
struct GraphNode;

struct Event {
  explicit Event(unsigned its_flags, const std::shared_ptr<Context>& of) : flags(its_flags), context(of) {}

  const unsigned flags;
  const std::weak_ptr<Context> context;

  std::mutex mutex;  // of what follows
  std::shared_ptr<Operation> recorded;
  std::shared_ptr<Capture> capture;       // recorded in it last, at these nodes
  std::vector<std::shared_ptr<GraphNode>> captured_at;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  enum class Kind { kLegacy, kPerThread, kCreated };

  Stream(const std::shared_ptr<Context>& context, Kind kind, unsigned flags, int priority);

  /// Its context; throws Refusal if that is gone.
  [[nodiscard]] std::shared_ptr<Context> context() const;
  /// Runs it behind all that is in the stream, or adds it to the graph that the stream is captured into.
  void enqueue(Work work);
  /// The same for an operation that is no work (markers), also behind others; never captured.
  void enqueue(std::shared_ptr<Operation> operation, const Operations& others = {});
  /// Until all that is in it now has run.
  void wait();
  [[nodiscard]] bool idle();

  void record(const std::shared_ptr<Event>& event);
  void wait_for(const std::shared_ptr<Event>& event);

  /// What the next operation would run behind.
  Operations predecessors();
  /// Waits for the default stream, and that for it.
  [[nodiscard]] bool blocking() const { return kind != Kind::kLegacy && (flags & CU_STREAM_NON_BLOCKING) == 0; }
  /// Its last operation; under the context's mutex.
  [[nodiscard]] const std::shared_ptr<Operation>& last() const { return last_; }

  const Kind kind;
  const unsigned flags;
  const int priority;
  const std::uint64_t id;

  // By the thread that captures.
  std::shared_ptr<Capture> capture;
  std::vector<std::shared_ptr<GraphNode>> captured_at;

 private:
  Operations predecessors_locked(const Context& context) const;

  const std::weak_ptr<Context> context_;
  std::shared_ptr<Operation> last_;  // under the context's mutex
};

}  // namespace bascule::emulated
