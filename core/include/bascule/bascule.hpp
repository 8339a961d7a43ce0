/* Bascule for C++: a thin wrapper over the C API (bascule.h). C++17 or later, header only.
 *
 *   auto runtime = bascule::Runtime::open({...});
 *   auto device = runtime.device();
 *   auto queue = device.create_queue();
 *   auto x = device.upload(queue, hx);                            // hx may go on return
 *   auto y = device.allocate<float>(hx.size());
 *   queue.launch(device.kernel("axpb"), bascule::work_items(hx.size()), 2.f, 3.f, x, y);
 *   queue.read(y, hy).wait();
 *
 * Objects are references: copying one is cheap and names the same thing; the last one to go releases it. What something
 * was made from stays alive as long as it does. A destructor never throws; only a queue's may wait, for its own work. A
 * moved-from or default-constructed object is empty: destroying or assigning it is fine, anything else gives
 * INVALID_ARGUMENT.
 *
 * Errors. With exceptions, a failing call throws bascule::Error. Without (-fno-exceptions, or BASCULE_NO_EXCEPTIONS
 * defined before this header), every call that can fail returns bascule::Result<T> instead of T:
 *
 *   auto runtime = bascule::Runtime::open();
 *   if (!runtime) return report(runtime.error());
 *   auto device = runtime->device();
 *
 * `Outcome<T>` below stands for T or Result<T>. The two forms live in different inline namespaces, so translation units
 * of both kinds may be linked together.
 *
 * Threads. As in bascule.h: everything may be used from any thread, except that one queue's submitting calls must not run
 * at the same time. One object (as opposed to copies of it) must not be assigned while another thread uses it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_HPP
#define BASCULE_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bascule.h"
#include "host_kernel.h"

#if !defined(BASCULE_NO_EXCEPTIONS) && !defined(__cpp_exceptions)
#define BASCULE_NO_EXCEPTIONS
#endif

namespace bascule {
#ifdef BASCULE_NO_EXCEPTIONS
inline namespace results {
#else
inline namespace exceptions {
#endif

/* ---- errors ----------------------------------------------------------------------------------------------------- */

/// A failure, with all that is known about it. Copying does not allocate.
class Error : public std::exception {
 public:
  /// Takes over `error` (may be null).
  Error(bsc_status status, bsc_error* error) : status_(status), error_(error, &bsc_error_release) {
    set_text(error ? bsc_error_message(error) : "", error ? bsc_error_remedy(error) : "");
  }
  Error(bsc_status status, const std::string& message, const std::string& remedy = {}) : status_(status) {
    set_text(message.c_str(), remedy.c_str());
  }

  /// "OUT_OF_MEMORY: cpu: allocating 8 bytes failed (release buffers)": name, message and remedy.
  const char* what() const noexcept override { return text_ ? text_->what.c_str() : bsc_status_name(status_); }
  bsc_status status() const noexcept { return status_; }
  /// The cause, one or more lines.
  const char* message() const noexcept { return text_ ? text_->message.c_str() : ""; }
  /// What to do about it; "" if unknown.
  const char* remedy() const noexcept { return text_ ? text_->remedy.c_str() : ""; }
  /// The backend it is about; "" if none.
  const char* backend() const noexcept { return bsc_error_backend(error_.get()); }
  /// The failing vendor or system call; "" if none.
  const char* call() const noexcept { return bsc_error_call(error_.get()); }
  std::int64_t vendor_code() const noexcept { return bsc_error_vendor_code(error_.get()); }
  /// "CL_OUT_OF_RESOURCES"; "" if none.
  const char* vendor_name() const noexcept { return bsc_error_vendor_name(error_.get()); }
  /// True if the same call may succeed later.
  bool retryable() const noexcept { return bsc_error_retryable(error_.get()) != 0; }
  /// Asynchronous errors lie in a submission in (last_completed, first_incomplete]; both 0 otherwise.
  std::uint64_t last_completed() const noexcept { return interval().first; }
  std::uint64_t first_incomplete() const noexcept { return interval().second; }

 private:
  struct Text {
    std::string message, remedy, what;
  };
  void set_text(const char* message, const char* remedy) {
    Text text{message, remedy, std::string(bsc_status_name(status_)) + ": " + message};
    if (!text.remedy.empty()) text.what += " (" + text.remedy + ")";
    text_ = std::make_shared<const Text>(std::move(text));
  }
  std::pair<std::uint64_t, std::uint64_t> interval() const noexcept {
    std::uint64_t last = 0, first = 0;
    bsc_error_interval(error_.get(), &last, &first);
    return {last, first};
  }

