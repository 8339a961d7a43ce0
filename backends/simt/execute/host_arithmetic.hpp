// The host thread's floating-point control while it runs guest code: to nearest, subnormals kept, no traps. A program that
// flushes subnormals (-ffast-math does, for all its threads) or rounds otherwise must not change what PTX means.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <xmmintrin.h>

namespace bascule::simt {

/// Until the scope ends; then all is as it was.
class HostArithmetic {
 public:
  HostArithmetic() : saved_(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~HostArithmetic() { _mm_setcsr(saved_); }
  HostArithmetic(const HostArithmetic&) = delete;
  HostArithmetic& operator=(const HostArithmetic&) = delete;

 private:
  static constexpr unsigned kDefault = 0x1f80;  // all exceptions masked, nothing else
  unsigned saved_;
};

}  // namespace bascule::simt
