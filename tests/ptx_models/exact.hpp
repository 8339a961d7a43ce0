// Exact numbers and their rounding into any binary floating-point format, in plain integers: the second opinion to the
// processor's own arithmetic and its rounding modes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

namespace bascule::ptx_models {

/// 384 bits, enough for the exact sum of a product of two f64 and a third one (see add()).
class Wide {
 public:
  constexpr Wide() = default;
  constexpr explicit Wide(std::uint64_t low) : words_{low} {}
  constexpr explicit Wide(unsigned __int128 low)
      : words_{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64)} {}

  [[nodiscard]] int bit_length() const;  // 0 for zero
  [[nodiscard]] bool bit(int index) const;
  [[nodiscard]] bool any_below(int index) const;
  [[nodiscard]] std::uint64_t low() const { return words_[0]; }
  [[nodiscard]] Wide shifted_left(int count) const;
  [[nodiscard]] Wide shifted_right(int count) const;
  [[nodiscard]] long double to_long_double() const;  // of the upper 64 bits
  friend Wide operator+(const Wide& a, const Wide& b);
  friend Wide operator-(const Wide& a, const Wide& b);  // a >= b
  friend bool operator<(const Wide& a, const Wide& b);
  friend bool operator==(const Wide& a, const Wide& b) = default;

 private:
  std::array<std::uint64_t, 6> words_{};
};

enum class Rounding { nearest_even, nearest_away, zero, down, up };

enum class Specials {
  ieee,      // exponent of all ones: infinity and NaN
  nan_only,  // all bits set is NaN, no infinity (e4m3)
  none       // neither (e3m2, e2m3, e2m1)
};

/// 1 sign bit, then the exponent, then the stored mantissa; subnormal numbers exist in all of them.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  Specials specials;
  std::uint64_t canonical_nan;

  [[nodiscard]] constexpr int width() const { return 1 + exponent_bits + mantissa_bits; }
  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr std::uint64_t sign() const { return std::uint64_t{1} << (exponent_bits + mantissa_bits); }
  [[nodiscard]] constexpr std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  [[nodiscard]] constexpr std::uint64_t largest() const {  // the largest finite magnitude
    return specials == Specials::ieee ? infinity() - 1 : specials == Specials::nan_only ? sign() - 2 : sign() - 1;
  }
  [[nodiscard]] constexpr std::uint64_t one() const { return static_cast<std::uint64_t>(bias()) << mantissa_bits; }
  [[nodiscard]] constexpr std::uint64_t least_normal() const { return std::uint64_t{1} << mantissa_bits; }
  [[nodiscard]] bool is_nan(std::uint64_t bits) const;
  [[nodiscard]] bool is_subnormal(std::uint64_t bits) const;
  [[nodiscard]] bool is_negative(std::uint64_t bits) const { return (bits & sign()) != 0; }
};

inline constexpr Format kF64{11, 52, Specials::ieee, 0x7fffffffffffffffu};
inline constexpr Format kF32{8, 23, Specials::ieee, 0x7fffffffu};
inline constexpr Format kTf32{8, 10, Specials::ieee, 0x3ffffu};  // its upper 19 bits, without the 13 that f32 has more
inline constexpr Format kF16{5, 10, Specials::ieee, 0x7fffu};
inline constexpr Format kBf16{8, 7, Specials::ieee, 0x7fffu};
inline constexpr Format kE5m2{5, 2, Specials::ieee, 0x7fu};
inline constexpr Format kE4m3{4, 3, Specials::nan_only, 0x7fu};
inline constexpr Format kE3m2{3, 2, Specials::none, 0};
inline constexpr Format kE2m3{2, 3, Specials::none, 0};
inline constexpr Format kE2m1{2, 1, Specials::none, 0};

/// (-1)^negative * (magnitude + less than one unit where `sticky`) * 2^exponent, or infinity, or NaN.
struct Number {
  enum class Kind { nan, infinite, finite };
  Kind kind = Kind::finite;
  bool negative = false;
  bool sticky = false;
  Wide magnitude{};
  int exponent = 0;

  [[nodiscard]] bool is_nan() const { return kind == Kind::nan; }
  [[nodiscard]] bool is_infinite() const { return kind == Kind::infinite; }
  [[nodiscard]] bool is_zero() const { return kind == Kind::finite && magnitude == Wide{} && !sticky; }
  [[nodiscard]] long double to_long_double() const;
};

Number nan_number();
Number infinite_number(bool negative);
Number integer_number(std::uint64_t magnitude, bool negative);
Number decode(const Format& format, std::uint64_t bits);

/// What happens to what is too large: IEEE's rule, or the largest finite number (of infinity too).
enum class Overflow { ieee, largest };

/// `tiny`: true where the value, rounded as if exponents had no lower end, lies below the least normal number.
std::uint64_t encode(const Format& format, const Number& number, Rounding rounding, Overflow overflow = Overflow::ieee,
                     bool* tiny = nullptr);

Number negated(Number a);
Number magnitude(Number a);
Number add(const Number& a, const Number& b, Rounding rounding);  // the rounding decides the sign of x - x
Number multiply(const Number& a, const Number& b);
Number divide(const Number& a, const Number& b);
Number square_root(const Number& a);
Number round_to_integer(const Number& a, Rounding rounding);

/// -1, 0, 1; neither may be NaN. -0 and +0 are equal.
int compare(const Number& a, const Number& b);

/// The number as an integer of `bits` bits, clamped to its range; it must be integral already (round_to_integer), not NaN.
std::uint64_t clamp_to_integer(const Number& a, int bits, bool is_signed);

}  // namespace bascule::ptx_models
