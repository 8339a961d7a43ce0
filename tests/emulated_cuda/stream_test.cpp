// Streams, events, and who waits for whom.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "cuda_test.hpp"

using namespace cuda_test;

namespace {

// Holds a stream until it is opened.
class Gate {
 public:
  void hold(CUstream stream) {
    {
      const std::lock_guard lock(mutex_);
      ++held_;
    }
    CU_REQUIRE(cuLaunchHostFunc(stream, [](void* self) { static_cast<Gate*>(self)->pass(); }, this));
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  ~Gate() {
    open();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return held_ == 0; });
  }

 private:
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
    --held_;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int held_ = 0;
};

CUstream make_stream(unsigned flags) {
  CUstream stream = nullptr;
  CU_REQUIRE(cuStreamCreate(&stream, flags));
  return stream;
}

}  // namespace

TEST_CASE("what is in a stream runs in order, and streams do not wait for each other") {
  const Context context;
  const CUfunction affine = kernel(kAffine, "affine");
  CUstream first = make_stream(CU_STREAM_NON_BLOCKING), second = make_stream(CU_STREAM_NON_BLOCKING);
  CUdeviceptr memory = 0, other = 0;
  CU_REQUIRE(cuMemAlloc(&memory, 128));
  CU_REQUIRE(cuMemAlloc(&other, 128));
  Gate gate;
  gate.hold(first);
  CU_CHECK(cuMemsetD32Async(memory, 3, 32, first));
  for (unsigned i = 0; i < 5; ++i) CU_CHECK(launch_affine(affine, memory, 2, i, 32, first));
  CHECK(cuStreamQuery(first) == CUDA_ERROR_NOT_READY);
  CU_CHECK(cuMemsetD32Async(other, 9, 32, second));
  CU_CHECK(cuStreamSynchronize(second));
  CHECK(cuStreamQuery(first) == CUDA_ERROR_NOT_READY);
  CU_CHECK(cuStreamQuery(second));
  gate.open();
  CU_CHECK(cuStreamSynchronize(first));
  CU_CHECK(cuStreamQuery(first));
  unsigned expected = 3;
  for (unsigned i = 0; i < 5; ++i) expected = 2 * expected + i;
  for (const unsigned value : read(memory, 32)) CHECK(value == expected);
  CHECK(read(other, 32)[31] == 9);
}

TEST_CASE("the default stream waits for blocking streams and they for it; the others do not") {
  const Context context;
  CUstream blocking = make_stream(CU_STREAM_DEFAULT), free = make_stream(CU_STREAM_NON_BLOCKING);
  CUdeviceptr memory = 0;
  CU_REQUIRE(cuMemAlloc(&memory, 64));
  {
    Gate gate;
    gate.hold(blocking);
    CU_CHECK(cuMemsetD8Async(memory, 1, 64, nullptr));
    CHECK(cuStreamQuery(nullptr) == CUDA_ERROR_NOT_READY);
    CU_CHECK(cuMemsetD8Async(memory, 2, 64, free));
    CU_CHECK(cuStreamSynchronize(free));
    CHECK(cuStreamQuery(nullptr) == CUDA_ERROR_NOT_READY);
    gate.open();
    CU_CHECK(cuStreamSynchronize(nullptr));
  }
  {
    Gate gate;
    gate.hold(nullptr);
    CU_CHECK(cuMemsetD8Async(memory, 3, 64, blocking));
    CHECK(cuStreamQuery(blocking) == CUDA_ERROR_NOT_READY);
    CHECK(cuStreamQuery(CU_STREAM_PER_THREAD) == CUDA_ERROR_NOT_READY);
    CU_CHECK(cuStreamQuery(free));
    gate.open();
    CU_CHECK(cuCtxSynchronize());
    CU_CHECK(cuStreamQuery(blocking));
  }
}

