// From the type that an instruction names to the lanes that a definition works on, for the families of integer operations.
// Compiled once per x86-64 level, inside files x_cpu.cpp only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "backends/simt/execute/lanes.hpp"
#include "backends/simt/execute/select.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

template <class T>
inline constexpr unsigned kBits = 8 * sizeof(T);

/// The integer type twice as wide.
template <class T>
struct WiderOf;
template <>
struct WiderOf<u16> {
  using type = u32;
};
template <>
struct WiderOf<s16> {
  using type = s32;
};
template <>
struct WiderOf<u32> {
  using type = u64;
};
template <>
struct WiderOf<s32> {
  using type = s64;
};
template <>
struct WiderOf<u64> {
  using type = unsigned __int128;
};
template <>
struct WiderOf<s64> {
  using type = __int128;
};
template <class T>
using Wider = typename WiderOf<T>::type;

inline bool is_integer(ptx::Type type) {
  const char kind = ptx::kind_of(type);
  return kind == 'b' || kind == 'u' || kind == 's';
}

/// make(T{}) for the unsigned T of the type's width: for what does not depend on signs. Null for what is no integer of 16, 32
/// or 64 bits.
template <class Make>
Handler for_bits(ptx::Type type, Make make) {
  if (!is_integer(type)) return nullptr;
  switch (ptx::bits_of(type)) {
    case 16: return make(u16{});
    case 32: return make(u32{});
    case 64: return make(u64{});
    default: return nullptr;
  }
}

/// Likewise with s16, s32, s64 for signed types.
template <class Make>
Handler for_integer(ptx::Type type, Make make) {
  if (ptx::kind_of(type) != 's') return for_bits(type, make);
  switch (ptx::bits_of(type)) {
    case 16: return make(s16{});
    case 32: return make(s32{});
    case 64: return make(s64{});
    default: return nullptr;
  }
}

/// d = f(a), d = f(a, b), d = f(a, b, c) with all operands of the instruction's type.
template <auto f>
Handler unary(ptx::Type type) {
  return for_bits(type, [](auto t) -> Handler { return run_map<f, decltype(t), decltype(t)>; });
}
template <auto f>
Handler binary(ptx::Type type) {
  return for_bits(type, [](auto t) -> Handler { return run_map<f, decltype(t), decltype(t), decltype(t)>; });
}
template <auto f>
Handler ternary(ptx::Type type) {
  return for_bits(type, [](auto t) -> Handler {
    using T = decltype(t);
    return run_map<f, T, T, T, T>;
  });
}
template <auto f>
Handler signed_unary(ptx::Type type) {
  return for_integer(type, [](auto t) -> Handler { return run_map<f, decltype(t), decltype(t)>; });
}
template <auto f>
Handler signed_binary(ptx::Type type) {
  return for_integer(type, [](auto t) -> Handler { return run_map<f, decltype(t), decltype(t), decltype(t)>; });
}
template <auto f>
Handler signed_ternary(ptx::Type type) {
  return for_integer(type, [](auto t) -> Handler {
    using T = decltype(t);
    return run_map<f, T, T, T, T>;
  });
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
