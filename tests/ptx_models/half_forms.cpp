// ISA 9.7.4: arithmetic of f16, bf16 and their pairs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "tests/ptx_models/arithmetic.hpp"

namespace bascule::ptx_models {
namespace {

struct HalfType {
  const char* name;
  const Format* format;
  Values values;
  int elements;
};
constexpr HalfType kHalfTypes[] = {{"f16", &kF16, Values::f16, 1}, {"f16x2", &kF16, Values::f16x2, 2},
                                   {"bf16", &kBf16, Values::bf16, 1}, {"bf16x2", &kBf16, Values::bf16x2, 2}};

using OneElement = std::function<Expected(const std::uint64_t* x)>;

/// A form that does the same to one or to both halves.
Form half_form(const std::string& name, const HalfType& type, int inputs, OneElement one, bool any_nan, unsigned target) {
  const char* const lists[] = {"", " $d, $a", " $d, $a, $b", " $d, $a, $b, $c"};
  Output out{16 * type.elements, any_nan ? type.format : nullptr, type.elements};
  Form form{name + "." + type.name + lists[inputs], std::vector<Values>(static_cast<std::size_t>(inputs), type.values), {out},
            [=](const std::uint64_t* in, Expected* result) {
              result[0] = 0;
              for (int e = 0; e < type.elements; ++e) {
                std::uint64_t x[3] = {};
                for (int i = 0; i < inputs; ++i) x[i] = in[i] >> (16 * e) & 0xffff;
                const Expected part = one(x);
                result[0].bits |= part.bits << (16 * e);
                result[0].alternative |= part.alternative << (16 * e);
              }
            }};
  form.target = target;
  form.may_be_immediate = false;
  form.exhaustive16 = inputs == 1;
  return form;
}

Expected exactly(std::uint64_t bits) {
  Expected result;
  result = bits;
  return result;
}

void add_arithmetic(Forms& forms, const HalfType& type) {
  const bool brain = type.format == &kBf16;
  using Operation = Number (*)(const Number*);
  struct Named {
    const char* name;
    int inputs;
    Operation f;
  };
  const Named operations[] = {
      {"add", 2, [](const Number* x) { return add(x[0], x[1], Rounding::nearest_even); }},
      {"sub", 2, [](const Number* x) { return add(x[0], negated(x[1]), Rounding::nearest_even); }},
      {"mul", 2, [](const Number* x) { return multiply(x[0], x[1]); }},
      {"fma", 3, [](const Number* x) { return add(multiply(x[0], x[1]), x[2], Rounding::nearest_even); }}};
  for (const Named& operation : operations) {
    for (int variant = 0; variant < 12; ++variant) {
      const bool flush = (variant & 1) != 0, explicit_rounding = (variant & 2) != 0;
      const bool saturate = variant / 4 == 1, relu = variant / 4 == 2;
      if (operation.inputs == 3 && !explicit_rounding) continue;
      if (relu && operation.inputs != 3) continue;
      if (brain && (flush || saturate)) continue;
      const Finish finish{type.format, Rounding::nearest_even, flush, saturate, relu};
      const std::string name = std::string(operation.name) + (explicit_rounding ? ".rn" : "") + (flush ? ".ftz" : "") +
                               (saturate ? ".sat" : "") + (relu ? ".relu" : "");
      forms.push_back(half_form(name, type, operation.inputs,
                                [=](const std::uint64_t* x) {
                                  Number numbers[3];
                                  for (int i = 0; i < operation.inputs; ++i) {
                                    numbers[i] = decode(*finish.format, flushed(*finish.format, x[i], finish.flush));
                                  }
                                  return finished(finish, operation.f(numbers));
                                },
                                !saturate && !relu, brain && operation.inputs == 2 ? 90 : 80));
    }
  }
}

/// fma.oob: an operand that is the NaN of places outside of a tensor makes that half's result +0.
void add_out_of_bounds(Forms& forms, const HalfType& type) {
  constexpr std::uint64_t kOutside = 0x7ff7;
  for (const bool relu : {false, true}) {
    const Finish finish{type.format, Rounding::nearest_even, false, false, relu};
    forms.push_back(half_form(relu ? "fma.rn.oob.relu" : "fma.rn.oob", type, 3,
                              [=](const std::uint64_t* x) {
                                if (std::count(x, x + 3, kOutside) != 0) return exactly(0);
                                Number numbers[3];
                                for (int i = 0; i < 3; ++i) numbers[i] = decode(*finish.format, x[i]);
                                return finished(finish, add(multiply(numbers[0], numbers[1]), numbers[2], Rounding::nearest_even));
                              },
                              !relu, 90));
  }
}

void add_signs(Forms& forms, const HalfType& type) {
  for (const bool flush : {false, true}) {
    if (flush && type.format == &kBf16) continue;
    const std::string suffix = flush ? ".ftz" : "";
    const Format* format = type.format;
    forms.push_back(half_form("neg" + suffix, type, 1,
                              [=](const std::uint64_t* x) { return exactly(flushed(*format, x[0], flush) ^ 0x8000); }, true, 80));
    forms.push_back(half_form("abs" + suffix, type, 1,
                              [=](const std::uint64_t* x) { return exactly(flushed(*format, x[0], flush) & 0x7fff); }, true, 80));
  }
}

void add_extremes(Forms& forms, const HalfType& type) {
  const Format* format = type.format;
  for (const bool greatest : {false, true}) {
    for (int variant = 0; variant < 8; ++variant) {
      const bool flush = (variant & 1) != 0, propagate = (variant & 2) != 0, magnitudes = (variant & 4) != 0;
      if (flush && format == &kBf16) continue;
      const auto one = [=](const std::uint64_t* x) {
        std::uint64_t a = flushed(*format, x[0], flush), b = flushed(*format, x[1], flush);
        const std::uint64_t sign = (a ^ b) & 0x8000;
        if (magnitudes) a &= 0x7fff, b &= 0x7fff;
        const bool a_nan = format->is_nan(a), b_nan = format->is_nan(b);
        if ((a_nan && b_nan) || (propagate && (a_nan || b_nan))) return exactly(format->canonical_nan);
        std::uint64_t d = a_nan ? b : a;
        if (!a_nan && !b_nan) {
          const int order = compare(decode(*format, a), decode(*format, b));
          const bool a_less = order < 0 || (order == 0 && format->is_negative(a));  // -0 is less than +0
          d = a_less != greatest ? a : b;
        }
        return exactly(magnitudes ? (d & 0x7fff) | sign : d);
      };
      const std::string name = std::string(greatest ? "max" : "min") + (flush ? ".ftz" : "") + (propagate ? ".NaN" : "") +
                               (magnitudes ? ".xorsign.abs" : "");
      forms.push_back(half_form(name, type, 2, one, !propagate, magnitudes ? 90 : 80));
    }
  }
}

}  // namespace

Forms half_forms() {
  Forms forms;
  for (const HalfType& type : kHalfTypes) {
    add_arithmetic(forms, type);
    add_out_of_bounds(forms, type);
    add_signs(forms, type);
    add_extremes(forms, type);
  }
  return forms;
}

}  // namespace bascule::ptx_models
