// The models against the examples and tables that the ISA gives, before anything is compared with them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/form.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <set>

#include "tests/ptx_models/sweep.hpp"

namespace bascule::ptx_models {
namespace {

struct Result {
  std::uint64_t d, e;
};

/// What the model of the form with this instruction gives.
Result modelled(const Forms& forms, const std::string& instruction, std::initializer_list<std::uint64_t> in) {
  for (const Form& form : forms) {
    if (form.code.substr(0, form.code.find(' ')) != instruction) continue;
    std::uint64_t values[4] = {};
    std::copy(in.begin(), in.end(), values);
    Expected out[2];
    form.model(values, out);
    return {out[0].bits, out[1].bits};
  }
  FAIL("no form " << instruction);
  return {};
}

}  // namespace

TEST_CASE("models of bit fields follow the ISA's loops") {
  const Forms bits = bit_forms();
  CHECK(modelled(bits, "bfe.u32", {0xabcd1234, 8, 8}).d == 0x12);
  CHECK(modelled(bits, "bfe.s32", {0x0000f000, 12, 4}).d == 0xffffffff);
  CHECK(modelled(bits, "bfe.s32", {0x80000000, 40, 4}).d == 0xffffffff);  // beyond the msb: the msb
  CHECK(modelled(bits, "bfe.s32", {0x80000000, 0, 0}).d == 0);
  CHECK(modelled(bits, "bfe.u32", {0xff, 0x100, 0x104}).d == 0xf);
  CHECK(modelled(bits, "bfi.b32", {0xf, 0xffff0000, 4, 4}).d == 0xffff00f0);
  CHECK(modelled(bits, "bfind.u32", {1}).d == 0);
  CHECK(modelled(bits, "bfind.u32", {0}).d == 0xffffffff);
  CHECK(modelled(bits, "bfind.shiftamt.s32", {0xffffffff}).d == 0xffffffff);
  CHECK(modelled(bits, "bfind.shiftamt.u64", {1}).d == 63);
  CHECK(modelled(bits, "prmt.b32", {0x33221100, 0x77665544, 0x7654}).d == 0x77665544);
  CHECK(modelled(bits, "prmt.b32", {0x00000080, 0, 0x8888}).d == 0xffffffff);
  CHECK(modelled(bits, "prmt.b32.b4e", {0x33221100, 0x77665544, 1}).d == 0x66770011);
  CHECK(modelled(bits, "szext.wrap.s32", {0x80, 40}).d == 0xffffff80);
  CHECK(modelled(bits, "szext.clamp.s32", {0x12345680, 40}).d == 0x12345680);
  CHECK(modelled(bits, "bmsk.clamp.b32", {4, 40}).d == 0xfffffff0);
  CHECK(modelled(bits, "bmsk.wrap.b32", {36, 33}).d == 0x10);
  CHECK(modelled(bits, "clz.b64", {0}).d == 64);
}

TEST_CASE("models of integer arithmetic wrap, saturate and take the documented part of a product") {
  const Forms integers = integer_forms();
  CHECK(modelled(integers, "add.sat.s32", {0x7fffffff, 1}).d == 0x7fffffff);
  CHECK(modelled(integers, "sub.sat.s32", {0x80000000, 1}).d == 0x80000000);
  CHECK(modelled(integers, "mul24.hi.u32", {0x00ffffff, 0x00ffffff}).d == 0xfffffe00);
  CHECK(modelled(integers, "mul24.lo.s32", {0x00ffffff, 2}).d == 0xfffffffe);
  CHECK(modelled(integers, "mul.hi.u64", {~0ull, ~0ull}).d == 0xfffffffffffffffe);
  CHECK(modelled(integers, "mul.hi.s64", {~0ull, ~0ull}).d == 0);
  CHECK(modelled(integers, "div.s32", {0x80000000, 0xffffffff}).d == 0x80000000);
  CHECK(modelled(integers, "rem.s32", {0xfffffff9, 3}).d == 0xffffffff);
  CHECK(modelled(integers, "sad.u32", {1, 3, 10}).d == 12);
  CHECK(modelled(integers, "min.relu.s16x2", {0xffff0003, 0x00010002}).d == 0x00000002);
  const Forms dots = dot_forms();
  CHECK(modelled(dots, "dp4a.s32.u32", {0x000000ff, 0x000000ff, 0}).d == 0xffffff01);
  CHECK(modelled(dots, "dp2a.hi.s32.s32", {0x0001ffff, 0x03020000, 0}).d == 1);
}

TEST_CASE("models of comparisons know unordered operands") {
  const Forms comparisons = comparison_forms();
  const std::uint64_t nan = 0x7fc00000, one = 0x3f800000;
  CHECK(modelled(comparisons, "setp.ne.f32", {nan, one}).d == 0);
  CHECK(modelled(comparisons, "setp.neu.f32", {nan, one}).d == 1);
  CHECK(modelled(comparisons, "setp.num.f32", {nan, one}).d == 0);
  CHECK(modelled(comparisons, "setp.nan.f32", {nan, one}).d == 1);
  CHECK(modelled(comparisons, "setp.eq.ftz.f32", {1, 0x80000000}).d == 1);
  CHECK(modelled(comparisons, "setp.lt.s32", {0xffffffff, 0}).d == 1);
  CHECK(modelled(comparisons, "setp.lo.u32", {0xffffffff, 0}).d == 0);
  CHECK(modelled(comparisons, "slct.b32.f32", {1, 2, 0x80000000}).d == 1);
  CHECK(modelled(comparisons, "slct.b32.f32", {1, 2, nan}).d == 2);
}

TEST_CASE("models of conversions follow the ISA's notes on NaN, clamping and the order of halves") {
  const Forms converts = convert_forms();
  CHECK(modelled(converts, "cvt.rni.s32.f32", {0x7fc00000}).d == 0);
  CHECK(modelled(converts, "cvt.rni.s32.f64", {0x7ff8000000000000}).d == 0x80000000);
  CHECK(modelled(converts, "cvt.rni.u64.f32", {0x7fc00000}).d == 0x8000000000000000);
  CHECK(modelled(converts, "cvt.rni.u32.f32", {0xbf800000}).d == 0);
  CHECK(modelled(converts, "cvt.rn.f16.f32", {0x47800000}).d == 0x7c00);
  CHECK(modelled(converts, "cvt.sat.f32.f32", {0x7fc00000}).d == 0);
  CHECK(modelled(converts, "cvt.pack.sat.s8.s32.b32", {300, 0xffffff00, 0x1234}).d == 0x12347f80);
  const Forms narrow = narrow_forms();
  CHECK(modelled(narrow, "cvt.rn.f16x2.f32", {0x3f800000, 0x40000000}).d == 0x3c004000);
  CHECK(modelled(narrow, "cvt.rn.satfinite.e4m3x2.f32", {0x7fc00000, 0x3f800000}).d == 0x7f38);
}

TEST_CASE("every form is written once and its kernel names what it computes") {
  std::set<std::string> codes;
  for (const Forms& forms : {integer_forms(), extended_forms(), bit_forms(), logic_forms(), comparison_forms(), float_forms(), half_forms(),
                             dot_forms(), move_forms()}) {
    for (const Form& form : forms) {
      CHECK_MESSAGE(codes.insert(form.code).second, form.code);
      CHECK(kernel_of(form, "k", 1).text.find(form.code.substr(0, form.code.find(' '))) != std::string::npos);
    }
  }
}

}  // namespace bascule::ptx_models
