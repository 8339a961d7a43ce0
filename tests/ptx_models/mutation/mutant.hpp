// Included before every changed source of a mutation run: decides which change is on, and notes which ones are reached.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

extern "C" {
extern int bsc_mutant_on;              // BASCULE_MUTANT; 0: none; -1: note what is reached
extern unsigned char bsc_mutants_reached[];
}

// What the compiler evaluates is never changed.
constexpr bool bsc_mutant_is(int number) {
  if (__builtin_is_constant_evaluated()) return false;
  if (bsc_mutant_on == number) return true;
  if (bsc_mutant_on < 0) bsc_mutants_reached[number] = 1;
  return false;
}
