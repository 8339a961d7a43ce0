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

std::uint64_t known(int at, int width) {
  std::uint64_t value = 0;
  for (int i = 0; i < width / 8; ++i) value |= static_cast<std::uint64_t>(known_byte(at + i)) << (8 * i);
  return value;
}

/// All lanes at one address: single values and vectors, of constants and of what all have just stored.
void add_uniform(Forms& forms) {
  const struct {
    const char* space;
    const char* memory;
  } memories[] = {{".global", "known"}, {".const", "known_constants"}, {"", "known"}};
  for (const auto& memory : memories) {
    const std::string ld = std::string("ld") + memory.space;
    for (const MemoryType& type : kTypes) {
      const int destination = type.width < 16 ? 32 : type.width;
      const auto value = [=](int at) { return wrapped(value_of(known(at, type.width), type.width, type.is_signed), destination); };
      const std::string first = std::string("mov.u64 %w0, ") + memory.memory + "; ";
      push(forms, first + ld + "." + type.name + " $d, [%w0+24]", {}, {output(destination)},
           [=](const std::uint64_t*, Expected* out) { out[0] = value(24); });
      push(forms, first + ld + ".v2." + type.name + " {$d, $e}, [%w0+16]", {}, {output(destination), output(destination)},
           [=](const std::uint64_t*, Expected* out) { out[0] = value(16), out[1] = value(16 + type.width / 8); });
      if (type.width == 64) continue;
      const std::string filler = destination == 32 ? "%t0" : "%h0", other = destination == 32 ? "%t1" : "%h1";
      push(forms, first + ld + ".v4." + type.name + " {" + filler + ", $d, " + other + ", $e}, [%w0+32]", {}, {output(destination), output(destination)},
           [=](const std::uint64_t*, Expected* out) { out[0] = value(32 + type.width / 8), out[1] = value(32 + 3 * type.width / 8); });
    }
    push(forms, std::string("and.b32 %t0, $a, 60; cvt.u64.u32 %w0, %t0; mov.u64 %w1, ") + memory.memory + "; add.u64 %w0, %w0, %w1; " + ld + ".u32 $d, [%w0]",
         {Values::integer32}, {output(32)}, [](const std::uint64_t* in, Expected* out) { out[0] = known(static_cast<int>(in[0] & 60), 32); });
  }
  for (const bool shared : {false, true}) {
    const std::string space = shared ? ".shared" : ".global", at = shared ? "[shared_cells]" : "[%base]";
    push(forms, "st" + space + ".v2.b32 " + at + ", {17, 23}; ld" + space + ".v2.b32 {$d, $e}, " + at, {}, {output(32), output(32)},
         [](const std::uint64_t*, Expected* out) { out[0] = 17, out[1] = 23; });
    push(forms, "mov.b16 %h0, 77; mov.b16 %h1, 99; st" + space + ".v4.b16 " + at + ", {%h0, %h1, %h1, %h0}; ld" + space + ".v2.b32 {$d, $e}, " + at, {},
         {output(32), output(32)}, [](const std::uint64_t*, Expected* out) { out[0] = 77 | 99 << 16, out[1] = 99 | 77 << 16; });
    push(forms, "mov.b32 %t0, 0x1ff; st" + space + ".u8 " + at + ", %t0; ld" + space + ".s8 $d, " + at, {}, {output(32)},
         [](const std::uint64_t*, Expected* out) { out[0] = 0xffffffffu; });
  }
}

/// Lanes side by side without gaps.
void add_contiguous(Forms& forms) {
  for (const bool shared : {false, true}) {
    const std::string space = shared ? ".shared" : ".global";
    const auto address = [&](int bytes) {
      return shared ? "mul.wide.u32 %w0, %y, " + std::to_string(bytes) + "; mov.u64 %w1, shared_cells; add.u64 %w0, %w0, %w1; "
                    : "mul.wide.u32 %w0, %index, " + std::to_string(bytes) + "; add.u64 %w0, %w0, %base; ";
    };
    const std::string st = "st" + space + ".", ld = "ld" + space + ".";
    for (const MemoryType& type : kTypes) {
      for (const int width : {16, 32, 64}) {
        if (width < type.width || (type.name[0] == 'f' && width != type.width)) continue;
        push(forms, address(type.width / 8) + st + type.name + " [%w0], $a; " + ld + type.name + " $d, [%w0]", {integers(width)}, {output(width)},
             [=](const std::uint64_t* in, Expected* out) { out[0] = wrapped(value_of(in[0], type.width, type.is_signed), width); });
        push(forms, address(type.width / 4) + st + "v2." + type.name + " [%w0], {$a, $b}; " + ld + "v2." + type.name + " {$d, $e}, [%w0]",
             {integers(width), integers(width)}, {output(width), output(width)}, [=](const std::uint64_t* in, Expected* out) {
               for (int i = 0; i < 2; ++i) out[i] = wrapped(value_of(in[i], type.width, type.is_signed), width);
             });
        if (type.width == 64 || width == 64) continue;
        const std::string filler = width == 32 ? "%t0" : "%h0", other = width == 32 ? "%t1" : "%h1";
        push(forms, address(type.width / 2) + st + "v4." + type.name + " [%w0], {$a, $b, $c, $f}; " + ld + "v4." + type.name + " {" + filler + ", $d, " + other + ", $e}, [%w0]",
             std::vector<Values>(4, integers(width)), {output(width), output(width)}, [=](const std::uint64_t* in, Expected* out) {
               out[0] = wrapped(value_of(in[1], type.width, type.is_signed), width);
               out[1] = wrapped(value_of(in[3], type.width, type.is_signed), width);
             });
      }
    }
  }
}

