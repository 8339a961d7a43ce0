// The kernel library's package: the bytes built into this library, with the host functions of every CPU level beside them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/host_kernel.h>
#include <bascule/kernels.h>

#include <array>
#include <cstdint>

#include "kernels/common/host_entries.hpp"
#include "kernels/package_data.hpp"

namespace bascule::kernels {
namespace {

// One table for all levels: which entry may run is decided by the variant's target, before anything is called.
struct MergedTable {
  static constexpr std::uint32_t kCapacity = 128;

  MergedTable() {
    for (const host_entries* list : {&x86_64_v2::stream_entries, &x86_64_v2::reduce_entries, &x86_64_v2::sgemm_entries,
                                     &x86_64_v2::softmax_entries, &x86_64_v2::rms_norm_entries, &x86_64_v2::philox_entries,
                                     &x86_64_v3::stream_entries, &x86_64_v3::reduce_entries, &x86_64_v3::sgemm_entries,
                                     &x86_64_v3::softmax_entries, &x86_64_v3::rms_norm_entries, &x86_64_v3::philox_entries,
                                     &x86_64_v4::stream_entries, &x86_64_v4::reduce_entries, &x86_64_v4::sgemm_entries,
                                     &x86_64_v4::softmax_entries, &x86_64_v4::rms_norm_entries, &x86_64_v4::philox_entries}) {
      for (std::uint32_t i = 0; i < list->count && count < kCapacity; ++i) entries[count++] = list->entries[i];
    }
    table = {sizeof(bsc_host_table), BSC_HOST_ABI_VERSION, count, sizeof(bsc_host_entry), entries.data()};
  }

  std::array<bsc_host_entry, kCapacity> entries{};
  std::uint32_t count = 0;
  bsc_host_table table{};
};

const MergedTable& merged_table() {
  static const MergedTable table;  // trivially destructible: still there for whoever runs late at exit
  return table;
}

}  // namespace
}  // namespace bascule::kernels

extern "C" {

const bsc_host_table* bascule_kernels_host_table(void) { return &bascule::kernels::merged_table().table; }

const void* bascule_kernels_package_data(uint64_t* out_bytes) {
  const auto data = bascule::kernels::package_data();
  if (out_bytes != nullptr) *out_bytes = data.size();
  return data.data();
}

bsc_status bascule_kernels_package(bsc_instance* instance, bsc_package** out, bsc_error** error) {
  const auto data = bascule::kernels::package_data();
  return bsc_package_load(instance, data.data(), data.size(), bascule_kernels_host_table(), out, error);
}

}  // extern "C"
