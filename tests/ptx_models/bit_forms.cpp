// Bits, bytes and fields: popc to bmsk of ISA 9.7.1, prmt of 9.7.9.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include "tests/ptx_models/bits.hpp"

namespace bascule::ptx_models {
namespace {

bool bit(std::uint64_t value, std::uint64_t index) { return (value >> index & 1) != 0; }

std::uint64_t highest_set(std::uint64_t value, int width) {
  for (int i = width - 1; i >= 0; --i) {
    if (bit(value, static_cast<std::uint64_t>(i))) return static_cast<std::uint64_t>(i);
  }
  return 0xffffffffu;
}

std::uint64_t population(std::uint64_t value) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < 64; ++i) count += bit(value, i) ? 1 : 0;
  return count;
}

void add_counts(Forms& forms, int width) {
  const std::string type = ".b" + std::to_string(width);
  const Values values = integers(width);
  forms.push_back({"popc" + type + " $d, $a", {values}, {output(32)},
                   [](const std::uint64_t* in, Expected* out) { out[0] = population(in[0]); }});
  forms.push_back({"clz" + type + " $d, $a", {values}, {output(32)}, [width](const std::uint64_t* in, Expected* out) {
                     const std::uint64_t top = highest_set(in[0], width);
                     out[0] = top == 0xffffffffu ? static_cast<std::uint64_t>(width) : static_cast<std::uint64_t>(width - 1) - top;
                   }});
  forms.push_back({"brev" + type + " $d, $a", {values}, {output(width)}, [width](const std::uint64_t* in, Expected* out) {
                     std::uint64_t result = 0;
                     for (int i = 0; i < width; ++i) {
                       if (bit(in[0], static_cast<std::uint64_t>(i))) result |= std::uint64_t{1} << (width - 1 - i);
                     }
                     out[0] = result;
                   }});
  for (const bool is_signed : {false, true}) {
    for (const bool shift : {false, true}) {
      const std::string name = std::string("bfind") + (shift ? ".shiftamt" : "") + (is_signed ? ".s" : ".u") + std::to_string(width);
      forms.push_back({name + " $d, $a", {values}, {output(32)}, [=](const std::uint64_t* in, Expected* out) {
                         const bool negative = is_signed && bit(in[0], static_cast<std::uint64_t>(width - 1));
                         const std::uint64_t found = highest_set(negative ? ~in[0] & low_bits(width) : in[0], width);
                         out[0] = shift && found != 0xffffffffu ? static_cast<std::uint64_t>(width - 1) - found : found;
                       }});
    }
  }
}

/// 32-bit forms take the low 8 bits of position and length. The text says so of 64-bit forms as well; the assembler's
/// constant folding takes all 32 bits there, and so does the engine.
std::uint64_t field_operand(std::uint64_t value, int width) { return width == 32 ? value & 0xff : value; }

void add_fields(Forms& forms, int width) {
  const Values values = integers(width);
  const auto msb = static_cast<std::uint64_t>(width - 1);
  for (const bool is_signed : {false, true}) {
    const std::string type = (is_signed ? ".s" : ".u") + std::to_string(width);
    forms.push_back({"bfe" + type + " $d, $a, $b, $c", {values, Values::count32, Values::count32}, {output(width)},
                     [=](const std::uint64_t* in, Expected* out) {
                       const std::uint64_t position = field_operand(in[1], width);
                       const std::uint64_t length = field_operand(in[2], width);
                       const std::uint64_t last = position + length - 1;
                       const bool sign = is_signed && length != 0 && bit(in[0], last < msb ? last : msb);
                       std::uint64_t result = 0;
                       for (std::uint64_t i = 0; i <= msb; ++i) {
                         const bool inside = i < length && position + i <= msb;
                         if (inside ? bit(in[0], position + i) : sign) result |= std::uint64_t{1} << i;
                       }
                       out[0] = result;
                     }});
  }
  forms.push_back({"bfi.b" + std::to_string(width) + " $d, $a, $b, $c, $f",
                   {values, values, Values::count32, Values::count32}, {output(width)},
                   [=](const std::uint64_t* in, Expected* out) {
                     const std::uint64_t position = field_operand(in[2], width);
                     const std::uint64_t length = field_operand(in[3], width);
                     std::uint64_t result = in[1];
                     for (std::uint64_t i = 0; i < length && position + i <= msb; ++i) {
                       const std::uint64_t here = std::uint64_t{1} << (position + i);
                       result = bit(in[0], i) ? result | here : result & ~here;
                     }
                     out[0] = result;
                   }});
}

