// Bits as bits: and, or, xor, not, cnot, lop3 (of predicates too), shifts, funnel shifts, byte permutation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/integer_types.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

constexpr auto kAnd = [](auto a, auto b) { return a & b; };
constexpr auto kOr = [](auto a, auto b) { return a | b; };
constexpr auto kXor = [](auto a, auto b) { return a ^ b; };
constexpr auto kNot = [](auto a) { return ~a; };
constexpr auto kIsZero = [](auto a) { return a == 0 ? 1u : 0u; };

// ---- shifts: amounts of the width and more shift everything out ------------------------------------------------------

constexpr auto kShiftLeft = [](auto a, u32 b) {
  using T = decltype(a);
  using U = std::conditional_t<sizeof(T) == 8, u64, u32>;
  const T shifted = static_cast<T>(static_cast<U>(a) << b % kBits<U>);
  return b < kBits<T> ? shifted : T{0};
};
constexpr auto kShiftRight = [](auto a, u32 b) {
  using T = decltype(a);
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(a >> (b < kBits<T> ? b : kBits<T> - 1));
  } else {
    const T shifted = static_cast<T>(a >> b % kBits<T>);
    return b < kBits<T> ? shifted : T{0};
  }
};

/// Of b:a, 64 bits, the upper word after a shift to the left, the lower one after a shift to the right.
template <bool left, bool clamp>
constexpr auto kFunnel = [](u32 a, u32 b, u32 c) {
  const u32 n = clamp ? (c < 32 ? c : 32u) : c & 31u;
  const u32 near = left ? b : a;  // the word that is the result for n = 0
  const u32 far = left ? a : b;   // for n = 32
  const u32 inner = n & 31u;
  const u32 moved = left ? near << inner : near >> inner;
  const u32 filled = left ? far >> 1 >> (31 - inner) : far << 1 << (31 - inner);
  return n == 32 ? far : moved | filled;
};

// ---- lop3 ------------------------------------------------------------------------------------------------------------

/// Any function of three bits, its truth table spread to eight masks: a chooses between halves, b within, c within these.
struct Truth {
  explicit Truth(u32 table) {
    for (unsigned i = 0; i < 8; ++i) rows[i] = (table >> i & 1u) != 0 ? ~0u : 0u;
  }
  [[nodiscard]] u32 operator()(u32 a, u32 b, u32 c) const {
    const auto choose = [](u32 by, u32 one, u32 zero) { return zero ^ (by & (one ^ zero)); };
    const u32 high = choose(b, choose(c, rows[7], rows[6]), choose(c, rows[5], rows[4]));
    const u32 low = choose(b, choose(c, rows[3], rows[2]), choose(c, rows[1], rows[0]));
    return choose(a, high, low);
  }
  u32 rows[8];
};

// Op::immediate of lop3
constexpr u64 kTable = 0xff;
constexpr u64 kWithOr = 1u << 8;         // p = (d != 0) or q
constexpr u64 kWithAnd = 1u << 9;        // p = (d != 0) and q
constexpr u64 kQNegated = 1u << 10;
constexpr u64 kManyOperands = 1u << 11;  // in Op::slots
constexpr unsigned kFirstSource = 12;    // its position: from bit 12

const Op* logic3(const Op* op, Context& context) {
  const u64 how = op->immediate;
  const Slot* const operands = (how & kManyOperands) != 0 ? op->slots : op->operands.data();
  const Slot* const sources = operands + (how >> kFirstSource);
  const bool predicated = (how & (kWithOr | kWithAnd)) != 0;
  const Truth truth(static_cast<u32>(how & kTable));
  Mask mask(*op, context);
  Destination<u32> d(context, operands[0] == kNoSlot ? kTrueSlot : operands[0]);
  Destination<u32> p(context, predicated && operands[1] != kNoSlot ? operands[1] : kTrueSlot);
  Source<u32> a(context, sources[0]);
  Source<u32> b(context, sources[1]);
  Source<u32> c(context, sources[2]);
  Source<u32> q(context, predicated ? sources[4] : kTrueSlot);
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    const u32 lanes = mask.lanes();
    alignas(64) u32 result[kLanes];
    for (unsigned i = 0; i < kLanes; ++i) result[i] = truth(a.lanes()[i], b.lanes()[i], c.lanes()[i]);
    if (predicated && operands[1] != kNoSlot) {
      const u32 nonzero = mask_of<u32>([&](unsigned i) { return result[i] != 0; });
      const u32 other = *q.lanes() ^ ((how & kQNegated) != 0 ? kAllLanes : 0);
      write_predicate(p.lanes(), (how & kWithOr) != 0 ? nonzero | other : nonzero & other, lanes);
    }
    if (operands[0] != kNoSlot) each_lane(d.lanes(), lanes, [&](unsigned i) { return result[i]; });
    mask.next(), d.next(), p.next(), a.next(), b.next(), c.next(), q.next();
  }
  return op + 1;
}

