// What a *_cpu.cpp file must not contain: an object whose constructor runs when the library is loaded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>

namespace bascule::kernels::x86_64_v4 {
extern const int run_at_load;
const int run_at_load = std::atoi("1");
}  // namespace bascule::kernels::x86_64_v4