  bsc_status status_;
  std::shared_ptr<bsc_error> error_;
  std::shared_ptr<const Text> text_;
};

/// A value or an Error; what fallible calls return where there are no exceptions. Reading the value of a failed result
/// is a programming error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}
  bool ok() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const Error& error() const { return *error_; }

 private:
  std::optional<T> value_;
  std::optional<Error> error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  bool ok() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

#ifdef BASCULE_NO_EXCEPTIONS
template <class T>
using Outcome = Result<T>;
#else
template <class T>
using Outcome = T;
#endif

namespace internal {

#ifdef BASCULE_NO_EXCEPTIONS
template <class T>
Outcome<T> fail(Error error) {
  return error;
}
inline Outcome<void> success() { return {}; }
#else
template <class T>
[[noreturn]] Outcome<T> fail(Error error) {
  throw error;
}
inline void success() {}
#endif

inline Outcome<void> check(bsc_status status, bsc_error* error) {
  if (status != BSC_OK) return fail<void>(Error(status, error));
  return success();
}

/// Owns one reference to a C handle.
template <class T, T* (*Retain)(T*), void (*Release)(T*)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T* handle) noexcept : handle_(handle) {}
  Handle(const Handle& other) noexcept : handle_(Retain(other.handle_)) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() { Release(handle_); }
  T* get() const noexcept { return handle_; }

 private:
  T* handle_ = nullptr;
};

template <class T, void (*Release)(T*)>
struct Releaser {
  void operator()(T* handle) const noexcept { Release(handle); }
};

using InstanceHandle = Handle<bsc_instance, bsc_instance_retain, bsc_instance_release>;
using BufferHandle = Handle<bsc_buffer, bsc_buffer_retain, bsc_buffer_release>;
using QueueHandle = Handle<bsc_queue, bsc_queue_retain, bsc_queue_release>;
using EventHandle = Handle<bsc_event, bsc_event_retain, bsc_event_release>;
using KernelHandle = Handle<bsc_kernel, bsc_kernel_retain, bsc_kernel_release>;
using GraphHandle = Handle<bsc_graph, bsc_graph_retain, bsc_graph_release>;
using PackageHandle = std::shared_ptr<bsc_package>;
using ModuleHandle = std::shared_ptr<bsc_module>;

template <class T>
inline constexpr bool is_element = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_reference_v<T>;

/// Element type of a contiguous container (std::vector, std::array, std::span, ...), without const.
template <class Container>
using ElementOf = std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<Container&>().data())>>;

/// count * size, or nothing if 64 bits do not hold it.
inline std::optional<std::uint64_t> bytes_of(std::uint64_t count, std::uint64_t size) {
  if (count > UINT64_MAX / size) return std::nullopt;
  return count * size;
}

inline Error too_many(std::uint64_t count, std::uint64_t size) {
  return Error(BSC_LIMIT_EXCEEDED,
               std::to_string(count) + " elements of " + std::to_string(size) + " bytes are more than 64 bits can count");
}

inline std::string take_text(char* text) {
  std::string result(text);
  bsc_free(text);
  return result;
}

}  // namespace internal

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

/// A range of elements in device memory: a whole buffer, or a slice of one. T must be trivially copyable.
template <class T>
class Buffer {
  static_assert(internal::is_element<T>, "buffers hold trivially copyable elements that are no pointers");

 public:
  Buffer() = default;
  /// Takes over a C handle; `offset` and `size` are in elements.
  Buffer(bsc_buffer* adopted, std::uint64_t offset, std::uint64_t size)
      : handle_(adopted), offset_(offset), size_(size) {}

  /// In elements.
  std::uint64_t size() const noexcept { return size_; }
  std::uint64_t bytes() const noexcept { return size_ * sizeof(T); }
  bool empty() const noexcept { return size_ == 0; }
  /// Where this slice begins in the allocation, in bytes.
  std::uint64_t offset_bytes() const noexcept { return offset_ * sizeof(T); }
  bsc_buffer* get() const noexcept { return handle_.get(); }

