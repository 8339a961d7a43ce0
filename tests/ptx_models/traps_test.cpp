// The conformance cases of the design note's list of traps, 1 to 17: what single instructions must give. Values are from the
// ISA's text; where it leaves one open, the test says where the value comes from.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/ptx_models/program.hpp"

namespace bascule::ptx_models {
namespace {

std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }
Operand f32(float value) { return b32(bits(value)); }
Operand f64(double value) { return b64(bits(value)); }
float as_float(std::uint64_t value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value)); }
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kNan64 = std::numeric_limits<double>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("trap 1: cvt from float to integer clamps, and NaN depends on the widths") {
  CHECK(result_of("cvt.rzi.s32.f32 $d, $a", {f32(3e9f)}) == 0x7fffffff);
  CHECK(result_of("cvt.rzi.s32.f32 $d, $a", {f32(-3e9f)}) == 0x80000000);
  CHECK(result_of("cvt.rzi.u32.f32 $d, $a", {f32(-1)}) == 0);
  CHECK(result_of("cvt.rzi.u32.f32 $d, $a", {f32(kInfinity)}) == 0xffffffff);
  CHECK(result_of("cvt.rni.s8.f32 $d, $a", {f32(200)}) == 127);
  CHECK(result_of("cvt.rzi.s32.f32 $d, $a", {f32(kNan)}) == 0);
  CHECK(result_of("cvt.rzi.u16.f32 $d, $a", {f32(kNan)}) == 0);
  CHECK(result_of("cvt.rzi.s32.f64 $d, $a", {f64(kNan64)}) == 0x80000000);
  CHECK(result_of("cvt.rzi.u32.f64 $d, $a", {f64(kNan64)}) == 0x80000000);
  CHECK(result_of("cvt.rzi.s64.f32 $d, $a", {f32(kNan)}, 64) == 0x8000000000000000u);
  CHECK(result_of("cvt.rzi.u64.f64 $d, $a", {f64(kNan64)}, 64) == 0x8000000000000000u);
  CHECK(result_of("cvt.rpi.s32.f32 $d, $a", {f32(1.25f)}) == 2);
  CHECK(result_of("cvt.rmi.s32.f32 $d, $a", {f32(-1.25f)}) == 0xfffffffe);
  CHECK(result_of("cvt.rni.s32.f32 $d, $a", {f32(2.5f)}) == 2);
}

TEST_CASE("trap 2: cvt.sat clamps to [0, 1] and makes NaN +0; .satfinite keeps NaN for fp8") {
  CHECK(result_of("cvt.sat.f32.f32 $d, $a", {f32(2)}) == bits(1.0f));
  CHECK(result_of("cvt.sat.f32.f32 $d, $a", {f32(-2)}) == 0);
  CHECK(result_of("cvt.sat.f32.f32 $d, $a", {f32(-0.0f)}) == 0);  // as ptxas folds it
  CHECK(result_of("cvt.sat.f32.f32 $d, $a", {f32(kNan)}) == 0);
  CHECK(result_of("cvt.rn.sat.f16.f32 $d, $a", {f32(kNan)}, 16) == 0);
  CHECK(result_of("cvt.rn.satfinite.e4m3x2.f32 $d, $a, $b", {f32(kNan), f32(1e9f)}, 16, 90) == 0x7f7e);
  CHECK(result_of("cvt.rn.satfinite.e5m2x2.f32 $d, $a, $b", {f32(kNan), f32(-1e9f)}, 16, 90) == 0x7ffb);
}

TEST_CASE("trap 3: cvt from f32 to f16 and bf16 gives the canonical NaN and infinity by rounding") {
  CHECK(result_of("cvt.rn.f16.f32 $d, $a", {b32(0xffc12345)}, 16) == 0x7fff);
  CHECK(result_of("cvt.rn.bf16.f32 $d, $a", {b32(0xff812345)}, 16) == 0x7fff);
  CHECK(result_of("cvt.rn.f16.f32 $d, $a", {f32(65536)}, 16) == 0x7c00);
  CHECK(result_of("cvt.rn.f16.f32 $d, $a", {f32(65519.99f)}, 16) == 0x7bff);
  CHECK(result_of("cvt.rz.f16.f32 $d, $a", {f32(65536)}, 16) == 0x7bff);
}

