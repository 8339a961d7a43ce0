// For tests: whether a function of our table is called as the vendor's header declares it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

namespace bascule::gpu::test {

// Two parameters that a call passes in the same way: integers, enumerations and pointers alike by their size, floating-point
// numbers apart.
template <class Ours, class Theirs>
constexpr bool same_passing() {
  return sizeof(Ours) == sizeof(Theirs) && std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs> &&
         std::is_class_v<Theirs> == std::is_class_v<Ours>;
}

template <class Ours, class Theirs>
struct SameCall : std::false_type {};
template <class... Ours, class Result, class... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
struct SameCall<int (*)(Ours...), Result (*)(Theirs...)>
    : std::bool_constant<sizeof(Result) == sizeof(int) && (same_passing<Ours, Theirs>() && ...)> {};

}  // namespace bascule::gpu::test
