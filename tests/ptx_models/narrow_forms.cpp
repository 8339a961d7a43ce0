// ISA 9.7.9, cvt to and from packed formats: f16x2, bf16x2, fp8, fp6, fp4, ue8m0.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/arithmetic.hpp"

namespace bascule::ptx_models {
namespace {

struct NarrowType {
  const char* name;  // of the pair
  const Format* format;
  int field;  // bits that one value takes of the register
  unsigned target;
};
constexpr NarrowType kNarrow[] = {{"e4m3x2", &kE4m3, 8, 90}, {"e5m2x2", &kE5m2, 8, 90}, {"e2m3x2", &kE2m3, 8, 100},
                                  {"e3m2x2", &kE3m2, 8, 100}, {"e2m1x2", &kE2m1, 4, 100}};

/// Always .satfinite: infinities and what is too large become the largest number. Formats without NaN take +largest for it.
std::uint64_t narrowed(const Format& format, const Number& a, bool relu) {
  if (a.is_nan()) return format.specials == Specials::none ? format.largest() : format.canonical_nan;
  if (relu && a.negative) return 0;
  return encode(format, a, Rounding::nearest_even, Overflow::largest);
}

void add_pairs_of_halves(Forms& forms) {
  for (int variant = 0; variant < 16; ++variant) {
    const bool brain = (variant & 1) != 0, relu = (variant & 2) != 0, limit = (variant & 4) != 0, truncate = (variant & 8) != 0;
    const Format& format = brain ? kBf16 : kF16;
    Form form{std::string("cvt") + (truncate ? ".rz" : ".rn") + (relu ? ".relu" : "") + (limit ? ".satfinite" : "") +
                  (brain ? ".bf16x2" : ".f16x2") + ".f32 $d, $a, $b",
              {Values::f32, Values::f32}, {output(32)}, [=, &format](const std::uint64_t* in, Expected* out) {
                const auto part = [&](std::uint64_t bits) {
                  const Number a = decode(kF32, bits);
                  if (relu && !a.is_nan() && a.negative) return std::uint64_t{0};
                  return encode(format, a, truncate ? Rounding::zero : Rounding::nearest_even, limit ? Overflow::largest : Overflow::ieee);
                };
                out[0] = part(in[0]) << 16 | part(in[1]);  // the first operand is the upper half
              }};
    form.exhaustive16 = true;
    forms.push_back(form);
  }
}

void add_narrow(Forms& forms, const NarrowType& type) {
  const Format& format = *type.format;
  const int width = 2 * type.field < 16 ? 8 : 16;
  for (const bool relu : {false, true}) {
    const std::string suffix = relu ? ".relu." : ".";
    Form from_f32{"cvt.rn.satfinite" + suffix + type.name + ".f32 $d, $a, $b", {Values::f32, Values::f32}, {output(width)},
                  [=, &format](const std::uint64_t* in, Expected* out) {
                    out[0] = narrowed(format, decode(kF32, in[0]), relu) << type.field | narrowed(format, decode(kF32, in[1]), relu);
                  }};
    from_f32.target = type.target;
    from_f32.exhaustive16 = true;
    forms.push_back(from_f32);
    for (const bool brain : {false, true}) {
      const Format& source = brain ? kBf16 : kF16;
      Form from_pair{"cvt.rn.satfinite" + suffix + type.name + (brain ? ".bf16x2" : ".f16x2") + " $d, $a", {brain ? Values::bf16x2 : Values::f16x2},
                     {output(width)}, [=, &format, &source](const std::uint64_t* in, Expected* out) {
                       out[0] = narrowed(format, decode(source, in[0] >> 16), relu) << type.field |
                                narrowed(format, decode(source, in[0] & 0xffff), relu);
                     }};
      from_pair.target = brain ? 100 : type.target;
      from_pair.exhaustive16 = true;
      from_pair.may_be_immediate = false;
      forms.push_back(from_pair);
    }
    Form to_f16{"cvt.rn" + suffix + "f16x2." + type.name + " $d, $a", {width == 8 ? Values::bits8 : Values::f8x2},
                {float_output(kF16, 2)}, [=, &format](const std::uint64_t* in, Expected* out) {
                  const auto part = [&](std::uint64_t bits) {
                    const Number a = decode(format, bits & low_bits(format.width()));
                    return relu && !a.is_nan() && a.negative ? 0 : encode(kF16, a, Rounding::nearest_even);
                  };
                  out[0] = part(in[0] >> type.field) << 16 | part(in[0]);
                }};
    to_f16.target = type.target;
    to_f16.exhaustive16 = true;
    to_f16.may_be_immediate = false;
    forms.push_back(to_f16);
  }
}

/// An exponent alone: 2^(bits - 127), 255 is NaN. The sign is dropped; zero and what is too small become 2^-127.
std::uint64_t scale_of(const Number& a, Rounding rounding, bool limit) {
  if (a.is_nan()) return 0xff;
  if (a.is_infinite()) return limit ? 0xfe : 0xff;
  if (a.is_zero()) return 0;
  const int top = a.exponent + a.magnitude.bit_length() - 1;
  const bool exact = !a.sticky && !a.magnitude.any_below(a.magnitude.bit_length() - 1);
  const int exponent = top + (rounding == Rounding::up && !exact ? 1 : 0);
  if (exponent > 127) return limit ? 0xfe : 0xff;
  return exponent < -127 ? 0 : static_cast<std::uint64_t>(exponent + 127);
}

void add_scales(Forms& forms) {
  for (const bool up : {false, true}) {
    for (const bool limit : {false, true}) {
      const std::string name = std::string("cvt") + (up ? ".rp" : ".rz") + (limit ? ".satfinite" : "") + ".ue8m0x2";
      const Rounding rounding = up ? Rounding::up : Rounding::zero;
      Form single{name + ".f32 $d, $a, $b", {Values::f32, Values::f32}, {output(16)}, [=](const std::uint64_t* in, Expected* out) {
                    out[0] = scale_of(decode(kF32, in[0]), rounding, limit) << 8 | scale_of(decode(kF32, in[1]), rounding, limit);
                  }};
      single.target = 100;
      forms.push_back(single);
      Form brain{name + ".bf16x2 $d, $a", {Values::bf16x2}, {output(16)}, [=](const std::uint64_t* in, Expected* out) {
                   out[0] = scale_of(decode(kBf16, in[0] >> 16), rounding, limit) << 8 | scale_of(decode(kBf16, in[0] & 0xffff), rounding, limit);
                 }};
      brain.target = 100;
      brain.exhaustive16 = true;
      brain.may_be_immediate = false;
      forms.push_back(brain);
    }
  }
  Form back{"cvt.rn.bf16x2.ue8m0x2 $d, $a", {Values::f8x2}, {float_output(kBf16, 2)}, [](const std::uint64_t* in, Expected* out) {
              const auto part = [](std::uint64_t bits) {
                if (bits == 0xff) return kBf16.canonical_nan;
                Number a = integer_number(1, false);
                a.exponent = static_cast<int>(bits) - 127;
                return encode(kBf16, a, Rounding::nearest_even);
              };
              out[0] = part(in[0] >> 8) << 16 | part(in[0] & 0xff);
            }};
  back.target = 100;
  back.exhaustive16 = true;
  back.may_be_immediate = false;
  forms.push_back(back);
}

}  // namespace

Forms narrow_forms() {
  Forms forms;
  add_pairs_of_halves(forms);
  for (const NarrowType& type : kNarrow) add_narrow(forms, type);
  add_scales(forms);
  return forms;
}

}  // namespace bascule::ptx_models
