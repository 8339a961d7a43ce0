// Inputs of a sweep: edge values crossed, and random ones of several kinds, all from one seed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "tests/ptx_models/form.hpp"

namespace bascule::ptx_models {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

const std::vector<std::uint64_t>& edges_of(Values values);

/// inputs[k][i]: the i-th value of input k. The edge values of all inputs come first, crossed as far as `count` allows.
std::vector<std::vector<std::uint64_t>> make_inputs(const Form& form, std::size_t count, Random& random);

}  // namespace bascule::ptx_models
