// What lies behind the stand-in's functions: one machine with devices, streams as lists of operations, and counts of what
// lives. Everything happens under one lock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/standin_gpu/signatures.hpp"
#include "tests/standin_gpu/standin.hpp"

namespace bascule::standin {

using Operation = std::function<void()>;

struct Graph {
  std::vector<Operation> operations;
};

struct Stream {
  Graph* capture = nullptr;
};

struct Event {
  std::uint64_t recorded = 0;
  std::uint64_t reached = 0;
  std::uint64_t time_ns = 0;
};

struct Pool {
  std::uint64_t kept = 0;
  std::uint64_t threshold = 0;
};

struct Module {
  std::vector<std::string*> functions;
  ~Module();
};

struct Machine {
  Standin state;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Operation> held;
  std::map<std::uint64_t, std::uint64_t> allocations;  // address, bytes
  std::map<std::uint64_t, Pool*> pool_of;
  std::map<void*, void (*)(void*)> live;  // objects with what destroys them, for those that a test keeps from being released

  // Lock held.
  template <class T>
  T* own(T* object) {
    live[object] = [](void* done) { delete static_cast<T*>(done); };
    ++state.objects;
    return object;
  }
  void destroy(void* object);

  void reset();
  void release();
  // Runs the operation, keeps it for later, or puts it into the graph that the stream records. Lock held.
  void enqueue(Stream* stream, Operation operation);
  int allocate(std::uint64_t* address, std::uint64_t bytes, Pool* pool);
  int free(std::uint64_t address);
};

Machine& machine();

// What a call does first: counts, waits, and fails if it is told to.
int enter(const char* name);

extern thread_local std::vector<void*> contexts;
extern thread_local int current_device;

// Implementations of the table's functions, named as in backends/common/gpu/api.hpp.
namespace calls {
#define BSC_DECLARE(member) int member BSC_PARAMETERS_##member;
BSC_GPU_MEMBERS(BSC_DECLARE)
#undef BSC_DECLARE
}  // namespace calls

}  // namespace bascule::standin
