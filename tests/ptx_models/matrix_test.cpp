// mma against plain matrix products over the fragments that the ISA's section 9.7.14 draws.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "tests/ptx_models/engine.hpp"
#include "tests/ptx_models/matrix_model.hpp"
#include "tests/ptx_models/sweep.hpp"
#include "tests/support/seed.hpp"

namespace bascule::ptx_models {
namespace {

struct Mma {
  int m, k;
  Element a, b, c;
  std::string modifiers = "";  // before the types: ".satfinite"
  std::string ending = "";     // after them: ".xor.popc"
  Product product = Product::sum;
  unsigned target = 80;
  bool overflow = false;  // accumulators near the ends of s32
};

constexpr int kWarps = 3;

void check_mma(const Mma& mma, Destination destination, std::uint32_t level, Random& random) {
  const int m = mma.m, n = 8, k = mma.k;
  const int width_a = register_width(mma.a), width_c = register_width(mma.c), pack = width_a / mma.a.width, pack_c = width_c / mma.c.width;
  const auto place_a = [&](int lane, int r, int e) {
    const bool tall = m == 16;
    return Place{lane / 4 + (tall && (r & 1) != 0 ? 8 : 0), (tall ? r / 2 : r) * 4 * pack + lane % 4 * pack + e};
  };
  const auto place_b = [&](int lane, int r, int e) { return Place{r * 4 * pack + lane % 4 * pack + e, lane / 4}; };
  const auto place_c = [&](int lane, int r, int e) {
    const int i = r * pack_c + e;
    return Place{lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + i % 2};
  };
  Fragment in_a{m * k / (32 * pack), width_a, {}}, in_b{k * n / (32 * pack), width_a, {}}, in_c{m * n / (32 * pack_c), width_c, {}};
  std::vector<std::uint64_t> expected;
  const auto append = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& words) { to.insert(to.end(), words.begin(), words.end()); };
  for (int warp = 0; warp < kWarps; ++warp) {
    Matrix a(m, k), b(k, n), c(m, n);
    a.randomize(mma.a, random), b.randomize(mma.b, random), c.randomize(mma.c, random);
    if (mma.overflow) {
      for (auto& value : c.values) {
        value = random.below(2) != 0 ? 0x7fffffff - static_cast<std::int64_t>(random.below(2000)) : -0x80000000ll + static_cast<std::int64_t>(random.below(2000));
      }
    }
    append(in_a.words, fragments(a, mma.a, in_a.registers, width_a, place_a));
    append(in_b.words, fragments(b, mma.b, in_b.registers, width_a, place_b));
    const auto words_c = fragments(c, mma.c, in_c.registers, width_c, place_c);
    append(in_c.words, words_c);
    const Matrix d = product_of(a, b, c, mma.product, mma.modifiers == ".satfinite", mma.c.format == nullptr);
    if (warp != 1) {
      append(expected, fragments(d, mma.c, in_c.registers, width_c, place_c));
    } else if (destination == Destination::own) {
      expected.resize(expected.size() + words_c.size(), kIdle & low_bits(width_c));
    } else {
      append(expected, words_c);
    }
  }
  const std::string c_name = mma.c.name;
  const std::string instruction = "mma.sync.aligned.m" + std::to_string(m) + "n8k" + std::to_string(k) + ".row.col" + mma.modifiers + "." + c_name +
                                  "." + mma.a.name + "." + mma.b.name + "." + c_name + mma.ending;
  const auto got = multiplied(instruction, mma.target, level, in_a, in_b, in_c, in_c.registers, destination);
  CHECK_MESSAGE(got == expected, instruction << " at level " << level << ", D at place " << static_cast<int>(destination));
}

std::vector<Mma> all_mma() {
  std::vector<Mma> all;
  for (const int k : {8, 16}) {
    all.push_back({16, k, kHalf, kHalf, kSingle});
    all.push_back({16, k, kHalf, kHalf, kHalf});
    all.push_back({16, k, kBrain, kBrain, kSingle});
  }
  for (const int k : {4, 8}) all.push_back({16, k, kTensor, kTensor, kSingle});
  all.push_back({8, 4, kDouble, kDouble, kDouble});
  for (const int k : {4, 8, 16}) all.push_back({16, k, kDouble, kDouble, kDouble, "", "", Product::sum, 90});
  for (const char* rounding : {".rn", ".rz", ".rm", ".rp"}) all.push_back({8, 4, kDouble, kDouble, kDouble, rounding, "", Product::sum, 80});
  for (const Element* a : {&kE4, &kE5}) {
    for (const Element* b : {&kE4, &kE5}) {
      for (const int k : {16, 32}) {
        all.push_back({16, k, *a, *b, kSingle, "", "", Product::sum, 90});
        all.push_back({16, k, *a, *b, kHalf, "", "", Product::sum, 90});
      }
    }
  }
  for (const bool small : {false, true}) {
    for (const bool a_signed : {false, true}) {
      for (const bool b_signed : {false, true}) {
        for (const bool saturate : {false, true}) {
          const Element a = small ? (a_signed ? kS4 : kU4) : (a_signed ? kS8 : kU8), b = small ? (b_signed ? kS4 : kU4) : (b_signed ? kS8 : kU8);
          const std::string modifier = saturate ? ".satfinite" : "";
          const int k = small ? 32 : 16;
          for (const bool overflow : {false, true}) {
            all.push_back({8, k, a, b, kS32, modifier, "", Product::sum, 80, overflow});
            all.push_back({16, k, a, b, kS32, modifier, "", Product::sum, 80, overflow});
            all.push_back({16, 2 * k, a, b, kS32, modifier, "", Product::sum, 80, overflow});
          }
        }
      }
    }
  }
  for (const bool exclusive : {false, true}) {
    const Product product = exclusive ? Product::exclusive_or : Product::conjunction;
    const std::string ending = exclusive ? ".xor.popc" : ".and.popc";
    all.push_back({8, 128, kB1, kB1, kS32, "", ending, product});
    all.push_back({16, 128, kB1, kB1, kS32, "", ending, product});
    all.push_back({16, 256, kB1, kB1, kS32, "", ending, product});
  }
  return all;
}

}  // namespace

