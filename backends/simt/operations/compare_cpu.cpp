// setp and set of integers, and how every comparison's results are joined with a predicate and written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/compare.hpp"
#include "backends/simt/operations/families.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Operand;
using ptx::Operation;
using ptx::Type;

struct Named {
  Modifier name;
  Relation relation;
  bool complement;
};
constexpr Named kIntegerComparisons[] = {
    {Modifier::eq, Relation::equal, false}, {Modifier::ne, Relation::equal, true},
    {Modifier::lt, Relation::less, false},  {Modifier::ge, Relation::less, true},
    {Modifier::lo, Relation::less, false},  {Modifier::hs, Relation::less, true},
    {Modifier::gt, Relation::greater, false}, {Modifier::le, Relation::greater, true},
    {Modifier::hi, Relation::greater, false}, {Modifier::ls, Relation::greater, true},
};
constexpr Named kFloatComparisons[] = {
    {Modifier::eq, Relation::equal, false},      {Modifier::neu, Relation::equal, true},
    {Modifier::ne, Relation::not_equal, false},  {Modifier::equ, Relation::not_equal, true},
    {Modifier::lt, Relation::less, false},       {Modifier::geu, Relation::less, true},
    {Modifier::le, Relation::less_equal, false}, {Modifier::gtu, Relation::less_equal, true},
    {Modifier::gt, Relation::greater, false},    {Modifier::leu, Relation::greater, true},
    {Modifier::ge, Relation::greater_equal, false}, {Modifier::ltu, Relation::greater_equal, true},
    {Modifier::num, Relation::number, false},    {Modifier::nan, Relation::number, true},
};

template <std::size_t count>
Comparison find(const Named (&names)[count], const Instruction& instruction) {
  for (const Named& named : names) {
    if (instruction.has(named.name)) return {.relation = named.relation, .complement = named.complement, .valid = true};
  }
  return {};
}

/// What set writes for "true" into the type that comes first.
u64 true_value(Type type, bool two_results) {
  switch (type) {
    case Type::f32: return 0x3f800000u;
    case Type::f16: return 0x3c00u;
    case Type::f16x2: return 0x3c00u;
    case Type::bf16: return 0x3f80u;
    case Type::bf16x2: return 0x3f80u;
    default: return two_results || ptx::bits_of(type) == 16 ? 0xffffu : 0xffffffffu;
  }
}

void write_numbers(const Op* op, Context& context, const Results& results) {
  const u32 one = static_cast<u32>(op->immediate >> kTrueValue);
  const u32 two = (op->immediate & kTwoResults) != 0 ? one << 16 : 0;
  Mask mask(*op, context);
  if ((op->immediate & kTo16) != 0) {
    Destination<u16> d(context, op->operands[0]);
    for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next()) {
      alignas(64) u16 chosen[kLanes];
      spread_mask(results.first[warp], chosen);
      each_lane(d.lanes(), mask.lanes(), [&](unsigned i) { return static_cast<u16>(chosen[i] & one); });
    }
    return;
  }
  Destination<u32> d(context, op->operands[0]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next()) {
    alignas(64) u32 low[kLanes];
    alignas(64) u32 high[kLanes];
    spread_mask(results.first[warp], low);
    spread_mask(results.second[warp], high);
    each_lane(d.lanes(), mask.lanes(), [&](unsigned i) { return (low[i] & one) | (high[i] & two); });
  }
}

void write_predicates(const Op* op, Context& context, const Results& results) {
  const bool has_second = (op->immediate >> kFirstSource & 3u) == 2 && op->operands[1] != kNoSlot;
  const Slot first = op->operands[0];
  Mask mask(*op, context);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) {
    const u32 lanes = mask.lanes();  // read once: the guard may be one of the destinations
    std::byte* const registers = context.registers + std::size_t{warp} * context.frame_bytes;
    if (first != kNoSlot) write_predicate(reinterpret_cast<u32*>(registers + first), results.first[warp], lanes);
    if (has_second) write_predicate(reinterpret_cast<u32*>(registers + op->operands[1]), results.second[warp], lanes);
  }
}