  /// `count` elements from `first` on; the same memory. INVALID_ARGUMENT if they are not all in this one.
  Outcome<Buffer> slice(std::uint64_t first, std::uint64_t count) const {
    if (first > size_ || count > size_ - first) {
      return internal::fail<Buffer>(Error(BSC_INVALID_ARGUMENT, "slice: " + std::to_string(count) + " elements from " +
                                                                    std::to_string(first) + " on are not in a buffer of " +
                                                                    std::to_string(size_)));
    }
    Buffer result = *this;
    result.offset_ += first;
    result.size_ = count;
    return result;
  }

  /// Host address of the first element, valid as long as the memory lives; UNSUPPORTED where the host cannot reach it.
  /// The host must not touch it while the device may.
  Outcome<T*> map() const {
    void* pointer = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_buffer_map(handle_.get(), &pointer, &error);
    if (status != BSC_OK) return internal::fail<T*>(Error(status, error));
    return static_cast<T*>(pointer) + offset_;
  }

 private:
  internal::BufferHandle handle_;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
};

/* ---- events ----------------------------------------------------------------------------------------------------- */

/// Times of a submission, in nanoseconds of the device's clock: only differences mean something.
struct Times {
  std::uint64_t submitted_ns = 0;  ///< 0 where unknown
  std::uint64_t started_ns = 0;
  std::uint64_t ended_ns = 0;
  std::uint64_t resolution_ns = 0;
  bool host_clock = false;  ///< measured on the host around submit and wait: the backend has no device clock
};

/// A point on a queue's timeline. An empty event has been reached.
class Event {
 public:
  Event() = default;
  explicit Event(bsc_event* adopted) : handle_(adopted) {}

  /// Blocks until the point is reached; fails with the error of any submission up to it.
  Outcome<void> wait() const {
    if (!handle_.get()) return internal::success();
    bsc_error* error = nullptr;
    const bsc_status status = bsc_event_wait(handle_.get(), BSC_FOREVER, &error);
    return internal::check(status, error);
  }
  /// True if the point was reached in time; the work goes on if not.
  Outcome<bool> wait_for(std::chrono::nanoseconds limit) const {
    if (!handle_.get()) return true;
    bsc_error* error = nullptr;
    const auto nanoseconds = limit.count() < 0 ? 0 : static_cast<std::uint64_t>(limit.count());
    const bsc_status status = bsc_event_wait(handle_.get(), nanoseconds, &error);
    if (status == BSC_TIMED_OUT) {
      bsc_error_release(error);
      return false;
    }
    if (status != BSC_OK) return internal::fail<bool>(Error(status, error));
    return true;
  }
  /// Reached (or failed). Does not block.
  bool done() const noexcept { return !handle_.get() || bsc_event_done(handle_.get()) != 0; }
  std::uint64_t value() const noexcept { return bsc_event_value(handle_.get()); }
  /// Of the submission that the event ends; its queue must profile. Blocks until the event.
  Outcome<Times> times() const {
    bsc_times times{};
    times.size = sizeof times;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_event_times(handle_.get(), &times, &error);
    if (status != BSC_OK) return internal::fail<Times>(Error(status, error));
    return Times{times.submitted_ns, times.started_ns, times.ended_ns, times.resolution_ns, times.host_clock != 0};
  }
  bsc_event* get() const noexcept { return handle_.get(); }

 private:
  internal::EventHandle handle_;
};

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

/// Something to launch: a variant chosen for a device, or a raw function of a module.
class Kernel {
 public:
  Kernel() = default;
  explicit Kernel(bsc_kernel* adopted) : handle_(adopted) {}
  /// The chosen variant's name; "" for a raw function.
  const char* variant() const noexcept { return bsc_kernel_variant(handle_.get()); }
  /// Limits and needs of the (first) function; zeros where unknown.
  bsc_kernel_limits limits() const noexcept {
    bsc_kernel_limits limits{};
    limits.size = sizeof limits;
    bsc_kernel_get_limits(handle_.get(), &limits);
    return limits;
  }
  bsc_kernel* get() const noexcept { return handle_.get(); }

 private:
  internal::KernelHandle handle_;
};

