// Counting, finding, reversing, extracting and inserting bits; dot products of packed bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>

#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/integer_types.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

// By adding neighbouring fields, since AVX2 counts bits of scalars only.
template <class T>
constexpr u32 count_ones(T x) {
  constexpr T kPairs = static_cast<T>(0x5555555555555555u);
  constexpr T kFours = static_cast<T>(0x3333333333333333u);
  constexpr T kBytes = static_cast<T>(0x0f0f0f0f0f0f0f0fu);
  x = x - (x >> 1 & kPairs);
  x = (x & kFours) + (x >> 2 & kFours);
  x = (x + (x >> 4)) & kBytes;
  x += x >> 8;
  x += x >> 16;
  if constexpr (sizeof(T) == 8) x += x >> 32;
  return static_cast<u32>(x) & 0x7fu;
}
/// All bits below the highest set one, and that one.
template <class T>
constexpr T smear(T x) {
  for (unsigned distance = 1; distance < kBits<T>; distance *= 2) x |= x >> distance;
  return x;
}
constexpr auto kCountOnes = [](auto x) { return count_ones(x); };
constexpr auto kLeadingZeros = [](auto x) { return kBits<decltype(x)> - count_ones(smear(x)); };

/// Position of the highest bit that differs from the sign; all ones where there is none.
constexpr auto kFind = [](auto x) {
  using U = std::make_unsigned_t<decltype(x)>;
  return count_ones(smear(static_cast<U>(x < 0 ? ~x : x))) - 1u;
};
constexpr auto kFindShift = [](auto x) {
  const u32 position = kFind(x);
  return position == 0xffffffffu ? position : kBits<decltype(x)> - 1u - position;
};

template <class T>
constexpr T swap_fields(T x, unsigned distance, T low) {
  return static_cast<T>((x >> distance & low) | (x & low) << distance);
}
constexpr auto kReverse = [](auto x) {
  using T = decltype(x);
  x = swap_fields(x, 1, static_cast<T>(0x5555555555555555u));
  x = swap_fields(x, 2, static_cast<T>(0x3333333333333333u));
  x = swap_fields(x, 4, static_cast<T>(0x0f0f0f0f0f0f0f0fu));
  x = swap_fields(x, 8, static_cast<T>(0x00ff00ff00ff00ffu));
  if constexpr (sizeof(T) == 4) return static_cast<T>(x >> 16 | x << 16);
  if constexpr (sizeof(T) == 8) {
    x = swap_fields(x, 16, static_cast<T>(0x0000ffff0000ffffu));
    return static_cast<T>(x >> 32 | x << 32);
  }
};

constexpr auto kFindNth = [](u32 mask, u32 base, s32 offset) {
  constexpr u32 kNone = 0xffffffffu;
  if (base > 31) return kNone;
  if (offset == 0) return (mask >> base & 1u) != 0 ? base : kNone;
  // From `base` on in the wanted direction, the nearest first.
  u32 rest = offset > 0 ? mask & ~0u << base : mask & ~0u >> (31 - base);
  const u32 count = offset > 0 ? static_cast<u32>(offset) : 0u - static_cast<u32>(offset);
  if (count > count_ones(rest)) return kNone;
  for (u32 i = 1; i < count; ++i) rest &= offset > 0 ? rest - 1 : ~(1u << (31 - std::countl_zero(rest)));
  return static_cast<u32>(offset > 0 ? std::countr_zero(rest) : 31 - std::countl_zero(rest));
};

// Fields: the 32-bit forms look at 8 bits of position and length; the 64-bit forms at all 32, which the ISA's text does not say
// but NVIDIA's assembler does when it folds constants.
template <class T>
constexpr u32 field_operand(u32 x) {
  return sizeof(T) == 4 ? x & 0xffu : x;
}
template <class T>
constexpr T low_ones(u32 length) {
  return length >= kBits<T> ? static_cast<T>(-1) : static_cast<T>((T{1} << (length % kBits<T>)) - 1);
}
constexpr auto kExtract = [](auto a, u32 b, u32 c) {
  using T = decltype(a);
  const u32 position = field_operand<T>(b);
  const u32 length = field_operand<T>(c);
  if constexpr (std::is_signed_v<T>) {
    const T field = static_cast<T>(a >> (position < kBits<T> ? position : kBits<T> - 1));
    const u32 above = length < kBits<T> ? kBits<T> - length : 0;  // bits to replace by the sign; all of them: the result is 0
    const T extended = static_cast<T>(static_cast<std::make_unsigned_t<T>>(field) << above % kBits<T>) >> above % kBits<T>;
    return length == 0 ? T{0} : extended;
  } else {
    const T field = static_cast<T>(a >> position % kBits<T>) & low_ones<T>(length);
    return position < kBits<T> ? field : T{0};
  }
};
constexpr auto kInsert = [](auto a, auto b, u32 c, u32 d) {
  using T = decltype(a);
  const u32 position = field_operand<T>(c);
  const T field = low_ones<T>(field_operand<T>(d));
  const u32 shift = position % kBits<T>;
  const T inserted = (b & static_cast<T>(~static_cast<T>(field << shift))) | static_cast<T>((a & field) << shift);
  return position < kBits<T> ? inserted : b;
};
template <class T>
const Op* insert(const Op* op, Context& context) {
  Mask mask(*op, context);
  Destination<T> destination(context, op->operands[0]);
  Source<T> a(context, op->operands[1]);
  Source<T> b(context, op->operands[2]);
  Source<u32> c(context, op->operands[3]);
  Source<u32> d(context, op->operands[4]);
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    const T* const x = a.lanes();
    const T* const y = b.lanes();
    const u32* const position = c.lanes();
    const u32* const length = d.lanes();
    each_lane(destination.lanes(), mask.lanes(), [&](unsigned i) { return kInsert(x[i], y[i], position[i], length[i]); });
    mask.next(), destination.next(), a.next(), b.next(), c.next(), d.next();
  }
  return op + 1;
}

