// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/exact.hpp"

#include <bit>
#include <cmath>
#include <cstddef>

namespace bascule::ptx_models {

int Wide::bit_length() const {
  for (int i = 5; i >= 0; --i) {
    const std::uint64_t word = words_[static_cast<std::size_t>(i)];
    if (word != 0) return 64 * i + 64 - std::countl_zero(word);
  }
  return 0;
}

bool Wide::bit(int index) const {
  if (index < 0 || index >= 384) return false;
  return (words_[static_cast<std::size_t>(index / 64)] >> (index % 64) & 1) != 0;
}

bool Wide::any_below(int index) const {
  for (int i = 0; i < 6; ++i) {
    const int bits = index - 64 * i;
    if (bits <= 0) return false;
    const std::uint64_t word = words_[static_cast<std::size_t>(i)];
    if (bits >= 64 ? word != 0 : (word & ((std::uint64_t{1} << bits) - 1)) != 0) return true;
  }
  return false;
}

Wide Wide::shifted_left(int count) const {
  Wide result;
  for (int i = 5; i >= 0; --i) {
    const int from = i - count / 64;
    if (from < 0) continue;
    std::uint64_t word = words_[static_cast<std::size_t>(from)] << (count % 64);
    if (count % 64 != 0 && from > 0) word |= words_[static_cast<std::size_t>(from - 1)] >> (64 - count % 64);
    result.words_[static_cast<std::size_t>(i)] = word;
  }
  return result;
}

Wide Wide::shifted_right(int count) const {
  Wide result;
  for (int i = 0; i < 6; ++i) {
    const int from = i + count / 64;
    if (from > 5) continue;
    std::uint64_t word = words_[static_cast<std::size_t>(from)] >> (count % 64);
    if (count % 64 != 0 && from < 5) word |= words_[static_cast<std::size_t>(from + 1)] << (64 - count % 64);
    result.words_[static_cast<std::size_t>(i)] = word;
  }
  return result;
}

long double Wide::to_long_double() const {
  const int surplus = bit_length() - 64;
  if (surplus <= 0) return static_cast<long double>(low());
  return std::ldexp(static_cast<long double>(shifted_right(surplus).low()), surplus);
}

Wide operator+(const Wide& a, const Wide& b) {
  Wide result;
  unsigned __int128 carry = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    carry += a.words_[i];
    carry += b.words_[i];
    result.words_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return result;
}

Wide operator-(const Wide& a, const Wide& b) {
  Wide result;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const std::uint64_t difference = a.words_[i] - b.words_[i];
    result.words_[i] = difference - borrow;
    borrow = (a.words_[i] < b.words_[i] || difference < borrow) ? 1 : 0;
  }
  return result;
}

bool operator<(const Wide& a, const Wide& b) {
  for (std::size_t i = 6; i-- > 0;) {
    if (a.words_[i] != b.words_[i]) return a.words_[i] < b.words_[i];
  }
  return false;
}

bool Format::is_nan(std::uint64_t bits) const {
  const std::uint64_t value = bits & (sign() - 1);
  switch (specials) {
    case Specials::ieee: return value > infinity();
    case Specials::nan_only: return value == sign() - 1;
    case Specials::none: return false;
  }
  return false;
}

bool Format::is_subnormal(std::uint64_t bits) const {
  const std::uint64_t value = bits & (sign() - 1);
  return value != 0 && value < least_normal();
}

long double Number::to_long_double() const {
  if (is_nan()) return std::nanl("");
  const long double value = is_infinite() ? HUGE_VALL : std::ldexp(magnitude.to_long_double(), exponent);
  return negative ? -value : value;
}

Number nan_number() {
  Number result;
  result.kind = Number::Kind::nan;
  return result;
}

Number infinite_number(bool negative) {
  Number result;
  result.kind = Number::Kind::infinite;
  result.negative = negative;
  return result;
}

Number integer_number(std::uint64_t magnitude, bool negative) {
  Number result;
  result.negative = negative;
  result.magnitude = Wide{magnitude};
  return result;
}

Number decode(const Format& format, std::uint64_t bits) {
  const bool negative = format.is_negative(bits);
  const std::uint64_t value = bits & (format.sign() - 1);
  if (format.is_nan(bits)) return nan_number();
  if (format.specials == Specials::ieee && value == format.infinity()) return infinite_number(negative);
  const int field = static_cast<int>(value >> format.mantissa_bits);
  std::uint64_t mantissa = value & (format.least_normal() - 1);
  if (field != 0) mantissa |= format.least_normal();
  Number result = integer_number(mantissa, negative);
  result.exponent = (field == 0 ? 1 : field) - format.bias() - format.mantissa_bits;
  return result;
}

