// One seed per test process: fresh in each run, or the one in BASCULE_TEST_SEED. Test programs take all random inputs from
// it; doctest_main.cpp prints it when a test fails.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace bascule::test {

inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    if (const char* text = std::getenv("BASCULE_TEST_SEED")) return std::uint64_t{std::strtoull(text, nullptr, 10)};
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }();
  return value;
}

}  // namespace bascule::test
