/* Typed device memory and slices of it. Include <bascule/bascule.hpp>.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CPP_BUFFER_HPP
#define BASCULE_CPP_BUFFER_HPP

#include <cstdint>
#include <string>

#include "handle.hpp"

namespace bascule {
inline namespace BASCULE_ERROR_FORM {

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
      return internal::fail<Buffer>(
          Error(BSC_INVALID_ARGUMENT, "slice: " + std::to_string(count) + " elements from " + std::to_string(first) +
                                          " on are not in a buffer of " + std::to_string(size_)));
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

}  // namespace BASCULE_ERROR_FORM
}  // namespace bascule
#endif
