// Measures the executor against what it cannot beat: an empty submit-and-wait, the hand-off to a sleeping worker beside a
// plain condition-variable round trip, and a two-thread launch beside the same work on one thread. Pairs are measured in
// turns, so that both see the same machine; what is printed are medians.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "executor.hpp"

using namespace bascule::cpu;

namespace {

class Empty final : public Command {
 public:
  explicit Empty(const Extent& extent) : Command(extent) {}
  bsc_status run(const Slice&, Failure&) override { return BSC_OK; }
};

class Call final : public Command {
 public:
  Call(const Extent& extent, std::function<void(const Slice&)> body) : Command(extent), body_(std::move(body)) {}
  bsc_status run(const Slice& slice, Failure&) override { return body_(slice), BSC_OK; }

 private:
  std::function<void(const Slice&)> body_;
};

double median(std::vector<double>& samples) {
  std::nth_element(samples.begin(), samples.begin() + std::ptrdiff_t(samples.size() / 2), samples.end());
  return samples[samples.size() / 2];
}

double microseconds_of(const std::function<void()>& body) {
  const auto start = Clock::now();
  body();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

std::uint64_t submit(Executor& executor, WorkQueue& queue, std::unique_ptr<Command> command) {
  CommandList commands;
  commands.push_back(std::move(command));
  std::uint64_t value = 0;
  (void)executor.submit(queue, std::move(commands), false, value);
  return value;
}

// A flag with its own mutex and condition variable.
class Gate {
 public:
  void open() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      open_ = true;
    }
    changed_.notify_one();
  }
  void pass() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
    open_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

void empty_submit_and_wait(std::uint32_t units) {
  Executor executor({.compute_units = units});
  std::shared_ptr<WorkQueue> queue;
  (void)executor.create_queue(0, WorkQueue::Priority::normal, queue);
  std::vector<double> samples;
  constexpr int kBatch = 100;  // the clock costs 30 ns
  for (int sample = 0; sample < 1000; ++sample) {
    samples.push_back(microseconds_of([&] {
                        for (int i = 0; i < kBatch; ++i) {
                          const auto value = submit(executor, *queue, std::make_unique<Empty>(Extent{}));
                          (void)executor.wait(queue, value, Executor::kForever);
                        }
                      }) / kBatch);
  }
  std::printf("empty submit + wait, %u compute unit(s)         %8.3f us\n", units, median(samples));
  samples.clear();
  for (int sample = 0; sample < 1000; ++sample) {
    std::this_thread::sleep_for(std::chrono::microseconds{200});  // the workers are asleep
    samples.push_back(microseconds_of([&] {
      const auto value = submit(executor, *queue, std::make_unique<Empty>(Extent{}));
      (void)executor.wait(queue, value, Executor::kForever);
    }));
  }
  std::printf("  the same, first one after an idle time       %8.3f us\n", median(samples));
  (void)executor.close_queue(queue);
}

// Both sides sleep: this thread on a gate that the work opens, the worker until it is given work.
void sleeping_hand_off() {
  Executor executor({.compute_units = 2});
  std::shared_ptr<WorkQueue> queue;
  (void)executor.create_queue(0, WorkQueue::Priority::normal, queue);
  Gate request, reply, done;
  bool stop = false;
  std::thread peer([&] {
    while (true) {
      request.pass();
      if (stop) break;
      reply.open();
    }
  });
  std::vector<double> plain, executors;
  for (int sample = 0; sample < 3000; ++sample) {
    std::this_thread::sleep_for(std::chrono::microseconds{200});
    plain.push_back(microseconds_of([&] {
      request.open();
      reply.pass();
    }));
    std::this_thread::sleep_for(std::chrono::microseconds{200});
    executors.push_back(microseconds_of([&] {
      submit(executor, *queue, std::make_unique<Call>(Extent{}, [&](const Slice&) { done.open(); }));
      done.pass();
    }));
  }
  stop = true;
  request.open();
  peer.join();
  const double a = median(plain), b = median(executors);
  std::printf("condition-variable round trip                  %8.3f us\n", a);
  std::printf("hand-off to a sleeping worker and back         %8.3f us   %.2fx\n", b, b / a);
  (void)executor.close_queue(queue);
}

void two_thread_launch() {
  Executor executor({.compute_units = 2});
  std::shared_ptr<WorkQueue> both, alone;
  (void)executor.create_queue(2, WorkQueue::Priority::normal, both);
  (void)executor.create_queue(1, WorkQueue::Priority::normal, alone);
  for (const int work_us : {0, 10, 100}) {
    const auto spin = [work_us](const Slice& slice) {  // every item takes work_us / 16
      const auto end = Clock::now() + std::chrono::nanoseconds{1000 * work_us / 16 * int(slice.end - slice.begin)};
      while (work_us != 0 && Clock::now() < end) {
      }
    };
    std::vector<double> two, one;
    const auto measure = [&](const std::shared_ptr<WorkQueue>& queue) {
      return microseconds_of([&] {
        const auto value = submit(executor, *queue, std::make_unique<Call>(Extent{.items = 16, .grain = 1}, spin));
        (void)executor.wait(queue, value, Executor::kForever);
      });
    };
    for (int sample = 0; sample < 2000; ++sample) {
      two.push_back(measure(both));
      one.push_back(measure(alone));
    }
    std::printf("launch of %3d us of work: on one thread %8.2f us, on two %8.2f us\n", work_us, median(one), median(two));
  }
  (void)executor.close_queue(both);
  (void)executor.close_queue(alone);
}

}  // namespace

int main() {
  empty_submit_and_wait(1);
  empty_submit_and_wait(2);
  sleeping_hand_off();
  two_thread_launch();
}
