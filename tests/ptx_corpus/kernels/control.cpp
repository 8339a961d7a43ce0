// Control flow: recursion, calls through pointers, locks, barriers of the whole grid, printing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

__attribute__((noinline)) static u32 ackermann(u32 m, u32 n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

// Each thread has other arguments, so lanes are at different depths.
KERNEL recursion(u32* out, u32 n) {
  const u32 i = global_x();
  if (i < n) out[i] = ackermann(i % 3, i % 5);
}

using Binary = u32 (*)(u32, u32);
__attribute__((noinline)) static u32 add(u32 a, u32 b) { return a + b; }
__attribute__((noinline)) static u32 multiply(u32 a, u32 b) { return a * b; }
__attribute__((noinline)) static u32 exclusive_or(u32 a, u32 b) { return a ^ b; }
__attribute__((noinline)) static u32 choose(u32 a, u32 b) { return (a & 1) != 0 ? a : b; }

KERNEL indirect_calls(const u32* which, u32* out, u32 n) {
  const Binary functions[4] = {add, multiply, exclusive_or, choose};
  const u32 i = global_x();
  if (i < n) out[i] = functions[which[i] & 3](i, 3 * i + 1);
}

// A lock that all threads take in turn, also those of one warp: needs progress of each lane by itself.
KERNEL spin_lock(u32* lock, u32* counter, u32 rounds) {
  for (u32 round = 0; round < rounds; ++round) {
    while (__atomic_exchange_n(lock, 1u, __ATOMIC_ACQUIRE) != 0) {
    }
    const u32 before = *(volatile u32*)counter;
    *(volatile u32*)counter = before + 1;
    __atomic_store_n(lock, 0u, __ATOMIC_RELEASE);
  }
}

/// All threads of a cooperative grid.
FORCE_INLINE void grid_barrier(u32* arrived, u32 generation) {
  barrier();
  if (thread_x() == 0) {
    __nvvm_membar_gl();  // Clang 22 drops the order of a read-modify-write: what it makes of ACQ_REL is a relaxed atom.add
    __atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < generation * blocks_x()) {
    }
  }
  barrier();
}

// Jacobi steps over a ring, with the whole grid in step.
KERNEL ring_steps(u32* current, u32* next, u32* arrived, u32 n, u32 steps) {
  for (u32 step = 0; step < steps; ++step) {
    for (u32 i = global_x(); i < n; i += threads_x() * blocks_x()) {
      const u32 left = ((volatile u32*)current)[i == 0 ? n - 1 : i - 1], right = ((volatile u32*)current)[i + 1 == n ? 0 : i + 1];
      next[i] = left * 3 + right + ((volatile u32*)current)[i];
    }
    grid_barrier(arrived, step + 1);
    u32* const old = current;
    current = next;
    next = old;
  }
}

extern "C" int vprintf(const char* format, void* arguments);

KERNEL print(u32 n) {
  if (global_x() >= n) return;
  struct {
    u32 thread;
    double value;
  } arguments{global_x(), 0.5 * global_x()};
  vprintf("thread %u has %.2f\n", &arguments);
}

// Loops that lanes leave at different iterations, from two nested levels; votes among those that are still there.
KERNEL early_exit(const u32* limits, u32* out, u32* last, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  const u32 limit = limits[i];
  u32 steps = 0;
  bool done = false;
  for (u32 outer = 0; outer < 64 && !done; ++outer) {
    for (u32 inner = 0; inner < 8; ++inner) {
      if (steps == limit) {
        done = true;
        break;
      }
      ++steps;
      if ((steps * 2654435761u >> 28) == 3) break;
    }
    if (steps > 100 && (limit & 1) != 0) return;
  }
  out[i] = steps;
  const u32 active = __nvvm_activemask();
  if (lane() == (u32)__builtin_ctz(active)) atomic_add(last, 1);
}