const Op* logic3_general(const Op* op, Context& context) {
  const Truth truth(static_cast<u32>(op->immediate & kTable));
  return map<u32, u32, u32, u32>(op, context, truth);
}
constexpr auto kXor3 = [](u32 a, u32 b, u32 c) { return a ^ b ^ c; };
constexpr auto kMajority = [](u32 a, u32 b, u32 c) { return (a & b) | (c & (a | b)); };
constexpr auto kChoose = [](u32 a, u32 b, u32 c) { return c ^ (a & (b ^ c)); };
constexpr auto kAnd3 = [](u32 a, u32 b, u32 c) { return a & b & c; };
constexpr auto kOr3 = [](u32 a, u32 b, u32 c) { return a | b | c; };
constexpr auto kAndOr = [](u32 a, u32 b, u32 c) { return (a & b) | c; };
constexpr auto kOrAnd = [](u32 a, u32 b, u32 c) { return (a | b) & c; };
constexpr auto kAndXor = [](u32 a, u32 b, u32 c) { return (a & b) ^ c; };
constexpr auto kXorAnd = [](u32 a, u32 b, u32 c) { return (a ^ b) & c; };

/// The tables that compilers use most have loops of their own.
Handler plain_logic3(u32 table) {
  switch (table) {
    case 0x96: return run_map<kXor3, u32, u32, u32, u32>;
    case 0xe8: return run_map<kMajority, u32, u32, u32, u32>;
    case 0xca: return run_map<kChoose, u32, u32, u32, u32>;
    case 0x80: return run_map<kAnd3, u32, u32, u32, u32>;
    case 0xfe: return run_map<kOr3, u32, u32, u32, u32>;
    case 0xea: return run_map<kAndOr, u32, u32, u32, u32>;
    case 0xa8: return run_map<kOrAnd, u32, u32, u32, u32>;
    case 0x6a: return run_map<kAndXor, u32, u32, u32, u32>;
    case 0x28: return run_map<kXorAnd, u32, u32, u32, u32>;
    case 0xc0: return run_map<kAnd, u32, u32, u32>;  // of the first two alone
    case 0xfc: return run_map<kOr, u32, u32, u32>;
    case 0x3c: return run_map<kXor, u32, u32, u32>;
    default: return logic3_general;
  }
}

Selected select_logic3(const Instruction& instruction, const Function& function) {
  const unsigned first = instruction.destinations;
  const bool with_or = instruction.has(Modifier::or_);
  const bool with_and = instruction.has(Modifier::and_);
  u64 how = (function.operand(instruction, first + 3).bits & kTable) | u64{first} << kFirstSource;
  if (!with_or && !with_and && first == 1 && instruction.operand_count <= 6) {
    return {.run = plain_logic3(static_cast<u32>(how & kTable)), .immediate = how, .layout = Layout::plain};
  }
  if (with_or) how |= kWithOr;
  if (with_and) how |= kWithAnd;
  if ((with_or || with_and) && function.operand(instruction, first + 4).negated) how |= kQNegated;
  if (instruction.operand_count > 6) how |= kManyOperands;
  return {.run = logic3, .immediate = how, .layout = Layout::plain};
}

// ---- prmt ------------------------------------------------------------------------------------------------------------