TEST_CASE("an event lets one stream wait for another, and has times") {
  const Context context;
  CUstream first = make_stream(CU_STREAM_NON_BLOCKING), second = make_stream(CU_STREAM_NON_BLOCKING);
  CUevent start = nullptr, event = nullptr, untimed = nullptr, never = nullptr;
  CU_REQUIRE(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CU_REQUIRE(cuEventCreate(&event, CU_EVENT_DEFAULT));
  CU_REQUIRE(cuEventCreate(&never, CU_EVENT_DEFAULT));
  CU_REQUIRE(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  float time = -1;
  CHECK(cuEventElapsedTime(&time, start, event) == CUDA_ERROR_INVALID_HANDLE);
  CU_CHECK(cuEventQuery(never));
  CU_CHECK(cuStreamWaitEvent(second, never, 0));
  CU_CHECK(cuEventRecord(start, first));
  CU_CHECK(cuEventSynchronize(start));
  Gate gate;
  gate.hold(first);
  CU_CHECK(cuEventRecord(event, first));
  CU_CHECK(cuStreamWaitEvent(second, event, 0));
  CHECK(cuEventQuery(event) == CUDA_ERROR_NOT_READY);
  CHECK(cuStreamQuery(second) == CUDA_ERROR_NOT_READY);
  CHECK(cuEventElapsedTime(&time, start, event) == CUDA_ERROR_NOT_READY);
  gate.open();
  CU_CHECK(cuEventSynchronize(event));
  CU_CHECK(cuStreamSynchronize(second));
  CU_CHECK(cuEventElapsedTime(&time, start, event));
  CHECK(time >= 0);
  CU_CHECK(cuEventRecord(untimed, first));
  CHECK(cuEventElapsedTime(&time, start, untimed) == CUDA_ERROR_INVALID_HANDLE);
  for (CUevent each : {start, event, untimed, never}) CU_CHECK(cuEventDestroy(each));
  CHECK(cuEventDestroy(event) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuEventRecord(event, first) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("a stream that is destroyed still does its work") {
  const Context context;
  CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);
  CUdeviceptr memory = 0;
  CU_REQUIRE(cuMemAlloc(&memory, 64));
  CU_REQUIRE(cuMemsetD8(memory, 0, 64));
  {
    Gate gate;
    gate.hold(stream);
    CU_CHECK(cuMemsetD8Async(memory, 5, 64, stream));
    CU_CHECK(cuStreamDestroy(stream));
    CHECK(cuStreamQuery(stream) == CUDA_ERROR_INVALID_HANDLE);
    gate.open();
  }
  CU_CHECK(cuCtxSynchronize());
  CHECK(read(memory, 1)[0] == 0x05050505);
}

TEST_CASE("a function that a stream runs may not call the driver") {
  const Context context;
  std::atomic<int> result{-1};
  CU_CHECK(cuLaunchHostFunc(nullptr, [](void* out) { *static_cast<std::atomic<int>*>(out) = cuCtxSynchronize(); }, &result));
  CU_CHECK(cuCtxSynchronize());
  CHECK(result == CUDA_ERROR_NOT_PERMITTED);
}

TEST_CASE("threads have current contexts and default streams of their own") {
  const Context context;
  const CUfunction affine = kernel(kAffine, "affine");
  CUdeviceptr memory = 0;
  constexpr unsigned kThreads = 4, kRounds = 20;
  CU_REQUIRE(cuMemAlloc(&memory, kThreads * 128));
  CU_REQUIRE(cuMemsetD32(memory, 0, kThreads * 32));
  CU_REQUIRE(cuCtxSynchronize());
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      CUcontext current = context.handle;
      failures += cuCtxGetCurrent(&current) != CUDA_SUCCESS || current != nullptr;
      failures += cuMemsetD32(memory, 0, 1) != CUDA_ERROR_INVALID_CONTEXT;
      failures += cuCtxSetCurrent(context.handle) != CUDA_SUCCESS;
      for (unsigned i = 0; i < kRounds; ++i) failures += launch_affine(affine, memory + t * 128, 1, t + 1, 32, CU_STREAM_PER_THREAD) != CUDA_SUCCESS;
      failures += cuStreamSynchronize(CU_STREAM_PER_THREAD) != CUDA_SUCCESS;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
  const auto values = read(memory, kThreads * 32);
  for (unsigned t = 0; t < kThreads; ++t) CHECK(values[t * 32 + 31] == kRounds * (t + 1));
}

TEST_CASE("contexts are a stack on each thread, and primary ones are counted") {
  CU_REQUIRE(cuInit(0));
  CUcontext primary = nullptr, same = nullptr, own = nullptr, current = nullptr;
  CU_REQUIRE(cuDevicePrimaryCtxRetain(&primary, 0));
  CU_REQUIRE(cuDevicePrimaryCtxRetain(&same, 0));
  CHECK(primary == same);
  CU_CHECK(cuCtxPushCurrent(primary));
  CU_REQUIRE(cuCtxCreate(&own, nullptr, CU_CTX_SCHED_SPIN, 0));
  CU_CHECK(cuCtxGetCurrent(&current));
  CHECK(current == own);
  unsigned flags = 0;
  CU_CHECK(cuCtxGetFlags(&flags));
  CHECK(flags == CU_CTX_SCHED_SPIN);
  CU_CHECK(cuCtxDestroy(own));
  CU_CHECK(cuCtxGetCurrent(&current));
  CHECK(current == primary);
  CHECK(cuCtxPushCurrent(own) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuCtxDestroy(primary) == CUDA_ERROR_INVALID_CONTEXT);
  int active = 0;
  CU_CHECK(cuDevicePrimaryCtxRelease(0));
  CU_CHECK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK(active == 1);
  CUdeviceptr memory = 0;
  CU_CHECK(cuMemAlloc(&memory, 16));
  CU_CHECK(cuDevicePrimaryCtxRelease(0));
  CU_CHECK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK(active == 0);
  CHECK(cuMemAlloc(&memory, 16) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CHECK(cuDevicePrimaryCtxRelease(0) == CUDA_ERROR_INVALID_CONTEXT);
  CU_CHECK(cuCtxPopCurrent(&current));
  CHECK(cuCtxPopCurrent(&current) == CUDA_ERROR_INVALID_CONTEXT);
}
