/* Queues and graphs. Include <bascule/bascule.hpp>.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CPP_QUEUE_HPP
#define BASCULE_CPP_QUEUE_HPP

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

#include "buffer.hpp"
#include "event.hpp"
#include "kernel.hpp"
#include "launch.hpp"
#include "typed_kernel.hpp"

namespace bascule {
inline namespace BASCULE_ERROR_FORM {

/// Recorded calls that can be replayed.
class Graph {
 public:
  Graph() = default;
  explicit Graph(bsc_graph* adopted) : handle_(adopted) {}
  std::uint64_t node_count() const noexcept { return bsc_graph_node_count(handle_.get()); }
  /// New shape and arguments for a recorded launch; same kernel. Replays already submitted keep the old ones.
  template <class... Arguments>
  Outcome<void> update_launch(std::uint64_t node, const LaunchShape& shape, const Arguments&... arguments) const {
    const std::array<bsc_argument, sizeof...(Arguments)> list{internal::argument(arguments)...};
    bsc_error* error = nullptr;
    const bsc_status status =
        bsc_graph_update_launch(handle_.get(), node, &shape.options(), list.size(), list.data(), &error);
    return internal::check(status, error);
  }
  bsc_graph* get() const noexcept { return handle_.get(); }

 private:
  internal::GraphHandle handle_;
};

struct QueueOptions {
  std::uint64_t compute_unit_limit = 0;  ///< 0: all
  std::int32_t priority = 0;             ///< > 0 higher, < 0 lower; a hint
  bool profile = false;                  ///< keep times of every submission, for Event::times
  bool debug_sync = false;               ///< wait after every submission, so that an error names its launch
};

/// In-order work on one device. Submitting calls (launch, copy, write, upload, read, fill, record, wait_for_event,
/// recording, replay, allocate) must not run at the same time on one queue; waits may come from any thread.
class Queue {
 public:
  Queue() = default;
  explicit Queue(bsc_queue* adopted) : handle_(adopted) {}

  /// Does not block. Arguments in the contract's order (raw functions: the image's): numbers, buffers, Local.
  template <class... Arguments>
  Outcome<void> launch(const Kernel& kernel, const LaunchShape& shape, const Arguments&... arguments) const {
    const std::array<bsc_argument, sizeof...(Arguments)> list{internal::argument(arguments)...};
    return launch_list(kernel, shape, list.data(), list.size());
  }
  /// The same for a kernel whose parameters are known: wrong numbers and types of arguments do not compile.
  template <class... Parameters, class... Arguments>
  Outcome<void> launch(const TypedKernel<Parameters...>& kernel, const LaunchShape& shape,
                       const Arguments&... arguments) const {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments), "the kernel takes another number of arguments");
    const std::tuple<internal::TypedArgument<Parameters>...> typed{internal::TypedArgument<Parameters>(arguments)...};
    return std::apply(
        [&](const auto&... argument) {
          const std::array<bsc_argument, sizeof...(Parameters)> list{argument.raw()...};
          return launch_list(kernel, shape, list.data(), list.size());
        },
        typed);
  }
  /// The same with a list made at run time.
  Outcome<void> launch_list(const Kernel& kernel, const LaunchShape& shape, const bsc_argument* arguments,
                            std::uint64_t count) const {
    bsc_error* error = nullptr;
    const bsc_status status =
        bsc_queue_launch(handle_.get(), kernel.get(), &shape.options(), count, arguments, nullptr, &error);
    return internal::check(status, error);
  }

  /// All of `source` to the beginning of `destination`, which must be large enough. Between devices and backends it
  /// goes through the host and blocks.
  template <class T>
  Outcome<void> copy(const Buffer<T>& source, const Buffer<T>& destination) const {
    if (destination.size() < source.size()) {
      return internal::fail<void>(Error(BSC_INVALID_ARGUMENT, "copy: " + std::to_string(source.size()) +
                                                                  " elements do not fit into " +
                                                                  std::to_string(destination.size())));
    }
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_copy(handle_.get(), source.get(), source.offset_bytes(), destination.get(),
                                             destination.offset_bytes(), source.bytes(), nullptr, &error);
    return internal::check(status, error);
  }

  /// Copies the container's elements to the buffer; the container may go when the call returns (small data is staged,
  /// large data waited for).
  template <class T, class Container>
  Outcome<void> upload(const Buffer<T>& buffer, const Container& data) const {
    static_assert(std::is_same_v<internal::ElementOf<const Container>, T>,
                  "the container's elements must be the buffer's");
    if (data.size() > buffer.size()) return internal::fail<void>(does_not_fit("upload", data.size(), buffer.size()));
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_upload(handle_.get(), buffer.get(), buffer.offset_bytes(), data.data(),
                                               data.size() * sizeof(T), &error);
    return internal::check(status, error);
  }

  /// Like upload, but without a copy and without blocking: `data` must stay valid and unchanged until the event.
  template <class T, class Container>
  Outcome<Event> write(const Buffer<T>& buffer, const Container& data) const {
    static_assert(std::is_same_v<internal::ElementOf<const Container>, T>,
                  "the container's elements must be the buffer's");
    if (data.size() > buffer.size()) return internal::fail<Event>(does_not_fit("write", data.size(), buffer.size()));
    bsc_event* event = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_write(handle_.get(), buffer.get(), buffer.offset_bytes(), data.data(),
                                              data.size() * sizeof(T), &event, &error);
    if (status != BSC_OK) return internal::fail<Event>(Error(status, error));
    return Event(event);
  }

  /// Fills the container with as many elements as it has. Does not block: the data must stay valid until the event and
  /// is undefined before.
  template <class T, class Container>
  Outcome<Event> read(const Buffer<T>& buffer, Container& data) const {
    static_assert(std::is_same_v<internal::ElementOf<Container>, T>, "the container's elements must be the buffer's");
    if (data.size() > buffer.size()) return internal::fail<Event>(does_not_fit("read", data.size(), buffer.size()));
    bsc_event* event = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_read(handle_.get(), buffer.get(), buffer.offset_bytes(), data.data(),
                                             data.size() * sizeof(T), &event, &error);
    if (status != BSC_OK) return internal::fail<Event>(Error(status, error));
    return Event(event);
  }

  /// Every element becomes `value`. sizeof(T) must be 1, 2, 4, 8 or 16.
  template <class T>
  Outcome<void> fill(const Buffer<T>& buffer, const std::common_type_t<T>& value) const {
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_fill(handle_.get(), buffer.get(), buffer.offset_bytes(), buffer.bytes(), &value,
                                             sizeof(T), nullptr, &error);
    return internal::check(status, error);
  }

  /// Memory from the device's pool, usable by this queue's work from now on (elsewhere after an event). When the last
  /// copy goes, this queue may reuse it at once.
  template <class T>
  Outcome<Buffer<T>> allocate(std::uint64_t count) const {
    const auto bytes = internal::bytes_of(count, sizeof(T));
    if (!bytes) return internal::fail<Buffer<T>>(internal::too_many(count, sizeof(T)));
    bsc_buffer* buffer = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_allocate(handle_.get(), *bytes, &buffer, &error);
    if (status != BSC_OK) return internal::fail<Buffer<T>>(Error(status, error));
    return Buffer<T>(buffer, 0, count);
  }

  /// The point after all that was submitted so far.
  Outcome<Event> record() const {
    bsc_event* event = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_record(handle_.get(), &event, &error);
    if (status != BSC_OK) return internal::fail<Event>(Error(status, error));
    return Event(event);
  }
  /// Later work here starts after `event`. Of another instance's or backend's queue: this call blocks until then.
  Outcome<void> wait_for_event(const Event& event) const {
    if (!event.get()) return internal::success();
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_wait_event(handle_.get(), event.get(), &error);
    return internal::check(status, error);
  }
  /// Blocks until all that was submitted has completed; fails with the error of any submission that failed.
  Outcome<void> wait() const {
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_wait(handle_.get(), BSC_FOREVER, &error);
    return internal::check(status, error);
  }
  std::uint64_t submitted() const noexcept { return bsc_queue_submitted(handle_.get()); }

  /// Calls until end_recording are recorded, not run; they give empty events. Waits and copies between devices cannot
  /// be recorded.
  Outcome<void> begin_recording() const {
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_begin_recording(handle_.get(), &error);
    return internal::check(status, error);
  }
  Outcome<Graph> end_recording() const {
    bsc_graph* graph = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_end_recording(handle_.get(), &graph, &error);
    if (status != BSC_OK) return internal::fail<Graph>(Error(status, error));
    return Graph(graph);
  }
  Outcome<void> replay(const Graph& graph) const {
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_replay(handle_.get(), graph.get(), nullptr, &error);
    return internal::check(status, error);
  }
  bsc_queue* get() const noexcept { return handle_.get(); }

 private:
  static Error does_not_fit(const char* what, std::uint64_t given, std::uint64_t size) {
    return Error(BSC_INVALID_ARGUMENT, std::string(what) + ": the container has " + std::to_string(given) +
                                           " elements, the buffer " + std::to_string(size));
  }
  internal::QueueHandle handle_;
};

}  // namespace BASCULE_ERROR_FORM
}  // namespace bascule
#endif
