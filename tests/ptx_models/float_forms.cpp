// ISA 9.7.3 and 9.7.5: f32 and f64 arithmetic with every rounding, flush and saturation; packed f32x2; mixed precision.
// Approximations are in approximate_forms.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/arithmetic.hpp"

namespace bascule::ptx_models {
namespace {

using Operation = Number (*)(const Number* x, Rounding rounding);

struct Instruction {
  const char* name;
  int inputs;
  bool needs_rounding;
  bool saturates;
  Operation operation;
};

constexpr Instruction kArithmetic[] = {
    {"add", 2, false, true, [](const Number* x, Rounding r) { return add(x[0], x[1], r); }},
    {"sub", 2, false, true, [](const Number* x, Rounding r) { return add(x[0], negated(x[1]), r); }},
    {"mul", 2, false, true, [](const Number* x, Rounding) { return multiply(x[0], x[1]); }},
    {"fma", 3, true, true, [](const Number* x, Rounding r) { return add(multiply(x[0], x[1]), x[2], r); }},
    {"mad", 3, true, true, [](const Number* x, Rounding r) { return add(multiply(x[0], x[1]), x[2], r); }},
    {"div", 2, true, false, [](const Number* x, Rounding) { return divide(x[0], x[1]); }},
    {"rcp", 1, true, false, [](const Number* x, Rounding) { return divide(integer_number(1, false), x[0]); }},
    {"sqrt", 1, true, false, [](const Number* x, Rounding) { return square_root(x[0]); }},
};

std::string operands(int inputs) {
  const char* const lists[] = {"", " $d, $a", " $d, $a, $b", " $d, $a, $b, $c"};
  return lists[inputs];
}

Expected compute(const Instruction& instruction, const Finish& finish, const std::uint64_t* in) {
  Number x[3];
  for (int i = 0; i < instruction.inputs; ++i) x[i] = decode(*finish.format, flushed(*finish.format, in[i], finish.flush));
  return finished(finish, instruction.operation(x, finish.rounding));
}

void add_scalar(Forms& forms, const Instruction& instruction, const Format& format) {
  const bool single = &format == &kF32;
  const Values values = single ? Values::f32 : Values::f64;
  for (const RoundingName& rounding : kRoundings) {
    if (instruction.needs_rounding && rounding.name[0] == 0) continue;
    for (const bool flush : {false, true}) {
      for (const bool saturate : {false, true}) {
        if ((flush || saturate) && !single) continue;
        if (saturate && !instruction.saturates) continue;
        const Finish finish{&format, rounding.rounding, flush, saturate};
        Output out = float_output(format);
        if (saturate) out.nan = nullptr;
        forms.push_back({std::string(instruction.name) + rounding.name + (flush ? ".ftz" : "") + (saturate ? ".sat" : "") +
                             (single ? ".f32" : ".f64") + operands(instruction.inputs),
                         std::vector<Values>(static_cast<std::size_t>(instruction.inputs), values), {out},
                         [=](const std::uint64_t* in, Expected* result) { result[0] = compute(instruction, finish, in); }});
      }
    }
  }
}

void add_pairs(Forms& forms, const Instruction& instruction) {
  for (const RoundingName& rounding : kRoundings) {
    if (instruction.needs_rounding && rounding.name[0] == 0) continue;
    for (const bool flush : {false, true}) {
      const Finish finish{&kF32, rounding.rounding, flush};
      Form form{std::string(instruction.name) + rounding.name + (flush ? ".ftz" : "") + ".f32x2" + operands(instruction.inputs),
                std::vector<Values>(static_cast<std::size_t>(instruction.inputs), Values::f32x2), {float_output(kF32, 2)},
                [=](const std::uint64_t* in, Expected* result) {
                  std::uint64_t low[3] = {}, high[3] = {};
                  for (int i = 0; i < instruction.inputs; ++i) {
                    low[i] = in[i] & 0xffffffffu;
                    high[i] = in[i] >> 32;
                  }
                  const Expected first = compute(instruction, finish, low);
                  const Expected second = compute(instruction, finish, high);
                  result[0].bits = first.bits | second.bits << 32;
                  result[0].alternative = first.alternative | second.alternative << 32;
                }};
      form.target = 100;
      form.may_be_immediate = false;
      forms.push_back(form);
    }
  }
}

/// add, sub, fma of f32 whose first operands are f16 or bf16.
void add_mixed(Forms& forms, const Instruction& instruction, const Format& narrow) {
  const Values values = &narrow == &kF16 ? Values::f16 : Values::bf16;
  const int narrow_inputs = instruction.inputs - 1;
  for (const RoundingName& rounding : kRoundings) {
    if (instruction.needs_rounding && rounding.name[0] == 0) continue;
    for (const bool saturate : {false, true}) {
      const Finish finish{&kF32, rounding.rounding, false, saturate};
      std::vector<Values> inputs(static_cast<std::size_t>(narrow_inputs), values);
      inputs.push_back(Values::f32);
      Output out = float_output(kF32);
      if (saturate) out.nan = nullptr;
      Form form{std::string(instruction.name) + rounding.name + (saturate ? ".sat" : "") + ".f32" +
                    (&narrow == &kF16 ? ".f16" : ".bf16") + operands(instruction.inputs),
                inputs, {out}, [=, &narrow](const std::uint64_t* in, Expected* result) {
                  Number x[3];
                  for (int i = 0; i < instruction.inputs; ++i) x[i] = decode(i < narrow_inputs ? narrow : kF32, in[i]);
                  result[0] = finished(finish, instruction.operation(x, finish.rounding));
                }};
      form.target = 100;
      forms.push_back(form);
    }
  }
}

void add_signs(Forms& forms, const Format& format) {
  const bool single = &format == &kF32;
  const Values values = single ? Values::f32 : Values::f64;
  const std::string type = single ? ".f32" : ".f64";
  const std::uint64_t sign = format.sign();
  for (const bool flush : {false, true}) {
    if (flush && !single) continue;
    const std::string suffix = (flush ? ".ftz" : "") + type;
    forms.push_back({"abs" + suffix + " $d, $a", {values}, {float_output(format)}, [=, &format](const std::uint64_t* in, Expected* out) {
                       out[0] = flushed(format, in[0], flush) & ~sign;
                     }});
    forms.push_back({"neg" + suffix + " $d, $a", {values}, {float_output(format)}, [=, &format](const std::uint64_t* in, Expected* out) {
                       out[0] = flushed(format, in[0], flush) ^ sign;
                     }});
  }
  forms.push_back({"copysign" + type + " $d, $a, $b", {values, values}, {output(format.width())},
                   [=](const std::uint64_t* in, Expected* out) { out[0] = (in[0] & sign) | (in[1] & ~sign); }});
}

void add_tests(Forms& forms, const Format& format) {
  const bool single = &format == &kF32;
  struct Test {
    const char* name;
    bool (*holds)(const Format& f, std::uint64_t bits);
  };
  const auto finite = [](const Format& f, std::uint64_t bits) { return (bits & (f.sign() - 1)) < f.infinity(); };
  const Test tests[] = {
      {"finite", finite},
      {"infinite", [](const Format& f, std::uint64_t bits) { return (bits & (f.sign() - 1)) == f.infinity(); }},
      {"number", [](const Format& f, std::uint64_t bits) { return !f.is_nan(bits); }},
      {"notanumber", [](const Format& f, std::uint64_t bits) { return f.is_nan(bits); }},
      {"normal",  // zero counts as normal
       [](const Format& f, std::uint64_t bits) { return (bits & (f.sign() - 1)) < f.infinity() && !f.is_subnormal(bits); }},
      {"subnormal", [](const Format& f, std::uint64_t bits) { return f.is_subnormal(bits); }}};
  for (const Test& test : tests) {
    forms.push_back({std::string("testp.") + test.name + (single ? ".f32" : ".f64") + " $d, $a",
                     {single ? Values::f32 : Values::f64}, {output(1)},
                     [holds = test.holds, &format](const std::uint64_t* in, Expected* out) { out[0] = holds(format, in[0]) ? 1 : 0; }});
  }
}

/// The lesser (or greater) of two values, -0 below +0.
std::uint64_t least_of(const Format& format, std::uint64_t a, std::uint64_t b, bool greatest, bool propagate) {
  const bool a_nan = format.is_nan(a);
  const bool b_nan = format.is_nan(b);
  if ((a_nan && b_nan) || (propagate && (a_nan || b_nan))) return format.canonical_nan;
  if (a_nan) return b;
  if (b_nan) return a;
  const auto key = [&](std::uint64_t bits) {
    const auto size = static_cast<std::int64_t>(bits & (format.sign() - 1));
    return format.is_negative(bits) ? -size - 1 : size;
  };
  return (key(a) < key(b)) != greatest ? a : b;
}

void add_extremes(Forms& forms) {
  for (const bool greatest : {false, true}) {
    const std::string name = greatest ? "max" : "min";
    forms.push_back({name + ".f64 $d, $a, $b", {Values::f64, Values::f64}, {float_output(kF64)},
                     [=](const std::uint64_t* in, Expected* out) { out[0] = least_of(kF64, in[0], in[1], greatest, false); }});
    for (int variant = 0; variant < 8; ++variant) {
      const bool flush = (variant & 1) != 0, propagate = (variant & 2) != 0, magnitudes = (variant & 4) != 0;
      const std::string prefix = name + (flush ? ".ftz" : "") + (propagate ? ".NaN" : "");
      const std::uint64_t sign = kF32.sign();
      // Where .NaN asks for the canonical NaN, its bits count.
      const Output out_of = propagate ? output(32) : float_output(kF32);
      forms.push_back({prefix + (magnitudes ? ".xorsign.abs" : "") + ".f32 $d, $a, $b", {Values::f32, Values::f32}, {out_of},
                       [=](const std::uint64_t* in, Expected* out) {
                         std::uint64_t a = flushed(kF32, in[0], flush), b = flushed(kF32, in[1], flush);
                         const std::uint64_t sign_bit = (a ^ b) & sign;
                         if (magnitudes) a &= ~sign, b &= ~sign;
                         const std::uint64_t d = least_of(kF32, a, b, greatest, propagate);
                         out[0] = magnitudes && !kF32.is_nan(d) ? (d & ~sign) | sign_bit : d;
                       },
                       {}, magnitudes ? 90u : 80u});
      Form three{prefix + (magnitudes ? ".abs" : "") + ".f32 $d, $a, $b, $c", {Values::f32, Values::f32, Values::f32}, {out_of},
                 [=](const std::uint64_t* in, Expected* out) {
                   std::uint64_t x[3];
                   for (int i = 0; i < 3; ++i) x[i] = flushed(kF32, in[i], flush) & (magnitudes ? ~sign : ~std::uint64_t{0});
                   out[0] = least_of(kF32, least_of(kF32, x[0], x[1], greatest, propagate), x[2], greatest, propagate);
                 }};
      three.target = 100;
      forms.push_back(three);
    }
  }
}

}  // namespace

Forms float_forms() {
  Forms forms;
  for (const Format* format : {&kF32, &kF64}) {
    for (const Instruction& instruction : kArithmetic) add_scalar(forms, instruction, *format);
    add_signs(forms, *format);
    add_tests(forms, *format);
  }
  add_extremes(forms);
  for (const int i : {0, 1, 2, 3}) add_pairs(forms, kArithmetic[i]);
  for (const int i : {0, 1, 3}) {
    add_mixed(forms, kArithmetic[i], kF16);
    add_mixed(forms, kArithmetic[i], kBf16);
  }
  return forms;
}

}  // namespace bascule::ptx_models
