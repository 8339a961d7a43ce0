/* What the wrapper's classes share: owned C handles, element types, sizes. Include <bascule/bascule.hpp>.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CPP_HANDLE_HPP
#define BASCULE_CPP_HANDLE_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "error.hpp"

namespace bascule {
inline namespace BASCULE_ERROR_FORM {

namespace internal {

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
  return Error(BSC_LIMIT_EXCEEDED, std::to_string(count) + " elements of " + std::to_string(size) +
                                       " bytes are more than 64 bits can count");
}

inline std::string take_text(char* text) {
  std::string result(text);
  bsc_free(text);
  return result;
}

}  // namespace internal

}  // namespace BASCULE_ERROR_FORM
}  // namespace bascule
#endif
