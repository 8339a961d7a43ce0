// Checks shared by the kernels that work on rows with a stride.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arguments.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE {

// Whether rows x columns elements of f32, `stride` apart, lie inside the span.
inline bool holds_rows(const bsc_host_span& span, uint64_t rows, uint64_t columns, uint64_t stride) {
  if (rows == 0 || columns == 0) return true;
  uint64_t elements = 0;
  return stride >= columns && !__builtin_mul_overflow(rows - 1, stride, &elements) &&
         !__builtin_add_overflow(elements, columns, &elements) && holds<float>(span, elements);
}

}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE
