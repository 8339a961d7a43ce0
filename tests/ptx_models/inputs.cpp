// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/inputs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

namespace bascule::ptx_models {
namespace {

std::uint64_t mask_of(int width) { return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

std::vector<std::uint64_t> integer_edges(int width) {
  const std::uint64_t mask = mask_of(width);
  std::vector<std::uint64_t> edges = {0, 1, mask, mask >> 1, (mask >> 1) + 1, 2, 0x80, mask - 1, 3, 5, 0x7f, 0xff, (mask >> 1) + 2,
                                      0x5555555555555555u & mask, 0xaaaaaaaaaaaaaaaau & mask};
  for (int bit = 3; bit < width; bit += width / 8) {
    edges.push_back((std::uint64_t{1} << bit) - 1);
    edges.push_back(std::uint64_t{1} << bit);
    edges.push_back((std::uint64_t{1} << bit) + 1);
    edges.push_back((0 - (std::uint64_t{1} << bit)) & mask);
  }
  return edges;
}

std::vector<std::uint64_t> float_edges(const Format& format) {
  const std::uint64_t one = format.one();
  const std::uint64_t unit = format.least_normal();
  const std::uint64_t quiet = unit >> 1;
  const std::uint64_t infinity = format.infinity();
  std::vector<std::uint64_t> edges = {0, format.sign(), one, one | format.sign(), infinity, infinity | format.sign(), infinity + quiet,
                                      1, 2, 3, unit - 1, unit, unit + 1, quiet, quiet + 1, one - 1, one + 1, one + unit, one - unit,
                                      one + quiet, one + quiet + 1, one + quiet - 1, one + 2 * unit + quiet, infinity - 1,
                                      infinity - unit, infinity + 1, format.canonical_nan, unit * 2, unit * 3 + 1};
  // Around the ends of the integers' ranges: 2^k - 1/2 ulp, 2^k, 2^k + 1 ulp; and halves.
  for (const int power : {-2, -1, 1, 2, 3, 7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64, 126}) {
    const std::uint64_t at = one + unit * static_cast<std::uint64_t>(power);
    if (power >= format.bias() || -power >= format.bias()) continue;
    edges.push_back(at);
    edges.push_back(at - 1);
    edges.push_back(at + 1);
    if (power > 0 && power < format.mantissa_bits) edges.push_back(at + (unit >> (power + 1)));  // 2^k + 1/2
  }
  if (format.sign() == 0x8000) edges.push_back(0x7ff7);  // fma.oob
  const std::size_t positive = edges.size();
  for (std::size_t i = 0; i < positive; ++i) edges.push_back(edges[i] | format.sign());
  return edges;
}

std::vector<std::uint64_t> packed(const std::vector<std::uint64_t>& single, int width) {
  std::vector<std::uint64_t> edges;
  for (std::size_t i = 0; i < single.size(); ++i) {
    edges.push_back(single[i] | single[(i * 7 + 3) % single.size()] << width);
  }
  return edges;
}

std::vector<std::uint64_t> make_edges(Values values) {
  switch (values) {
    case Values::predicate: return {0, 1};
    case Values::bits8: return integer_edges(8);
    case Values::integer16: return integer_edges(16);
    case Values::integer32: return integer_edges(32);
    case Values::integer64: return integer_edges(64);
    case Values::count32: {
      std::vector<std::uint64_t> edges = {0x7f, 0x80, 0xff, 0x100, 0x101, 0x120, 0x1ff, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0, 0x10000};
      for (std::uint64_t i = 0; i <= 66; ++i) edges.push_back(i);
      return edges;
    }
    case Values::nonzero32: return {0x3210, 0x7654, 0x0123, 0xba98, 0xfedc, 0, 1, 2, 3, 0xffffffff, 0x8888, 0x12345678};
    case Values::f16: return float_edges(kF16);
    case Values::bf16: return float_edges(kBf16);
    case Values::f32: return float_edges(kF32);
    case Values::f64: return float_edges(kF64);
    case Values::f16x2: return packed(float_edges(kF16), 16);
    case Values::bf16x2: return packed(float_edges(kBf16), 16);
    case Values::f32x2: return packed(float_edges(kF32), 32);
    case Values::f8x2: return packed(integer_edges(8), 8);
    case Values::angle32:
    case Values::exponent32: {
      // Where reductions of arguments and pieces of polynomials usually meet: sqrt(1/2), pi/4, 5/8, 0.640625.
      std::vector<std::uint64_t> edges = float_edges(kF32);
      for (const std::uint64_t meeting : {0x3f3504f3u, 0x3f490fdbu, 0x3f200000u, 0x3f240000u}) {
        for (const std::uint64_t near : {meeting - 1, meeting, meeting + 1}) edges.insert(edges.end(), {near, near | 0x80000000u});
      }
      return edges;
    }
  }
  return {0};
}

std::uint64_t random_integer(int width, Random& random) {
  const std::uint64_t mask = mask_of(width);
  switch (random.below(4)) {
    case 0: return (random.below(64) - 32) & mask;
    case 1: {
      const std::uint64_t power = std::uint64_t{1} << random.below(static_cast<std::uint64_t>(width));
      return (power + random.below(5) - 2) & mask;
    }
    case 2: return (random.next() & mask) >> random.below(static_cast<std::uint64_t>(width));
    default: return random.next() & mask;
  }
}

/// Bits at random; or near 1; or few bits in the mantissa, so that results lie halfway; or near the ends of the range.
std::uint64_t random_float(const Format& format, Random& random) {
  const std::uint64_t unit = format.least_normal();
  const std::uint64_t sign = random.below(2) != 0 ? format.sign() : 0;
  const std::uint64_t mantissa = random.next() & (unit - 1);
  switch (random.below(6)) {
    case 0: return sign | (format.one() + (random.below(7) - 3) * unit + mantissa);
    case 1: {
      const std::uint64_t few = (unit >> (1 + random.below(static_cast<std::uint64_t>(format.mantissa_bits)))) |
                                (random.below(2) != 0 ? 1u : 0u);
      return sign | (format.one() + (random.below(13) - 6) * unit + (few & (unit - 1)));
    }
    case 2: return sign | (random.below(3) * unit + mantissa);
    case 3: return sign | (format.infinity() - (1 + random.below(2)) * unit + mantissa);
    case 4: {  // integers and their halves
      const std::uint64_t power = random.below(static_cast<std::uint64_t>(format.mantissa_bits) + 3);
      return sign | ((format.one() + power * unit + ((mantissa >> (format.mantissa_bits / 2)) << (format.mantissa_bits / 2))) &
                     (format.sign() - 1));
    }
    default: return random.next() & (format.sign() | (format.sign() - 1));
  }
}

std::uint64_t random_value(Values values, Random& random) {
  const auto pair = [&](const Format& format) {
    const std::uint64_t low = random_float(format, random);
    return low | random_float(format, random) << format.width();
  };
  switch (values) {
    case Values::predicate: return random.below(2);
    case Values::bits8: return random.below(256);
    case Values::integer16: return random_integer(16, random);
    case Values::integer32: return random_integer(32, random);
    case Values::integer64: return random_integer(64, random);
    case Values::count32: return random.below(8) == 0 ? random.next() & 0xffffffffu : random.below(72);
    case Values::nonzero32: return random.next() & 0xffffffffu;
    case Values::f16: return random_float(kF16, random);
    case Values::bf16: return random_float(kBf16, random);
    case Values::f32: return random_float(kF32, random);
    case Values::f64: return random_float(kF64, random);
    case Values::f16x2: return pair(kF16);
    case Values::bf16x2: return pair(kBf16);
    case Values::f32x2: return pair(kF32);
    case Values::f8x2: return random.below(65536);
    case Values::angle32:  // 2^-8 to 2^9
      return (random.below(2) << 31) | (kF32.one() + (random.below(17) - 8) * kF32.least_normal() + random.below(1u << 23));
    case Values::exponent32:  // 2^-8 to 2^7
      return (random.below(2) << 31) | (kF32.one() + (random.below(15) - 8) * kF32.least_normal() + random.below(1u << 23));
  }
  return 0;
}

/// Near another input of the same kind: results that cancel, quotients near 1, equal operands.
std::uint64_t related(Values values, std::uint64_t other, Random& random) {
  const int width = width_of(values);
  const std::uint64_t mask = mask_of(width);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  switch (random.below(4)) {
    case 0: return other;
    case 1: return other ^ sign;
    case 2: return (other + random.below(7) - 3) & mask;
    default: return ((other ^ sign) + random.below(7) - 3) & mask;
  }
}

/// A value made from 16 bits such that all 65536 of them cover what is to be covered: each half of a pair takes every value;
/// an f32 takes every upper half, with lower halves around what bf16 and f16 round at.
std::uint64_t of_sixteen_bits(Values values, std::uint64_t bits, Random& random) {
  static constexpr std::uint64_t kLower[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff, 0x0fff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x3000};
  switch (values) {
    case Values::bits8: return bits & 0xff;
    case Values::f16x2:
    case Values::bf16x2: return bits | ((bits * 40503 + 12345) & 0xffff) << 16;  // odd factor: a permutation
    case Values::f32: return bits << 16 | (random.below(3) == 0 ? random.below(65536) : kLower[random.below(std::size(kLower))]);
    default: return bits;
  }
}

}  // namespace

int width_of(Values values) {
  switch (values) {
    case Values::predicate: return 1;
    case Values::bits8: return 8;
    case Values::integer16:
    case Values::f16:
    case Values::bf16:
    case Values::f8x2: return 16;
    case Values::integer64:
    case Values::f64:
    case Values::f32x2: return 64;
    default: return 32;
  }
}

const std::vector<std::uint64_t>& edges_of(Values values) {
  static const std::array<std::vector<std::uint64_t>, 17> all = [] {
    std::array<std::vector<std::uint64_t>, 17> result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = make_edges(static_cast<Values>(i));
    return result;
  }();
  return all[static_cast<std::size_t>(values)];
}

std::vector<std::vector<std::uint64_t>> make_inputs(const Form& form, std::size_t count, Random& random) {
  std::vector<std::vector<std::uint64_t>> inputs(form.inputs.size(), std::vector<std::uint64_t>(count));
  // The first eight edges crossed with each other always (zeros, ones, ends, infinity, NaN); the cross of all edges where it
  // takes half of the items at most, else a sample of it.
  constexpr std::size_t kCore = 8;
  const std::size_t cores = form.inputs.size() == 2 ? kCore * kCore : form.inputs.size() == 3 ? kCore * kCore * kCore : 0;
  std::size_t crossed = 1;
  for (const Values values : form.inputs) crossed *= edges_of(values).size();
  const std::size_t offset = random.below(65536);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t index = crossed <= count / 2 ? i : random.next() % crossed;
    const bool edge = crossed <= count / 2 ? i < crossed : i < count / 2;
    for (std::size_t k = 0; k < form.inputs.size(); ++k) {
      const Values values = form.inputs[k];
      if (form.exhaustive16 && k == 0) {
        inputs[k][i] = of_sixteen_bits(values, (i * 65536 / std::min<std::size_t>(count, 65536) + offset) & 0xffff, random);
        continue;
      }
      const auto& edges = edges_of(values);
      if (i < cores && cores < count / 2) {
        inputs[k][i] = edges[(k == 0 ? i : k == 1 ? i / kCore : i / (kCore * kCore)) % std::min(kCore, edges.size())];
      } else if (edge) {
        inputs[k][i] = edges[index % edges.size()];
        index /= edges.size();
      } else if (k > 0 && width_of(form.inputs[k - 1]) == width_of(values) && width_of(values) > 8 && random.below(4) == 0) {
        inputs[k][i] = related(values, inputs[k - 1][i], random);
      } else {
        inputs[k][i] = random.below(8) == 0 ? edges[random.below(edges.size())] : random_value(values, random);
      }
    }
  }
  return inputs;
}

}  // namespace bascule::ptx_models
