// A host image as a shared object, for the tests: built as a module and loaded through the plugin.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/host_kernel.h>

namespace {

struct Arguments {
  bsc_host_span out;
  float value;
};

// BASCULE_TEST_IMAGE tells two builds of this file apart.
bsc_status set(const void* blob, uint64_t begin, uint64_t end, uint32_t, void*, bsc_host_team*) {
  const auto& arguments = *static_cast<const Arguments*>(blob);
  for (uint64_t i = begin; i < end; ++i) static_cast<float*>(arguments.out.data)[i] = arguments.value + BASCULE_TEST_IMAGE;
  return BSC_OK;
}

constexpr bsc_host_entry kEntries[] = {{"set", set, sizeof(Arguments), 0, 0, 0, 0}};
constexpr bsc_host_table kTable = {sizeof kTable, BSC_HOST_ABI_VERSION, 1, sizeof(bsc_host_entry), kEntries};

}  // namespace

extern "C" __attribute__((visibility("default"))) const bsc_host_table* bascule_host_table(void) { return &kTable; }
