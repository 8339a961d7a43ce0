// What the stand-in's handles point to, and its model of events: an event ends when it is not held and all that it waits for
// has ended; with a failure if one of these failed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backends/opencl/opencl_api.hpp"
#include "tests/standin_opencl/standin.hpp"

#define STANDIN_EXPORT __attribute__((visibility("default")))

namespace bascule::opencl::cl {

struct ContextTag {};
struct CommandQueueTag {
  Event last = nullptr;
};
struct MemTag {
  char* data = nullptr;
  bool owned = false;
};
struct ProgramTag {
  std::string source;
  std::vector<std::pair<std::string, Uint>> kernels;  // name, number of parameters
};
struct KernelTag {
  Uint arguments = 0;
};
struct EventTag {
  int references = 1;
  Int status = 3;  // CL_QUEUED
  bool held = false;
  Int outcome = 0;
  std::vector<Event> waits;
  std::vector<std::pair<EventCallback, void*>> callbacks;
};

}  // namespace bascule::opencl::cl

namespace bascule::standin {

namespace cl = bascule::opencl::cl;
using cl::Int;
using cl::Uint;

Standin& state();
std::recursive_mutex& lock();
// The code that `function` was told to return at this call, else 0.
Int failing(const char* function);

template <class T>
T* make() {
  const std::lock_guard guard(lock());
  ++state().objects;
  return new T;
}

template <class T>
Int release(T* object, const char* function) {
  const std::lock_guard guard(lock());
  ++state().calls[function];
  --state().objects;
  delete object;
  return 0;
}

// A command that has taken effect and ends when its turn comes.
Int enqueue(cl::CommandQueue queue, Uint wait_count, const cl::Event* waits, cl::Event* out);
void set_last_event(cl::CommandQueue queue, cl::Event event);
void release_held();

}  // namespace bascule::standin
