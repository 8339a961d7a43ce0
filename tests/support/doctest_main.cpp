// The main function of every test executable: doctest's, plus the seed of the run's random inputs, printed when a test
// fails so that the failure can be repeated with BASCULE_TEST_SEED=<seed>.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "tests/support/seed.hpp"

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int result = context.run();
  if (result != 0) {
    std::fprintf(stderr, "random inputs came from BASCULE_TEST_SEED=%llu\n",
                 static_cast<unsigned long long>(bascule::test::seed()));
  }
  return result;
}
