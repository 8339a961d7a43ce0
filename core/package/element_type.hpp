// Number formats of scalars and buffer elements.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bascule::core {

enum class ElementType : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, f8e4m3, f8e5m2, f8e4m3fnuz, b8 };

std::string_view element_type_name(ElementType);
std::optional<ElementType> parse_element_type(std::string_view name);

// In a buffer.
std::uint64_t element_bytes(ElementType);
// As a scalar argument under a contract: f16 and bf16 travel as f32. 0: not allowed as a scalar.
std::uint64_t scalar_bytes(ElementType);

bool is_integer(ElementType);         // b8 and the f8 formats are none
bool is_signed_integer(ElementType);
// Of an integer type: the largest value that an unsigned 64-bit result may have to fit.
std::uint64_t integer_maximum(ElementType);

}  // namespace bascule::core
