// Timelines and uses: which submissions must have completed before a resource may go.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "bascule/plugin.h"
#include "core/runtime/backend.hpp"

namespace bascule::core {

// How far a queue has come. Outlives the queue, so that buffers and modules can name it after the queue is gone: a
// closed timeline counts as completed altogether.
class Timeline {
 public:
  Timeline(const Backend& backend, bsc_plugin_queue queue) : backend_(&backend), queue_(queue) {}

  // True if `value` has completed, or can no longer: failed work counts. Never blocks for work.
  bool reached(std::uint64_t value) { return completed_.load(std::memory_order_acquire) >= value || poll() >= value; }
  // Asks the plugin. Returns the highest value known to have completed.
  std::uint64_t poll();
  // What is known without asking.
  std::uint64_t known() const { return completed_.load(std::memory_order_acquire); }

  std::uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
  void set_submitted(std::uint64_t value) { submitted_.store(value, std::memory_order_release); }
  // A wait has returned: `value` has completed or failed.
  void advance(std::uint64_t value);

  // Before the plugin's queue is released: no more questions to it.
  void detach();
  // After: everything has completed.
  void close() { completed_.store(UINT64_MAX, std::memory_order_release); }
  bool closed() const { return known() == UINT64_MAX; }

 private:
  std::uint64_t ask();
  bool looks_done(std::uint64_t value);

  const Backend* backend_;  // used only while queue_ is set
  std::mutex mutex_;        // guards queue_ against being released during a question
  bsc_plugin_queue queue_;
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<std::uint64_t> submitted_{0};
};

// The last use of one resource by each queue. mark() costs two plain accesses when the queue has used the resource
// before (the common case); each queue's entry is written only by whoever submits to that queue.
class Uses {
 public:
  void mark(const std::shared_ptr<Timeline>& timeline, std::uint64_t value) {
    for (Slot& slot : slots_) {
      if (slot.key.load(std::memory_order_acquire) == timeline.get()) {
        slot.value.store(value, std::memory_order_relaxed);
        return;
      }
    }
    mark_new(timeline, value);
  }
  // True if every use has completed; uses by `except` (NULL: none) do not count.
  bool idle(const Timeline* except = nullptr);
  // The timelines and values that are not known to have completed.
  std::vector<std::pair<std::shared_ptr<Timeline>, std::uint64_t>> pending();

 private:
  struct Slot {
    std::atomic<Timeline*> key{nullptr};
    std::atomic<std::uint64_t> value{0};
    std::shared_ptr<Timeline> owner;  // keeps *key alive, so that no other timeline gets its address
  };
  struct Entry {
    std::shared_ptr<Timeline> timeline;
    std::uint64_t value;
  };
  void mark_new(const std::shared_ptr<Timeline>& timeline, std::uint64_t value);

  std::array<Slot, 2> slots_;
  std::mutex mutex_;             // guards taking a slot, and overflow_
  std::vector<Entry> overflow_;  // queues beyond the slots
};

// Something of a plugin's that submissions may still use after the last reference is gone: memory, a module, a graph.
// The destructor gives it back to the plugin.
class Resource {
 public:
  Resource() = default;
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;
  virtual ~Resource() = default;

  Uses uses;
};

// Resources whose uses have not all completed.
class Graveyard {
 public:
  // Destroys the resource now if it is idle, else keeps it until collect() finds it so.
  void bury(std::unique_ptr<Resource> resource);
  // Destroys what is idle. Cheap when there is nothing.
  void collect();

 private:
  std::atomic<std::uint64_t> count_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Resource>> waiting_;
};

}  // namespace bascule::core