struct Equal {
  template <class T>
  constexpr bool operator()(T a, T b) const { return a == b; }
};
struct Less {
  template <class T>
  constexpr bool operator()(T a, T b) const { return a < b; }
};
struct Greater {
  template <class T>
  constexpr bool operator()(T a, T b) const { return a > b; }
};

Handler integer_handler(Type type, Relation relation, bool simple) {
  if (relation == Relation::equal) {
    return for_bits(type, [&](auto t) { return comparing<decltype(t), Equal{}>(simple); });
  }
  return for_integer(type, [&](auto t) {
    using T = decltype(t);
    return relation == Relation::less ? comparing<T, Less{}>(simple) : comparing<T, Greater{}>(simple);
  });
}

}  // namespace

Comparison integer_comparison(const Instruction& instruction) { return find(kIntegerComparisons, instruction); }
Comparison float_comparison(const Instruction& instruction) { return find(kFloatComparisons, instruction); }

u64 comparison_immediate(const Instruction& instruction, const Function& function, bool complement) {
  const bool predicates = instruction.operation == Operation::setp;
  const Type source = instruction.type(predicates ? 0 : 1);
  const bool two_results = source == Type::f16x2 || source == Type::bf16x2;
  const unsigned first = instruction.destinations;
  u64 how = u64{first} << kFirstSource;
  if (complement) how |= kComplement;
  if (two_results) how |= kTwoResults;
  if (instruction.has(Modifier::and_)) how |= kJoinAnd;
  if (instruction.has(Modifier::or_)) how |= kJoinAnd | kJoinXor;
  if (instruction.has(Modifier::xor_)) how |= kJoinXor;
  if (instruction.operand_count > first + 2u && function.operand(instruction, first + 2).negated) how |= kNegatedC;
  if (predicates) return how | kToPredicates;
  if (ptx::bits_of(instruction.type(0)) == 16) how |= kTo16;
  return how | true_value(instruction.type(0), two_results) << kTrueValue;
}

// With w = first ^ complement: p = w joined with c. The second predicate of setp has the complement of w instead, or the upper
// halves' results where the operands are packed.
const Op* write_results(const Op* op, Context& context, const Results& results) {
  const u64 how = op->immediate;
  const auto all_if = [&](u64 bit) { return (how & bit) != 0 ? kAllLanes : 0u; };
  const bool joins = (how & (kJoinAnd | kJoinXor)) != 0;
  const u32 use_and = joins ? all_if(kJoinAnd) : kAllLanes;
  const u32 use_xor = all_if(kJoinXor);
  const u32 flip = all_if(kComplement);
  const u32 flip_second = (how & kTwoResults) != 0 ? flip : ~flip;
  const u32 flip_c = all_if(kNegatedC);
  Source<u32> c(context, joins ? source_slot(op, 2) : kTrueSlot);
  Results joined;
  for (unsigned warp = 0; warp < context.warps; ++warp, c.next()) {
    const u32 other = *c.lanes() ^ flip_c;
    const auto join = [&](u32 word) { return (word & other & use_and) | ((word ^ other) & use_xor); };
    joined.first[warp] = join(results.first[warp] ^ flip);
    joined.second[warp] = join(((how & kTwoResults) != 0 ? results.second[warp] : results.first[warp]) ^ flip_second);
  }
  if ((how & kToPredicates) == 0) {
    write_numbers(op, context, joined);
  } else {
    write_predicates(op, context, joined);
  }
  return op + 1;
}

Selected select_compare(const Instruction& instruction, const Function& function) {
  if (instruction.operation != Operation::setp && instruction.operation != Operation::set) return {};
  const Type type = instruction.type(instruction.operation == Operation::setp ? 0 : 1);
  if (!is_integer(type)) return {};
  const Comparison comparison = integer_comparison(instruction);
  if (!comparison.valid) return {};
  const u64 how = comparison_immediate(instruction, function, comparison.complement);
  return {.run = integer_handler(type, comparison.relation, is_simple(instruction, function, how)),
          .immediate = how,
          .layout = Layout::plain};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
