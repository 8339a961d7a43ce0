// The two layouts of hipDeviceProp_t as ROCm's libraries write them. From ROCm 6 on hipGetDeviceProperties is two functions:
// the plain name writes the old layout for old programs, hipGetDevicePropertiesR0600 the new one. ROCm 5 has the old one alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace bascule::gpu::hip {

struct PropertiesR0600 {
  char name[256];
  char uuid[16];
  char windows_identity[8];
  unsigned windows_mask;
  std::size_t memory_bytes;
  std::size_t shared_per_block;
  int registers_per_block;
  int warp_size;
  std::size_t pitch;
  int max_threads;
  int max_block[3];
  int max_grid[3];
  int clock_rate;
  std::size_t constant_bytes;
  int major;
  int minor;
  std::size_t texture_alignment[2];
  int overlap;
  int compute_units;
  int time_limit;
  int integrated;
  int maps_host_memory;
  int compute_mode_and_textures[41];
  std::size_t surface_alignment;
  int concurrent_kernels;
  int ecc;
  int pci_bus;
  int pci_device;
  int pci_domain;
  int tcc;
  int engines;
  int unified_addressing;
  int memory_clock_rate;
  int memory_bus_width;
  int l2_cache;
  int persisting_l2_cache;
  int threads_per_unit;
  int priorities_and_caches[3];
  std::size_t shared_per_unit;
  int registers_per_unit;
  int managed_to_host_pointer[9];
  int cooperative;
  int cooperative_on_several;
  std::size_t shared_opt_in;
  int paging_to_window[4];
  std::size_t reserved_shared;
  int host_register_to_semaphores[4];
  int pools;
  int rest[8 + 63 + 32];
  char architecture[256];
  std::size_t amd_shared_per_unit;
  char room[4096];  // for what newer libraries add behind
};
static_assert(offsetof(PropertiesR0600, memory_bytes) == 288);
static_assert(offsetof(PropertiesR0600, compute_units) == 388);
static_assert(offsetof(PropertiesR0600, cooperative) == 688);
static_assert(offsetof(PropertiesR0600, pools) == 744);
static_assert(offsetof(PropertiesR0600, architecture) == 1160);

struct PropertiesR0000 {
  char name[256];
  std::size_t memory_bytes;
  std::size_t shared_per_block;
  int registers_per_block;
  int warp_size;
  int max_threads;
  int max_block[3];
  int max_grid[3];
  int clock_rate;
  int memory_clock_rate;
  int memory_bus_width;
  std::size_t constant_bytes;
  int major;
  int minor;
  int compute_units;
  int l2_cache;
  int threads_per_unit;
  int compute_mode;
  int timer_rate;
  unsigned features;
  int concurrent_kernels;
  int pci_domain;
  int pci_bus;
  int pci_device;
  std::size_t shared_per_unit;
  int several_on_a_board;
  int maps_host_memory;
  int old_architecture;
  char architecture[256];
  int integrated;
  int cooperative;
  char room[4096];
};

}  // namespace bascule::gpu::hip