TEST_CASE("trap 4: the first operand of a pair is its upper half; s8 results are chopped, then extended") {
  CHECK(result_of("cvt.rn.f16x2.f32 $d, $a, $b", {f32(1), f32(2)}) == 0x3c004000);
  CHECK(result_of("cvt.rn.bf16x2.f32 $d, $a, $b", {f32(1), f32(2)}) == 0x3f804000);
  CHECK(result_of("cvt.rn.satfinite.e4m3x2.f32 $d, $a, $b", {f32(1), f32(2)}, 16, 90) == 0x3840);
  CHECK(result_of("cvt.s8.s32 $d, $a", {b32(0x1280)}) == 0xffffff80);
  CHECK(result_of("cvt.u8.s32 $d, $a", {b32(0x1280)}) == 0x80);
  CHECK(result_of("cvt.s32.s8 $d, $a", {b32(0x12345680)}) == 0xffffff80);
}

TEST_CASE("trap 5: .ftz flushes inputs and results of f32 and keeps the sign; f64 is never flushed") {
  CHECK(result_of("add.ftz.f32 $d, $a, $b", {b32(0x80000001), b32(0x80000000)}) == 0x80000000);
  CHECK(result_of("add.f32 $d, $a, $b", {b32(0x80000001), b32(0x80000000)}) == 0x80000001);
  CHECK(result_of("mul.ftz.f32 $d, $a, $b", {f32(-0x1p-100f), f32(0x1p-40f)}) == 0x80000000);
  CHECK(result_of("mul.ftz.f32 $d, $a, $b", {b32(1), f32(0x1p100f)}) == 0);
  CHECK(result_of("neg.ftz.f32 $d, $a", {b32(1)}) == 0x80000000);
  CHECK(results_of("mov.b32 %t0, 0; mul.ftz.f32 $d, %t0, %t0; mul.f64 $e, $a, $b", {f64(0x1p-1000), f64(0x1p-60)}, {32, 64})[1] == bits(0x1p-1060));
}

TEST_CASE("trap 6: fma and mad are fused; add and mul with .rn stay apart") {
  const float a = 1 + 0x1p-12f, b = 1 + 0x1p-12f, c = -(1 + 0x1p-11f);
  CHECK(as_float(result_of("fma.rn.f32 $d, $a, $b, $c", {f32(a), f32(b), f32(c)})) == 0x1p-24f);
  CHECK(as_float(result_of("mad.rn.f32 $d, $a, $b, $c", {f32(a), f32(b), f32(c)})) == 0x1p-24f);
  CHECK(as_float(result_of("mul.rn.f32 %t0, $a, $b; add.rn.f32 $d, %t0, $c", {f32(a), f32(b), f32(c)})) == 0);
  CHECK(as_float(result_of("mul.f32 %t0, $a, $b; add.f32 $d, %t0, $c", {f32(a), f32(b), f32(c)})) == 0);
}

TEST_CASE("trap 7: add, mul, fma, div, sqrt and rcp round in all four directions") {
  const float third_down = 0x1.555554p-2f, third_up = 0x1.555556p-2f;
  CHECK(as_float(result_of("div.rn.f32 $d, $a, $b", {f32(1), f32(3)})) == third_up);
  CHECK(as_float(result_of("div.rz.f32 $d, $a, $b", {f32(1), f32(3)})) == third_down);
  CHECK(as_float(result_of("div.rm.f32 $d, $a, $b", {f32(-1), f32(3)})) == -third_up);
  CHECK(as_float(result_of("div.rp.f32 $d, $a, $b", {f32(-1), f32(3)})) == -third_down);
  CHECK(as_float(result_of("rcp.rp.f32 $d, $a", {f32(3)})) == third_up);
  CHECK(as_float(result_of("add.rp.f32 $d, $a, $b", {f32(1), f32(0x1p-60f)})) == 1 + 0x1p-23f);
  CHECK(as_float(result_of("add.rm.f32 $d, $a, $b", {f32(1), f32(-0x1p-60f)})) == 1 - 0x1p-24f);
  CHECK(as_float(result_of("add.rz.f32 $d, $a, $b", {f32(-1), f32(0x1p-60f)})) == -1 + 0x1p-24f);
  CHECK(result_of("add.rm.f32 $d, $a, $b", {f32(1), f32(-1)}) == 0x80000000);
  CHECK(as_float(result_of("sqrt.rm.f32 $d, $a", {f32(2)})) == 0x1.6a09e6p0f);
  CHECK(as_float(result_of("sqrt.rp.f32 $d, $a", {f32(2)})) == 0x1.6a09e8p0f);
  CHECK(as_float(result_of("fma.rp.f32 $d, $a, $b, $c", {f32(1), f32(1), f32(0x1p-60f)})) == 1 + 0x1p-23f);
  CHECK(as_float(result_of("mul.rz.f32 $d, $a, $b", {f32(1 + 0x1p-23f), f32(1 + 0x1p-23f)})) == 1 + 0x1p-22f);
  CHECK(result_of("mul.rz.f32 $d, $a, $b", {f32(1e30f), f32(1e30f)}) == 0x7f7fffff);
}

