// Runs the work of all streams: operations that wait for other operations, and a pool of threads that takes those whose turn has
// come. Order within a stream, events, the default stream's rules and graphs are all told as "runs after".
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace bascule::emulated {

class Operation : public std::enable_shared_from_this<Operation> {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~Operation() = default;
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// How many threads may take part; 0: nothing is to be run, it is done when its turn comes. Asked once its turn has come.
  [[nodiscard]] virtual std::uint32_t width() { return 1; }
  /// On each thread that takes part, with the thread's number among these. Returns when nothing is left for this thread.
  virtual void run(std::uint32_t worker) = 0;
  /// After every run() has returned; by one thread.
  virtual void end() {}

 private:
  friend class Executor;
  std::uint32_t waits_for_ = 0;
  std::vector<std::shared_ptr<Operation>> followers_;
  std::uint32_t width_ = 1;
  std::uint32_t joined_ = 0;
  std::uint32_t running_ = 0;
  bool exhausted_ = false;  // a run() has returned: nobody needs to join any more
  bool done_ = false;
  Time done_at_{};
};

/// A point among the operations, without work of its own.
class Marker final : public Operation {
 public:
  std::uint32_t width() override { return 0; }
  void run(std::uint32_t) override {}
};

using Operations = std::vector<std::shared_ptr<Operation>>;

class Executor {
 public:
  /// The process's; its threads start with the first operation and end with the process.
  static Executor& get();

  /// Null ones among `after` are ignored.
  void submit(std::shared_ptr<Operation> operation, const Operations& after);
  void wait(const std::shared_ptr<Operation>& operation);
  [[nodiscard]] bool done(const std::shared_ptr<Operation>& operation);
  /// When it was done; only of those that are.
  [[nodiscard]] Operation::Time done_at(const std::shared_ptr<Operation>& operation);

 private:
  Executor() = default;
  void work();
  void start_threads();
  void ready(std::shared_ptr<Operation> operation, std::unique_lock<std::mutex>& lock);
  void finish(std::shared_ptr<Operation> operation, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable work_;     // something is in ready_
  std::condition_variable changed_;  // something is done
  std::deque<std::shared_ptr<Operation>> ready_;
  bool started_ = false;
};

}  // namespace bascule::emulated
