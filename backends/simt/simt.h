/* Between libbascule_simt.so and who opens it: the cpu plugin when the first foreign image arrives, and the emulated CUDA
 * driver. Not a public ABI: all are built and installed together, and `abi` must be equal.
 *
 * Threads: every function may be called from any thread; run() by several at once on the same job.
 * Errors: a bsc_status; where it is not BSC_OK, the error object is filled. Nothing throws or prints.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_SIMT_H
#define BASCULE_SIMT_H

#include <bascule/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changed with every change of what stands below. */
#define BSC_SIMT_ABI "simt 2"

typedef struct bsc_simt_module bsc_simt_module;
typedef struct bsc_simt_job bsc_simt_job;

/* A range of memory that kernels may use. */
typedef struct bsc_simt_range {
  uint64_t address;
  uint64_t bytes;
} bsc_simt_range;

/* How kernels are executed; all zero is the default. */
typedef struct bsc_simt_options {
  uint32_t sanitize;          /* 1: every access and synchronisation is checked */
  uint32_t trace;             /* 1: each operation is logged with its values (level trace) */
  uint32_t statistics;        /* 1: executed operations and lanes are counted, see statistics() */
  uint32_t cpu_level;         /* 2, 3, 4: the x86-64 level to use at most; 0: the best there is */
  uint64_t seed;              /* sanitize: order in which warps run; 0: in turn */
  uint64_t watchdog_ns;       /* a launch that runs longer is ended with BSC_TIMED_OUT; 0: no limit */
  uint32_t resident_blocks;   /* per launch at most; 0: as an sm_90 with as many SMs as there are workers would, but one
                                 cluster at least */
  uint32_t workers;           /* how many threads run a job at most; sizes residency */
  uint32_t keep_signals;      /* 1: SIGSEGV and SIGBUS of a kernel are not turned into errors */
  uint64_t stack_bytes;       /* per thread, beyond what the functions declare, where calls recurse or go through pointers
                                 or alloca is used; 0: 8 KiB */
  uint64_t heap_bytes;        /* for the device's malloc; 0: 8 MiB */
  void (*print)(void* context, const char* text, uint64_t bytes); /* what kernels print, as it is; null: line by line to the log */
  void* print_context;
} bsc_simt_options;

typedef struct bsc_simt_function_info {
  const char* name;
  uint64_t argument_bytes;
  uint64_t argument_count;
  uint64_t static_shared_bytes;
  uint64_t local_bytes;       /* per thread */
  uint64_t max_block_threads; /* from .maxntid or .reqntid, else 1024 */
  uint32_t required_block[3]; /* .reqntid; 0: none */
  uint32_t registers;         /* 32-bit ones that are live at most, per thread */
} bsc_simt_function_info;

/* A kernel's parameter in its argument blob. */
typedef struct bsc_simt_parameter {
  const char* name; /* lives as long as the module */
  uint64_t offset;
  uint64_t bytes;
} bsc_simt_parameter;

/* A variable of module scope in global or constant memory. */
typedef struct bsc_simt_variable {
  const char* name; /* lives as long as the module */
  uint64_t address;
  uint64_t bytes;
  uint32_t constant;
} bsc_simt_variable;

typedef struct bsc_simt_launch {
  uint64_t function;
  uint64_t grid[3];
  uint64_t block[3];
  uint64_t cluster[3];        /* blocks; all 0 or 1: none, or what the kernel's .reqnctapercluster says */
  uint64_t shared_bytes;      /* dynamic */
  uint64_t flags;             /* BSC_LAUNCH_* */
  const void* arguments;      /* argument_bytes bytes in PTX's layout; buffers are plain addresses */
  uint64_t argument_bytes;
  const bsc_simt_range* ranges; /* all memory that the kernel may touch (sanitize); borrowed until finish() */
  uint64_t range_count;
} bsc_simt_launch;

typedef struct bsc_simt_api {
  const char* abi;
  /* `text` is PTX; the log that comes with a failure is as a compiler's. */
  bsc_status (*load)(const void* text, uint64_t bytes, const char* name, const bsc_simt_options* options,
                     const bsc_host_services* services, bsc_simt_module** out_module, bsc_plugin_error* error);
  void (*unload)(bsc_simt_module* module);
  /* The index-th kernel (.entry); 0 past the last. Strings live as long as the module. */
  int (*function)(bsc_simt_module* module, uint64_t index, bsc_simt_function_info* out_info);
  /* The index-th parameter of a kernel; 0 past the last. */
  int (*parameter)(bsc_simt_module* module, uint64_t function, uint64_t index, bsc_simt_parameter* out_parameter);
  /* The index-th variable of module scope; 0 past the last. */
  int (*variable)(bsc_simt_module* module, uint64_t index, bsc_simt_variable* out_variable);
  /* Checks the launch completely and sets it up. */
  bsc_status (*prepare)(bsc_simt_module* module, const bsc_simt_launch* launch, bsc_simt_job** out_job,
                        bsc_plugin_error* error);
  /* Runs blocks until none is left for this thread. A single thread is enough to finish any job. */
  bsc_status (*run)(bsc_simt_job* job, uint32_t worker, bsc_plugin_error* error);
  void (*finish)(bsc_simt_job* job); /* after every run() has returned */
  /* JSON about a module: kernels, parameters, target, shared memory, what is not supported. Released with release_text. */
  bsc_status (*describe)(const void* text, uint64_t bytes, const char* name, char** out_json, bsc_plugin_error* error);
  /* JSON about what ran since the module was loaded: findings, and counts where asked for. */
  bsc_status (*report)(bsc_simt_module* module, char** out_json, bsc_plugin_error* error);
  void (*release_text)(char* text);
} bsc_simt_api;

typedef const bsc_simt_api* (*bsc_simt_query_function)(void);
#define BSC_SIMT_QUERY_SYMBOL "bascule_simt_query"

#ifdef __cplusplus
}
#endif
#endif
