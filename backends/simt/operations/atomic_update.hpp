// What atom and red do to one value: d = *a, *a = f(*a, b). In memory that other host threads may use at the same time (global
// memory, and generic addresses) by the host's atomics; in shared memory plainly, since the warps of a block take turns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdint>

#include "backends/simt/execute/access.hpp"
#include "backends/simt/operations/number_formats.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

using Bits128 = unsigned __int128;

template <class T>
[[gnu::always_inline]] inline T compare_and_swap(std::byte* address, T expected, T desired) {
  if constexpr (sizeof(T) == 16) {
    return __sync_val_compare_and_swap(reinterpret_cast<T*>(address), expected, desired);
  } else {
    __atomic_compare_exchange_n(reinterpret_cast<T*>(address), &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  }
}

/// Any function of the old value, by trying until nobody came between.
template <class T, class F>
[[gnu::always_inline]] inline T update_host(std::byte* address, F f) {
  T old;
  if constexpr (sizeof(T) == 16) {
    old = compare_and_swap<T>(address, 0, 0);
  } else {
    old = guest_load<T>(address);
  }
  while (true) {
    const T seen = compare_and_swap<T>(address, old, f(old));
    if (seen == old) return old;
    old = seen;
  }
}

template <class T, class F>
[[gnu::always_inline]] inline T update_shared(std::byte* address, F f) {
  T old;
  guest_read(&old, address, sizeof old);
  const T result = f(old);
  guest_write(address, &result, sizeof result);
  return old;
}

// ---- the operations: Type is what lies in memory, apply(old, b) what replaces it ------------------------------------

template <class T>
struct Add {
  using Type = T;
  static T apply(T old, T b) { return static_cast<T>(old + b); }
};
template <class T>
struct And {
  using Type = T;
  static T apply(T old, T b) { return old & b; }
};
template <class T>
struct Or {
  using Type = T;
  static T apply(T old, T b) { return old | b; }
};
template <class T>
struct Xor {
  using Type = T;
  static T apply(T old, T b) { return old ^ b; }
};
template <class T>
struct Exchanged {
  using Type = T;
  static T apply(T, T b) { return b; }
};
/// S: the type in which is compared, T or its signed counterpart.
template <class T, class S>
struct Min {
  using Type = T;
  static T apply(T old, T b) { return static_cast<S>(b) < static_cast<S>(old) ? b : old; }
};
template <class T, class S>
struct Max {
  using Type = T;
  static T apply(T old, T b) { return static_cast<S>(b) > static_cast<S>(old) ? b : old; }
};
struct Increment {
  using Type = std::uint32_t;
  static Type apply(Type old, Type b) { return old >= b ? 0 : old + 1; }
};
struct Decrement {
  using Type = std::uint32_t;
  static Type apply(Type old, Type b) { return old == 0 || old > b ? b : old - 1; }
};

inline std::uint32_t flush_subnormal(std::uint32_t bits) { return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits; }
inline std::uint32_t add_f32(std::uint32_t a, std::uint32_t b) {
  const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
  return sum != sum ? 0x7fffffffu : std::bit_cast<std::uint32_t>(sum);
}
/// In shared memory.
struct AddF32 {
  using Type = std::uint32_t;
  static Type apply(Type old, Type b) { return add_f32(old, b); }
};
/// In global memory, where subnormal inputs and results become zeros.
struct AddF32Flushed {
  using Type = std::uint32_t;
  static Type apply(Type old, Type b) { return flush_subnormal(add_f32(flush_subnormal(old), flush_subnormal(b))); }
};
struct AddF64 {
  using Type = std::uint64_t;
  static Type apply(Type old, Type b) { return std::bit_cast<Type>(std::bit_cast<double>(old) + std::bit_cast<double>(b)); }
};

// f16 and bf16 add in f32, which is exact enough: 24 bits are at least twice 11 plus two, so rounding twice is rounding once.
template <NumberFormat kFormat>
struct HalfAdd {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    return encode_number<kFormat>(decode_number<kFormat>(a) + decode_number<kFormat>(b), Rounding::nearest);
  }
};
inline bool half_is_nan(std::uint32_t code, const NumberFormat& format) { return (code & 0x7fffu) > format.infinity; }
/// Orders codes as numbers, -0 below +0.
inline std::int32_t half_order(std::uint32_t code) {
  return (code & 0x8000u) != 0 ? -1 - static_cast<std::int32_t>(code & 0x7fffu) : static_cast<std::int32_t>(code);
}
/// The other operand where one is NaN.
template <NumberFormat kFormat, bool kMax>
struct HalfSelect {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    if (half_is_nan(a, kFormat)) return half_is_nan(b, kFormat) ? kFormat.nan : b;
    if (half_is_nan(b, kFormat)) return a;
    return (half_order(a) > half_order(b)) == kMax ? a : b;
  }
};
template <class Half>
struct OneHalf {
  using Type = std::uint16_t;
  static Type apply(Type old, Type b) { return static_cast<Type>(Half::apply(old, b)); }
};
template <class Half>
struct TwoHalves {
  using Type = std::uint32_t;
  static Type apply(Type old, Type b) {
    return Half::apply(old & 0xffffu, b & 0xffffu) | Half::apply(old >> 16, b >> 16) << 16;
  }
};

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
