/* Text and checks from a kernel: bsc::print and BASCULE_ASSERT. Part of <bascule/device.hpp>.
 *
 *   bsc::print("block %d: %f\n", block, sum);     as printf; arguments are numbers and string literals
 *   BASCULE_ASSERT(count <= limit);               ends the launch with file and line; nothing with NDEBUG
 *
 * print is for PTX (the cpu device included). On AMD and SPIR-V it is refused by the compiler, and BASCULE_ASSERT ends the
 * launch without a text there.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_PRINT_HPP
#define BASCULE_DEVICE_PRINT_HPP

#include "target.hpp"

#if defined(BSC_TARGET_PTX)
extern "C" int vprintf(const char*, void*);
extern "C" [[noreturn]] void __assertfail(const char*, const char*, unsigned, const char*, unsigned long);
#endif

namespace bsc {
namespace internal {

// As C passes variable arguments: small integers as int, float as double.
template <class T>
BSC_INLINE auto promoted(T value) {
  if constexpr (same<T, float>) return static_cast<double>(value);
  else if constexpr (sizeof(T) < 4) return static_cast<int>(value);
  else return value;
}

template <class First, class... Rest>
struct packed {
  First first;
  packed<Rest...> rest;
};
template <class First>
struct packed<First> {
  First first;
};
template <class First, class... Rest>
BSC_INLINE packed<First, Rest...> pack(First first, Rest... rest) {
  if constexpr (sizeof...(Rest) == 0) return {first};
  else return {first, pack(rest...)};
}

}  // namespace internal

template <class... Arguments>
BSC_INLINE void print([[maybe_unused]] const char* format, [[maybe_unused]] Arguments... arguments) {
#if defined(BSC_TARGET_PTX)
  if constexpr (sizeof...(Arguments) == 0) {
    vprintf(format, nullptr);
  } else {
    auto values = internal::pack(internal::promoted(arguments)...);
    vprintf(format, &values);
  }
#else
  static_assert(internal::never<void(Arguments...)>, "bsc::print is not available on this target: keep it under "
                                                     "#ifdef BSC_TARGET_PTX");
#endif
}

}  // namespace bsc

#if defined(NDEBUG)
#define BASCULE_ASSERT(condition) static_cast<void>(0)
#elif defined(BSC_TARGET_PTX)
#define BASCULE_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))
#else
#define BASCULE_ASSERT(condition) ((condition) ? static_cast<void>(0) : __builtin_trap())
#endif

#endif
