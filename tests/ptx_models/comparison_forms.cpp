// ISA 9.7.6 and 9.7.7: set, setp, selp, slct on integers and on floating-point numbers of all sizes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/bits.hpp"

namespace bascule::ptx_models {
namespace {

struct Comparison {
  const char* name;
  bool less, equal, greater, unordered;
};

constexpr Comparison kSigned[] = {{"eq", false, true, false, false}, {"ne", true, false, true, false},
                                  {"lt", true, false, false, false}, {"le", true, true, false, false},
                                  {"gt", false, false, true, false}, {"ge", false, true, true, false}};
constexpr Comparison kUnsigned[] = {{"lo", true, false, false, false}, {"ls", true, true, false, false},
                                    {"hi", false, false, true, false}, {"hs", false, true, true, false}};
constexpr Comparison kUnordered[] = {{"equ", false, true, false, true}, {"neu", true, false, true, true},
                                     {"ltu", true, false, false, true}, {"leu", true, true, false, true},
                                     {"gtu", false, false, true, true}, {"geu", false, true, true, true},
                                     {"num", true, true, true, false},  {"nan", false, false, false, true}};

/// A type whose values can be compared: integer or floating point.
struct Compared {
  std::string name;
  int width;
  Values values;
  bool is_signed = false;
  const Format* format = nullptr;
  bool flush = false;

