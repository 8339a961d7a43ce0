/* The kernel library's C API: libbascule_kernels.so. kernels.hpp has typed calls for C++.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_KERNELS_H
#define BASCULE_KERNELS_H

#include <bascule/bascule.h>

#if defined(__GNUC__) && defined(BASCULE_BUILDING_KERNELS)
#define BSC_KERNELS_API __attribute__((visibility("default")))
#else
#define BSC_KERNELS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Loads the package that is built into the library: contracts, CPU variants of every level (functions of this library) and
 * the other formats' images. Release it with bsc_package_release; the library must stay loaded while it is in use.
 * Thread-safe. Blocking: no. Errors: those of bsc_package_load. */
BSC_KERNELS_API bsc_status bascule_kernels_package(bsc_instance* instance, bsc_package** out, bsc_error** error);

/* The same as bytes, for tools: valid as long as the library is loaded. The host functions that its variants name are in
 * bascule_kernels_host_table. */
BSC_KERNELS_API const void* bascule_kernels_package_data(uint64_t* out_bytes);
BSC_KERNELS_API const struct bsc_host_table* bascule_kernels_host_table(void);

#ifdef __cplusplus
}
#endif
#endif