/// A raw image that a device has loaded: no contract, arguments as given.
class Module {
 public:
  Module() = default;
  explicit Module(bsc_module* adopted) : handle_(adopted, &bsc_module_release) {}
  /// NOT_FOUND with the names there are.
  Outcome<Kernel> kernel(const std::string& function) const {
    bsc_kernel* kernel = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_module_kernel(handle_.get(), function.c_str(), &kernel, &error);
    if (status != BSC_OK) return internal::fail<Kernel>(Error(status, error));
    return Kernel(kernel);
  }
  /// Empty where the backend cannot list.
  std::vector<std::string> function_names() const {
    std::vector<std::string> names;
    while (const char* name = bsc_module_function_name(handle_.get(), names.size())) names.emplace_back(name);
    return names;
  }
  bsc_module* get() const noexcept { return handle_.get(); }

 private:
  internal::ModuleHandle handle_;
};

/// The bytes of a package as `bascule pack` makes them (copied when loaded), and the host functions that its variants of
/// format "host" name, if any (must outlive everything that uses the package).
struct PackageData {
  const void* data = nullptr;
  std::uint64_t bytes = 0;
  const bsc_host_table* host_table = nullptr;
};

class Package {
 public:
  Package() = default;
  explicit Package(bsc_package* adopted) : handle_(adopted, &bsc_package_release) {}
  std::vector<std::string> kernel_names() const {
    std::vector<std::string> names;
    while (const char* name = bsc_package_kernel_name(handle_.get(), names.size())) names.emplace_back(name);
    return names;
  }
  bool has_kernel(const std::string& name) const {
    for (std::uint64_t i = 0; const char* known = bsc_package_kernel_name(handle_.get(), i); ++i) {
      if (name == known) return true;
    }
    return false;
  }
  /// Contracts, variants, plans and hashes as JSON text.
  const char* describe() const noexcept { return bsc_package_describe(handle_.get()); }
  bsc_package* get() const noexcept { return handle_.get(); }

 private:
  internal::PackageHandle handle_;
};

/* ---- launches --------------------------------------------------------------------------------------------------- */

/// The shape of a launch; made by work_items() or grid().
class LaunchShape {
 public:
  LaunchShape() { options_.size = sizeof options_; }
  /// Dynamic shared memory in bytes (raw launches).
  LaunchShape& shared(std::uint64_t bytes) {
    options_.shared_bytes = bytes;
    return *this;
  }
  LaunchShape& cluster(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1) {
    set(options_.cluster, x, y, z);
    return *this;
  }
  /// All blocks resident at once, or LIMIT_EXCEEDED.
  LaunchShape& cooperative() {
    options_.cooperative = 1;
    return *this;
  }
  /// Hint: the data passes the cache once.
  LaunchShape& streaming() {
    options_.streaming = 1;
    return *this;
  }
  const bsc_launch_options& options() const noexcept { return options_; }

 private:
  friend LaunchShape work_items(std::uint64_t count);
  friend LaunchShape grid(std::array<std::uint64_t, 3> blocks, std::array<std::uint64_t, 3> threads);
  static void set(std::uint64_t (&target)[3], std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    target[0] = x;
    target[1] = y;
    target[2] = z;
  }
  bsc_launch_options options_{};
};

/// `count` items of work; the plan picks grid and block. 0 is an empty launch: it succeeds and completes.
inline LaunchShape work_items(std::uint64_t count) {
  LaunchShape shape;
  shape.options_.work_items = count;
  shape.options_.has_work_items = 1;
  return shape;
}

/// A raw grid of blocks of threads. A 0 in `blocks` is an empty launch.
inline LaunchShape grid(std::array<std::uint64_t, 3> blocks, std::array<std::uint64_t, 3> threads = {1, 1, 1}) {
  LaunchShape shape;
  LaunchShape::set(shape.options_.grid, blocks[0], blocks[1], blocks[2]);
  LaunchShape::set(shape.options_.block, threads[0], threads[1], threads[2]);
  shape.options_.has_grid = 1;
  return shape;
}

/// Dynamic shared memory for one parameter of a raw function.
struct Local {
  std::uint64_t bytes;
};

namespace internal {

template <class T>
bsc_argument argument(const Buffer<T>& buffer) {
  return {BSC_ARG_BUFFER, sizeof(T), nullptr, buffer.bytes(), buffer.get(), buffer.offset_bytes()};
}
inline bsc_argument argument(const Local& local) { return {BSC_ARG_LOCAL, 0, nullptr, local.bytes, nullptr, 0}; }
template <class T>
bsc_argument argument(const T& value) {
  static_assert(is_element<T> && !std::is_same_v<T, bool>,
                "kernel arguments are buffers, numbers or structs of them: no pointers, no bool");
  return {BSC_ARG_VALUE, 0, &value, sizeof value, nullptr, 0};
}

}  // namespace internal

