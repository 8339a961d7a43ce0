// Matrices of whole numbers, their products, and how a warp's registers hold them: what the models of mma and wmma share.
// Elements are small, so that every sum is exact and the order of summation does not matter.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "tests/ptx_models/arithmetic.hpp"
#include "tests/ptx_models/inputs.hpp"

namespace bascule::ptx_models {

/// A type of elements: how wide, and how a whole number is written in it.
struct Element {
  const char* name;
  int width;
  const Format* format;  // none: an integer
  bool is_signed;
  int low, high;  // range of random values
};
inline constexpr Element kHalf{"f16", 16, &kF16, true, -6, 6}, kBrain{"bf16", 16, &kBf16, true, -6, 6}, kTensor{"tf32", 32, &kF32, true, -40, 40},
    kDouble{"f64", 64, &kF64, true, -1000, 1000}, kSingle{"f32", 32, &kF32, true, -500, 500}, kE4{"e4m3", 8, &kE4m3, true, -9, 9},
    kE5{"e5m2", 8, &kE5m2, true, -4, 4}, kS8{"s8", 8, nullptr, true, -128, 127}, kU8{"u8", 8, nullptr, false, 0, 255},
    kS4{"s4", 4, nullptr, true, -8, 7}, kU4{"u4", 4, nullptr, false, 0, 15}, kB1{"b1", 1, nullptr, false, 0, 1},
    kS32{"s32", 32, nullptr, true, -100000, 100000};

inline std::uint64_t written(const Element& element, std::int64_t value) {
  if (element.format == nullptr) return static_cast<std::uint64_t>(value) & low_bits(element.width);
  return encode(*element.format, integer_number(static_cast<std::uint64_t>(value < 0 ? -value : value), value < 0), Rounding::nearest_even);
}

struct Matrix {
  int rows, columns;
  std::vector<std::int64_t> values;
  Matrix(int r, int c) : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  std::int64_t& at(int row, int column) { return values[static_cast<std::size_t>(row * columns + column)]; }
  [[nodiscard]] std::int64_t at(int row, int column) const { return values[static_cast<std::size_t>(row * columns + column)]; }
  void randomize(const Element& element, Random& random) {
    for (auto& value : values) value = element.low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(element.high - element.low + 1)));
  }
};

enum class Product { sum, exclusive_or, conjunction };

inline Matrix product_of(const Matrix& a, const Matrix& b, const Matrix& c, Product product, bool saturate, bool integer) {
  Matrix d(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < b.columns; ++j) {
      std::int64_t sum = c.at(i, j);
      for (int k = 0; k < a.columns; ++k) {
        const std::int64_t x = a.at(i, k), y = b.at(k, j);
        sum += product == Product::sum ? x * y : product == Product::exclusive_or ? x ^ y : x & y;
      }
      if (saturate) sum = static_cast<std::int64_t>(clamped(sum, 32, true));
      d.at(i, j) = integer ? static_cast<std::int32_t>(static_cast<std::uint32_t>(sum)) : sum;
    }
  }
  return d;
}

struct Place {
  int row, column;
};

/// Registers of a lane, packed: the e-th element of the r-th register lies at place(lane, r, e).
template <class PlaceOf>
std::vector<std::uint64_t> fragments(const Matrix& matrix, const Element& element, int registers, int register_width, PlaceOf place) {
  std::vector<std::uint64_t> words;
  const int per_register = register_width / element.width;
  for (int lane = 0; lane < 32; ++lane) {
    for (int r = 0; r < registers; ++r) {
      std::uint64_t word = 0;
      for (int e = 0; e < per_register; ++e) {
        const Place at = place(lane, r, e);
        word |= written(element, matrix.at(at.row, at.column)) << (e * element.width);
      }
      words.push_back(word);
    }
  }
  return words;
}

/// The accumulators' type is that of C and of D. Integer elements of A stand in registers of 32 bits.
inline int register_width(const Element& element) { return element.width == 64 ? 64 : 32; }

inline std::string vector_of(const char* name, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + std::string(name) + std::to_string(i);
  return text + "}";
}

inline std::string registers_of(const char* name, int count, int width) {
  return ".reg .b" + std::to_string(width) + " %" + name + "<" + std::to_string(count) + ">;\n";
}

/// Registers of one operand: `words` holds each thread's one after the other.
struct Fragment {
  int registers;
  int width;
  std::vector<std::uint64_t> words;
};

/// Where D goes: to registers of its own, or to those of C: in their order, the other way around, or the last one first.
enum class Destination { own, accumulator, reversed_accumulator, rotated_accumulator };

/// Runs a matrix instruction (`mma.sync...`, up to its operands) in as many warps as the fragments hold, and returns the words of
/// D. The second warp does not take part: its D holds what kIdle says, or C where D lies there.
std::vector<std::uint64_t> multiplied(const std::string& instruction, unsigned target, std::uint32_t level, const Fragment& a, const Fragment& b,
                                      const Fragment& c, int registers_of_d, Destination destination);
inline constexpr std::uint64_t kIdle = 0x5a5a5a5a5a5a5a5au;

}  // namespace bascule::ptx_models
