// mma.m8n8k4 of f16: a warp computes four products, each in eight lanes, of which the upper four are sixteen further up. The
// places of the elements are those that the ISA's section 9.7.14.5.1 gives.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "tests/ptx_models/engine.hpp"
#include "tests/ptx_models/matrix_model.hpp"
#include "tests/support/seed.hpp"

namespace bascule::ptx_models {
namespace {

struct Quads {
  bool a_by_rows, b_by_rows;
  Element c, d;
};

Place place_a(bool by_rows, int lane, int i) {
  const int upper = lane < 16 ? 0 : 4;
  return by_rows ? Place{lane % 4 + upper, i} : Place{i + upper, lane % 4};
}

Place place_b(bool by_rows, int lane, int i) {
  const int upper = lane < 16 ? 0 : 4;
  return by_rows ? Place{lane % 4, i + upper} : Place{i, lane % 4 + upper};
}

Place place_c(const Element& element, int lane, int i) {
  const int upper = lane < 16 ? 0 : 4;
  if (element.width == 16) return {lane % 4 + upper, i};
  return {(lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)};
}

/// The words of all lanes, from the matrix that each lane's product has.
template <class PlaceOf>
void append_words(std::vector<std::uint64_t>& words, const std::vector<Matrix>& four, const Element& element, int elements, PlaceOf place) {
  const int pack = 32 / element.width;
  for (int lane = 0; lane < 32; ++lane) {
    const Matrix& matrix = four[static_cast<std::size_t>(lane % 16 / 4)];
    for (int i = 0; i < elements; i += pack) {
      std::uint64_t word = 0;
      for (int e = 0; e < pack; ++e) {
        const Place at = place(lane, i + e);
        word |= written(element, matrix.at(at.row, at.column)) << (e * element.width);
      }
      words.push_back(word);
    }
  }
}

void check_quads(const Quads& one, Destination destination, std::uint32_t level, Random& random) {
  const int regs_c = 8 * one.c.width / 32, regs_d = 8 * one.d.width / 32;
  Fragment in_a{2, 32, {}}, in_b{2, 32, {}}, in_c{regs_c, 32, {}};
  std::vector<std::uint64_t> expected;
  for (int warp = 0; warp < 3; ++warp) {
    std::vector<Matrix> a(4, Matrix(8, 4)), b(4, Matrix(4, 8)), c(4, Matrix(8, 8)), d;
    for (std::size_t q = 0; q < 4; ++q) {
      a[q].randomize(kHalf, random), b[q].randomize(kHalf, random), c[q].randomize(one.c, random);
      d.push_back(product_of(a[q], b[q], c[q], Product::sum, false, false));
    }
    append_words(in_a.words, a, kHalf, 4, [&](int lane, int i) { return place_a(one.a_by_rows, lane, i); });
    append_words(in_b.words, b, kHalf, 4, [&](int lane, int i) { return place_b(one.b_by_rows, lane, i); });
    append_words(in_c.words, c, one.c, 8, [&](int lane, int i) { return place_c(one.c, lane, i); });
    if (warp != 1) {
      append_words(expected, d, one.d, 8, [&](int lane, int i) { return place_c(one.d, lane, i); });
    } else if (destination == Destination::own) {
      expected.resize(expected.size() + static_cast<std::size_t>(32 * regs_d), kIdle & low_bits(32));
    } else {
      append_words(expected, c, one.c, 8, [&](int lane, int i) { return place_c(one.c, lane, i); });
    }
  }
  const auto order = [](bool by_rows) { return std::string(by_rows ? ".row" : ".col"); };
  const std::string instruction =
      "mma.sync.aligned.m8n8k4" + order(one.a_by_rows) + order(one.b_by_rows) + "." + one.d.name + ".f16.f16." + one.c.name;
  const auto got = multiplied(instruction, 80, level, in_a, in_b, in_c, regs_d, destination);
  CHECK_MESSAGE(got == expected, instruction << " at level " << level << ", D at place " << static_cast<int>(destination));
}

}  // namespace

TEST_CASE("chapter matrix: mma.m8n8k4 of f16 is four matrix products") {
  Random random(test::seed());
  for (const std::uint32_t level : cpu_levels()) {
    for (const bool a_by_rows : {false, true}) {
      for (const bool b_by_rows : {false, true}) {
        // An accumulator of f32 gives one of f32.
        for (const Quads& one : {Quads{a_by_rows, b_by_rows, kHalf, kHalf}, {a_by_rows, b_by_rows, kHalf, kSingle}, {a_by_rows, b_by_rows, kSingle, kSingle}}) {
          check_quads(one, Destination::own, level, random);
          if (one.c.width != one.d.width) continue;
          check_quads(one, Destination::accumulator, level, random);
          check_quads(one, Destination::reversed_accumulator, level, random);
        }
      }
    }
  }
}

}  // namespace bascule::ptx_models