/* ---- graphs, queues --------------------------------------------------------------------------------------------- */

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
  /// The same with a list made at run time.
  Outcome<void> launch_list(const Kernel& kernel, const LaunchShape& shape, const bsc_argument* arguments,
                            std::uint64_t count) const {
    bsc_error* error = nullptr;
    const bsc_status status =
        bsc_queue_launch(handle_.get(), kernel.get(), &shape.options(), count, arguments, nullptr, &error);
    return internal::check(status, error);
  }

  /// All of `source` to the beginning of `destination`, which must be large enough. Between devices and backends it goes
  /// through the host and blocks.
  template <class T>
  Outcome<void> copy(const Buffer<T>& source, const Buffer<T>& destination) const {
    if (destination.size() < source.size()) {
      return internal::fail<void>(Error(BSC_INVALID_ARGUMENT, "copy: " + std::to_string(source.size()) +
                                                                  " elements do not fit into " +
                                                                  std::to_string(destination.size())));
    }
    bsc_error* error = nullptr;
    const bsc_status status =
        bsc_queue_copy(handle_.get(), source.get(), source.offset_bytes(), destination.get(),
                       destination.offset_bytes(), source.bytes(), nullptr, &error);
    return internal::check(status, error);
  }

  /// Copies the container's elements to the buffer; the container may go when the call returns (small data is staged,
  /// large data waited for).
  template <class T, class Container>
  Outcome<void> upload(const Buffer<T>& buffer, const Container& data) const {
    static_assert(std::is_same_v<internal::ElementOf<const Container>, T>, "the container's elements must be the buffer's");
    if (data.size() > buffer.size()) return internal::fail<void>(does_not_fit("upload", data.size(), buffer.size()));
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_upload(handle_.get(), buffer.get(), buffer.offset_bytes(), data.data(),
                                               data.size() * sizeof(T), &error);
    return internal::check(status, error);
  }

  /// Like upload, but without a copy and without blocking: `data` must stay valid and unchanged until the event.
  template <class T, class Container>
  Outcome<Event> write(const Buffer<T>& buffer, const Container& data) const {
    static_assert(std::is_same_v<internal::ElementOf<const Container>, T>, "the container's elements must be the buffer's");
    if (data.size() > buffer.size()) return internal::fail<Event>(does_not_fit("write", data.size(), buffer.size()));
    bsc_event* event = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_write(handle_.get(), buffer.get(), buffer.offset_bytes(), data.data(),
                                              data.size() * sizeof(T), &event, &error);
    if (status != BSC_OK) return internal::fail<Event>(Error(status, error));
    return Event(event);
  }

  /// Fills the container with as many elements as it has. Does not block: the data must stay valid until the event and is
  /// undefined before.
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

  /// Calls until end_recording are recorded, not run; they give empty events. Waits and copies between devices cannot be
  /// recorded.
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

/* ---- device ----------------------------------------------------------------------------------------------------- */

namespace internal {
/// What a Runtime and its devices share.
struct RuntimeState {
  InstanceHandle instance;
  std::vector<Package> packages;
};
}  // namespace internal

class Device {
 public:
  Device() = default;
  Device(std::shared_ptr<const internal::RuntimeState> state, bsc_device* device)
      : state_(std::move(state)), device_(device) {}

  /// Identity and limits; its texts live as long as the runtime or any object made from it.
  bsc_device_info info() const noexcept {
    bsc_device_info info{};
    info.size = sizeof info;
    bsc_device_get_info(device_, &info);
    return info;
  }
  /// "cpu:0"
  std::string id() const { return device_ ? info().id : ""; }
  std::string name() const { return device_ ? info().name : ""; }
  /// Image formats that it takes, best first.
  std::vector<std::string> formats() const {
    std::vector<std::string> formats;
    while (const char* format = bsc_device_format(device_, formats.size())) formats.emplace_back(format);
    return formats;
  }
  /// Value of a named capability; nothing if the device does not know the name.
  std::optional<std::int64_t> capability(const std::string& name) const {
    std::int64_t value = 0;
    if (bsc_device_capability(device_, name.c_str(), &value, nullptr) != BSC_OK) return std::nullopt;
    return value;
  }

