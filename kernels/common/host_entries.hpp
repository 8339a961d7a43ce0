// The host functions of every kernel and CPU level, as the kernel library collects them into its host table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

namespace bascule::kernels {

struct host_entries {
  const bsc_host_entry* entries;
  uint32_t count;
};

// One per *_cpu.cpp and level. The names of the functions end in _v2, _v3, _v4.
#define BASCULE_DECLARE_HOST_ENTRIES(level)   \
  namespace level {                           \
  extern const host_entries stream_entries;   \
  extern const host_entries reduce_entries;   \
  extern const host_entries sgemm_entries;    \
  extern const host_entries softmax_entries;  \
  extern const host_entries rms_norm_entries; \
  extern const host_entries philox_entries;   \
  }

BASCULE_DECLARE_HOST_ENTRIES(x86_64_v2)
BASCULE_DECLARE_HOST_ENTRIES(x86_64_v3)
BASCULE_DECLARE_HOST_ENTRIES(x86_64_v4)
BASCULE_DECLARE_HOST_ENTRIES(x86_64_v4_on_v3)  // in tests only, see cpu_level.hpp

#undef BASCULE_DECLARE_HOST_ENTRIES

}  // namespace bascule::kernels