  [[nodiscard]] bool holds(const Comparison& comparison, std::uint64_t a, std::uint64_t b) const {
    int order;
    if (format != nullptr) {
      if (format->is_nan(a) || format->is_nan(b)) return comparison.unordered;
      if (flush && format->is_subnormal(a)) a &= format->sign();
      if (flush && format->is_subnormal(b)) b &= format->sign();
      order = compare(decode(*format, a), decode(*format, b));
    } else {
      const Signed128 left = value_of(a, width, is_signed);
      const Signed128 right = value_of(b, width, is_signed);
      order = left < right ? -1 : left > right ? 1 : 0;
    }
    return order < 0 ? comparison.less : order > 0 ? comparison.greater : comparison.equal;
  }
};

struct Combination {
  const char* name;  // "" for none
  bool negated;
  [[nodiscard]] bool apply(bool t, bool c) const {
    const bool other = c != negated;
    switch (name[0]) {
      case 'a': return t && other;
      case 'o': return t || other;
      case 'x': return t != other;
      default: return t;
    }
  }
};
constexpr Combination kCombinations[] = {{"", false},   {"and", false}, {"or", false}, {"xor", false},
                                         {"and", true}, {"or", true},   {"xor", true}};

std::string name_of(const char* instruction, const Comparison& comparison, const Combination& combination, bool flush) {
  std::string name = std::string(instruction) + "." + comparison.name;
  if (combination.name[0] != 0) name += std::string(".") + combination.name;
  return name + (flush ? ".ftz" : "");
}

std::string last_operand(const Combination& combination) {
  return combination.name[0] == 0 ? "" : combination.negated ? ", !$c" : ", $c";
}

std::vector<Values> inputs_of(const Compared& type, const Combination& combination) {
  std::vector<Values> inputs = {type.values, type.values};
  if (combination.name[0] != 0) inputs.push_back(Values::predicate);
  return inputs;
}

void add_setp(Forms& forms, const Compared& type, const Comparison& comparison, const Combination& combination, unsigned target) {
  const bool pair = type.width >= 32 || type.format == nullptr;  // f16 and bf16 have one destination only
  forms.push_back({name_of("setp", comparison, combination, type.flush) + "." + type.name + (pair ? " $d|$e" : " $d") +
                       ", $a, $b" + last_operand(combination),
                   inputs_of(type, combination),
                   pair ? std::vector<Output>{output(1), output(1)} : std::vector<Output>{output(1)},
                   [=](const std::uint64_t* in, Expected* out) {
                     const bool t = type.holds(comparison, in[0], in[1]);
                     const bool c = combination.name[0] != 0 && in[2] != 0;
                     out[0] = combination.apply(t, c) ? 1 : 0;
                     if (pair) out[1] = combination.apply(!t, c) ? 1 : 0;
                   },
                   {}, target});
}

struct Truth {
  const char* name;
  int width;
  std::uint64_t value;
};

void add_set(Forms& forms, const Compared& type, const Comparison& comparison, const Combination& combination, const Truth& truth,
             unsigned target) {
  forms.push_back({name_of("set", comparison, combination, type.flush) + "." + truth.name + "." + type.name + " $d, $a, $b" +
                       last_operand(combination),
                   inputs_of(type, combination), {output(truth.width)},
                   [=](const std::uint64_t* in, Expected* out) {
                     const bool t = type.holds(comparison, in[0], in[1]);
                     out[0] = combination.apply(t, combination.name[0] != 0 && in[2] != 0) ? truth.value : 0;
                   },
                   {}, target});
}

std::vector<Compared> compared_types() {
  std::vector<Compared> types;
  for (const int width : {16, 32, 64}) {
    const std::string bits = std::to_string(width);
    types.push_back({"b" + bits, width, integers(width)});
    types.push_back({"u" + bits, width, integers(width)});
    types.push_back({"s" + bits, width, integers(width), true});
  }
  types.push_back({"f32", 32, Values::f32, false, &kF32});
  types.push_back({"f32", 32, Values::f32, false, &kF32, true});
  types.push_back({"f64", 64, Values::f64, false, &kF64});
  types.push_back({"f16", 16, Values::f16, false, &kF16});
  types.push_back({"f16", 16, Values::f16, false, &kF16, true});
  types.push_back({"bf16", 16, Values::bf16, false, &kBf16});
  return types;
}

std::vector<Comparison> comparisons_of(const Compared& type) {
  std::vector<Comparison> result;
  if (type.name[0] == 'b' && type.format == nullptr) return {kSigned[0], kSigned[1]};
  for (const Comparison& c : kSigned) result.push_back(c);
  if (type.name[0] == 'u') {
    for (const Comparison& c : kUnsigned) result.push_back(c);
  }
  if (type.format != nullptr) {
    for (const Comparison& c : kUnordered) result.push_back(c);
  }
  return result;
}

/// All combinations for two types; for the others each comparison with one after the other.
void add_comparisons(Forms& forms) {
  std::size_t turn = 0;
  for (const Compared& type : compared_types()) {
    const unsigned target = type.name == "bf16" ? 90 : 80;
    std::vector<Truth> truths = {{"u32", 32, 0xffffffffu}, {"s32", 32, 0xffffffffu}};
    if (type.format == &kF16 || type.format == &kBf16) {
      truths.push_back({"u16", 16, 0xffff});
      truths.push_back({"s16", 16, 0xffff});
    } else {
      truths.push_back({"f32", 32, kF32.one()});
    }
    if (!type.flush && type.format != &kBf16) truths.push_back({"f16", 16, kF16.one()});
    if (type.format == &kF16 && type.flush) truths.push_back({"f16", 16, kF16.one()});
    if (!type.flush && type.format != &kBf16) truths.push_back({"bf16", 16, kBf16.one()});
    for (const Comparison& comparison : comparisons_of(type)) {
      const bool all = type.name == "s32" || (type.name == "f32" && !type.flush);
      for (const Combination& combination : kCombinations) {
        if (all || combination.name[0] == 0 || &combination == &kCombinations[1 + turn % 6]) {
          add_setp(forms, type, comparison, combination, target);
        }
      }
      const Truth& truth = truths[turn % truths.size()];
      const bool unsigned_names = comparison.name[0] == 'l' && comparison.name[1] == 'o';
      // set with a 16-bit destination has no lo, ls, hi, hs.
      const bool hardly = unsigned_names || comparison.name[0] == 'h' || (comparison.name[0] == 'l' && comparison.name[1] == 's');
      const Truth& used = hardly && truth.width == 16 ? truths[0] : truth;
      const unsigned needs = std::string(used.name) == "bf16" ? 90 : target;
      add_set(forms, type, comparison, kCombinations[0], used, needs);
      add_set(forms, type, comparison, kCombinations[1 + (turn + 2) % 6], used, needs);
      ++turn;
    }
  }
}

void add_packed_comparisons(Forms& forms) {
  std::size_t turn = 0;
  for (const bool brain : {false, true}) {
    for (const bool flush : {false, true}) {
      if (brain && flush) continue;
      const Format& format = brain ? kBf16 : kF16;
      const Compared type{brain ? "bf16x2" : "f16x2", 16, brain ? Values::bf16x2 : Values::f16x2, false, &format, flush};
      const unsigned target = brain ? 90 : 80;
      for (const Comparison& comparison : comparisons_of(type)) {
        for (const Combination& combination : {kCombinations[0], kCombinations[1 + turn % 6]}) {
          const auto halves = [=](const std::uint64_t* in, int i) {
            const bool t = type.holds(comparison, in[0] >> (16 * i) & 0xffff, in[1] >> (16 * i) & 0xffff);
            return combination.apply(t, combination.name[0] != 0 && in[2] != 0);
          };
          forms.push_back({name_of("setp", comparison, combination, flush) + "." + type.name + " $d|$e, $a, $b" +
                               last_operand(combination),
                           inputs_of(type, combination), {output(1), output(1)},
                           [=](const std::uint64_t* in, Expected* out) {
                             for (int i = 0; i < 2; ++i) out[i] = halves(in, i) ? 1 : 0;
                           },
                           {}, target});
          const bool numbers = turn % 2 == 0;
          const std::uint64_t truth = numbers ? format.one() : 0xffff;
          forms.push_back({name_of("set", comparison, combination, flush) + "." + (numbers ? type.name : turn % 4 == 1 ? "u32" : "s32") +
                               "." + type.name + " $d, $a, $b" + last_operand(combination),
                           inputs_of(type, combination), {output(32)},
                           [=](const std::uint64_t* in, Expected* out) {
                             out[0] = (halves(in, 0) ? truth : 0) | (halves(in, 1) ? truth : 0) << 16;
                           },
                           {}, target});
        }
        ++turn;
      }
    }
  }
}

void add_selections(Forms& forms) {
  const char* const types[] = {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"};
  for (const std::string type : types) {
    const int width = type.substr(1) == "16" ? 16 : type.substr(1) == "32" ? 32 : 64;
    const Values values = type == "f32" ? Values::f32 : type == "f64" ? Values::f64 : integers(width);
    forms.push_back({"selp." + type + " $d, $a, $b, $c", {values, values, Values::predicate}, {output(width)},
                     [](const std::uint64_t* in, Expected* out) { out[0] = in[2] != 0 ? in[0] : in[1]; }});
    forms.push_back({"slct." + type + ".s32 $d, $a, $b, $c", {values, values, Values::integer32}, {output(width)},
                     [](const std::uint64_t* in, Expected* out) { out[0] = value_of(in[2], 32, true) >= 0 ? in[0] : in[1]; }});
    for (const bool flush : {false, true}) {
      forms.push_back({std::string("slct") + (flush ? ".ftz." : ".") + type + ".f32 $d, $a, $b, $c",
                       {values, values, Values::f32}, {output(width)}, [flush](const std::uint64_t* in, Expected* out) {
                         const bool nan = kF32.is_nan(in[2]);
                         const bool zero = (in[2] & 0x7fffffff) == 0 || (flush && kF32.is_subnormal(in[2]));
                         out[0] = !nan && (zero || !kF32.is_negative(in[2])) ? in[0] : in[1];
                       }});
    }
  }
}

}  // namespace

Forms comparison_forms() {
  Forms forms;
  add_comparisons(forms);
  add_packed_comparisons(forms);
  add_selections(forms);
  return forms;
}

}  // namespace bascule::ptx_models