  Outcome<Queue> create_queue(const QueueOptions& options = {}) const {
    bsc_queue_options raw = BSC_QUEUE_OPTIONS_INIT;
    raw.compute_unit_limit = options.compute_unit_limit;
    raw.priority = options.priority;
    raw.profile = options.profile;
    raw.debug_sync = options.debug_sync;
    bsc_queue* queue = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_create(device_, &raw, &queue, &error);
    if (status != BSC_OK) return internal::fail<Queue>(Error(status, error));
    return Queue(queue);
  }

  /// Device memory with undefined contents. count may be 0.
  template <class T>
  Outcome<Buffer<T>> allocate(std::uint64_t count) const {
    return create_buffer<T>(count, BSC_BUFFER_DEVICE);
  }
  /// Pinned host memory: map() works, and copies to and from the device run at full speed.
  template <class T>
  Outcome<Buffer<T>> allocate_host(std::uint64_t count) const {
    return create_buffer<T>(count, BSC_BUFFER_HOST);
  }
  /// A new buffer with the container's elements, for work on `queue` from now on. `data` may go when the call returns.
  template <class Container>
  Outcome<Buffer<internal::ElementOf<const Container>>> upload(const Queue& queue, const Container& data) const {
    using T = internal::ElementOf<const Container>;
    bsc_buffer* buffer = nullptr;
    bsc_error* error = nullptr;
    bsc_status status = bsc_buffer_create(device_, data.size() * sizeof(T), BSC_BUFFER_DEVICE, &buffer, &error);
    if (status != BSC_OK) return internal::fail<Buffer<T>>(Error(status, error));
    Buffer<T> result(buffer, 0, data.size());
    status = bsc_queue_upload(queue.get(), buffer, 0, data.data(), data.size() * sizeof(T), &error);
    if (status != BSC_OK) return internal::fail<Buffer<T>>(Error(status, error));
    return result;
  }

  /// The kernel of that name from the runtime's packages, in the variant that is best here. Compiles at the first call,
  /// later ones are cheap. Errors: NOT_FOUND, NO_VARIANT with the reason of each variant.
  Outcome<Kernel> kernel(const std::string& name, const std::string& variant = {}) const {
    for (const Package& package : state_ ? state_->packages : std::vector<Package>()) {
      if (package.has_kernel(name)) return kernel(package, name, variant);
    }
    std::string names;
    for (const Package& package : state_ ? state_->packages : std::vector<Package>()) {
      for (const std::string& known : package.kernel_names()) names += (names.empty() ? "" : ", ") + known;
    }
    return internal::fail<Kernel>(
        Error(BSC_NOT_FOUND, "no loaded package has a kernel \"" + name + "\"; there are: " + (names.empty() ? "none" : names),
              "give the package to Runtime::open, or the Package object to this call"));
  }
  Outcome<Kernel> kernel(const Package& package, const std::string& name, const std::string& variant = {}) const {
    bsc_kernel* kernel = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_kernel_create(device_, package.get(), name.c_str(),
                                                variant.empty() ? nullptr : variant.c_str(), &kernel, &error);
    if (status != BSC_OK) return internal::fail<Kernel>(Error(status, error));
    return Kernel(kernel);
  }
  /// JSON: every variant with score and reason. Loads nothing.
  Outcome<std::string> explain(const Package& package, const std::string& name) const {
    char* json = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_kernel_explain(device_, package.get(), name.c_str(), &json, &error);
    if (status != BSC_OK) return internal::fail<std::string>(Error(status, error));
    return internal::take_text(json);
  }

  /// A raw image of one of the device's formats.
  Outcome<Module> load_module(const std::string& format, const void* data, std::uint64_t bytes,
                              const std::string& options = {}) const {
    return load(format, data, bytes, options, nullptr);
  }
  /// Host functions of this program (format "host"); the table must outlive the module.
  Outcome<Module> load_module(const bsc_host_table& table) const { return load("host", nullptr, 0, {}, &table); }

  /// Gives memory that no pool needs now back to the driver; the bytes released.
  Outcome<std::uint64_t> trim_pools() const {
    std::uint64_t released = 0;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_device_trim_pools(device_, &released, &error);
    if (status != BSC_OK) return internal::fail<std::uint64_t>(Error(status, error));
    return released;
  }

