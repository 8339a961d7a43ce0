// The stand-in's streams, events, copies, fills and graphs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <chrono>
#include <cstring>

#include "tests/standin_gpu/machine.hpp"

namespace bascule::standin::calls {
namespace {

constexpr int kNotReady = 600;
constexpr int kUpdateFailure = 910;

template <class T>
int create(void** out) {
  const std::lock_guard lock(machine().mutex);
  *out = machine().own(new T);
  return 0;
}

int destroy(void* object) {
  const std::lock_guard lock(machine().mutex);
  machine().destroy(object);
  return 0;
}

int enqueue(void* stream, Operation operation) {
  const std::lock_guard lock(machine().mutex);
  machine().enqueue(static_cast<Stream*>(stream), std::move(operation));
  return 0;
}

template <class Value>
int fill(std::uint64_t to, Value value, std::size_t count, void* stream) {
  return enqueue(stream, [=] { std::fill_n(reinterpret_cast<Value*>(to), count, value); });
}

int copy(void* to, const void* from, std::size_t bytes, void* stream) {
  return enqueue(stream, [=] { std::memcpy(to, from, bytes); });
}

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace

int stream_create(void** stream, unsigned, int) { return create<Stream>(stream); }
int stream_destroy(void* stream) {
  if (void* const capture = static_cast<Stream*>(stream)->capture; capture != nullptr) destroy(capture);
  return destroy(stream);
}

int stream_synchronize(void*) {
  Machine& m = machine();
  std::unique_lock lock(m.mutex);
  m.changed.wait(lock, [&] { return m.held.empty(); });
  return m.state.fault;
}

int stream_wait_event(void*, void*, unsigned) { return 0; }  // operations have one order

int stream_priorities(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return 0;
}

int event_create(void** event, unsigned) { return create<Event>(event); }
int event_destroy(void* event) { return destroy(event); }

int event_record(void* handle, void* stream) {
  const std::lock_guard lock(machine().mutex);
  auto* const event = static_cast<Event*>(handle);
  const std::uint64_t number = ++event->recorded;
  machine().enqueue(static_cast<Stream*>(stream), [event, number] {
    event->reached = number;
    event->time_ns = now_ns();
  });
  return 0;
}

int event_query(void* handle) {
  const std::lock_guard lock(machine().mutex);
  const auto* const event = static_cast<Event*>(handle);
  return event->reached == event->recorded ? machine().state.fault : kNotReady;
}

int event_synchronize(void* handle) {
  Machine& m = machine();
  std::unique_lock lock(m.mutex);
  const auto* const event = static_cast<Event*>(handle);
  m.changed.wait(lock, [&] { return event->reached == event->recorded; });
  return m.state.fault;
}

int event_elapsed(float* milliseconds, void* start, void* end) {
  const std::lock_guard lock(machine().mutex);
  const auto from = static_cast<std::int64_t>(static_cast<Event*>(start)->time_ns);
  const auto to = static_cast<std::int64_t>(static_cast<Event*>(end)->time_ns);
  *milliseconds = static_cast<float>(static_cast<double>(to - from) * 1e-6);
  return 0;
}

int copy_to_device(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  return copy(reinterpret_cast<void*>(to), from, bytes, stream);
}
int copy_to_host(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  return copy(to, reinterpret_cast<const void*>(from), bytes, stream);
}
int copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
  return copy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes, stream);
}
int fill_8(std::uint64_t to, unsigned char value, std::size_t count, void* stream) { return fill(to, value, count, stream); }
int fill_16(std::uint64_t to, unsigned short value, std::size_t count, void* stream) { return fill(to, value, count, stream); }
int fill_32(std::uint64_t to, unsigned value, std::size_t count, void* stream) { return fill(to, value, count, stream); }

int host_function(void* stream, void (*function)(void*), void* context) {
  return enqueue(stream, [=] { function(context); });
}

int capture_begin(void* stream, int) {
  const std::lock_guard lock(machine().mutex);
  static_cast<Stream*>(stream)->capture = machine().own(new Graph);
  return 0;
}

int capture_end(void* stream, void** graph) {
  const std::lock_guard lock(machine().mutex);
  *graph = static_cast<Stream*>(stream)->capture;
  static_cast<Stream*>(stream)->capture = nullptr;
  return 0;
}

int graph_instantiate(void** executable, void* graph, unsigned long long) {
  const std::lock_guard lock(machine().mutex);
  *executable = machine().own(new Graph(*static_cast<Graph*>(graph)));
  return 0;
}

int graph_update(void* executable, void* graph, void*) {
  const std::lock_guard lock(machine().mutex);
  if (machine().state.refuse_graph_updates) return kUpdateFailure;
  *static_cast<Graph*>(executable) = *static_cast<Graph*>(graph);
  return 0;
}

int graph_update_by_node(void* executable, void* graph, void**, int*) { return graph_update(executable, graph, nullptr); }

int graph_launch(void* executable, void* stream) {
  const std::lock_guard lock(machine().mutex);
  for (const Operation& operation : static_cast<Graph*>(executable)->operations) {
    machine().enqueue(static_cast<Stream*>(stream), operation);
  }
  return 0;
}

int graph_destroy(void* graph) { return destroy(graph); }
int graph_executable_destroy(void* executable) { return destroy(executable); }

// A partition is a word; what is in a resource is the driver's business, but its size is at offset 96.
int partition_resource(int device, void* resource, int) {
  const int units = machine().state.devices[static_cast<std::size_t>(device)].compute_units;
  std::memcpy(static_cast<char*>(resource) + 96, &units, sizeof units);
  return 0;
}

int partition_split(void* result, unsigned* groups, const void*, void*, unsigned, unsigned least) {
  constexpr unsigned kGroup = 2;
  const unsigned units = (least + kGroup - 1) / kGroup * kGroup;
  std::memcpy(static_cast<char*>(result) + 96, &units, sizeof units);
  *groups = 1;
  return 0;
}

int partition_describe(void** description, void* resources, unsigned) {
  *description = resources;
  return 0;
}

int partition_create(void** partition, void*, int, unsigned) { return create<int>(partition); }
int partition_destroy(void* partition) { return destroy(partition); }
int partition_stream(void** stream, void*, unsigned, int) { return create<Stream>(stream); }
int masked_stream(void** stream, std::uint32_t, const std::uint32_t*) { return create<Stream>(stream); }

}  // namespace bascule::standin::calls