void add_extensions_and_masks(Forms& forms) {
  for (const bool clamp : {false, true}) {
    const std::string mode = clamp ? ".clamp" : ".wrap";
    for (const bool is_signed : {false, true}) {
      forms.push_back({"szext" + mode + (is_signed ? ".s32" : ".u32") + " $d, $a, $b", {Values::integer32, Values::count32},
                       {output(32)}, [=](const std::uint64_t* in, Expected* out) {
                         if (clamp && in[1] >= 32) {
                           out[0] = in[0];
                           return;
                         }
                         const int bits = static_cast<int>(in[1] & 31);
                         out[0] = bits == 0 ? 0 : wrapped(value_of(in[0], bits, is_signed), 32);
                       }});
    }
    forms.push_back({"bmsk" + mode + ".b32 $d, $a, $b", {Values::count32, Values::count32}, {output(32)},
                     [=](const std::uint64_t* in, Expected* out) {
                       const std::uint64_t position = clamp ? in[0] : in[0] & 31;
                       const std::uint64_t length = clamp ? in[1] : in[1] & 31;
                       std::uint64_t mask = 0;
                       for (std::uint64_t i = 0; i < 32; ++i) {
                         if (i >= position && i - position < length) mask |= std::uint64_t{1} << i;
                       }
                       out[0] = mask;
                     }});
  }
}

std::uint64_t find_nth_set(std::uint64_t mask, std::uint64_t base, std::int64_t offset) {
  if (offset == 0) return bit(mask, base) ? base : 0xffffffffu;
  const std::int64_t step = offset > 0 ? 1 : -1;
  std::int64_t left = offset > 0 ? offset : -offset;
  for (auto at = static_cast<std::int64_t>(base); at >= 0 && at < 32; at += step) {
    if (bit(mask, static_cast<std::uint64_t>(at)) && --left == 0) return static_cast<std::uint64_t>(at);
  }
  return 0xffffffffu;
}

void add_find_nth(Forms& forms) {
  // The base must be below 32, so the kernel takes it from the low bits of its input.
  Form form{"and.b32 %t0, $b, 31; fns.b32 $d, $a, %t0, $c", {Values::integer32, Values::integer32, Values::integer32},
            {output(32)}, [](const std::uint64_t* in, Expected* out) {
              out[0] = find_nth_set(in[0], in[1] & 31, static_cast<std::int32_t>(in[2]));
            }};
  forms.push_back(form);
}

std::uint64_t byte_of(std::uint64_t pair, std::uint64_t index) { return pair >> (8 * index) & 0xff; }

/// d.b3, d.b2, d.b1, d.b0 for each selector.
using Permutation = std::array<std::array<int, 4>, 4>;
struct Mode {
  const char* name;
  Permutation bytes;
};
constexpr Mode kModes[] = {
    {"f4e", {{{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}}},
    {"b4e", {{{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}}},
    {"rc8", {{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}}},
    {"ecl", {{{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}}},
    {"ecr", {{{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}}},
    {"rc16", {{{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}},
};

void add_permutations(Forms& forms) {
  const std::vector<Values> inputs = {Values::integer32, Values::integer32, Values::nonzero32};
  forms.push_back({"prmt.b32 $d, $a, $b, $c", inputs, {output(32)}, [](const std::uint64_t* in, Expected* out) {
                     const std::uint64_t pair = in[0] | in[1] << 32;
                     std::uint64_t result = 0;
                     for (std::uint64_t i = 0; i < 4; ++i) {
                       const std::uint64_t control = in[2] >> (4 * i) & 0xf;
                       const std::uint64_t byte = byte_of(pair, control & 7);
                       const std::uint64_t sign = (byte & 0x80) != 0 ? 0xff : 0;
                       result |= ((control & 8) != 0 ? sign : byte) << (8 * i);
                     }
                     out[0] = result;
                   }});
  for (const Mode& mode : kModes) {
    forms.push_back({std::string("prmt.b32.") + mode.name + " $d, $a, $b, $c", inputs, {output(32)},
                     [bytes = mode.bytes](const std::uint64_t* in, Expected* out) {
                       const std::uint64_t pair = in[0] | in[1] << 32;
                       std::uint64_t result = 0;
                       for (const int source : bytes[in[2] & 3]) result = result << 8 | byte_of(pair, static_cast<std::uint64_t>(source));
                       out[0] = result;
                     }});
  }
}

}  // namespace

Forms bit_forms() {
  Forms forms;
  for (const int width : {32, 64}) {
    add_counts(forms, width);
    add_fields(forms, width);
  }
  add_extensions_and_masks(forms);
  add_find_nth(forms);
  add_permutations(forms);
  return forms;
}

}  // namespace bascule::ptx_models
