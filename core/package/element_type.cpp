// The table of number formats.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/element_type.hpp"

#include <array>

namespace bascule::core {
namespace {

struct Row {
  std::string_view name;
  std::uint8_t bytes;
  std::uint8_t scalar_bytes;
  bool integer;
  bool with_sign;
};

// In the order of the enumeration.
constexpr std::array<Row, 16> kRows = {{{"i8", 1, 1, true, true},
                                        {"u8", 1, 1, true, false},
                                        {"i16", 2, 2, true, true},
                                        {"u16", 2, 2, true, false},
                                        {"i32", 4, 4, true, true},
                                        {"u32", 4, 4, true, false},
                                        {"i64", 8, 8, true, true},
                                        {"u64", 8, 8, true, false},
                                        {"f16", 2, 4, false, true},
                                        {"bf16", 2, 4, false, true},
                                        {"f32", 4, 4, false, true},
                                        {"f64", 8, 8, false, true},
                                        {"f8e4m3", 1, 0, false, true},
                                        {"f8e5m2", 1, 0, false, true},
                                        {"f8e4m3fnuz", 1, 0, false, true},
                                        {"b8", 1, 0, false, false}}};

const Row& row(ElementType type) { return kRows[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view element_type_name(ElementType type) { return row(type).name; }

std::optional<ElementType> parse_element_type(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

std::uint64_t element_bytes(ElementType type) { return row(type).bytes; }
std::uint64_t scalar_bytes(ElementType type) { return row(type).scalar_bytes; }
bool is_integer(ElementType type) { return row(type).integer; }
bool is_signed_integer(ElementType type) { return row(type).integer && row(type).with_sign; }

std::uint64_t integer_maximum(ElementType type) {
  const unsigned bits = row(type).bytes * 8u - (row(type).with_sign ? 1u : 0u);
  return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

}  // namespace bascule::core
