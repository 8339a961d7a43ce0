// Reproducible test data from a seed, the same on every platform.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace bascule::kernels {

class RandomData {
 public:
  explicit RandomData(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  // Uniform in [-1, 1), 24 random bits.
  float uniform() { return static_cast<float>(static_cast<std::int64_t>(engine_() >> 39) - (1 << 24)) * 0x1p-24f; }

  void fill(std::span<float> values) {
    for (float& value : values) value = uniform();
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace bascule::kernels
