// ISA 9.7.9, cvt between the integer types, f16, bf16, f32 and f64, and cvt.pack. Packed and smaller formats are in
// narrow_forms.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/arithmetic.hpp"

namespace bascule::ptx_models {
namespace {

constexpr IntegerType kAll[] = {{"u8", 8, false},  {"u16", 16, false}, {"u32", 32, false}, {"u64", 64, false},
                                {"s8", 8, true},   {"s16", 16, true},  {"s32", 32, true},  {"s64", 64, true}};

struct FloatType {
  const char* name;
  const Format* format;
  Values values;
};
constexpr FloatType kFloats[] = {{"f16", &kF16, Values::f16}, {"bf16", &kBf16, Values::bf16},
                                 {"f32", &kF32, Values::f32}, {"f64", &kF64, Values::f64}};

/// A register may be wider than the type: sources are chopped, results extended by the sign of their type.
std::vector<int> registers_for(int width) {
  std::vector<int> result;
  for (const int candidate : {16, 32, 64}) {
    if (candidate >= width) result.push_back(candidate);
  }
  return result;
}

std::uint64_t extended(Signed128 value, const IntegerType& type, int register_width) {
  return wrapped(value_of(wrapped(value, type.width), type.width, type.is_signed), register_width);
}

bool holds_all(const IntegerType& to, const IntegerType& from) {
  if (to.is_signed == from.is_signed) return to.width >= from.width;
  return to.is_signed && to.width > from.width;
}

void add_integer_conversions(Forms& forms) {
  std::size_t turn = 0;
  for (const IntegerType& to : kAll) {
    for (const IntegerType& from : kAll) {
      const auto sources = registers_for(from.width);
      for (const int destination : registers_for(to.width)) {
        const int source = sources[turn++ % sources.size()];
        for (const bool saturate : {false, true}) {
          if (saturate && holds_all(to, from)) continue;
          Form form{std::string("cvt") + (saturate ? ".sat." : ".") + to.name + "." + from.name + " $d, $a",
                    {integers(source)}, {output(destination)}, [=](const std::uint64_t* in, Expected* out) {
                      const Signed128 value = from.value(in[0]);
                      out[0] = extended(saturate ? clamped(value, to.width, to.is_signed) : value, to, destination);
                    }};
          form.may_be_immediate = false;
          forms.push_back(form);
        }
      }
    }
  }
}

/// A constant has the width of its type.
void add_constants(Forms& forms) {
  for (const IntegerType& to : kAll) {
    for (const IntegerType& from : kAll) {
      for (const std::int64_t value : {-5, 77, 200}) {
        const std::uint64_t given = from.is_signed || value > 0 ? static_cast<std::uint64_t>(value) : 250;
        Form form{std::string("cvt.") + to.name + "." + from.name + " $d, " + std::to_string(static_cast<std::int64_t>(given)), {}, {output(to.width == 8 ? 16 : to.width)},
                  [=](const std::uint64_t*, Expected* out) { out[0] = extended(from.value(given), to, to.width == 8 ? 16 : to.width); }};
        form.may_be_immediate = false;
        forms.push_back(form);
      }
    }
  }
}

struct IntegerRounding {
  const char* name;
  Rounding rounding;
};
constexpr IntegerRounding kIntegerRoundings[] = {{".rni", Rounding::nearest_even}, {".rzi", Rounding::zero},
                                                 {".rmi", Rounding::down},         {".rpi", Rounding::up}};

/// NaN gives 0; from f64 and to 64 bits it gives the top bit alone.
std::uint64_t nan_as_integer(const FloatType& from, const IntegerType& to) {
  return from.format != &kF64 && to.width != 64 ? 0 : std::uint64_t{1} << (to.width - 1);
}

void add_float_to_integer(Forms& forms) {
  for (const FloatType& from : kFloats) {
    for (const IntegerType& to : kAll) {
      const auto registers = registers_for(to.width);
      for (const IntegerRounding& rounding : kIntegerRoundings) {
        for (const bool flush : {false, true}) {
          if (flush && from.format != &kF32) continue;
          // With bf16, registers have exactly the type's width.
          for (const int destination : from.format == &kBf16 ? std::vector<int>{to.width} : registers) {
            Form form{std::string("cvt") + rounding.name + (flush ? ".ftz." : ".") + to.name + "." + from.name + " $d, $a",
                      {from.values}, {output(destination)}, [=](const std::uint64_t* in, Expected* out) {
                        const Number a = decode(*from.format, flushed(*from.format, in[0], flush));
                        const std::uint64_t bits = a.is_nan() ? nan_as_integer(from, to)
                                                              : clamp_to_integer(round_to_integer(a, rounding.rounding), to.width, to.is_signed);
                        out[0] = extended(static_cast<Signed128>(bits), to, destination);
                      }};
            form.target = from.format == &kBf16 ? 90 : 80;
            form.exhaustive16 = from.format->width() == 16;
            form.may_be_immediate = false;
            forms.push_back(form);
          }
        }
      }
    }
  }
}

void add_integer_to_float(Forms& forms) {
  for (const FloatType& to : kFloats) {
    for (const IntegerType& from : kAll) {
      const int source = from.width == 8 && to.format != &kBf16 ? 16 : from.width;
      for (const RoundingName& rounding : kRoundings) {
        if (rounding.name[0] == 0) continue;
        for (const bool saturate : {false, true}) {
          if (saturate && to.format == &kBf16) continue;
          const Finish finish{to.format, rounding.rounding, false, saturate};
          Form form{std::string("cvt") + rounding.name + (saturate ? ".sat." : ".") + to.name + "." + from.name + " $d, $a",
                    {integers(source)}, {output(to.format->width())}, [=](const std::uint64_t* in, Expected* out) {
                      const Signed128 value = from.value(in[0]);
                      out[0] = finished(finish, integer_number(static_cast<std::uint64_t>(value < 0 ? -value : value), value < 0));
                    }};
          form.target = to.format == &kBf16 ? 90 : 80;
          form.exhaustive16 = source <= 16;
          form.may_be_immediate = false;
          forms.push_back(form);
        }
      }
    }
  }
}

Form float_conversion(const std::string& modifiers, const FloatType& to, const FloatType& from, bool flush, Finish finish,
                      bool canonical) {
  Output out = float_output(*to.format);
  if (finish.saturate || canonical) out.nan = nullptr;
  Form form{"cvt" + modifiers + "." + to.name + "." + from.name + " $d, $a", {from.values}, {out},
            [=](const std::uint64_t* in, Expected* result) {
              const bool flush_input = flush && from.format == &kF32;
              result[0] = finished(finish, decode(*from.format, flushed(*from.format, in[0], flush_input)));
            }};
  form.target = to.format == &kBf16 || from.format == &kBf16 ? 90 : 80;
  form.exhaustive16 = from.format->width() == 16;
  form.may_be_immediate = false;
  return form;
}

void add_float_conversions(Forms& forms) {
  for (const FloatType& to : kFloats) {
    for (const FloatType& from : kFloats) {
      if (to.format == from.format) continue;
      // f16 and bf16 hold nothing of each other exactly; the others widen or narrow by their size.
      const bool narrows = to.format->mantissa_bits < from.format->mantissa_bits || to.format->exponent_bits < from.format->exponent_bits;
      for (const RoundingName& rounding : kRoundings) {
        if (narrows == (rounding.name[0] == 0)) continue;
        for (const bool flush : {false, true}) {
          if (flush && to.format != &kF32 && from.format != &kF32) continue;
          // From f32 to bf16 there are .rn and .rz alone.
          if (from.format == &kF32 && to.format == &kBf16 && (rounding.rounding == Rounding::down || rounding.rounding == Rounding::up)) continue;
          for (const bool saturate : {false, true}) {
            if (saturate && (to.format == &kBf16 || from.format == &kBf16)) continue;
            const Finish finish{to.format, rounding.rounding, flush && to.format == &kF32, saturate};
            const bool canonical = from.format == &kF32 && narrows;  // NaN becomes 0x7fff
            forms.push_back(float_conversion(std::string(rounding.name) + (flush ? ".ftz" : "") + (saturate ? ".sat" : ""), to, from,
                                             flush, finish, canonical));
          }
        }
      }
    }
  }
}

/// f32 to f16 and bf16 with .relu and .satfinite, and to tf32.
void add_limited_conversions(Forms& forms) {
  for (int variant = 0; variant < 32; ++variant) {
    const bool brain = (variant & 1) != 0, relu = (variant & 2) != 0, limit = (variant & 4) != 0, truncate = (variant & 8) != 0;
    const bool tf32 = (variant & 16) != 0;
    if (tf32 && brain) continue;
    if (!tf32 && !relu && !limit) continue;  // add_float_conversions has these
    const Format& format = tf32 ? kTf32 : brain ? kBf16 : kF16;
    const Rounding rounding = truncate ? Rounding::zero : Rounding::nearest_even;
    const int shift = tf32 ? 13 : 0;
    Output out = output(tf32 ? 32 : 16);
    if (tf32) out.nan = &kF32;
    Form form{std::string("cvt") + (truncate ? ".rz" : ".rn") + (tf32 && limit ? ".satfinite" : "") + (relu ? ".relu" : "") +
                  (!tf32 && limit ? ".satfinite" : "") + "." + (tf32 ? "tf32" : brain ? "bf16" : "f16") + ".f32 $d, $a",
              {Values::f32}, {out}, [=, &format](const std::uint64_t* in, Expected* result) {
                const Number a = decode(kF32, in[0]);
                const std::uint64_t bits = encode(format, a, rounding, limit ? Overflow::largest : Overflow::ieee);
                result[0] = (relu && !a.is_nan() && a.negative ? 0 : bits) << shift;
              }};
    form.target = tf32 && limit ? 100 : tf32 ? 90 : 80;
    form.exhaustive16 = true;
    form.may_be_immediate = false;
    forms.push_back(form);
  }
  for (const bool limit : {false, true}) {
    Output out = output(32);
    out.nan = &kF32;
    Form form{std::string("cvt.rna") + (limit ? ".satfinite" : "") + ".tf32.f32 $d, $a", {Values::f32}, {out},
              [=](const std::uint64_t* in, Expected* result) {
                result[0] = encode(kTf32, decode(kF32, in[0]), Rounding::nearest_away, limit ? Overflow::largest : Overflow::ieee) << 13;
              }};
    form.exhaustive16 = true;
    form.may_be_immediate = false;
    forms.push_back(form);
  }
}

/// Rounded to an integral value of the same type, and the plain f32 to f32.
void add_same_type(Forms& forms) {
  for (const FloatType& type : kFloats) {
    for (const IntegerRounding& rounding : kIntegerRoundings) {
      for (const bool flush : {false, true}) {
        for (const bool saturate : {false, true}) {
          if ((flush && type.format != &kF32) || (saturate && type.format == &kBf16)) continue;
          const Finish finish{type.format, Rounding::nearest_even, flush, saturate};
          Output out = float_output(*type.format);
          if (saturate) out.nan = nullptr;
          Form form{std::string("cvt") + rounding.name + (flush ? ".ftz" : "") + (saturate ? ".sat" : "") + "." + type.name + "." +
                        type.name + " $d, $a",
                    {type.values}, {out}, [=](const std::uint64_t* in, Expected* result) {
                      const Number a = decode(*type.format, flushed(*type.format, in[0], flush));
                      result[0] = finished(finish, round_to_integer(a, rounding.rounding));
                    }};
          form.target = type.format == &kBf16 ? 90 : 80;
          form.exhaustive16 = type.format->width() == 16;
          form.may_be_immediate = false;
          forms.push_back(form);
        }
      }
    }
  }
  for (const FloatType& type : {kFloats[0], kFloats[2], kFloats[3]}) {
    for (const bool flush : {false, true}) {
      for (const bool saturate : {false, true}) {
        if (flush && type.format != &kF32) continue;
        const Finish finish{type.format, Rounding::nearest_even, flush, saturate};
        forms.push_back(float_conversion(std::string(flush ? ".ftz" : "") + (saturate ? ".sat" : ""), type, type, flush, finish, false));
      }
    }
  }
}

void add_packing(Forms& forms) {
  const IntegerType halves[] = {{"u16", 16, false}, {"s16", 16, true}};
  for (const IntegerType& to : halves) {
    forms.push_back({std::string("cvt.pack.sat.") + to.name + ".s32 $d, $a, $b", {Values::integer32, Values::integer32}, {output(32)},
                     [=](const std::uint64_t* in, Expected* out) {
                       const auto part = [&](std::uint64_t x) { return wrapped(clamped(value_of(x, 32, true), 16, to.is_signed), 16); };
                       out[0] = part(in[1]) | part(in[0]) << 16;
                     }});
  }
  const IntegerType small[] = {{"u8", 8, false}, {"s8", 8, true}, {"u4", 4, false}, {"s4", 4, true}, {"u2", 2, false}, {"s2", 2, true}};
  for (const IntegerType& to : small) {
    Form form{std::string("cvt.pack.sat.") + to.name + ".s32.b32 $d, $a, $b, $c",
              {Values::integer32, Values::integer32, Values::integer32}, {output(32)},
              [=](const std::uint64_t* in, Expected* out) {
                const auto part = [&](std::uint64_t x) { return wrapped(clamped(value_of(x, 32, true), to.width, to.is_signed), to.width); };
                out[0] = (part(in[1]) | part(in[0]) << to.width | in[2] << (2 * to.width)) & low_bits(32);
              }};
    forms.push_back(form);
  }
}

/// Registers of floating-point types may be wider too: the low bits of a source count, a result has zeros above it.
void add_wide_registers(Forms& forms) {
  const auto add = [&](const std::string& types, Values source, const Format& from, const Format& to, int width) {
    const Model model = [=](const std::uint64_t* in, Expected* out) {
      out[0] = finished({&to, Rounding::nearest_even}, decode(from, in[0] & low_bits(from.width())));
    };
    Form form{"cvt" + types + " $d, $a", {source}, {output(width)}, model};
    // Any NaN will do, but what lies above it must be zero.
    form.accepts = [=](const std::uint64_t* in, std::uint64_t got) {
      Expected expected;
      model(in, &expected);
      return got == expected.bits || (to.is_nan(expected.bits) && (got & ~low_bits(to.width())) == 0 && to.is_nan(got));
    };
    form.may_be_immediate = false;
    forms.push_back(form);
  };
  add(".rn.f16.f32", Values::f32, kF32, kF16, 32);
  add(".rn.f16.f32", Values::integer64, kF32, kF16, 16);
  add(".f32.f16", Values::f16, kF16, kF32, 64);
  add(".f32.f16", Values::integer32, kF16, kF32, 32);
  add(".rn.f32.f64", Values::f64, kF64, kF32, 64);
  add(".f64.f32", Values::integer64, kF32, kF64, 64);
  for (const bool is_signed : {false, true}) {
    for (const int source : {32, 64}) {
      for (const auto& [to, name, width] : {std::tuple{&kF32, ".rn.f32", 64}, {&kF32, ".rz.f32", 64}, {&kF16, ".rn.f16", 32}, {&kF32, ".rn.f32", 32}}) {
        const Finish how{to, std::string(name).substr(0, 3) == ".rz" ? Rounding::zero : Rounding::nearest_even};
        Form form{std::string("cvt") + name + (is_signed ? ".s32" : ".u32") + " $d, $a", {integers(source)}, {output(width)},
                  [=](const std::uint64_t* in, Expected* out) {
                    const Signed128 value = value_of(in[0], 32, is_signed);
                    out[0] = finished(how, integer_number(static_cast<std::uint64_t>(value < 0 ? -value : value), value < 0));
                  }};
        form.may_be_immediate = false;
        forms.push_back(form);
      }
    }
  }
}

}  // namespace

Forms convert_forms() {
  Forms forms;
  add_integer_conversions(forms);
  add_constants(forms);
  add_float_to_integer(forms);
  add_integer_to_float(forms);
  add_float_conversions(forms);
  add_limited_conversions(forms);
  add_same_type(forms);
  add_packing(forms);
  add_wide_registers(forms);
  return forms;
}

}  // namespace bascule::ptx_models
