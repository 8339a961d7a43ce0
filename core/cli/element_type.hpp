// Element types of command-line arguments and .npy files: names, sizes, and conversion between text and bits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bascule::cli {

enum class ElementType { i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };

// "f32" -> ElementType::f32; nothing for an unknown name.
std::optional<ElementType> element_type_from_name(std::string_view name);
std::string_view name_of(ElementType type);
std::size_t size_of(ElementType type);
// "i8 u8 i16 ...", for messages.
std::string element_type_names();

// Appends the little-endian bits of `text` as `type`. Integers: decimal, 0x.., negative for signed types; floats: decimal,
// hexadecimal, nan, inf, rounded once to nearest even. Throws Failure (usage) naming the text, the type and its range.
void append_value(ElementType type, std::string_view text, std::vector<std::byte>& out);

// The element at `bits` as text: integers in decimal, floats with the fewest digits that read back to the same bits.
std::string format_element(ElementType type, const std::byte* bits);

// IEEE binary16 and bfloat16, round to nearest even, NaN kept a NaN.
std::uint16_t round_to_f16(double value);
std::uint16_t round_to_bf16(double value);
double f16_to_double(std::uint16_t bits);
double bf16_to_double(std::uint16_t bits);

}  // namespace bascule::cli