  struct MemoryState {
    std::uint64_t total = 0;
    std::uint64_t free = 0;
    bool estimate = false;  ///< the driver does not know `free` exactly
  };
  Outcome<MemoryState> memory() const {
    MemoryState state;
    int estimate = 0;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_device_memory(device_, &state.total, &state.free, &estimate, &error);
    if (status != BSC_OK) return internal::fail<MemoryState>(Error(status, error));
    state.estimate = estimate != 0;
    return state;
  }

  bsc_device* get() const noexcept { return device_; }

 private:
  template <class T>
  Outcome<Buffer<T>> create_buffer(std::uint64_t count, std::uint32_t type) const {
    const auto bytes = internal::bytes_of(count, sizeof(T));
    if (!bytes) return internal::fail<Buffer<T>>(internal::too_many(count, sizeof(T)));
    bsc_buffer* buffer = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_buffer_create(device_, *bytes, type, &buffer, &error);
    if (status != BSC_OK) return internal::fail<Buffer<T>>(Error(status, error));
    return Buffer<T>(buffer, 0, count);
  }
  Outcome<Module> load(const std::string& format, const void* data, std::uint64_t bytes, const std::string& options,
                       const bsc_host_table* table) const {
    bsc_module* module = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status =
        bsc_module_load(device_, format.c_str(), data, bytes, options.c_str(), table, &module, &error);
    if (status != BSC_OK) return internal::fail<Module>(Error(status, error));
    return Module(module);
  }

  std::shared_ptr<const internal::RuntimeState> state_;  // keeps the instance alive
  bsc_device* device_ = nullptr;                         // the instance's
};

/* ---- runtime ---------------------------------------------------------------------------------------------------- */

/// How to open a runtime. All of it may be left out.
struct Options {
  std::string app;          ///< the application's name, for logs
  std::vector<PackageData> packages;
  std::string config_text;  ///< TOML, read after the files and before the environment
  std::string config_file;  ///< read instead of BASCULE_CONFIG's
  std::vector<std::pair<std::string, std::string>> settings;  ///< key and value; override everything else
  bsc_log_sink log_sink = nullptr;                            ///< null: stderr
  void* log_user = nullptr;
  bool ignore_files = false;            ///< read neither system, user nor BASCULE_CONFIG file
  bool ignore_environment = false;      ///< read no BASCULE_* variable
  bool read_working_directory = false;  ///< also ./bascule.toml
};

struct BackendInfo {
  std::string name;
  bsc_status state = BSC_OK;  ///< BSC_OK: usable
  std::string reason, remedy, path, version, driver_path;
  std::uint64_t device_count = 0;
  bool selected = false;
};

struct ConfigValue {
  std::string key, value, origin;
};

namespace internal {

/// The C form of Options, and what it points to.
class RawOptions {
 public:
  explicit RawOptions(const Options& options) {
    for (const auto& [key, value] : options.settings) settings_.push_back({key.c_str(), value.c_str()});
    raw_.application = text(options.app);
    raw_.config_text = text(options.config_text);
    raw_.config_file = text(options.config_file);
    raw_.setting_count = settings_.size();
    raw_.settings = settings_.data();
    raw_.log_sink = options.log_sink;
    raw_.log_user = options.log_user;
    raw_.ignore_files = options.ignore_files;
    raw_.ignore_environment = options.ignore_environment;
    raw_.read_working_directory = options.read_working_directory;
  }
  const bsc_instance_options* get() const noexcept { return &raw_; }

 private:
  static const char* text(const std::string& value) { return value.empty() ? nullptr : value.c_str(); }
  std::vector<bsc_setting> settings_;
  bsc_instance_options raw_ = BSC_INSTANCE_OPTIONS_INIT;
};

}  // namespace internal

/// The opened backends and their devices. Several may exist at a time.
class Runtime {
 public:
  Runtime() = default;

