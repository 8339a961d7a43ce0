// Integer arithmetic: sums, products, absolute differences, minimum and maximum, packed halves.
// Signed sums and products are computed in unsigned arithmetic, which wraps as PTX does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/integer_types.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

constexpr auto kAdd = [](auto a, auto b) { return a + b; };
constexpr auto kSubtract = [](auto a, auto b) { return a - b; };

constexpr s32 saturated(u32 wrapped, bool overflow, u32 sign_of) {
  return static_cast<s32>(overflow ? (sign_of >> 31) + 0x7fffffffu : wrapped);
}
constexpr s32 add_saturated(u32 a, u32 b) {
  const u32 sum = a + b;
  return saturated(sum, ((a ^ sum) & (b ^ sum)) >> 31 != 0, a);
}
constexpr auto kAddSaturated = [](s32 a, s32 b) { return add_saturated(static_cast<u32>(a), static_cast<u32>(b)); };
constexpr auto kSubtractSaturated = [](s32 a, s32 b) {
  const u32 x = static_cast<u32>(a);
  const u32 y = static_cast<u32>(b);
  const u32 difference = x - y;
  return saturated(difference, ((x ^ y) & (x ^ difference)) >> 31 != 0, x);
};

// Two halves in one word: carries out of the low one are kept out of the high one.
constexpr auto kAddHalves = [](u32 a, u32 b) { return ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u); };

template <class T>
constexpr T multiply_low(T a, T b) {
  using U = std::conditional_t<sizeof(T) == 8, u64, u32>;  // not int: 65535 * 65535 overflows it
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}
template <class T>
constexpr T multiply_high(T a, T b) {
  return static_cast<T>(static_cast<Wider<T>>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b)) >> kBits<T>);
}
template <>
constexpr u16 multiply_high(u16 a, u16 b) {
  return static_cast<u16>(static_cast<u32>(a) * b >> 16);
}
template <class T>
constexpr Wider<T> multiply_wide(T a, T b) {
  return static_cast<Wider<T>>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b));
}

constexpr auto kMultiplyLow = [](auto a, auto b) { return multiply_low(a, b); };
constexpr auto kMultiplyHigh = [](auto a, auto b) { return multiply_high(a, b); };
constexpr auto kMultiplyWide = [](auto a, auto b) { return multiply_wide(a, b); };
constexpr auto kMultiplyAddLow = [](auto a, auto b, auto c) { return multiply_low(a, b) + c; };
constexpr auto kMultiplyAddHigh = [](auto a, auto b, auto c) {
  using U = std::make_unsigned_t<decltype(a)>;
  return static_cast<U>(multiply_high(a, b)) + static_cast<U>(c);
};
constexpr auto kMultiplyAddWide = [](auto a, auto b, auto c) {  // c comes unsigned, as wide as the product
  return static_cast<decltype(c)>(multiply_wide(a, b)) + c;
};
constexpr auto kMultiplyAddHighSaturated = [](s32 a, s32 b, s32 c) {
  return add_saturated(static_cast<u32>(multiply_high(a, b)), static_cast<u32>(c));
};

// 24 bits of each operand; .hi takes bits 47 to 16 of the product.
constexpr u64 product_24(u32 a, u32 b) { return u64{a & 0xffffffu} * (b & 0xffffffu); }
constexpr s64 product_24(s32 a, s32 b) {
  const auto narrow = [](s32 x) { return static_cast<s64>(static_cast<s32>(static_cast<u32>(x) << 8) >> 8); };
  return narrow(a) * narrow(b);
}
constexpr auto kMultiply24Low = [](u32 a, u32 b) { return (a & 0xffffffu) * (b & 0xffffffu); };
constexpr auto kMultiply24LowSigned = [](s32 a, s32 b) { return static_cast<u32>(product_24(a, b)); };
constexpr auto kMultiply24High = [](auto a, auto b) { return static_cast<u32>(static_cast<u64>(product_24(a, b)) >> 16); };
constexpr auto kMultiplyAdd24Low = [](u32 a, u32 b, u32 c) { return kMultiply24Low(a, b) + c; };
constexpr auto kMultiplyAdd24LowSigned = [](s32 a, s32 b, u32 c) { return kMultiply24LowSigned(a, b) + c; };
constexpr auto kMultiplyAdd24High = [](auto a, auto b, u32 c) { return kMultiply24High(a, b) + c; };
constexpr auto kMultiplyAdd24HighSaturated = [](s32 a, s32 b, u32 c) { return add_saturated(kMultiply24High(a, b), c); };

constexpr auto kAbsoluteDifference = [](auto a, auto b, auto c) {
  using U = std::make_unsigned_t<decltype(a)>;
  const U x = static_cast<U>(a);
  const U y = static_cast<U>(b);
  return static_cast<U>(c) + static_cast<U>(a < b ? y - x : x - y);
};
constexpr auto kAbsolute = [](auto a) {
  using U = std::make_unsigned_t<decltype(a)>;
  return a < 0 ? static_cast<U>(U{0} - static_cast<U>(a)) : static_cast<U>(a);
};
constexpr auto kNegate = [](auto a) { return decltype(a){0} - a; };
constexpr auto kMinimum = [](auto a, auto b) { return b < a ? b : a; };
constexpr auto kMaximum = [](auto a, auto b) { return a < b ? b : a; };

