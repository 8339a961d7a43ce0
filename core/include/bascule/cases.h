/* Cases: how a kernel library tells `bascule bench` and `bascule selftest` what to run and how to judge it.
 *
 * A case library is a shared object that exports `bascule_cases` (bsc_cases_function). The tools know no kernel: they ask
 * the library for cases, run each through the public API on the devices chosen, and hand the outputs back to be judged
 * against a float64 reference. libbascule_kernels.so is one such library; a user's own may be named on the command line.
 *
 * Threads: different cases may be used at the same time; one case data by one thread at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CASES_H
#define BASCULE_CASES_H

#include "bascule.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BSC_CASES_ABI_VERSION 1u

enum { BSC_CASE_SCALAR = 0, BSC_CASE_IN = 1, BSC_CASE_OUT = 2, BSC_CASE_INOUT = 3 };

/* One argument in the contract's order. */
typedef struct bsc_case_argument {
  uint32_t kind;          /* BSC_CASE_* */
  uint32_t element_bytes;
  const void* data;       /* SCALAR: its value; IN and INOUT: initial contents; OUT: NULL (the tool poisons it) */
  uint64_t bytes;
} bsc_case_argument;

typedef struct bsc_case_verdict {
  uint64_t size;
  uint32_t pass;
  uint32_t reserved;
  double worst_ratio;     /* largest |error| / allowed error; 0 for exact kernels that are right. > 1 fails */
  uint64_t worst_index;   /* element where; UINT64_MAX if none */
  uint64_t checked;       /* elements compared with the reference; fewer than all where the reference is sampled */
  uint64_t total;
  char message[256];      /* the failure in words: element, expected, given, allowed; "" on a pass */
} bsc_case_verdict;

typedef struct bsc_case_data bsc_case_data;

typedef struct bsc_case {
  uint64_t size;
  const char* kernel;     /* contract name in the library's package */
  const char* label;      /* unique within a suite: "llama3-8b qkv M=8 N=6144 K=4096" */
  const char* shape;      /* "M=8 N=6144 K=4096": what `bench --like` repeats and compare matches, with kernel and label */
  const char* shrunk;     /* "" or what was reduced to fit the limits, and from what */
  const char* number_format; /* "f32", "u32" */
  const char* math_mode;  /* "f32 accumulate, no contraction" */
  const char* distribution;  /* "uniform [-1,1]" */
  double bytes;           /* least traffic to and from memory */
  double operations;      /* least operations; 0 where the kernel is judged by bytes alone */
  const char* operation_unit; /* "FLOP", "word" */
  uint64_t device_bytes;  /* sum of buffers */
  uint64_t work_items;    /* for the launch options; 0: the plan needs none */
  const void* context;    /* the library's own */

  bsc_status (*create)(const struct bsc_case*, uint64_t seed, bsc_case_data** out);
  void (*release)(bsc_case_data*);
  uint64_t (*arguments)(bsc_case_data*, const bsc_case_argument** out); /* returns the count; valid until release */
  /* outputs[i] is the contents after the run of argument i, NULL for scalars and inputs. */
  bsc_status (*check)(bsc_case_data*, const void* const* outputs, bsc_case_verdict* out);
} bsc_case;

typedef struct bsc_case_request {
  uint64_t size;
  const char* suite;         /* "quick", "llm", "stream"; "selftest": small and awkward sizes */
  uint64_t max_device_bytes; /* of one case's buffers */
  double max_operations;     /* of one case; bigger shapes shrink by the library's rule and say so. 0: no limit */
} bsc_case_request;

typedef struct bsc_case_library {
  uint64_t size;
  uint32_t abi_version;      /* BSC_CASES_ABI_VERSION */
  uint32_t suite_count;
  const char* const* suites; /* names, with the default first */
  const char* const* suite_descriptions;
  const char* version;
  /* The package that the cases' kernels are in, loaded into the instance. */
  bsc_status (*package)(bsc_instance*, bsc_package** out, bsc_error** error);
  /* Calls `visit` for each case of the suite, cheapest first; a case is valid until the library is unloaded.
   * Unknown suite: BSC_NOT_FOUND. `visit` returns 0 to stop. */
  bsc_status (*enumerate)(const bsc_case_request*, int (*visit)(void* user, const bsc_case*), void* user);
} bsc_case_library;

typedef const bsc_case_library* (*bsc_cases_function)(void);
#define BSC_CASES_SYMBOL "bascule_cases"

#ifdef __cplusplus
}
#endif
#endif