TEST_CASE("chapter matrix: mma of every dense shape and type is a matrix product") {
  Random random(test::seed());
  for (const std::uint32_t level : cpu_levels()) {
    for (const Mma& mma : all_mma()) {
      for (const Destination destination : {Destination::own, Destination::accumulator, Destination::reversed_accumulator,
                                            Destination::rotated_accumulator}) {
        check_mma(mma, destination, level, random);
      }
    }
  }
}

TEST_CASE("chapter matrix: mma of f64 rounds as it is told") {
  struct Case {
    const char* rounding;
    double above, below;  // 1 + 2^-60 and 1 - 2^-60
    double negative_above, negative_below;  // -1 + 2^-60 and -1 - 2^-60
  };
  const Case cases[] = {{"", 1, 1, -1, -1},
                        {".rn", 1, 1, -1, -1},
                        {".rz", 1, 1 - 0x1p-53, -1 + 0x1p-53, -1},
                        {".rm", 1, 1 - 0x1p-53, -1, -1 - 0x1p-52},
                        {".rp", 1 + 0x1p-52, 1, -1 + 0x1p-53, -1}};
  for (const std::uint32_t level : cpu_levels()) {
    for (const Case& one : cases) {
      const std::string mma = std::string("mma.sync.aligned.m8n8k4.row.col") + one.rounding + ".f64.f64.f64.f64 ";
      // Only k = 0 counts: lanes whose number is a multiple of 4 hold 2^-30.
      const std::string text = module_header(80) +
                               ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %o, %x;\n.reg .b32 %t, %r;\n.reg .f64 %a, %b, %n, %c, %m, %d<8>;\n.reg .pred %p;\n"
                               "ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nand.b32 %r, %t, 3;\nsetp.eq.u32 %p, %r, 0;\nmov.f64 %a, 0d0000000000000000;\n"
                               "@%p mov.f64 %a, 0d3E10000000000000;\nneg.f64 %n, %a;\nmov.f64 %b, %a;\nmov.f64 %c, 0d3FF0000000000000;\nmov.f64 %m, 0dBFF0000000000000;\n" +
                               mma + "{%d0, %d1}, {%a}, {%b}, {%c, %c};\n" + mma + "{%d2, %d3}, {%n}, {%b}, {%c, %c};\n" + mma + "{%d4, %d5}, {%a}, {%b}, {%m, %m};\n" + mma +
                               "{%d6, %d7}, {%n}, {%b}, {%m, %m};\nmul.wide.u32 %x, %t, 32;\nadd.u64 %o, %o, %x;\nst.global.v2.f64 [%o], {%d0, %d2};\n"
                               "st.global.v2.f64 [%o+16], {%d4, %d6};\nret;\n}\n";
      Module module(text, options_for_level(level));
      REQUIRE_MESSAGE(module.loaded(), module.error());
      std::vector<double> out(128);
      const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(out.data())};
      REQUIRE(module.launch("k", {}, arguments, sizeof arguments) == BSC_OK);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        CHECK(out[4 * lane] == one.above);
        CHECK(out[4 * lane + 1] == one.below);
        CHECK(out[4 * lane + 2] == one.negative_above);
        CHECK(out[4 * lane + 3] == one.negative_below);
      }
    }
  }
}