TEST_CASE("trap 8: approximations keep their bounds at the places where they differ from division") {
  CHECK(result_of("div.approx.f32 $d, $a, $b", {f32(1), f32(0x1p127f)}) == 0);
  CHECK(result_of("div.approx.f32 $d, $a, $b", {f32(-1), f32(0x1p127f)}) == 0x80000000);
  CHECK(std::isnan(as_float(result_of("div.approx.f32 $d, $a, $b", {f32(kInfinity), f32(0x1p127f)}))));
  CHECK(as_float(result_of("div.full.f32 $d, $a, $b", {f32(0x1p127f), f32(0x1p127f)})) == doctest::Approx(1).epsilon(1e-6));
  CHECK(result_of("ex2.approx.f32 $d, $a", {f32(-kInfinity)}) == 0);
  CHECK(result_of("lg2.approx.f32 $d, $a", {b32(0x80000000)}) == bits(-kInfinity));
  CHECK(std::isnan(as_float(result_of("sqrt.approx.f32 $d, $a", {f32(-1)}))));
  CHECK(result_of("rsqrt.approx.f32 $d, $a", {b32(0x80000000)}) == bits(-kInfinity));
  CHECK(result_of("tanh.approx.f32 $d, $a", {b32(0x80000000)}) == 0x80000000);
  CHECK(std::isnan(as_float(result_of("sin.approx.f32 $d, $a", {f32(kInfinity)}))));
}

TEST_CASE("trap 9: shl and shr clamp at the width; shf clamps or wraps") {
  CHECK(result_of("shl.b32 $d, $a, $b", {b32(1), b32(32)}) == 0);
  CHECK(result_of("shl.b32 $d, $a, $b", {b32(1), b32(0x80000001)}) == 0);
  CHECK(result_of("shr.s32 $d, $a, $b", {b32(0x80000000), b32(99)}) == 0xffffffff);
  CHECK(result_of("shr.u32 $d, $a, $b", {b32(0x80000000), b32(32)}) == 0);
  CHECK(result_of("shl.b16 $d, $a, $b", {b16(1), b32(16)}, 16) == 0);
  CHECK(result_of("shr.s16 $d, $a, $b", {b16(0x8000), b32(17)}, 16) == 0xffff);
  CHECK(result_of("shl.b64 $d, $a, $b", {b64(1), b32(64)}, 64) == 0);
  CHECK(result_of("shf.l.clamp.b32 $d, $a, $b, $c", {b32(0x11111111), b32(0x22222222), b32(40)}) == 0x11111111);
  CHECK(result_of("shf.l.wrap.b32 $d, $a, $b, $c", {b32(0x11111111), b32(0x22222222), b32(32)}) == 0x22222222);
  CHECK(result_of("shf.r.clamp.b32 $d, $a, $b, $c", {b32(0x11111111), b32(0x22222222), b32(40)}) == 0x22222222);
  CHECK(result_of("shf.r.wrap.b32 $d, $a, $b, $c", {b32(0x11111111), b32(0x22222222), b32(36)}) == 0x21111111);
}