// clamp: widths of 32 and more stand for 32, positions for "beyond"; wrap: both are taken modulo 32.
template <bool clamp>
constexpr auto kMask = [](u32 a, u32 b) {
  const u32 position = a & 31u;
  const u32 width = clamp ? (b > 32 ? 32u : b) : b & 31u;
  const u32 mask = low_ones<u32>(width) << position;
  return clamp && a > 31 ? 0u : mask;
};
template <bool clamp>
constexpr auto kExtend = [](auto a, u32 b) {
  using T = decltype(a);
  const u32 above = (32u - b) & 31u;  // bits that are replaced
  const T extended = static_cast<T>(static_cast<u32>(a) << above) >> above;
  const bool whole = clamp && b >= 32;
  return whole ? a : (b & 31u) == 0 ? T{0} : extended;
};

/// One byte, as number of the type that the instruction names for it.
template <class T>
constexpr s32 byte_of(u32 x, unsigned index) {
  const u32 top = x << (24 - 8 * index);
  return std::is_signed_v<T> ? static_cast<s32>(top) >> 24 : static_cast<s32>(top >> 24);
}
template <class T>
constexpr s32 half_of(u32 x, unsigned index) {
  const u32 top = x << (16 - 16 * index);
  return std::is_signed_v<T> ? static_cast<s32>(top) >> 16 : static_cast<s32>(top >> 16);
}
template <class A, class B>
constexpr auto kDot4 = [](u32 a, u32 b, u32 c) {
  u32 sum = c;
  for (unsigned i = 0; i < 4; ++i) sum += static_cast<u32>(byte_of<A>(a, i) * byte_of<B>(b, i));
  return sum;
};
template <class A, class B, unsigned first>
constexpr auto kDot2 = [](u32 a, u32 b, u32 c) {
  u32 sum = c;
  for (unsigned i = 0; i < 2; ++i) sum += static_cast<u32>(half_of<A>(a, i) * byte_of<B>(b, first + i));
  return sum;
};

template <class A, class B>
Handler select_dot(const Instruction& instruction) {
  if (instruction.operation == Operation::dp4a) return run_map<kDot4<A, B>, u32, u32, u32, u32>;
  if (instruction.has(Modifier::hi)) return run_map<kDot2<A, B, 2>, u32, u32, u32, u32>;
  return run_map<kDot2<A, B, 0>, u32, u32, u32, u32>;
}
Handler select_dot_by_types(const Instruction& instruction) {
  const bool signed_a = instruction.type(0) == Type::s32;
  const bool signed_b = instruction.type(1) == Type::s32;
  if (signed_a) return signed_b ? select_dot<s32, s32>(instruction) : select_dot<s32, u32>(instruction);
  return signed_b ? select_dot<u32, s32>(instruction) : select_dot<u32, u32>(instruction);
}

/// What has results of 32 bits, whatever the operand's width.
template <auto f>
Handler counting(Type type) {
  return for_integer(type, [](auto t) -> Handler {
    using T = decltype(t);
    if constexpr (sizeof(T) >= 4) return run_map<f, u32, T>;
    return nullptr;
  });
}

template <bool clamp>
Handler select_mask_or_extend(const Instruction& instruction) {
  if (instruction.operation == Operation::bmsk) return run_map<kMask<clamp>, u32, u32, u32>;
  return instruction.type() == Type::s32 ? run_map<kExtend<clamp>, s32, s32, u32> : run_map<kExtend<clamp>, u32, u32, u32>;
}

Handler select_fields(const Instruction& instruction) {
  return for_integer(instruction.type(), [&](auto t) -> Handler {
    using T = decltype(t);
    if constexpr (sizeof(T) >= 4) {
      if (instruction.operation == Operation::bfe) return run_map<kExtract, T, T, u32, u32>;
      if constexpr (std::is_unsigned_v<T>) return insert<T>;
    }
    return nullptr;
  });
}

Handler handler_of(const Instruction& instruction) {
  const Type type = instruction.type();
  switch (instruction.operation) {
    case Operation::popc: return counting<kCountOnes>(type);
    case Operation::clz: return counting<kLeadingZeros>(type);
    case Operation::bfind: return instruction.has(Modifier::shiftamt) ? counting<kFindShift>(type) : counting<kFind>(type);
    case Operation::brev:
      return ptx::bits_of(type) == 64 ? run_map<kReverse, u64, u64> : run_map<kReverse, u32, u32>;
    case Operation::fns: return run_map<kFindNth, u32, u32, u32, s32>;
    case Operation::bfe:
    case Operation::bfi: return select_fields(instruction);
    case Operation::bmsk:
    case Operation::szext:
      return instruction.has(Modifier::clamp) ? select_mask_or_extend<true>(instruction)
                                              : select_mask_or_extend<false>(instruction);
    case Operation::dp2a:
    case Operation::dp4a: return select_dot_by_types(instruction);
    default: return nullptr;
  }
}

}  // namespace

Selected select_integer_bits(const Instruction& instruction, const ptx::Function&) {
  return {.run = handler_of(instruction), .immediate = 0, .layout = Layout::plain};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