TEST_CASE("chapter matrix: mma of f16 is rounded once to f16, and what is no number stays none") {
  // One row of A times one column of B: 2048 * 1 + 1 * x + C. 2049 lies between 2048 and 2050, and is rounded to even; a third
  // term that is smaller than f16 can hold beside it decides. Registers: a0 holds rows 0-7, k 2 t and 2 t + 1.
  struct Case {
    std::uint64_t a, b, c;  // two halves of a, two of b: k = 0 and 1; C in both halves
    std::uint64_t d;        // a half
  };
  const Case cases[] = {{0x3c006800, 0x3c003c00, 0x00000000, 0x6800},   // 2048 + 1: to even, down
                        {0x3c006800, 0x3c003c00, 0x10001000, 0x6801},   // and a little more: up
                        {0x3c006800, 0x3c003c00, 0x90009000, 0x6800},   // and a little less: down
                        {0x3c006802, 0x3c003c00, 0x00000000, 0x6802},   // 2052 + 1: to even, down
                        {0x3c006801, 0x3c003c00, 0x00000000, 0x6802},   // 2050 + 1: to even, up
                        {0x3c007bff, 0x4c003c00, 0x00000000, 0x7c00},   // 65504 + 16: the least sum that is infinite
                        {0x3c007bff, 0x4bff3c00, 0x00000000, 0x7bff},   // just below it
                        {0x3c007c00, 0x3c003c00, 0xfc00fc00, 0x7fff},   // infinity less infinity
                        {0x3c007c00, 0x3c000000, 0x00000000, 0x7fff},   // infinity times 0
                        {0x3c00fe01, 0x3c003c00, 0x00000000, 0x7fff},   // NaN in A
                        {0x3c003c00, 0x3c007d01, 0x00000000, 0x7fff},   // NaN in B
                        {0x3c003c00, 0x3c003c00, 0xfdfffdff, 0x7fff}};  // NaN in C
  for (const std::uint32_t level : cpu_levels()) {
    for (const Case& one : cases) {
      for (const int k : {8, 16}) {
        const int regs = k / 8;
        Fragment a{2 * regs, 32, {}}, b{regs, 32, {}}, c{2, 32, std::vector<std::uint64_t>(64, one.c)};
        for (int lane = 0; lane < 32; ++lane) {
          for (int r = 0; r < a.registers; ++r) a.words.push_back(r < 2 && lane % 4 == 0 ? one.a : 0);
          for (int r = 0; r < b.registers; ++r) b.words.push_back(r < 1 && lane % 4 == 0 ? one.b : 0);
        }
        const std::string shape = "mma.sync.aligned.m16n8k" + std::to_string(k) + ".row.col.f16.f16.f16.f16";
        const auto got = multiplied(shape, 80, level, a, b, c, 2, Destination::own);
        const bool nan = (one.d & 0x7fff) > 0x7c00;  // any NaN will do: the ISA names none
        for (const std::uint64_t word : got) {
          for (const std::uint64_t half : {word & 0xffff, word >> 16}) {
            CHECK_MESSAGE((nan ? (half & 0x7fff) > 0x7c00 : half == one.d), shape << " of " << one.a << ", " << one.b << ", " << one.c << " gives " << half);
          }
        }
      }
    }
  }
}

}  // namespace bascule::ptx_models
