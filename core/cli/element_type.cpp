// Element types: see element_type.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "element_type.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "failure.hpp"

namespace bascule::cli {
namespace {

struct Description {
  ElementType type;
  std::string_view name;
  std::size_t size;
};

constexpr std::array kTypes = {
    Description{ElementType::i8, "i8", 1},     Description{ElementType::u8, "u8", 1},   Description{ElementType::i16, "i16", 2},
    Description{ElementType::u16, "u16", 2},   Description{ElementType::i32, "i32", 4}, Description{ElementType::u32, "u32", 4},
    Description{ElementType::i64, "i64", 8},   Description{ElementType::u64, "u64", 8}, Description{ElementType::f16, "f16", 2},
    Description{ElementType::bf16, "bf16", 2}, Description{ElementType::f32, "f32", 4}, Description{ElementType::f64, "f64", 8}};

const Description& describe(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

template <class T>
void append_bits(T value, std::vector<std::byte>& out) {
  const auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

template <class T>
void append_integer(ElementType type, std::string_view text, std::vector<std::byte>& out) {
  const bool negative = text.starts_with('-');
  std::string_view digits = negative || text.starts_with('+') ? text.substr(1) : text;
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (hexadecimal) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, hexadecimal ? 16 : 10);
  const bool read = !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
  const auto highest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  const std::uint64_t lowest_magnitude = std::is_signed_v<T> ? highest + 1 : 0;
  // A hexadecimal signed value may spell the bits: i8:0xff is -1.
  const std::uint64_t limit = negative ? lowest_magnitude
                              : hexadecimal ? std::numeric_limits<std::make_unsigned_t<T>>::max()
                                            : highest;
  if (!read || magnitude > limit) {
    throw Failure(ExitCode::kUsage, "'" + std::string(text) + "' is not a value of type " + std::string(name_of(type)),
                  "give an integer from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
                      std::to_string(std::numeric_limits<T>::max()) + ", decimal or 0x..");
  }
  append_bits(static_cast<T>(negative ? std::uint64_t{0} - magnitude : magnitude), out);
}

double parse_float(ElementType type, std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size() || std::isspace(static_cast<unsigned char>(copy.front()))) {
    throw Failure(ExitCode::kUsage, "'" + copy + "' is not a value of type " + std::string(name_of(type)),
                  "give a number such as 1.5, 0x1.8p0, nan or -inf");
  }
  return value;
}

float parse_f32(std::string_view text) {
  parse_float(ElementType::f32, text);  // the same syntax check and message
  return std::strtof(std::string(text).c_str(), nullptr);  // rounds once, unlike double to float
}

// Rounds a finite or infinite double to a small binary format with `fraction` stored bits and `exponent` bits.
std::uint16_t round_to_small(double value, int fraction, int exponent) {
  const int bias = (1 << (exponent - 1)) - 1;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const auto infinity = static_cast<std::uint16_t>(((1 << exponent) - 1) << fraction);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | (1 << (fraction - 1)));
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | infinity);
  int binary_exponent = 0;
  std::frexp(magnitude, &binary_exponent);  // magnitude in [2^(e-1), 2^e)
  const int unit = std::max(binary_exponent - 1, 1 - bias) - fraction;  // exponent of one unit in the last place
  // nearbyint rounds to nearest even in the default environment; the scaling is exact for every double in range.
  const double units = std::nearbyint(std::ldexp(magnitude, -unit));
  const auto steps = static_cast<std::uint64_t>(units);
  const std::uint64_t biased = static_cast<std::uint64_t>(unit + fraction + bias - 1) << fraction;
  const std::uint64_t bits = unit + fraction <= 1 - bias ? steps : biased + steps;
  return static_cast<std::uint16_t>(sign | (bits >= infinity ? infinity : bits));
}

double small_to_double(std::uint16_t bits, int fraction, int exponent) {
  const int bias = (1 << (exponent - 1)) - 1;
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  const int biased = (bits >> fraction) & ((1 << exponent) - 1);
  const int steps = bits & ((1 << fraction) - 1);
  if (biased == (1 << exponent) - 1) {
    return std::copysign(steps ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity(), sign);
  }
  if (biased == 0) return sign * std::ldexp(steps, 1 - bias - fraction);
  return sign * std::ldexp((1 << fraction) + steps, biased - bias - fraction);
}

