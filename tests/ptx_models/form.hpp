// One instruction with its modifiers and types: how it is written, what goes in, and what the ISA says comes out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/ptx_models/exact.hpp"

namespace bascule::ptx_models {

/// What an input register holds; decides its width, its edge values and how random ones are drawn.
enum class Values {
  predicate,
  bits8,
  integer16,
  integer32,
  integer64,
  count32,   // shift amounts, positions, lengths: mostly small
  nonzero32, // bits of one byte or more (selectors)
  f16,
  bf16,
  f32,
  f64,
  f16x2,
  bf16x2,
  f32x2,
  f8x2,
  angle32,   // f32 within some hundred turns
  exponent32 // f32 whose power of two can be represented, mostly
};

int width_of(Values values);  // of its register: 1 (predicate), 8, 16, 32, 64

/// An output register. Where `nan` is set, it holds `elements` floating-point values, and any NaN is as good as the expected
/// one (the ISA leaves its bits open there).
struct Output {
  int width = 32;
  const Format* nan = nullptr;
  int elements = 1;
};

struct Expected {
  std::uint64_t bits = 0;
  std::uint64_t alternative = 0;  // equally right; the same as `bits` mostly
  Expected& operator=(std::uint64_t value) {
    bits = alternative = value;
    return *this;
  }
};

using Model = std::function<void(const std::uint64_t* in, Expected* out)>;
using Accepts = std::function<bool(const std::uint64_t* in, std::uint64_t got)>;

/// `code` names the outputs $d, $e and the inputs $a, $b, $c, $f; %t0 to %t3 (32 bits), %w0 to %w3 (64), %h0 to %h3 (16),
/// %q0 to %q3 (predicates), %v0 to %v2 (128) are free registers. Several instructions are separated by "; ". %cell is
/// the address of 32 bytes of the thread's own in global memory, %base where those of all threads begin (no form uses both);
/// %shared and %local are addresses of 16 such bytes in these spaces, %generic_shared and %generic_local their generic ones,
/// shared_cells where those of the block begin. `known` and `known_constants` are 64 bytes in global and constant memory.
struct Form {
  std::string code;
  std::vector<Values> inputs;
  std::vector<Output> outputs;
  Model model;
  Accepts accepts = {};          // decides on output 0 instead of the model: approximations
  unsigned target = 80;          // sm_<target>; above 90 with the suffix a
  bool exhaustive16 = false;     // input 0 takes each 16-bit value
  bool may_be_immediate = true;  // the last input may be written as a constant
};

using Forms = std::vector<Form>;

/// What `known` and `known_constants` hold.
constexpr int known_byte(int index) { return (index * 167 + 13) & 0xff; }

// The chapters, each in the file of its name.
Forms integer_forms();
Forms extended_forms();
Forms bit_forms();
Forms logic_forms();
Forms comparison_forms();
Forms float_forms();
Forms half_forms();
Forms convert_forms();
Forms narrow_forms();
Forms approximate_forms();
Forms dot_forms();
Forms move_forms();
Forms memory_forms();
Forms atomic_forms();

}  // namespace bascule::ptx_models
