// The switch of a mutation run, from the environment, and the list of what was reached, written when the library is unloaded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>

extern "C" {
int bsc_mutant_on = 0;
unsigned char bsc_mutants_reached[65536];
}

namespace {

struct Switch {
  Switch() {
    if (const char* number = std::getenv("BASCULE_MUTANT")) bsc_mutant_on = std::atoi(number);
  }
  ~Switch() {
    const char* path = std::getenv("BASCULE_MUTANTS_REACHED");
    if (path == nullptr) return;
    if (std::FILE* file = std::fopen(path, "w")) {
      for (int i = 0; i < 65536; ++i) {
        if (bsc_mutants_reached[i] != 0) std::fprintf(file, "%d\n", i);
      }
      std::fclose(file);
    }
  }
} const mutant_switch;

}  // namespace