/// The selectors of the four result bytes, four bits each, as the generic form takes them.
template <Modifier mode>
constexpr u32 selectors(u32 c) {
  const u32 i = c & 3u;
  switch (mode) {
    case Modifier::f4e: return 0x3210u + 0x1111u * i;
    case Modifier::b4e: return (0x5670u + 0x1111u * i) & 0x7777u;
    case Modifier::rc8: return 0x1111u * i;
    case Modifier::ecl: return i == 0 ? 0x3210u : i == 1 ? 0x3211u : i == 2 ? 0x3222u : 0x3333u;
    case Modifier::ecr: return i == 0 ? 0x0000u : i == 1 ? 0x1110u : i == 2 ? 0x2210u : 0x3210u;
    case Modifier::rc16: return (i & 1u) != 0 ? 0x3232u : 0x1010u;
    default: return c;
  }
}
template <Modifier mode>
constexpr auto kPermute = [](u32 a, u32 b, u32 c) {
  const u32 chosen = selectors<mode>(c);
  u32 result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const u32 selector = chosen >> (4 * i) & 0xfu;
    const u32 byte = ((selector & 4u) != 0 ? b : a) >> (8 * (selector & 3u)) & 0xffu;
    const u32 sign = byte >> 7 != 0 ? 0xffu : 0u;
    result |= ((selector & 8u) != 0 ? sign : byte) << (8 * i);
  }
  return result;
};

/// With selectors that are the same for all lanes and copy bytes (nearly all there are), the bytes of a word move as bytes of a
/// vector. Op::immediate holds the selectors.
const Op* permute_uniform(const Op* op, Context& context) {
  alignas(16) std::uint8_t from_a[16];
  alignas(16) std::uint8_t from_b[16];
  for (unsigned i = 0; i < 16; ++i) {
    const u32 selector = static_cast<u32>(op->immediate) >> (4 * (i % 4)) & 7u;
    const std::uint8_t at = static_cast<std::uint8_t>((i & ~3u) + (selector & 3u));
    constexpr std::uint8_t kZero = 0x80;  // pshufb writes 0 for it
    from_a[i] = selector < 4 ? at : kZero;
    from_b[i] = selector < 4 ? kZero : at;
  }
  const __m128i select_a = _mm_load_si128(reinterpret_cast<const __m128i*>(from_a));
  const __m128i select_b = _mm_load_si128(reinterpret_cast<const __m128i*>(from_b));
  Mask mask(*op, context);
  Destination<u32> d(context, op->operands[0]);
  Source<u32> a(context, op->operands[1]);
  Source<u32> b(context, op->operands[2]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next(), b.next()) {
    alignas(64) u32 blended[kLanes];
    const u32 lanes = mask.lanes();
    u32* const result = lanes == kAllLanes ? d.lanes() : blended;
    for (unsigned i = 0; i < kLanes; i += 4) {
      const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a.lanes() + i));
      const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b.lanes() + i));
      const __m128i bytes = _mm_or_si128(_mm_shuffle_epi8(x, select_a), _mm_shuffle_epi8(y, select_b));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(result + i), bytes);
    }
    if (lanes != kAllLanes) blend_lanes(d.lanes(), blended, lanes);
  }
  return op + 1;
}

template <Modifier mode>
Selected permute(const ptx::Operand& control) {
  if (control.kind == ptx::Operand::Kind::immediate) {
    const u32 chosen = selectors<mode>(static_cast<u32>(control.bits));
    if ((chosen & 0x8888u) == 0) return {.run = permute_uniform, .immediate = chosen, .layout = Layout::plain};
  }
  return {.run = run_map<kPermute<mode>, u32, u32, u32, u32>, .immediate = 0, .layout = Layout::plain};
}