TEST_CASE("trap 10: division by 0 gives all ones (as ptxas folds it) and MIN / -1 wraps; neither stops the host") {
  CHECK(result_of("div.u32 $d, $a, $b", {b32(5), b32(0)}) == 0xffffffff);
  CHECK(result_of("div.s32 $d, $a, $b", {b32(5), b32(0)}) == 0xffffffff);
  CHECK(result_of("rem.u32 $d, $a, $b", {b32(5), b32(0)}) == 0xffffffff);
  CHECK(result_of("rem.s32 $d, $a, $b", {b32(5), b32(0)}) == 0xffffffff);
  CHECK(result_of("div.s32 $d, $a, $b", {b32(0x80000000), b32(0xffffffff)}) == 0x80000000);
  CHECK(result_of("rem.s32 $d, $a, $b", {b32(0x80000000), b32(0xffffffff)}) == 0);
  CHECK(result_of("div.s64 $d, $a, $b", {b64(0x8000000000000000u), b64(~0ull)}, 64) == 0x8000000000000000u);
  CHECK(result_of("rem.s64 $d, $a, $b", {b64(0x8000000000000000u), b64(~0ull)}, 64) == 0);
  CHECK(result_of("div.s16 $d, $a, $b", {b16(0x8000), b16(0xffff)}, 16) == 0x8000);
  result_of("div.u64 $d, $a, $b", {b64(5), b64(0)}, 64);
  result_of("rem.s16 $d, $a, $b", {b16(5), b16(0)}, 16);
}

