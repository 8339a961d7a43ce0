// The CPU level that a *_cpu.cpp file is being compiled for (see core/cmake/bascule_cpu_levels.cmake, which defines
// BASCULE_CPU_LEVEL and BASCULE_CPU_NAMESPACE), and what follows from it.
//
// Everything such a file instantiates must live in bascule::kernels::BASCULE_CPU_NAMESPACE: if two levels emitted the
// same inline function or template, the linker could keep one copy, and an old CPU would be handed AVX-512 code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if !defined(BASCULE_CPU_LEVEL) || !defined(BASCULE_CPU_NAMESPACE)
#error "this file is compiled once per CPU level, with BASCULE_CPU_LEVEL and BASCULE_CPU_NAMESPACE defined"
#elif BASCULE_CPU_LEVEL == 2
#define BASCULE_CPU_SUFFIX "v2"
#define BASCULE_VECTOR_BYTES 16
#elif BASCULE_CPU_LEVEL == 3
#define BASCULE_CPU_SUFFIX "v3"
#define BASCULE_VECTOR_BYTES 32
#elif BASCULE_CPU_LEVEL == 4 && defined(__AVX512F__)
#define BASCULE_CPU_SUFFIX "v4"
#define BASCULE_VECTOR_BYTES 64
#elif BASCULE_CPU_LEVEL == 4
// Level 4's source at 64-byte vectors, but compiled for AVX2: only the tests build it, so that the blocking, the tails
// and the masks of level 4 are exercised on machines without AVX-512. The compiler splits each vector in two.
#define BASCULE_CPU_SUFFIX "v4_on_v3"
#define BASCULE_VECTOR_BYTES 64
#else
#error "BASCULE_CPU_LEVEL must be 2, 3 or 4"
#endif

#define BASCULE_ALWAYS_INLINE inline __attribute__((always_inline))
