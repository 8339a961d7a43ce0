// See executor.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/executor.hpp"

#include <algorithm>
#include <thread>

namespace bascule::emulated {
namespace {

// A kernel or a host function may wait for what another stream does: more threads than processors, if these are few.
constexpr unsigned kLeastThreads = 4;
constexpr unsigned kMostThreads = 32;

}  // namespace

Executor& Executor::get() {
  static Executor& executor = *new Executor;  // its threads may outlive every static object
  return executor;
}

void Executor::start_threads() {
  if (started_) return;
  const unsigned count = std::clamp(std::thread::hardware_concurrency(), kLeastThreads, kMostThreads);
  for (unsigned i = 0; i < count; ++i) std::thread([this] { work(); }).detach();
  started_ = true;
}

void Executor::submit(std::shared_ptr<Operation> operation, const Operations& after) {
  std::unique_lock lock(mutex_);
  start_threads();
  for (const auto& before : after) {
    if (before == nullptr || before->done_) continue;
    before->followers_.push_back(operation);
    ++operation->waits_for_;
  }
  if (operation->waits_for_ == 0) ready(std::move(operation), lock);
}

void Executor::ready(std::shared_ptr<Operation> operation, std::unique_lock<std::mutex>& lock) {
  operation->width_ = operation->width();
  if (operation->width_ == 0) {
    finish(std::move(operation), lock);
    return;
  }
  const bool several = operation->width_ > 1;
  ready_.push_back(std::move(operation));
  if (several) {
    work_.notify_all();
  } else {
    work_.notify_one();
  }
}

void Executor::finish(std::shared_ptr<Operation> operation, std::unique_lock<std::mutex>& lock) {
  std::vector<std::shared_ptr<Operation>> finished{std::move(operation)};
  while (!finished.empty()) {
    const std::shared_ptr<Operation> now = std::move(finished.back());
    finished.pop_back();
    now->done_ = true;
    now->done_at_ = std::chrono::steady_clock::now();
    for (auto& follower : now->followers_) {
      if (--follower->waits_for_ != 0) continue;
      follower->width_ = follower->width();
      if (follower->width_ == 0) {
        finished.push_back(std::move(follower));
      } else {
        ready(std::move(follower), lock);
      }
    }
    now->followers_.clear();
  }
  changed_.notify_all();
}

void Executor::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return !ready_.empty(); });
    const std::shared_ptr<Operation> operation = ready_.front();
    const std::uint32_t worker = operation->joined_++;
    ++operation->running_;
    if (operation->joined_ == operation->width_) ready_.pop_front();
    lock.unlock();
    operation->run(worker);
    lock.lock();
    if (!operation->exhausted_) {
      operation->exhausted_ = true;
      std::erase(ready_, operation);
    }
    if (--operation->running_ != 0) continue;
    lock.unlock();
    operation->end();
    lock.lock();
    finish(operation, lock);
  }
}

void Executor::wait(const std::shared_ptr<Operation>& operation) {
  if (operation == nullptr) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return operation->done_; });
}

bool Executor::done(const std::shared_ptr<Operation>& operation) {
  const std::lock_guard lock(mutex_);
  return operation == nullptr || operation->done_;
}

Operation::Time Executor::done_at(const std::shared_ptr<Operation>& operation) {
  const std::lock_guard lock(mutex_);
  return operation->done_at_;
}

}  // namespace bascule::emulated
