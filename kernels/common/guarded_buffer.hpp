// A buffer for tests: at any element offset, between guard bands that show writes outside, pre-filled with NaN.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace bascule::kernels {

template <typename T>
class GuardedBuffer {
 public:
  // `size` elements that start `offset` elements past a 64-byte boundary.
  explicit GuardedBuffer(std::uint64_t size, std::uint64_t offset = 0) : size_(size) {
    storage_.assign((size + offset) * sizeof(T) + 2 * kGuardBytes + 64, kGuard);
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data()) + kGuardBytes;
    begin_ = kGuardBytes + (64 - address % 64) % 64 + offset * sizeof(T);
    poison();
  }

  // A copy would lie at another offset.
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  GuardedBuffer(GuardedBuffer&&) = default;
  GuardedBuffer& operator=(GuardedBuffer&&) = default;

  T* data() { return reinterpret_cast<T*>(storage_.data() + begin_); }
  const T* data() const { return reinterpret_cast<const T*>(storage_.data() + begin_); }
  std::uint64_t size() const { return size_; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }
  T& operator[](std::uint64_t i) { return data()[i]; }
  const T& operator[](std::uint64_t i) const { return data()[i]; }
  bsc_host_span argument() { return {data(), size_ * sizeof(T)}; }

  // All bits set: a NaN in every floating-point format.
  void poison() {
    if (size_ != 0) std::memset(data(), 0xff, size_ * sizeof(T));
  }

  // True while nothing outside [data, data + size) has been written.
  bool intact() const {
    for (std::uint64_t i = 0; i < storage_.size(); ++i)
      if ((i < begin_ || i >= begin_ + size_ * sizeof(T)) && storage_[i] != kGuard) return false;
    return true;
  }

 private:
  static constexpr std::uint64_t kGuardBytes = 256;
  static constexpr unsigned char kGuard = 0xa5;

  std::vector<unsigned char> storage_;
  std::uint64_t begin_ = 0, size_ = 0;
};

}  // namespace bascule::kernels
