// cvt between integers, and cvt.pack.
//
// The types are data: a value is cut to its type's bits and extended by (x & ones ^ sign) - sign, once for the source and once
// for the destination, in the wider of the two registers. So the code depends on the registers' widths alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/convert.hpp"
#include "backends/simt/operations/families.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

/// Cuts a value to the low bits of a type and extends it as the type says.
template <class T>
class Extension {
 public:
  Extension(unsigned bits, bool with_sign)
      : ones_(bits >= 8 * sizeof(T) ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << bits) - 1)),
        sign_(with_sign ? static_cast<T>(T{1} << (bits - 1)) : T{0}) {}
  [[gnu::always_inline]] T operator()(T value) const {
    return static_cast<T>(static_cast<T>((value & ones_) ^ sign_) - sign_);
  }

 private:
  T ones_;
  T sign_;
};

template <class To, class From>
const Op* resize(const Op* op, Context& context) {
  using Wide = std::conditional_t<(sizeof(To) > sizeof(From)), To, From>;
  const ConversionRule rule(op);
  const Extension<Wide> source(rule.source_bits(), rule.source_signed());
  const Extension<Wide> result(rule.result_bits(), rule.result_signed());
  return map<To, From>(op, context, [source, result](From a) { return static_cast<To>(result(source(a))); });
}

/// The range of an integer type, as signed 64-bit keys: unsigned sources are compared with the highest bit flipped.
struct Range {
  std::int64_t low;
  std::int64_t high;
};

Range range_of(const ConversionRule& rule) {
  const unsigned bits = rule.result_bits();
  constexpr std::uint64_t kFlip = std::uint64_t{1} << 63;
  const std::uint64_t high = (std::uint64_t{1} << (bits - 1)) - 1 + (rule.result_signed() ? 0 : std::uint64_t{1} << (bits - 1));
  if (!rule.source_signed()) return {std::bit_cast<std::int64_t>(kFlip), std::bit_cast<std::int64_t>(high ^ kFlip)};
  const std::int64_t low = rule.result_signed() ? std::bit_cast<std::int64_t>(~high) : 0;
  return {low, high < kFlip ? static_cast<std::int64_t>(high) : std::bit_cast<std::int64_t>(kFlip - 1)};
}

template <class To, class From>
const Op* resize_saturating(const Op* op, Context& context) {
  const ConversionRule rule(op);
  const Extension<std::uint64_t> source(rule.source_bits(), rule.source_signed());
  const Extension<std::uint64_t> result(rule.result_bits(), rule.result_signed());
  const std::uint64_t flip = rule.source_signed() ? 0 : std::uint64_t{1} << 63;
  const Range range = range_of(rule);
  return map<To, From>(op, context, [=](From a) {
    const std::int64_t key = std::bit_cast<std::int64_t>(source(std::uint64_t{a}) ^ flip);
    const std::int64_t above = key < range.low ? range.low : key;
    const std::int64_t within = above > range.high ? range.high : above;
    return static_cast<To>(result(std::bit_cast<std::uint64_t>(within) ^ flip));
  });
}

template <class To>
Handler resize_from(unsigned source_bits, bool saturate) {
  switch (source_bits) {
    case 8: return saturate ? resize_saturating<To, std::uint8_t> : resize<To, std::uint8_t>;
    case 16: return saturate ? resize_saturating<To, std::uint16_t> : resize<To, std::uint16_t>;
    case 32: return saturate ? resize_saturating<To, std::uint32_t> : resize<To, std::uint32_t>;
    default: return saturate ? resize_saturating<To, std::uint64_t> : resize<To, std::uint64_t>;
  }
}

Handler resize_handler(const ptx::Instruction& instruction, const ptx::Function& function) {
  const unsigned from = slot_bits(instruction, function, 1, instruction.type(1));
  const bool saturate = instruction.has(ptx::Modifier::sat);
  switch (slot_bits(instruction, function, 0, instruction.type(0))) {
    case 8: return resize_from<std::uint8_t>(from, saturate);
    case 16: return resize_from<std::uint16_t>(from, saturate);
    case 32: return resize_from<std::uint32_t>(from, saturate);
    default: return resize_from<std::uint64_t>(from, saturate);
  }
}

// ---- cvt.pack ------------------------------------------------------------------------------------------------------

/// d = {rest of c, a, b}, a and b clamped to the type: b has the lowest bits. Without c (16-bit types) the rest is empty.
[[gnu::always_inline]] inline std::uint32_t packed(std::int32_t a, std::int32_t b, std::uint32_t c, std::int32_t low,
                                                   std::int32_t high, unsigned bits) {
  const std::int32_t x = a < low ? low : a > high ? high : a;
  const std::int32_t y = b < low ? low : b > high ? high : b;
  const std::uint32_t ones = (1u << bits) - 1;
  const std::uint64_t rest = std::uint64_t{c} << (2 * bits);
  return static_cast<std::uint32_t>(rest) | (static_cast<std::uint32_t>(x) & ones) << bits |
         (static_cast<std::uint32_t>(y) & ones);
}

template <bool kWithRest>
const Op* pack(const Op* op, Context& context) {
  const ConversionRule rule(op);
  const unsigned bits = rule.result_bits();
  const std::int32_t low = rule.result_signed() ? -(1 << (bits - 1)) : 0;
  const std::int32_t high = (1 << (rule.result_signed() ? bits - 1 : bits)) - 1;
  if constexpr (kWithRest) {
    return map<std::uint32_t, std::int32_t, std::int32_t, std::uint32_t>(
        op, context, [=](std::int32_t a, std::int32_t b, std::uint32_t c) { return packed(a, b, c, low, high, bits); });
  } else {
    return map<std::uint32_t, std::int32_t, std::int32_t>(
        op, context, [=](std::int32_t a, std::int32_t b) { return packed(a, b, 0, low, high, bits); });
  }
}

}  // namespace

Selected select_convert(const ptx::Instruction& instruction, const ptx::Function& function) {
  using ptx::Operation;
  if (instruction.operation == Operation::cvt && is_integer(instruction.type(0)) && is_integer(instruction.type(1))) {
    return {.run = resize_handler(instruction, function), .immediate = ConversionRule::of(instruction, function)};
  }
  if (instruction.operation == Operation::cvt_pack) {
    const bool with_rest = ptx::bits_of(instruction.type(0)) < 16;
    return {.run = with_rest ? pack<true> : pack<false>, .immediate = ConversionRule::of(instruction, function)};
  }
  return {};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
