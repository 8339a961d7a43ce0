// ISA 9.7.9: mov, which also packs and unpacks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/bits.hpp"

namespace bascule::ptx_models {
namespace {

void add_plain(Forms& forms) {
  const char* const types[] = {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"};
  for (const std::string type : types) {
    const int width = type.substr(1) == "16" ? 16 : type.substr(1) == "32" ? 32 : 64;
    const Values values = type == "f32" ? Values::f32 : type == "f64" ? Values::f64 : integers(width);
    forms.push_back({"mov." + type + " $d, $a", {values}, {output(width)},
                     [](const std::uint64_t* in, Expected* out) { out[0] = in[0]; }});
  }
  Form predicate{"mov.pred $d, $a", {Values::predicate}, {output(1)},
                 [](const std::uint64_t* in, Expected* out) { out[0] = in[0]; }};
  forms.push_back(predicate);
}

Form vector(std::string code, std::vector<Values> inputs, std::vector<Output> outputs, Model model) {
  Form form{std::move(code), std::move(inputs), std::move(outputs), std::move(model)};
  form.may_be_immediate = false;
  return form;
}

void add_vectors(Forms& forms) {
  for (const std::string type : {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"}) {
    const int width = std::stoi(type.substr(1));
    const Values values = type == "f32" ? Values::f32 : type == "f64" ? Values::f64 : integers(width);
    forms.push_back(vector("mov.v2." + type + " {$d, $e}, {$b, $a}", {values, values}, {output(width), output(width)},
                           [](const std::uint64_t* in, Expected* out) { out[0] = in[1], out[1] = in[0]; }));
    forms.push_back(vector("mov.v2." + type + " {_, $d}, {$a, $b}", {values, values}, {output(width)},
                           [](const std::uint64_t* in, Expected* out) { out[0] = in[1]; }));
    if (width == 64) continue;  // at most 128 bits are moved at once
    forms.push_back(vector("mov.v4." + type + " {_, $d, $e, _}, {$a, $f, $b, $c}", std::vector<Values>(4, values), {output(width), output(width)},
                           [](const std::uint64_t* in, Expected* out) { out[0] = in[3], out[1] = in[1]; }));
  }
}

}  // namespace

Forms move_forms() {
  Forms forms;
  add_plain(forms);
  add_vectors(forms);
  for (const int part : {16, 32}) {
    const Values values = integers(part);
    const std::string type = "mov.b" + std::to_string(2 * part);
    forms.push_back(vector(type + " $d, {$a, $b}", {values, values}, {output(2 * part)},
                           [=](const std::uint64_t* in, Expected* out) { out[0] = in[0] | in[1] << part; }));
    forms.push_back(vector(type + " {$d, $e}, $a", {integers(2 * part)}, {output(part), output(part)},
                           [=](const std::uint64_t* in, Expected* out) {
                             out[0] = in[0] & low_bits(part);
                             out[1] = in[0] >> part;
                           }));
    forms.push_back(vector(type + " {_, $d}, $a", {integers(2 * part)}, {output(part)},
                           [=](const std::uint64_t* in, Expected* out) { out[0] = in[0] >> part; }));
  }
  forms.push_back(vector("mov.b64 $d, {$a, $b, $c, $f}", {Values::integer16, Values::integer16, Values::integer16, Values::integer16},
                         {output(64)}, [](const std::uint64_t* in, Expected* out) {
                           out[0] = in[0] | in[1] << 16 | in[2] << 32 | in[3] << 48;
                         }));
  forms.push_back(vector("mov.b64 {%h0, $d, $e, %h1}, $a", {Values::integer64}, {output(16), output(16)},
                         [](const std::uint64_t* in, Expected* out) {
                           out[0] = in[0] >> 16 & 0xffff;
                           out[1] = in[0] >> 32 & 0xffff;
                         }));
  const Values byte = Values::bits8;
  forms.push_back(vector("mov.b16 $d, {$a, $b}", {byte, byte}, {output(16)}, [](const std::uint64_t* in, Expected* out) { out[0] = in[0] | in[1] << 8; }));
  forms.push_back(vector("mov.b32 $d, {$a, $b, $c, $f}", {byte, byte, byte, byte}, {output(32)},
                         [](const std::uint64_t* in, Expected* out) { out[0] = in[0] | in[1] << 8 | in[2] << 16 | in[3] << 24; }));
  forms.push_back(vector("mov.b16 {$d, $e}, $a", {Values::integer16}, {output(8), output(8)},
                         [](const std::uint64_t* in, Expected* out) { out[0] = in[0] & 0xff, out[1] = in[0] >> 8; }));
  forms.push_back(vector("mov.b32 {$d, _, _, $e}, $a", {Values::integer32}, {output(8), output(8)},
                         [](const std::uint64_t* in, Expected* out) { out[0] = in[0] & 0xff, out[1] = in[0] >> 24; }));
  forms.push_back(vector("mov.b32 {_, $d, $e, _}, $a", {Values::integer32}, {output(8), output(8)},
                         [](const std::uint64_t* in, Expected* out) { out[0] = in[0] >> 8 & 0xff, out[1] = in[0] >> 16 & 0xff; }));
  forms.push_back(vector("mov.b128 %v0, {$a, $b}; mov.b128 {$d, %t0, %t1, $e}, %v0", {Values::integer64, Values::integer64}, {output(32), output(32)},
                         [](const std::uint64_t* in, Expected* out) { out[0] = in[0] & low_bits(32), out[1] = in[1] >> 32; }));
  return forms;
}

}  // namespace bascule::ptx_models
