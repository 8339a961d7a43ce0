// Arguments of the Philox4x32-10 contract, in contract order (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as
// easy as 1, 2, 3, SC 2011; the known answers are Random123's).
//
// output[i], i < n, is word i % 4 of the block whose counter is counter + i / 4 (128 bits, wrapping) under the key.
// Word 0 of a counter is the low half of counter_low, word 3 the high half of counter_high; word 0 of the key its low
// half. Launch: grid n, grain a multiple of 4 (kPhiloxGrain). Bit-exact everywhere. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

namespace bascule::kernels {

inline constexpr uint64_t kPhiloxGrain = 16384;

struct philox_arguments {
  uint64_t n;
  uint64_t key;
  uint64_t counter_low, counter_high;
  bsc_host_span output;  // u32
};

}  // namespace bascule::kernels