Selected select_permute(const Instruction& instruction, const Function& function) {
  const ptx::Operand& control = function.operand(instruction, 3);
  if (instruction.has(Modifier::f4e)) return permute<Modifier::f4e>(control);
  if (instruction.has(Modifier::b4e)) return permute<Modifier::b4e>(control);
  if (instruction.has(Modifier::rc8)) return permute<Modifier::rc8>(control);
  if (instruction.has(Modifier::ecl)) return permute<Modifier::ecl>(control);
  if (instruction.has(Modifier::ecr)) return permute<Modifier::ecr>(control);
  if (instruction.has(Modifier::rc16)) return permute<Modifier::rc16>(control);
  return permute<Modifier::none>(control);
}

// ---- predicates ------------------------------------------------------------------------------------------------------

// Op::immediate: which sources are negated.
template <auto f>
const Op* predicate_logic(const Op* op, Context& context) {
  const u32 flip_a = (op->immediate & 1u) != 0 ? kAllLanes : 0;
  const u32 flip_b = (op->immediate & 2u) != 0 ? kAllLanes : 0;
  Mask mask(*op, context);
  Destination<u32> p(context, op->operands[0]);
  Source<u32> a(context, op->operands[1]);
  Source<u32> b(context, op->operands[2]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), p.next(), a.next(), b.next()) {
    write_predicate(p.lanes(), f(*a.lanes() ^ flip_a, *b.lanes() ^ flip_b), mask.lanes());
  }
  return op + 1;
}
const Op* predicate_not(const Op* op, Context& context) {
  const u32 flip = (op->immediate & 1u) != 0 ? 0 : kAllLanes;
  Mask mask(*op, context);
  Destination<u32> p(context, op->operands[0]);
  Source<u32> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), p.next(), a.next()) {
    write_predicate(p.lanes(), *a.lanes() ^ flip, mask.lanes());
  }
  return op + 1;
}

Selected select_predicate_logic(const Instruction& instruction, const Function& function) {
  u64 negated = 0;
  for (unsigned i = 1; i < instruction.operand_count; ++i) {
    if (function.operand(instruction, i).negated) negated |= u64{1} << (i - 1);
  }
  Handler run = nullptr;
  switch (instruction.operation) {
    case Operation::and_: run = predicate_logic<kAnd>; break;
    case Operation::or_: run = predicate_logic<kOr>; break;
    case Operation::xor_: run = predicate_logic<kXor>; break;
    case Operation::not_: run = predicate_not; break;
    default: break;
  }
  return {.run = run, .immediate = negated, .layout = Layout::plain};
}

// ---- selection -------------------------------------------------------------------------------------------------------

Handler select_funnel(const Instruction& instruction) {
  const bool clamp = instruction.has(Modifier::clamp);
  if (instruction.has(Modifier::l)) {
    return clamp ? run_map<kFunnel<true, true>, u32, u32, u32, u32> : run_map<kFunnel<true, false>, u32, u32, u32, u32>;
  }
  return clamp ? run_map<kFunnel<false, true>, u32, u32, u32, u32> : run_map<kFunnel<false, false>, u32, u32, u32, u32>;
}

template <auto f>
Handler select_shift(Type type) {
  return for_integer(type, [](auto t) -> Handler { return run_map<f, decltype(t), decltype(t), u32>; });
}

Handler handler_of(const Instruction& instruction) {
  const Type type = instruction.type();
  switch (instruction.operation) {
    case Operation::and_: return binary<kAnd>(type);
    case Operation::or_: return binary<kOr>(type);
    case Operation::xor_: return binary<kXor>(type);
    case Operation::not_: return unary<kNot>(type);
    case Operation::cnot: return unary<kIsZero>(type);
    case Operation::shl: return for_bits(type, [](auto t) -> Handler { return run_map<kShiftLeft, decltype(t), decltype(t), u32>; });
    case Operation::shr: return select_shift<kShiftRight>(type);
    case Operation::shf: return select_funnel(instruction);
    default: return nullptr;
  }
}

}  // namespace

Selected select_logic(const Instruction& instruction, const Function& function) {
  if (instruction.type() == Type::pred) return select_predicate_logic(instruction, function);
  if (instruction.operation == Operation::lop3) return select_logic3(instruction, function);
  if (instruction.operation == Operation::prmt) return select_permute(instruction, function);
  return {.run = handler_of(instruction), .immediate = 0, .layout = Layout::plain};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
