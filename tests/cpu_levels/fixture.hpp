// An inline function as a kernel might use it, and where each level says which copy of it it calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace bascule::test {

// Not static: inline functions have one address in a program, unless something isolates the copies.
inline double sum_of_doubles(int count) {
  std::vector<double> values(static_cast<std::size_t>(count), 1.5);
  double sum = 0;
  for (double value : values) sum += 2 * value;
  return sum;
}

using Function = double (*)(int);

}  // namespace bascule::test

extern "C" {
extern const bascule::test::Function sum_of_doubles_x86_64_v2;
extern const bascule::test::Function sum_of_doubles_x86_64_v3;
extern const bascule::test::Function sum_of_doubles_x86_64_v4;
}
