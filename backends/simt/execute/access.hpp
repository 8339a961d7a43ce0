// The one way in which the engine reads and writes a guest's memory. A guest that races is no race of the engine's, so under
// ThreadSanitizer these accesses are relaxed atomics; else they are plain ones that the compiler may combine into vectors.
// An access of up to eight bytes that is naturally aligned is not torn. The built-in memcpy, since a guest's address may be
// null: the machine then faults, and the guest is told; the library's function says it never is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__SANITIZE_THREAD__)
#define BSC_GUEST_ATOMIC 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BSC_GUEST_ATOMIC 1
#endif
#endif
#ifndef BSC_GUEST_ATOMIC
#define BSC_GUEST_ATOMIC 0
#endif

namespace bascule::simt {

/// A value in guest memory, which may alias anything.
template <class T>
struct [[gnu::may_alias]] GuestValue {
  T value;
};

/// `address` is aligned to sizeof(T).
template <class T>
[[gnu::always_inline]] inline T guest_load(const std::byte* address) {
  static_assert(std::is_trivially_copyable_v<T>);
  if constexpr (BSC_GUEST_ATOMIC != 0 && sizeof(T) <= 8) {
    T value;
    __atomic_load(reinterpret_cast<const T*>(address), &value, __ATOMIC_RELAXED);
    return value;
  } else {
    T value;
    __builtin_memcpy(&value, address, sizeof value);
    return value;
  }
}

template <class T>
[[gnu::always_inline]] inline void guest_store(std::byte* address, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  if constexpr (BSC_GUEST_ATOMIC != 0 && sizeof(T) <= 8) {
    __atomic_store(reinterpret_cast<T*>(address), &value, __ATOMIC_RELAXED);
  } else {
    __builtin_memcpy(address, &value, sizeof value);
  }
}

/// `count` values of T side by side.
template <class T>
[[gnu::always_inline]] inline void guest_load_many(T* to, const std::byte* address, unsigned count) {
  if constexpr (BSC_GUEST_ATOMIC != 0) {
    for (unsigned i = 0; i < count; ++i) to[i] = guest_load<T>(address + i * sizeof(T));
  } else {
    __builtin_memcpy(to, address, count * sizeof(T));
  }
}

template <class T>
[[gnu::always_inline]] inline void guest_store_many(std::byte* address, const T* from, unsigned count) {
  if constexpr (BSC_GUEST_ATOMIC != 0) {
    for (unsigned i = 0; i < count; ++i) guest_store<T>(address + i * sizeof(T), from[i]);
  } else {
    __builtin_memcpy(address, from, count * sizeof(T));
  }
}

/// Bytes of any alignment (device functions, bulk operations).
inline void guest_read(void* to, const std::byte* address, std::size_t bytes) {
  if constexpr (BSC_GUEST_ATOMIC != 0) {
    for (std::size_t i = 0; i < bytes; ++i) static_cast<std::byte*>(to)[i] = guest_load<std::byte>(address + i);
  } else {
    __builtin_memcpy(to, address, bytes);
  }
}

inline void guest_write(std::byte* address, const void* from, std::size_t bytes) {
  if constexpr (BSC_GUEST_ATOMIC != 0) {
    for (std::size_t i = 0; i < bytes; ++i) guest_store(address + i, static_cast<const std::byte*>(from)[i]);
  } else {
    __builtin_memcpy(address, from, bytes);
  }
}

/// Orders everything before against everything behind, for all threads: fence.sc. ThreadSanitizer knows no fences, but
/// understands a read-modify-write.
inline void host_fence() {
  if constexpr (BSC_GUEST_ATOMIC != 0) {
    static std::atomic<unsigned> everyone{0};
    everyone.fetch_add(1, std::memory_order_seq_cst);
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

}  // namespace bascule::simt