TEST_CASE("trap 11: setp knows ordered and unordered comparisons; ne with NaN is false") {
  const auto compare = [](const char* name, float a, float b) {
    return result_of(std::string("setp.") + name + ".f32 $d, $a, $b", {f32(a), f32(b)}, 1);
  };
  for (const char* ordered : {"eq", "ne", "lt", "le", "gt", "ge", "num"}) CHECK(compare(ordered, kNan, 1) == 0);
  for (const char* unordered : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"}) CHECK(compare(unordered, 1, kNan) == 1);
  CHECK(compare("ne", 1, 2) == 1);
  CHECK(compare("equ", 1, 2) == 0);
  CHECK(compare("eq", 0.0f, -0.0f) == 1);
  CHECK(compare("num", 1, 2) == 1);
  CHECK(compare("nan", 1, 2) == 0);
}

TEST_CASE("trap 12: min and max drop one NaN, .NaN keeps it, -0 is less than +0, .xorsign.abs takes the signs' xor") {
  CHECK(result_of("min.f32 $d, $a, $b", {f32(kNan), f32(3)}) == bits(3.0f));
  CHECK(result_of("max.f32 $d, $a, $b", {f32(3), f32(kNan)}) == bits(3.0f));
  CHECK(result_of("min.NaN.f32 $d, $a, $b", {b32(0xffc00001), f32(3)}) == 0x7fffffff);
  CHECK(result_of("max.NaN.f16 $d, $a, $b", {b16(0xfe01), b16(0x3c00)}, 16) == 0x7fff);
  CHECK(result_of("min.f32 $d, $a, $b", {f32(0.0f), f32(-0.0f)}) == 0x80000000);
  CHECK(result_of("max.f32 $d, $a, $b", {f32(-0.0f), f32(0.0f)}) == 0);
  CHECK(result_of("min.f64 $d, $a, $b", {f64(0.0), f64(-0.0)}, 64) == 0x8000000000000000u);
  CHECK(result_of("min.xorsign.abs.f32 $d, $a, $b", {f32(-2), f32(3)}, 32, 90) == bits(-2.0f));
  CHECK(result_of("max.xorsign.abs.f32 $d, $a, $b", {f32(-2), f32(-3)}, 32, 90) == bits(3.0f));
}

TEST_CASE("trap 13: bfe and bfi of 32 bits take 8 bits of position and length, those of 64 bits all") {
  CHECK(result_of("bfe.u32 $d, $a, $b, $c", {b32(0xabcd), b32(0x104), b32(0x108)}) == 0xbc);
  CHECK(result_of("bfi.b32 $d, $a, $b, $c, $f", {b32(0xf), b32(0), b32(0x104), b32(0x104)}) == 0xf0);
  // Contrary to the text, as ptxas folds it.
  CHECK(result_of("bfe.u64 $d, $a, $b, $c", {b64(0xabcd), b32(0x104), b32(8)}, 64) == 0);
  CHECK(result_of("bfe.s64 $d, $a, $b, $c", {b64(0x8000000000000000u), b32(0x104), b32(8)}, 64) == ~0ull);
  CHECK(result_of("bfi.b64 $d, $a, $b, $c, $f", {b64(0xf), b64(1), b32(0x104), b32(4)}, 64) == 1);
  CHECK(result_of("bfe.s32 $d, $a, $b, $c", {b32(0x80000000), b32(28), b32(20)}) == 0xfffffff8);
}

TEST_CASE("trap 14: prmt has seven modes; only the generic one replicates signs") {
  const Operand a = b32(0xb3a29180), b = b32(0xf7e6d5c4);
  CHECK(result_of("prmt.b32 $d, $a, $b, $c", {a, b, b32(0x7610)}) == 0xf7e69180);
  CHECK(result_of("prmt.b32 $d, $a, $b, $c", {a, b, b32(0x8888)}) == 0xffffffff);
  CHECK(result_of("prmt.b32 $d, $a, $b, $c", {b32(0x01020304), b, b32(0xbbbb)}) == 0);
  CHECK(result_of("prmt.b32.f4e $d, $a, $b, $c", {a, b, b32(1)}) == 0xc4b3a291);
  CHECK(result_of("prmt.b32.b4e $d, $a, $b, $c", {a, b, b32(2)}) == 0xf780'91a2);
  CHECK(result_of("prmt.b32.rc8 $d, $a, $b, $c", {a, b, b32(2)}) == 0xa2a2a2a2);
  CHECK(result_of("prmt.b32.ecl $d, $a, $b, $c", {a, b, b32(2)}) == 0xb3a2a2a2);
  CHECK(result_of("prmt.b32.ecr $d, $a, $b, $c", {a, b, b32(1)}) == 0x91919180);
  CHECK(result_of("prmt.b32.rc16 $d, $a, $b, $c", {a, b, b32(3)}) == 0xb3a2b3a2);
}

TEST_CASE("trap 15: mul24.hi gives bits 47 to 16 of the product") {
  CHECK(result_of("mul24.hi.u32 $d, $a, $b", {b32(0xff123456), b32(0x00abcdef)}) == 0x123456ull * 0xabcdef >> 16);
  CHECK(result_of("mul24.hi.s32 $d, $a, $b", {b32(0x00ffffff), b32(0x00000001)}) == 0xffffffff);
}

TEST_CASE("trap 16: carries run from instruction to instruction, a thread's own") {
  CHECK(results_of("add.cc.u32 $d, $a, $b; addc.u32 $e, 0, 0", {b32(0xffffffff), b32(1)}, {32, 32}) == std::vector<std::uint64_t>{0, 1});
  CHECK(results_of("sub.cc.u32 $d, $a, $b; subc.u32 $e, 0, 0", {b32(0), b32(1)}, {32, 32}) ==
        std::vector<std::uint64_t>{0xffffffff, 0xffffffff});
  CHECK(results_of("mad.lo.cc.u32 $d, $a, $b, $c; madc.hi.u32 $e, $a, $b, 0", {b32(0xffffffff), b32(0xffffffff), b32(0xffffffff)},
                   {32, 32}) == std::vector<std::uint64_t>{0, 0xffffffff});
  // Odd threads set the carry at another place than even ones; each reads its own.
  const std::string text =
      ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b64 %o, %w;\n.reg .b32 %t, %x, %y;\n.reg .pred %p;\n"
      "ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %w, %t, 4;\nadd.u64 %o, %o, %w;\nand.b32 %x, %t, 1;\n"
      "setp.ne.u32 %p, %x, 0;\n@%p bra ODD;\nadd.cc.u32 %y, 1, 1;\nbra JOIN;\nODD:\nadd.cc.u32 %y, 0xffffffff, 1;\nJOIN:\n"
      "addc.u32 %x, %t, 0;\nst.global.u32 [%o], %x;\nret;\n}\n";
  const auto words = run_program(text, {.launch = {1, 64}});
  for (std::uint32_t t = 0; t < 64; ++t) CHECK(words[t] == t + (t & 1));
}

TEST_CASE("trap 17: 16-bit arithmetic wraps, also where a wider register would show the bits above") {
  CHECK(result_of("add.u16 $d, $a, $b", {b16(0xffff), b16(2)}, 16) == 1);
  CHECK(result_of("add.u16 %h0, $a, $b; shr.u16 $d, %h0, 1", {b16(0xffff), b16(2)}, 16) == 0);
  CHECK(result_of("mul.lo.u16 %h0, $a, $b; cvt.u32.u16 $d, %h0", {b16(0xffff), b16(0xffff)}) == 1);
  CHECK(result_of("sub.s16 %h0, $a, $b; cvt.s32.s16 $d, %h0", {b16(0x8000), b16(1)}) == 0x7fff);
  CHECK(result_of("mul.wide.s16 $d, $a, $b", {b16(0x8000), b16(0x8000)}) == 0x40000000);
}

}  // namespace bascule::ptx_models
