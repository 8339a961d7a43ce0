// Commands made of lambdas, for the executor's tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "executor.hpp"

namespace bascule::cpu::test {

using Body = std::function<bsc_status(const Slice&)>;

class BodyCommand final : public Command {
 public:
  BodyCommand(const Extent& extent, Body body) : Command(extent), body_(std::move(body)) {}

  bsc_status run(const Slice& slice, Failure& failure) override {
    const bsc_status status = body_(slice);
    if (status != BSC_OK) failure = {.status = BSC_LAUNCH_FAILED, .vendor_code = status, .message = "the body failed"};
    return status;
  }

 private:
  Body body_;
};

inline CommandList list(const Extent& extent, Body body) {
  CommandList commands;
  commands.push_back(std::make_unique<BodyCommand>(extent, std::move(body)));
  return commands;
}

inline CommandList wait_for(std::shared_ptr<WorkQueue> queue, std::uint64_t value) {
  CommandList commands;
  commands.push_back(std::make_unique<WaitCommand>(std::move(queue), value));
  return commands;
}

/// An executor's queue that closes itself.
class TestQueue {
 public:
  explicit TestQueue(Executor& executor, std::uint32_t limit = 0,
                     WorkQueue::Priority priority = WorkQueue::Priority::normal)
      : executor_(executor) {
    (void)executor.create_queue(limit, priority, queue_);
  }
  ~TestQueue() { (void)executor_.close_queue(queue_); }
  TestQueue(const TestQueue&) = delete;
  TestQueue& operator=(const TestQueue&) = delete;

  std::uint64_t submit(CommandList commands, bool timed = false) {
    std::uint64_t value = 0;
    (void)executor_.submit(*queue_, std::move(commands), timed, value);
    return value;
  }
  std::uint64_t run(const Extent& extent, Body body) { return submit(list(extent, std::move(body))); }
  Failure wait(std::uint64_t value, std::uint64_t timeout_ns = Executor::kForever) {
    return executor_.wait(queue_, value, timeout_ns);
  }
  Failure finish() { return wait(queue_->submitted()); }

  const std::shared_ptr<WorkQueue>& get() const { return queue_; }
  WorkQueue* operator->() const { return queue_.get(); }

 private:
  Executor& executor_;
  std::shared_ptr<WorkQueue> queue_;
};

}  // namespace bascule::cpu::test
