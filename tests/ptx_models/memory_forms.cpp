// ISA 9.7.9: ld and st of every type, into registers that may be wider, in every space that a thread can write, by the space's
// own and by generic addresses. Cells are aligned to 16 bytes, which std::vector's memory is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/bits.hpp"

namespace bascule::ptx_models {
namespace {

struct Place {
  const char* space;  // with its dot; "" is generic
  const char* address;
};
constexpr Place kPlaces[] = {{".global", "%cell"}, {"", "%cell"},         {".shared", "%shared"},
                             {"", "%generic_shared"}, {".local", "%local"}, {"", "%generic_local"}};

struct MemoryType {
  const char* name;
  int width;
  bool is_signed;
};
constexpr MemoryType kTypes[] = {{"b8", 8, false},  {"u8", 8, false},  {"s8", 8, true},   {"b16", 16, false}, {"u16", 16, false},
                                 {"s16", 16, true}, {"b32", 32, false}, {"u32", 32, false}, {"s32", 32, true},  {"b64", 64, false},
                                 {"u64", 64, false}, {"s64", 64, true},  {"f32", 32, false}, {"f64", 64, false}};

std::string at(const char* address, int offset) {
  return std::string("[") + address + (offset == 0 ? "" : "+" + std::to_string(offset)) + "]";
}

void push(Forms& forms, std::string code, std::vector<Values> inputs, std::vector<Output> outputs, Model model) {
  Form form{std::move(code), std::move(inputs), std::move(outputs), std::move(model)};
  form.may_be_immediate = false;
  forms.push_back(form);
}

/// A 64-bit value is stored as it is and part of it loaded again.
void add_loads(Forms& forms) {
  std::size_t turn = 0;
  for (const Place& place : kPlaces) {
    for (const MemoryType& type : kTypes) {
      for (const int destination : {16, 32, 64}) {
        if (destination < type.width || (type.name[0] == 'f' && destination != type.width)) continue;
        const int offset = static_cast<int>(turn++) * type.width / 8 % 8;
        const bool local = place.space == std::string(".local");  // ptxas refuses ld.volatile.local
        const char* const variants[] = {"", ".weak", local ? "" : ".volatile", ""};
        const std::string load = std::string("ld") + variants[turn % 4] + place.space + "." + type.name;
        push(forms, std::string("st") + place.space + ".b64 [" + place.address + "], $a; " + load + " $d, " + at(place.address, offset),
             {Values::integer64}, {output(destination)}, [=](const std::uint64_t* in, Expected* out) {
               out[0] = wrapped(value_of(in[0] >> (8 * offset), type.width, type.is_signed), destination);
             });
      }
    }
  }
}

/// The low part of a register that may be wider is stored into zeros.
void add_stores(Forms& forms) {
  std::size_t turn = 0;
  for (const Place& place : kPlaces) {
    for (const MemoryType& type : kTypes) {
      for (const int source : {16, 32, 64}) {
        if (source < type.width || (type.name[0] == 'f' && source != type.width)) continue;
        const int offset = static_cast<int>(turn++) * type.width / 8 % 8;
        const std::string st = std::string("st") + place.space;
        push(forms, "mov.b64 %w0, 0; " + st + ".b64 [" + place.address + "], %w0; " + st + "." + type.name + " " +
                        at(place.address, offset) + ", $a; ld" + place.space + ".b64 $d, [" + place.address + "]",
             {integers(source)}, {output(64)}, [=](const std::uint64_t* in, Expected* out) {
               out[0] = (in[0] & low_bits(type.width)) << (8 * offset);
             });
      }
    }
  }
}

void add_vectors(Forms& forms) {
  for (const Place& place : kPlaces) {
    const std::string st = std::string("st") + place.space, ld = std::string("ld") + place.space;
    const std::string here = std::string(" [") + place.address + "]";
    push(forms, st + ".v2.b32" + here + ", {$a, $b}; " + ld + ".v2.b32 {$d, $e}," + here, {Values::integer32, Values::integer32},
         {output(32), output(32)}, [](const std::uint64_t* in, Expected* out) { out[0] = in[0], out[1] = in[1]; });
    push(forms, st + ".v4.b32" + here + ", {$a, $b, $c, $f}; " + ld + ".v2.b64 {$d, $e}," + here,
         {Values::integer32, Values::integer32, Values::integer32, Values::integer32}, {output(64), output(64)},
         [](const std::uint64_t* in, Expected* out) { out[0] = in[0] | in[1] << 32, out[1] = in[2] | in[3] << 32; });
    push(forms, st + ".v2.b64" + here + ", {$a, $b}; " + ld + ".v4.b32 {%t0, $d, $e, %t1}," + here, {Values::integer64, Values::integer64},
         {output(32), output(32)}, [](const std::uint64_t* in, Expected* out) { out[0] = in[0] >> 32, out[1] = in[1] & low_bits(32); });
    push(forms, st + ".v4.u16" + here + ", {$a, $b, $c, $f}; " + ld + ".b64 $d," + here,
         {Values::integer16, Values::integer16, Values::integer16, Values::integer16}, {output(64)},
         [](const std::uint64_t* in, Expected* out) { out[0] = in[0] | in[1] << 16 | in[2] << 32 | in[3] << 48; });
    push(forms, st + ".v4.b8" + here + ", {$a, $b, $c, $f}; " + ld + ".v4.s8 {%t0, $d, $e, %t1}," + here,
         {Values::integer32, Values::integer32, Values::integer32, Values::integer32}, {output(32), output(32)},
         [](const std::uint64_t* in, Expected* out) {
           out[0] = wrapped(value_of(in[1], 8, true), 32);
           out[1] = wrapped(value_of(in[2], 8, true), 32);
         });
    push(forms, st + ".v2.f64" + here + ", {$a, $b}; " + ld + ".v2.u64 {$d, $e}," + here, {Values::f64, Values::f64}, {output(64), output(64)},
         [](const std::uint64_t* in, Expected* out) { out[0] = in[0], out[1] = in[1]; });
  }
}

}  // namespace

Forms memory_forms() {
  Forms forms;
  add_loads(forms);
  add_stores(forms);
  add_vectors(forms);
  return forms;
}

}  // namespace bascule::ptx_models
