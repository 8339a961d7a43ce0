// ISA 9.7.8, logic and shifts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/bits.hpp"

namespace bascule::ptx_models {
namespace {

void add_logic(Forms& forms, const std::string& type, int width, Values values) {
  const std::uint64_t mask = low_bits(width);
  const auto binary = [&](const char* name, std::uint64_t (*f)(std::uint64_t, std::uint64_t)) {
    forms.push_back({name + type + " $d, $a, $b", {values, values}, {output(width)},
                     [=](const std::uint64_t* in, Expected* out) { out[0] = f(in[0], in[1]) & mask; }});
  };
  binary("and", [](std::uint64_t a, std::uint64_t b) { return a & b; });
  binary("or", [](std::uint64_t a, std::uint64_t b) { return a | b; });
  binary("xor", [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
  forms.push_back({"not" + type + " $d, $a", {values}, {output(width)},
                   [=](const std::uint64_t* in, Expected* out) { out[0] = ~in[0] & mask; }});
  if (width == 1) return;
  forms.push_back({"cnot" + type + " $d, $a", {values}, {output(width)},
                   [](const std::uint64_t* in, Expected* out) { out[0] = in[0] == 0 ? 1 : 0; }});
}

void add_shifts(Forms& forms, int width) {
  const Values values = integers(width);
  const std::string bits = std::to_string(width);
  forms.push_back({"shl.b" + bits + " $d, $a, $b", {values, Values::count32}, {output(width)},
                   [=](const std::uint64_t* in, Expected* out) {
                     out[0] = in[1] >= static_cast<std::uint64_t>(width) ? 0 : in[0] << in[1] & low_bits(width);
                   }});
  for (const char kind : {'b', 'u', 's'}) {
    forms.push_back({std::string("shr.") + kind + bits + " $d, $a, $b", {values, Values::count32}, {output(width)},
                     [=](const std::uint64_t* in, Expected* out) {
                       const int count = in[1] > static_cast<std::uint64_t>(width) ? width : static_cast<int>(in[1]);
                       out[0] = wrapped(value_of(in[0], width, kind == 's') >> count, width);
                     }});
  }
}

void add_funnel_shifts(Forms& forms) {
  for (const bool clamp : {false, true}) {
    const auto count = [clamp](std::uint64_t c) { return clamp ? (c < 32 ? c : 32) : c & 31; };
    const std::string mode = clamp ? ".clamp" : ".wrap";
    const std::vector<Values> inputs = {Values::integer32, Values::integer32, Values::count32};
    forms.push_back({"shf.l" + mode + ".b32 $d, $a, $b, $c", inputs, {output(32)}, [=](const std::uint64_t* in, Expected* out) {
                       const unsigned __int128 pair = in[0] | in[1] << 32;
                       out[0] = static_cast<std::uint64_t>(pair << count(in[2]) >> 32) & low_bits(32);
                     }});
    forms.push_back({"shf.r" + mode + ".b32 $d, $a, $b, $c", inputs, {output(32)}, [=](const std::uint64_t* in, Expected* out) {
                       out[0] = (in[0] | in[1] << 32) >> count(in[2]) & low_bits(32);
                     }});
  }
}

std::uint64_t look_up(std::uint64_t table, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t result = 0;
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
    result |= (table >> index & 1) << i;
  }
  return result;
}

void add_tables(Forms& forms) {
  const std::vector<Values> inputs = {Values::integer32, Values::integer32, Values::integer32};
  for (std::uint64_t table = 0; table < 256; ++table) {
    forms.push_back({"lop3.b32 $d, $a, $b, $c, " + std::to_string(table), inputs, {output(32)},
                     [table](const std::uint64_t* in, Expected* out) { out[0] = look_up(table, in[0], in[1], in[2]); }});
  }
  for (const bool both : {false, true}) {
    const std::uint64_t table = both ? 0x80 : 0x96;
    for (const bool negated : {false, true}) {
      Form form{std::string("lop3.") + (both ? "and" : "or") + ".b32 $d|$e, $a, $b, $c, " + std::to_string(table) + (negated ? ", !$f" : ", $f"),
                {Values::integer32, Values::integer32, Values::integer32, Values::predicate}, {output(32), output(1)},
                [=](const std::uint64_t* in, Expected* out) {
                  const std::uint64_t value = look_up(table, in[0], in[1], in[2]);
                  const bool set = value != 0;
                  const bool other = (in[3] != 0) != negated;
                  out[0] = value;
                  out[1] = (both ? set && other : set || other) ? 1 : 0;
                }};
      form.may_be_immediate = false;
      forms.push_back(form);
    }
  }
}

}  // namespace

Forms logic_forms() {
  Forms forms;
  for (const int width : {16, 32, 64}) {
    add_logic(forms, ".b" + std::to_string(width), width, integers(width));
    add_shifts(forms, width);
  }
  add_logic(forms, ".pred", 1, Values::predicate);
  add_funnel_shifts(forms);
  add_tables(forms);
  return forms;
}

}  // namespace bascule::ptx_models
