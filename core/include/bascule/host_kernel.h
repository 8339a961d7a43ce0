/* Host kernels: the image format "host", kernels that are compiled C or C++ functions and run on the cpu device.
 *
 * A host image is a table of functions: either a table in this process (passed beside a package), or an ELF shared
 * object that exports `bascule_host_table` (see bsc_host_table_function).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_HOST_KERNEL_H
#define BASCULE_HOST_KERNEL_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BSC_HOST_ABI_VERSION 1u

/* How a buffer argument arrives: the address of its first byte (handle and byte offset already applied) and its length
 * in bytes. `data` is aligned to the element size of the contract, to nothing more. A buffer of length 0 may have
 * data == NULL. */
typedef struct bsc_host_span {
  void* data;
  uint64_t bytes;
} bsc_host_span;

/* Given to a function that runs as a team (BSC_HOST_TEAM). All members run at the same time, each on its own thread. */
typedef struct bsc_host_team {
  uint32_t struct_size;
  uint32_t size;                            /* members, >= 1 */
  void* shared;                             /* memory common to the members, 64-byte aligned, not initialised; size as
                                               in the table entry or the launch, whichever is larger; NULL if 0 */
  void (*barrier)(struct bsc_host_team*);   /* returns when every member has called it; memory written before is
                                               visible after. Every member must call it equally often. */
} bsc_host_team;

/* One kernel function.
 *
 * arguments  the argument blob: values and bsc_host_span in declaration order, each at its natural alignment, i.e. the
 *            layout of a C struct with these members (16-byte f16x8 and the like do not occur; f16 and bf16 scalars
 *            travel as float). Valid during the call; read only.
 * begin,end  without a team: the half-open range of work items this call must do, 0 <= begin < end <= grid, where
 *            grid = grid[0]*grid[1]*grid[2] of the launch. A launch becomes any number of calls, on any threads, whose
 *            ranges partition [0, grid); every range but the last is a multiple of the launch's block size (block[0]).
 *            With a team: always [0, grid), and each member chooses its own share.
 * worker     without a team: a number below the device's compute units, not in use by another call of the same launch
 *            at the same time. With a team: the member's rank, 0 .. team->size-1.
 * scratch    memory private to this call, 64-byte aligned, not initialised, of the entry's scratch_bytes; NULL if 0.
 * team       NULL unless the entry has BSC_HOST_TEAM.
 *
 * Returns BSC_OK, or a status that fails the launch. Must not throw, exit or longjmp out. May call the public API
 * (launching further work and waiting for it included), except waiting for its own queue. */
typedef bsc_status (*bsc_host_function)(const void* arguments, uint64_t begin, uint64_t end, uint32_t worker,
                                        void* scratch, bsc_host_team* team);

enum {
  BSC_HOST_TEAM = 1u << 0 /* run as a team: called once by each member, all members at once */
};

typedef struct bsc_host_entry {
  const char* name;
  bsc_host_function function;
  uint64_t argument_bytes; /* size of the blob it expects; checked at launch. 0: not checked */
  uint64_t scratch_bytes;
  uint64_t shared_bytes;   /* of a team */
  uint32_t flags;
  uint32_t team_limit;     /* most members of a team that are useful; 0: as many as the device has */
} bsc_host_entry;

typedef struct bsc_host_table {
  uint32_t struct_size;
  uint32_t abi_version;   /* BSC_HOST_ABI_VERSION */
  uint32_t entry_count;
  uint32_t entry_stride;  /* sizeof(bsc_host_entry) of the builder */
  const bsc_host_entry* entries;
} bsc_host_table;

/* An ELF image exports `const bsc_host_table* bascule_host_table(void)`. */
typedef const bsc_host_table* (*bsc_host_table_function)(void);

#ifdef __cplusplus
}
#endif
#endif