template <class T>
std::string shortest(T value) {
  char text[64];
  const auto result = std::to_chars(text, text + sizeof text, value);
  return std::string(text, result.ptr);
}

// Shortest decimal that rounds back to the same 16 bits; at most 5 digits are ever needed for f16 and 4 for bf16.
std::string shortest_small(double value, std::uint16_t bits, std::uint16_t (*round)(double)) {
  if (!std::isfinite(value)) return shortest(value);
  for (int digits = 1; digits < 9; ++digits) {
    char text[32];
    const auto result = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
    const std::string candidate(text, result.ptr);
    if (round(std::strtod(candidate.c_str(), nullptr)) == bits) return candidate;
  }
  return shortest(value);
}

template <class T>
T load(const std::byte* bits) {
  T value;
  std::memcpy(&value, bits, sizeof value);
  return value;
}

}  // namespace

std::optional<ElementType> element_type_from_name(std::string_view name) {
  for (const Description& type : kTypes) {
    if (type.name == name) return type.type;
  }
  return std::nullopt;
}

std::string_view name_of(ElementType type) { return describe(type).name; }
std::size_t size_of(ElementType type) { return describe(type).size; }

std::string element_type_names() {
  std::string names;
  for (const Description& type : kTypes) names += (names.empty() ? "" : " ") + std::string(type.name);
  return names;
}

void append_value(ElementType type, std::string_view text, std::vector<std::byte>& out) {
  switch (type) {
    case ElementType::i8: return append_integer<std::int8_t>(type, text, out);
    case ElementType::u8: return append_integer<std::uint8_t>(type, text, out);
    case ElementType::i16: return append_integer<std::int16_t>(type, text, out);
    case ElementType::u16: return append_integer<std::uint16_t>(type, text, out);
    case ElementType::i32: return append_integer<std::int32_t>(type, text, out);
    case ElementType::u32: return append_integer<std::uint32_t>(type, text, out);
    case ElementType::i64: return append_integer<std::int64_t>(type, text, out);
    case ElementType::u64: return append_integer<std::uint64_t>(type, text, out);
    case ElementType::f16: return append_bits(round_to_f16(parse_float(type, text)), out);
    case ElementType::bf16: return append_bits(round_to_bf16(parse_float(type, text)), out);
    case ElementType::f32: return append_bits(parse_f32(text), out);
    case ElementType::f64: return append_bits(parse_float(type, text), out);
  }
}

std::string format_element(ElementType type, const std::byte* bits) {
  switch (type) {
    case ElementType::i8: return std::to_string(load<std::int8_t>(bits));
    case ElementType::u8: return std::to_string(load<std::uint8_t>(bits));
    case ElementType::i16: return std::to_string(load<std::int16_t>(bits));
    case ElementType::u16: return std::to_string(load<std::uint16_t>(bits));
    case ElementType::i32: return std::to_string(load<std::int32_t>(bits));
    case ElementType::u32: return std::to_string(load<std::uint32_t>(bits));
    case ElementType::i64: return std::to_string(load<std::int64_t>(bits));
    case ElementType::u64: return std::to_string(load<std::uint64_t>(bits));
    case ElementType::f16: {
      const auto half = load<std::uint16_t>(bits);
      return shortest_small(f16_to_double(half), half, round_to_f16);
    }
    case ElementType::bf16: {
      const auto brain = load<std::uint16_t>(bits);
      return shortest_small(bf16_to_double(brain), brain, round_to_bf16);
    }
    case ElementType::f32: return shortest(load<float>(bits));
    case ElementType::f64: return shortest(load<double>(bits));
  }
  return {};
}

std::uint16_t round_to_f16(double value) { return round_to_small(value, 10, 5); }
std::uint16_t round_to_bf16(double value) { return round_to_small(value, 7, 8); }
double f16_to_double(std::uint16_t bits) { return small_to_double(bits, 10, 5); }
double bf16_to_double(std::uint16_t bits) { return small_to_double(bits, 7, 8); }

}  // namespace bascule::cli