/// f for each half of a word, of type T.
template <class T, auto f, bool relu>
constexpr auto kHalves = [](u32 a, u32 b) {
  const auto part = [](u32 x, u32 y) {
    const T result = f(static_cast<T>(x), static_cast<T>(y));
    return u32{static_cast<u16>(relu && result < 0 ? T{0} : result)};
  };
  return part(a, b) | part(a >> 16, b >> 16) << 16;
};
template <auto f>
constexpr auto kAtLeastZero = [](s32 a, s32 b) { return kMaximum(f(a, b), s32{0}); };

Handler select_add(const Instruction& instruction) {
  if (instruction.has(Modifier::cc)) return nullptr;
  const Type type = instruction.type();
  if (type == Type::u16x2 || type == Type::s16x2) return run_map<kAddHalves, u32, u32, u32>;
  if (instruction.has(Modifier::sat)) return type == Type::s32 ? run_map<kAddSaturated, s32, s32, s32> : nullptr;
  return binary<kAdd>(type);
}

Handler select_subtract(const Instruction& instruction) {
  if (instruction.has(Modifier::cc)) return nullptr;
  const Type type = instruction.type();
  if (instruction.has(Modifier::sat)) return type == Type::s32 ? run_map<kSubtractSaturated, s32, s32, s32> : nullptr;
  return binary<kSubtract>(type);
}

Handler select_multiply(const Instruction& instruction) {
  const Type type = instruction.type();
  if (instruction.has(Modifier::lo)) return binary<kMultiplyLow>(type);
  if (instruction.has(Modifier::hi)) return signed_binary<kMultiplyHigh>(type);
  if (!instruction.has(Modifier::wide)) return nullptr;
  return for_integer(type, [](auto t) -> Handler {
    using T = decltype(t);
    if constexpr (sizeof(T) < 8) return run_map<kMultiplyWide, Wider<T>, T, T>;
    return nullptr;
  });
}

Handler select_multiply_add(const Instruction& instruction) {
  if (instruction.has(Modifier::cc)) return nullptr;
  const Type type = instruction.type();
  if (instruction.has(Modifier::lo)) return ternary<kMultiplyAddLow>(type);
  if (instruction.has(Modifier::hi)) {
    if (!instruction.has(Modifier::sat)) return signed_ternary<kMultiplyAddHigh>(type);
    return type == Type::s32 ? run_map<kMultiplyAddHighSaturated, s32, s32, s32, s32> : nullptr;
  }
  if (!instruction.has(Modifier::wide)) return nullptr;
  return for_integer(type, [](auto t) -> Handler {
    using T = decltype(t);
    if constexpr (sizeof(T) < 8) {
      using Product = std::make_unsigned_t<Wider<T>>;
      return run_map<kMultiplyAddWide, Product, T, T, Product>;
    }
    return nullptr;
  });
}

Handler select_multiply_24(const Instruction& instruction) {
  const bool is_signed = instruction.type() == Type::s32;
  if (instruction.has(Modifier::hi)) {
    return is_signed ? run_map<kMultiply24High, u32, s32, s32> : run_map<kMultiply24High, u32, u32, u32>;
  }
  return is_signed ? run_map<kMultiply24LowSigned, u32, s32, s32> : run_map<kMultiply24Low, u32, u32, u32>;
}

Handler select_multiply_add_24(const Instruction& instruction) {
  const bool is_signed = instruction.type() == Type::s32;
  if (instruction.has(Modifier::hi)) {
    if (instruction.has(Modifier::sat)) return is_signed ? run_map<kMultiplyAdd24HighSaturated, s32, s32, s32, u32> : nullptr;
    return is_signed ? run_map<kMultiplyAdd24High, u32, s32, s32, u32> : run_map<kMultiplyAdd24High, u32, u32, u32, u32>;
  }
  return is_signed ? run_map<kMultiplyAdd24LowSigned, u32, s32, s32, u32> : run_map<kMultiplyAdd24Low, u32, u32, u32, u32>;
}

template <auto f>
Handler select_extreme(const Instruction& instruction) {
  const Type type = instruction.type();
  const bool relu = instruction.has(Modifier::relu);
  if (type == Type::u16x2) return relu ? nullptr : run_map<kHalves<u16, f, false>, u32, u32, u32>;
  if (type == Type::s16x2) {
    return relu ? run_map<kHalves<s16, f, true>, u32, u32, u32> : run_map<kHalves<s16, f, false>, u32, u32, u32>;
  }
  if (relu) return type == Type::s32 ? run_map<kAtLeastZero<f>, s32, s32, s32> : nullptr;
  return signed_binary<f>(type);
}

Handler handler_of(const Instruction& instruction) {
  const Type type = instruction.type();
  switch (instruction.operation) {
    case Operation::add: return select_add(instruction);
    case Operation::sub: return select_subtract(instruction);
    case Operation::mul: return select_multiply(instruction);
    case Operation::mad: return select_multiply_add(instruction);
    case Operation::mul24: return select_multiply_24(instruction);
    case Operation::mad24: return select_multiply_add_24(instruction);
    case Operation::sad: return signed_ternary<kAbsoluteDifference>(type);
    case Operation::abs: return ptx::kind_of(type) == 's' ? signed_unary<kAbsolute>(type) : nullptr;
    case Operation::neg: return unary<kNegate>(type);
    case Operation::min: return select_extreme<kMinimum>(instruction);
    case Operation::max: return select_extreme<kMaximum>(instruction);
    default: return nullptr;
  }
}

}  // namespace

Selected select_integer(const Instruction& instruction, const ptx::Function&) {
  return {.run = handler_of(instruction), .immediate = 0, .layout = Layout::plain};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