  /// Reads the configuration, opens the configured backends, loads the packages. Blocks: opens drivers.
  /// Errors: INVALID_CONFIG, the state of a backend that is required, NO_BACKEND with a line per backend tried,
  /// INVALID_PACKAGE.
  static Outcome<Runtime> open(const Options& options = {}) {
    const internal::RawOptions raw(options);
    bsc_instance* instance = nullptr;
    bsc_error* error = nullptr;
    bsc_status status = bsc_instance_create(raw.get(), &instance, &error);
    if (status != BSC_OK) return internal::fail<Runtime>(Error(status, error));
    auto state = std::make_shared<internal::RuntimeState>();
    state->instance = internal::InstanceHandle(instance);
    for (const PackageData& data : options.packages) {
      bsc_package* package = nullptr;
      status = bsc_package_load(instance, data.data, data.bytes, data.host_table, &package, &error);
      if (status != BSC_OK) return internal::fail<Runtime>(Error(status, error));
      state->packages.emplace_back(package);
    }
    return Runtime(std::move(state));
  }
  /// Takes over a C handle.
  static Runtime adopt(bsc_instance* instance) {
    auto state = std::make_shared<internal::RuntimeState>();
    state->instance = internal::InstanceHandle(instance);
    return Runtime(std::move(state));
  }

  /// What was chosen and why, one line.
  std::string selection() const { return bsc_instance_selection(get()); }
  /// The device that the configuration chose.
  Device device() const { return Device(state_, bsc_instance_default_device(get())); }
  /// By selector: "hip:0", "cpu", "uuid:...", "pci:...", "emulated:sm_90a". Errors list what there is.
  Outcome<Device> device(const std::string& selector) const {
    bsc_device* device = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_instance_find_device(get(), selector.c_str(), &device, &error);
    if (status != BSC_OK) return internal::fail<Device>(Error(status, error));
    return Device(state_, device);
  }
  /// Of all opened backends.
  std::vector<Device> devices() const {
    std::vector<Device> devices;
    while (bsc_device* device = bsc_instance_device(get(), devices.size())) devices.emplace_back(state_, device);
    return devices;
  }
  /// Every known backend, those of the configuration first.
  std::vector<BackendInfo> backends() const {
    std::vector<BackendInfo> result;
    bsc_backend_info info{};
    info.size = sizeof info;
    while (bsc_instance_backend(get(), result.size(), &info) == BSC_OK) {
      BackendInfo backend;
      backend.name = info.name;
      backend.state = info.state;
      backend.reason = info.reason;
      backend.remedy = info.remedy;
      backend.path = info.path;
      backend.version = info.version;
      backend.driver_path = info.driver_path;
      backend.device_count = info.device_count;
      backend.selected = info.selected != 0;
      result.push_back(std::move(backend));
    }
    return result;
  }
  /// Each configured value and where it comes from.
  std::vector<ConfigValue> config() const {
    std::vector<ConfigValue> values;
    const char *key = nullptr, *value = nullptr, *origin = nullptr;
    while (bsc_instance_config(get(), values.size(), &key, &value, &origin) == BSC_OK) values.push_back({key, value, origin});
    return values;
  }

  Outcome<Package> load_package(const PackageData& data) const {
    bsc_package* package = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_package_load(get(), data.data, data.bytes, data.host_table, &package, &error);
    if (status != BSC_OK) return internal::fail<Package>(Error(status, error));
    return Package(package);
  }
  Outcome<Package> load_package_file(const std::string& path) const {
    bsc_package* package = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_package_load_file(get(), path.c_str(), &package, &error);
    if (status != BSC_OK) return internal::fail<Package>(Error(status, error));
    return Package(package);
  }
  bsc_instance* get() const noexcept { return state_ ? state_->instance.get() : nullptr; }

 private:
  explicit Runtime(std::shared_ptr<const internal::RuntimeState> state) : state_(std::move(state)) {}
  std::shared_ptr<const internal::RuntimeState> state_;
};

/// JSON for tools, without opening a runtime: "doctor" (state of every known backend) or "cache".
inline Outcome<std::string> query(const std::string& what, const Options& options = {}) {
  const internal::RawOptions raw(options);
  char* json = nullptr;
  bsc_error* error = nullptr;
  const bsc_status status = bsc_query(raw.get(), what.c_str(), &json, &error);
  if (status != BSC_OK) return internal::fail<std::string>(Error(status, error));
  return internal::take_text(json);
}

/// Empties the JIT and verdict caches of the configuration; the number of entries removed.
inline Outcome<std::uint64_t> clear_caches(const Options& options = {}) {
  const internal::RawOptions raw(options);
  std::uint64_t removed = 0;
  bsc_error* error = nullptr;
  const bsc_status status = bsc_cache_clear(raw.get(), &removed, &error);
  if (status != BSC_OK) return internal::fail<std::uint64_t>(Error(status, error));
  return removed;
}

}  // namespace results, exceptions
}  // namespace bascule
#endif