/// 128 bits as one value, and vectors of 256 bits, where lanes may leave elements out.
void add_wide(Forms& forms) {
  for (const Place& place : kPlaces) {
    const std::string here = std::string("[") + place.address + "]", st = std::string("st") + place.space, ld = std::string("ld") + place.space;
    const std::vector<Values> two(2, Values::integer64);
    const Model same = [](const std::uint64_t* in, Expected* out) { out[0] = in[0], out[1] = in[1]; };
    push(forms, st + ".v2.b64 " + here + ", {$a, $b}; " + ld + ".b128 %v0, " + here + "; mov.b128 {$d, $e}, %v0", two, {output(64), output(64)}, same);
    push(forms, "mov.b128 %v0, {$a, $b}; mov.b128 %v1, %v0; " + st + ".b128 " + here + ", %v1; " + ld + ".v2.b64 {$d, $e}, " + here, two, {output(64), output(64)}, same);
  }
  push(forms, "mov.b128 %v0, {$a, $b, $c, $f}; mov.b128 {$d, $e}, %v0", std::vector<Values>(4, Values::integer32), {output(64), output(64)},
       [](const std::uint64_t* in, Expected* out) { out[0] = in[0] | in[1] << 32, out[1] = in[2] | in[3] << 32; });
  push(forms, "mov.b128 %v0, {$a, $b}; mov.b128 {%t0, $d, $e, %t1}, %v0", {Values::integer64, Values::integer64}, {output(32), output(32)},
       [](const std::uint64_t* in, Expected* out) { out[0] = in[0] >> 32, out[1] = in[1] & low_bits(32); });
  for (const char* space : {".global", ""}) {
    const std::string st = std::string("st") + space, ld = std::string("ld") + space;
    Form form{st + ".v8.b32 [%cell], {$a, $b, $c, $f, $b, $c, $f, $a}; " + ld + ".v8.b32 {_, $d, _, _, _, _, $e, _}, [%cell]",
              std::vector<Values>(4, Values::integer32), {output(32), output(32)},
              [](const std::uint64_t* in, Expected* out) { out[0] = in[1], out[1] = in[3]; }};
    form.target = 100;
    form.may_be_immediate = false;
    forms.push_back(form);
    form = {st + ".v4.b64 [%cell], {$a, $b, $c, $f}; " + ld + ".v4.u64 {$d, _, _, $e}, [%cell]", std::vector<Values>(4, Values::integer64),
            {output(64), output(64)}, [](const std::uint64_t* in, Expected* out) { out[0] = in[0], out[1] = in[3]; }};
    form.target = 100;
    form.may_be_immediate = false;
    forms.push_back(form);
  }
}

/// A block is the only one of its cluster; st.bulk writes zeros.
void add_cluster_and_bulk(Forms& forms) {
  const std::string put = "st.shared.b32 [%shared], $a; ";
  const std::string codes[] = {
      "mapa.shared::cluster.u64 %w0, %shared, 0; " + put + "ld.shared::cluster.b32 $d, [%w0]; getctarank.shared::cluster.u64 $e, %w0",
      "mapa.u64 %w0, %generic_shared, 0; " + put + "ld.b32 $d, [%w0]; getctarank.u64 $e, %generic_shared",
      "cvt.u32.u64 %t0, %shared; mov.b32 %t2, 0; mapa.shared::cluster.u32 %t1, %t0, %t2; " + put +
          "ld.shared::cluster.b32 $d, [%t1]; getctarank.shared::cluster.u32 $e, %t1"};
  for (const std::string& code : codes) {
    push(forms, code, {Values::integer32}, {output(32), output(32)}, [](const std::uint64_t* in, Expected* out) { out[0] = in[0], out[1] = 0; });
    forms.back().target = 90;
  }
  const std::string both = "st.shared.v2.b64 [%shared], {$a, $b}; ", get = "; ld.shared.v2.b64 {$d, $e}, [%shared]";
  const std::string bulks[] = {both + "st.bulk.weak.shared::cta [%shared], 8, 0" + get, both + "mov.b64 %w0, 8; st.bulk.shared::cta [%shared], %w0, 0" + get,
                               both + "st.bulk [%generic_shared], 8, 0" + get};
  for (const std::string& code : bulks) {
    push(forms, code, {Values::integer64, Values::integer64}, {output(64), output(64)},
         [](const std::uint64_t* in, Expected* out) { out[0] = 0, out[1] = in[1]; });
    forms.back().target = 100;
  }
}

}  // namespace

Forms memory_forms() {
  Forms forms;
  add_cluster_and_bulk(forms);
  add_uniform(forms);
  add_contiguous(forms);
  add_wide(forms);
  add_loads(forms);
  add_stores(forms);
  add_vectors(forms);
  return forms;
}

}  // namespace bascule::ptx_models