namespace {

bool rounds_away(Rounding rounding, bool negative, bool odd, bool half, bool rest) {
  switch (rounding) {
    case Rounding::nearest_even: return half && (rest || odd);
    case Rounding::nearest_away: return half;
    case Rounding::zero: return false;
    case Rounding::down: return negative && (half || rest);
    case Rounding::up: return !negative && (half || rest);
  }
  return false;
}

/// The magnitude in units of 2^quantum.
Wide rounded(const Number& a, int quantum, Rounding rounding) {
  const int shift = quantum - a.exponent;
  if (shift <= 0) {
    Wide exact = a.magnitude.shifted_left(-shift);
    if (a.sticky && rounds_away(rounding, a.negative, false, false, true)) exact = exact + Wide{std::uint64_t{1}};
    return exact;
  }
  const bool far = shift > 384;
  const Wide kept = far ? Wide{} : a.magnitude.shifted_right(shift);
  const bool half = !far && a.magnitude.bit(shift - 1);
  const bool rest = a.sticky || (far ? a.magnitude.bit_length() != 0 : a.magnitude.any_below(shift - 1));
  return rounds_away(rounding, a.negative, kept.bit(0), half, rest) ? kept + Wide{std::uint64_t{1}} : kept;
}

std::uint64_t too_large(const Format& format, bool negative, Rounding rounding, Overflow overflow) {
  const bool to_largest = overflow == Overflow::largest || format.specials != Specials::ieee || rounding == Rounding::zero ||
                          (rounding == Rounding::down && !negative) || (rounding == Rounding::up && negative);
  return to_largest ? format.largest() : format.infinity();
}

}  // namespace

std::uint64_t encode(const Format& format, const Number& number, Rounding rounding, Overflow overflow, bool* tiny) {
  if (tiny != nullptr) *tiny = false;
  if (number.is_nan()) return format.canonical_nan;
  const std::uint64_t sign = number.negative ? format.sign() : 0;
  if (number.is_infinite()) {
    const bool keeps = format.specials == Specials::ieee && overflow == Overflow::ieee;
    return sign | (keeps ? format.infinity() : format.largest());
  }
  if (number.is_zero()) return sign;
  const int top = number.exponent + number.magnitude.bit_length() - 1;
  const int least = 1 - format.bias();
  if (tiny != nullptr) {
    const Wide unbounded = rounded(number, top - format.mantissa_bits, rounding);
    *tiny = top - format.mantissa_bits + unbounded.bit_length() - 1 < least;
  }
  const int quantum = (top < least ? least : top) - format.mantissa_bits;
  const std::uint64_t units = rounded(number, quantum, rounding).low();
  // Adding the mantissa with its leading one to the exponent's field lets a carry run into the exponent.
  const auto field = static_cast<std::uint64_t>(quantum + format.mantissa_bits - least);
  if (field >= (std::uint64_t{1} << format.exponent_bits)) return sign | too_large(format, number.negative, rounding, overflow);
  const std::uint64_t bits = (field << format.mantissa_bits) + units;
  return sign | (bits > format.largest() ? too_large(format, number.negative, rounding, overflow) : bits);
}

Number negated(Number a) {
  a.negative = !a.negative;
  return a;
}

Number magnitude(Number a) {
  a.negative = false;
  return a;
}

Number add(const Number& a, const Number& b, Rounding rounding) {
  if (a.is_nan() || b.is_nan()) return nan_number();
  if (a.is_infinite() || b.is_infinite()) {
    if (a.is_infinite() && b.is_infinite() && a.negative != b.negative) return nan_number();
    return infinite_number(a.is_infinite() ? a.negative : b.negative);
  }
  if (a.is_zero() && b.is_zero()) {
    Number zero = a;
    zero.negative = a.negative == b.negative ? a.negative : rounding == Rounding::down;
    return zero;
  }
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  Number high = a.exponent >= b.exponent ? a : b;
  Number low = a.exponent >= b.exponent ? b : a;
  // Magnitudes have 106 bits at most. Where the lower one lies more than 80 bits below the other's last bit it decides
  // roundings only, and any smaller number does that as well.
  if (high.exponent - low.exponent > 192) {
    low.magnitude = Wide{std::uint64_t{1}};
    low.exponent = high.exponent - 80;
  }
  high.magnitude = high.magnitude.shifted_left(high.exponent - low.exponent);
  high.exponent = low.exponent;
  if (high.negative == low.negative) {
    high.magnitude = high.magnitude + low.magnitude;
    return high;
  }
  if (high.magnitude == low.magnitude) {
    high.magnitude = Wide{};
    high.negative = rounding == Rounding::down;
    return high;
  }
  Number result = high.magnitude < low.magnitude ? low : high;
  result.magnitude =
      high.magnitude < low.magnitude ? low.magnitude - high.magnitude : high.magnitude - low.magnitude;
  return result;
}

