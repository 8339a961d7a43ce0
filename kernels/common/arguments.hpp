// What every host kernel does with the spans of its arguments: check their length, take their address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

#include "cpu_level.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE {

// Whether the span holds `count` elements. A span of length 0 may be NULL.
template <typename T>
bool holds(const bsc_host_span& span, uint64_t count) {
  return count <= span.bytes / sizeof(T) && (count == 0 || span.data != nullptr);
}

template <typename T>
T* pointer(const bsc_host_span& span) {
  return static_cast<T*>(span.data);
}

constexpr uint64_t ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }
constexpr uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }
constexpr uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE
