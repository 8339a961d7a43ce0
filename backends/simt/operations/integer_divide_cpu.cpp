// Integer division. What PTX leaves open is answered as NVIDIA's assembler folds it: x / 0 and x % 0 are all ones.
// The smallest number divided by -1 wraps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/integer_types.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Instruction;
using ptx::Operation;

// The host must not trap: divisors 0 and, for signed types, -1 are replaced before dividing.
constexpr auto kDivide = [](auto a, auto b) {
  using T = decltype(a);
  using U = std::make_unsigned_t<T>;
  if constexpr (std::is_signed_v<T>) {
    const bool special = b == 0 || b == T{-1};
    const U quotient = static_cast<U>(a / (special ? T{1} : b));
    return static_cast<T>(b == 0 ? static_cast<U>(-1) : special ? static_cast<U>(U{0} - quotient) : quotient);
  } else {
    const T quotient = static_cast<T>(a / (b == 0 ? T{1} : b));
    return b == 0 ? static_cast<T>(-1) : quotient;
  }
};
constexpr auto kRemainder = [](auto a, auto b) {
  using T = decltype(a);
  if constexpr (std::is_signed_v<T>) {
    const bool special = b == 0 || b == T{-1};
    const T remainder = static_cast<T>(a % (special ? T{1} : b));
    return b == 0 ? T{-1} : remainder;
  } else {
    const T remainder = static_cast<T>(a % (b == 0 ? T{1} : b));
    return b == 0 ? static_cast<T>(-1) : remainder;
  }
};

// 32 bits: processors have no vector division of integers, but one of doubles, and its quotient, cut to an integer, is exact: a
// quotient that is no integer is at least 1 / b away from the next one, much more than half a unit in the last of 53 bits.
// Halves of the unsigned range are moved to the signed one, since AVX2 converts only signed integers.
constexpr s32 quotient_signed(s32 a, s32 b) {
  return static_cast<s32>(static_cast<double>(a) / static_cast<double>(b));
}
constexpr auto kDivideSigned32 = [](s32 a, s32 b) {
  const bool special = b == 0 || b == -1;
  const s32 quotient = quotient_signed(a, special ? 1 : b);
  const u32 negated = 0u - static_cast<u32>(quotient);
  return static_cast<s32>(b == 0 ? 0xffffffffu : special ? negated : static_cast<u32>(quotient));
};
constexpr auto kRemainderSigned32 = [](s32 a, s32 b) {
  const bool special = b == 0 || b == -1;
  const s32 divisor = special ? 1 : b;
  const u32 product = static_cast<u32>(quotient_signed(a, divisor)) * static_cast<u32>(divisor);
  return b == 0 ? -1 : static_cast<s32>(static_cast<u32>(a) - product);
};

constexpr double as_double(u32 x) { return static_cast<double>(static_cast<s32>(x ^ 0x80000000u)) + 2147483648.0; }
// For a quotient of 2^31 or more the divisor is 1; so the dividend itself answers that case.
constexpr u32 quotient_unsigned(u32 a, u32 b) {
  const bool whole = b <= 1;
  const double quotient = as_double(a) / as_double(whole ? 2u : b);
  const u32 rounded = static_cast<u32>(static_cast<s32>(quotient));
  return whole ? a : rounded;
}
constexpr auto kDivideUnsigned32 = [](u32 a, u32 b) { return b == 0 ? 0xffffffffu : quotient_unsigned(a, b); };
constexpr auto kRemainderUnsigned32 = [](u32 a, u32 b) { return b == 0 ? 0xffffffffu : a - quotient_unsigned(a, b) * b; };

template <auto general, auto signed_32, auto unsigned_32>
Handler divide(ptx::Type type) {
  return for_integer(type, [](auto t) -> Handler {
    using T = decltype(t);
    if constexpr (std::is_same_v<T, s32>) {
      return run_map<signed_32, s32, s32, s32>;
    } else if constexpr (std::is_same_v<T, u32>) {
      return run_map<unsigned_32, u32, u32, u32>;
    } else {
      return run_map<general, T, T, T>;
    }
  });
}

}  // namespace

Selected select_integer_divide(const Instruction& instruction, const ptx::Function&) {
  Handler run = nullptr;
  if (instruction.operation == Operation::div) run = divide<kDivide, kDivideSigned32, kDivideUnsigned32>(instruction.type());
  if (instruction.operation == Operation::rem) {
    run = divide<kRemainder, kRemainderSigned32, kRemainderUnsigned32>(instruction.type());
  }
  return {.run = run, .immediate = 0, .layout = Layout::plain};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
