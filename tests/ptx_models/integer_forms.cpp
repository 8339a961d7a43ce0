// ISA 9.7.1, integer arithmetic: add to max, and the 24-bit forms.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/bits.hpp"

namespace bascule::ptx_models {
namespace {

using Binary = Signed128 (*)(Signed128 a, Signed128 b);

Form binary(const std::string& name, const IntegerType& type, Binary f) {
  const Values values = integers(type.width);
  return {name + "." + type.name + " $d, $a, $b", {values, values}, {output(type.width)},
          [type, f](const std::uint64_t* in, Expected* out) {
            out[0] = wrapped(f(type.value(in[0]), type.value(in[1])), type.width);
          }};
}

Form unary(const std::string& name, const IntegerType& type, Signed128 (*f)(Signed128 a)) {
  return {name + "." + type.name + " $d, $a", {integers(type.width)}, {output(type.width)},
          [type, f](const std::uint64_t* in, Expected* out) { out[0] = wrapped(f(type.value(in[0])), type.width); }};
}

Signed128 minimum(Signed128 a, Signed128 b) { return a < b ? a : b; }
Signed128 maximum(Signed128 a, Signed128 b) { return a > b ? a : b; }

/// The product fits 128 bits as a bit pattern for all types but u64 * u64, whose upper half needs the unsigned product.
void product(const IntegerType& type, std::uint64_t a, std::uint64_t b, std::uint64_t& low, std::uint64_t& high) {
  if (type.width == 64) {
    const auto full = type.is_signed
                          ? static_cast<unsigned __int128>(type.value(a) * type.value(b))
                          : static_cast<unsigned __int128>(a) * b;
    low = static_cast<std::uint64_t>(full);
    high = static_cast<std::uint64_t>(full >> 64);
    return;
  }
  const Signed128 full = type.value(a) * type.value(b);
  low = wrapped(full, type.width);
  high = wrapped(full >> type.width, type.width);
}

void add_products(Forms& forms, const IntegerType& type) {
  const Values values = integers(type.width);
  for (const bool high : {false, true}) {
    const std::string suffix = std::string(high ? ".hi." : ".lo.") + type.name;
    forms.push_back({"mul" + suffix + " $d, $a, $b", {values, values}, {output(type.width)},
                     [type, high](const std::uint64_t* in, Expected* out) {
                       std::uint64_t lower, upper;
                       product(type, in[0], in[1], lower, upper);
                       out[0] = high ? upper : lower;
                     }});
    forms.push_back({"mad" + suffix + " $d, $a, $b, $c", {values, values, values}, {output(type.width)},
                     [type, high](const std::uint64_t* in, Expected* out) {
                       std::uint64_t lower, upper;
                       product(type, in[0], in[1], lower, upper);
                       out[0] = ((high ? upper : lower) + in[2]) & low_bits(type.width);
                     }});
  }
  if (type.width == 64) return;
  const int wide = 2 * type.width;
  forms.push_back({std::string("mul.wide.") + type.name + " $d, $a, $b", {values, values}, {output(wide)},
                   [type, wide](const std::uint64_t* in, Expected* out) {
                     out[0] = wrapped(type.value(in[0]) * type.value(in[1]), wide);
                   }});
  forms.push_back({std::string("mad.wide.") + type.name + " $d, $a, $b, $c", {values, values, integers(wide)}, {output(wide)},
                   [type, wide](const std::uint64_t* in, Expected* out) {
                     out[0] = wrapped(type.value(in[0]) * type.value(in[1]) + static_cast<Signed128>(in[2]), wide);
                   }});
}

/// Division truncates. Dividing by 0 is left open by the ISA; all ones is what ptxas folds it to (div and rem of 32 bits).
Signed128 quotient(Signed128 a, Signed128 b) { return b == 0 ? -1 : a / b; }
Signed128 remainder_of(Signed128 a, Signed128 b) { return b == 0 ? -1 : a % b; }

void add_24_bit_forms(Forms& forms) {
  for (const IntegerType& type : {kIntegerTypes[1], kIntegerTypes[4]}) {
    for (const bool high : {false, true}) {
      const auto part = [type, high](const std::uint64_t* in) {
        const Signed128 full = value_of(in[0], 24, type.is_signed) * value_of(in[1], 24, type.is_signed);
        return wrapped(high ? full >> 16 : full, 32);
      };
      const std::string suffix = std::string(high ? ".hi." : ".lo.") + type.name;
      forms.push_back({"mul24" + suffix + " $d, $a, $b", {Values::integer32, Values::integer32}, {output(32)},
                       [part](const std::uint64_t* in, Expected* out) { out[0] = part(in); }});
      forms.push_back({"mad24" + suffix + " $d, $a, $b, $c", {Values::integer32, Values::integer32, Values::integer32},
                       {output(32)}, [part](const std::uint64_t* in, Expected* out) {
                         out[0] = (part(in) + in[2]) & low_bits(32);
                       }});
      if (!high || !type.is_signed) continue;
      forms.push_back({"mad24.hi.sat.s32 $d, $a, $b, $c", {Values::integer32, Values::integer32, Values::integer32},
                       {output(32)}, [part](const std::uint64_t* in, Expected* out) {
                         out[0] = wrapped(clamped(value_of(part(in), 32, true) + value_of(in[2], 32, true), 32, true), 32);
                       }});
    }
  }
}

void add_saturating_forms(Forms& forms) {
  const IntegerType s32 = kIntegerTypes[4];
  forms.push_back(binary("add.sat", s32, [](Signed128 a, Signed128 b) { return clamped(a + b, 32, true); }));
  forms.push_back(binary("sub.sat", s32, [](Signed128 a, Signed128 b) { return clamped(a - b, 32, true); }));
  forms.push_back({"mad.hi.sat.s32 $d, $a, $b, $c", {Values::integer32, Values::integer32, Values::integer32}, {output(32)},
                   [s32](const std::uint64_t* in, Expected* out) {
                     const Signed128 high = (s32.value(in[0]) * s32.value(in[1])) >> 32;
                     out[0] = wrapped(clamped(high + s32.value(in[2]), 32, true), 32);
                   }});
}

void add_packed_forms(Forms& forms) {
  const auto add_form = [&](const std::string& name, bool is_signed, Binary f, bool relu) {
    Form form{name + " $d, $a, $b", {Values::integer32, Values::integer32}, {output(32)},
              [is_signed, f, relu](const std::uint64_t* in, Expected* out) {
                out[0] = each_half(in[0], in[1], [&](std::uint64_t a, std::uint64_t b) {
                  const Signed128 value = f(value_of(a, 16, is_signed), value_of(b, 16, is_signed));
                  return wrapped(relu && value < 0 ? 0 : value, 16);
                });
              }};
    form.target = 90;
    form.may_be_immediate = false;
    forms.push_back(form);
  };
  for (const bool is_signed : {false, true}) {
    const std::string suffix = is_signed ? ".s16x2" : ".u16x2";
    add_form("add" + suffix, is_signed, [](Signed128 a, Signed128 b) { return a + b; }, false);
    add_form("min" + suffix, is_signed, minimum, false);
    add_form("max" + suffix, is_signed, maximum, false);
  }
  add_form("min.relu.s16x2", true, minimum, true);
  add_form("max.relu.s16x2", true, maximum, true);
  Form relu = binary("min.relu", kIntegerTypes[4], [](Signed128 a, Signed128 b) { return maximum(0, minimum(a, b)); });
  relu.target = 90;
  forms.push_back(relu);
  relu = binary("max.relu", kIntegerTypes[4], [](Signed128 a, Signed128 b) { return maximum(0, maximum(a, b)); });
  relu.target = 90;
  forms.push_back(relu);
}

}  // namespace

Forms integer_forms() {
  Forms forms;
  for (const IntegerType& type : kIntegerTypes) {
    forms.push_back(binary("add", type, [](Signed128 a, Signed128 b) { return a + b; }));
    forms.push_back(binary("sub", type, [](Signed128 a, Signed128 b) { return a - b; }));
    forms.push_back(binary("div", type, quotient));
    forms.push_back(binary("rem", type, remainder_of));
    forms.push_back(binary("min", type, minimum));
    forms.push_back(binary("max", type, maximum));
    add_products(forms, type);
    const Values values = integers(type.width);
    forms.push_back({std::string("sad.") + type.name + " $d, $a, $b, $c", {values, values, values}, {output(type.width)},
                     [type](const std::uint64_t* in, Expected* out) {
                       const Signed128 a = type.value(in[0]);
                       const Signed128 b = type.value(in[1]);
                       out[0] = wrapped(static_cast<Signed128>(in[2]) + (a < b ? b - a : a - b), type.width);
                     }});
    if (!type.is_signed) continue;
    forms.push_back(unary("abs", type, [](Signed128 a) { return a < 0 ? -a : a; }));
    forms.push_back(unary("neg", type, [](Signed128 a) { return -a; }));
  }
  add_saturating_forms(forms);
  add_24_bit_forms(forms);
  add_packed_forms(forms);
  return forms;
}

}  // namespace bascule::ptx_models