Number multiply(const Number& a, const Number& b) {
  if (a.is_nan() || b.is_nan()) return nan_number();
  const bool negative = a.negative != b.negative;
  if (a.is_infinite() || b.is_infinite()) {
    return a.is_zero() || b.is_zero() ? nan_number() : infinite_number(negative);
  }
  Number result;
  result.negative = negative;
  result.magnitude = Wide{static_cast<unsigned __int128>(a.magnitude.low()) * b.magnitude.low()};
  result.exponent = a.exponent + b.exponent;
  return result;
}

Number divide(const Number& a, const Number& b) {
  if (a.is_nan() || b.is_nan()) return nan_number();
  const bool negative = a.negative != b.negative;
  if (a.is_infinite()) return b.is_infinite() ? nan_number() : infinite_number(negative);
  if (b.is_zero()) return a.is_zero() ? nan_number() : infinite_number(negative);
  Number result;
  result.negative = negative;
  if (b.is_infinite() || a.is_zero()) return result;
  // A dividend of 127 bits over a divisor of 53 at most leaves a quotient of 74 bits or more.
  const int shift = 127 - a.magnitude.bit_length();
  const unsigned __int128 dividend = static_cast<unsigned __int128>(a.magnitude.low()) << shift;
  result.magnitude = Wide{dividend / b.magnitude.low()};
  result.sticky = dividend % b.magnitude.low() != 0;
  result.exponent = a.exponent - shift - b.exponent;
  return result;
}

Number square_root(const Number& a) {
  if (a.is_nan() || a.is_zero()) return a;
  if (a.negative) return nan_number();
  if (a.is_infinite()) return a;
  int shift = 127 - a.magnitude.bit_length();
  if ((a.exponent - shift) % 2 != 0) --shift;
  unsigned __int128 rest = static_cast<unsigned __int128>(a.magnitude.low()) << shift;
  unsigned __int128 root = 0;
  for (int bit = 126; bit >= 0; bit -= 2) {  // digit by digit, in base 4
    const unsigned __int128 trial = root + (static_cast<unsigned __int128>(1) << bit);
    root >>= 1;
    if (rest >= trial) {
      rest -= trial;
      root += static_cast<unsigned __int128>(1) << bit;
    }
  }
  Number result;
  result.magnitude = Wide{root};
  result.sticky = rest != 0;
  result.exponent = (a.exponent - shift) / 2;
  return result;
}

Number round_to_integer(const Number& a, Rounding rounding) {
  if (a.kind != Number::Kind::finite || a.exponent >= 0) return a;
  Number result = a;
  result.magnitude = rounded(a, 0, rounding);
  result.exponent = 0;
  result.sticky = false;
  return result;
}

int compare(const Number& a, const Number& b) {
  if (a.is_zero() && b.is_zero()) return 0;
  const auto signed_one = [](const Number& x) { return x.negative ? -1 : 1; };
  if (a.is_infinite() && b.is_infinite() && a.negative == b.negative) return 0;
  if (a.is_infinite()) return signed_one(a);
  if (b.is_infinite()) return -signed_one(b);
  const Number difference = add(a, negated(b), Rounding::nearest_even);
  return difference.is_zero() ? 0 : signed_one(difference);
}

std::uint64_t clamp_to_integer(const Number& a, int bits, bool is_signed) {
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t largest = is_signed ? mask >> 1 : mask;
  const std::uint64_t lowest_magnitude = is_signed ? largest + 1 : 0;
  const bool large = a.is_infinite() || (!a.is_zero() && a.exponent + a.magnitude.bit_length() > 64);
  const std::uint64_t value = large ? ~std::uint64_t{0} : a.magnitude.shifted_left(a.exponent > 0 ? a.exponent : 0).low();
  if (a.negative) {
    const std::uint64_t kept = large || value > lowest_magnitude ? lowest_magnitude : value;
    return (0 - kept) & mask;
  }
  return large || value > largest ? largest : value;
}

}  // namespace bascule::ptx_models
