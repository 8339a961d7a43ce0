// Time, order and counts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/standin_gpu/machine.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

namespace bascule::standin {
namespace {

void* context_now() { return contexts.empty() ? nullptr : contexts.back(); }
void set_context(void* context) {
  contexts.clear();
  if (context != nullptr) contexts.push_back(context);
}

}  // namespace

thread_local std::vector<void*> contexts;
thread_local int current_device = 0;

Machine& machine() {
  static Machine* const the_machine = [] {
    auto* const made = new Machine;  // lives as long as the process, as a driver does
    made->reset();
    return made;
  }();
  return *the_machine;
}

Module::~Module() {
  for (std::string* const name : functions) delete name;
}

void Machine::destroy(void* object) {
  const auto found = live.find(object);
  if (found == live.end()) return;
  found->second(object);
  live.erase(found);
  --state.objects;
}

void Machine::reset() {
  while (!live.empty()) destroy(live.begin()->first);
  for (const auto& [address, bytes] : allocations) std::free(reinterpret_cast<void*>(address));
  allocations.clear();
  pool_of.clear();
  state = Standin{};
  state.reset = [] { machine().reset(); };
  state.release = [] { machine().release(); };
  state.context_now = context_now;
  state.set_context = set_context;
  held.clear();
  contexts.clear();
}

void Machine::release() {
  const std::lock_guard lock(mutex);
  state.hold = false;
  while (!held.empty()) {
    const Operation operation = std::move(held.front());
    held.pop_front();
    operation();
  }
  changed.notify_all();
}

void Machine::enqueue(Stream* stream, Operation operation) {
  if (stream != nullptr && stream->capture != nullptr) {
    stream->capture->operations.push_back(std::move(operation));
  } else if (state.hold) {
    held.push_back(std::move(operation));
  } else {
    operation();
    changed.notify_all();
  }
}

int Machine::allocate(std::uint64_t* address, std::uint64_t bytes, Pool* pool) {
  constexpr std::uint64_t kAlignment = 256;
  constexpr int kOutOfMemory = 2;
  const std::uint64_t total = state.devices.empty() ? 0 : state.devices.front().memory_bytes;
  if (bytes > total || state.allocated_bytes + state.pooled_bytes > total - bytes) return kOutOfMemory;
  void* const memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (memory == nullptr) return kOutOfMemory;
  *address = reinterpret_cast<std::uintptr_t>(memory);
  allocations[*address] = bytes;
  if (pool != nullptr) pool_of[*address] = pool;
  state.allocated_bytes += bytes;
  ++state.objects;
  return 0;
}

int Machine::free(std::uint64_t address) {
  constexpr int kInvalidValue = 1;
  const auto found = allocations.find(address);
  if (found == allocations.end()) return kInvalidValue;
  state.allocated_bytes -= found->second;
  if (const auto owner = pool_of.find(address); owner != pool_of.end()) {
    Pool& pool = *owner->second;
    const std::uint64_t kept = pool.kept + found->second <= pool.threshold ? found->second : 0;
    pool.kept += kept;
    state.pooled_bytes += kept;
    pool_of.erase(owner);
  }
  std::free(reinterpret_cast<void*>(found->first));
  allocations.erase(found);
  --state.objects;
  return 0;
}

int enter(const char* name) {
  Machine& m = machine();
  int delay = 0;
  int code = 0;
  {
    const std::lock_guard lock(m.mutex);
    ++m.state.calls[name];
    if (const auto found = m.state.delays_microseconds.find(name); found != m.state.delays_microseconds.end()) {
      delay = found->second;
    }
    if (const auto found = m.state.failures.find(name); found != m.state.failures.end()) {
      Failure& failure = found->second;
      if (failure.after > 0) {
        --failure.after;
      } else if (failure.times != 0) {
        if (failure.times > 0) --failure.times;
        code = failure.code;
      }
    }
    if (code == 0) code = m.state.fault;
  }
  if (delay != 0) std::this_thread::sleep_for(std::chrono::microseconds(delay));
  return code;
}

}  // namespace bascule::standin
