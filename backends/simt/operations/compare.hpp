// What setp and set have in common whatever they compare: a word of results per warp, joined with a predicate and written as
// predicates or as numbers. Compiled once per x86-64 level, inside files compare*_cpu.cpp only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "backends/simt/operations/integer_types.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

/// What is evaluated; the other comparisons are complements of these. For integers `equal`, `less` and `greater` suffice; for
/// floating point all are false where an operand is NaN, and so their complements (neu, geu, ..., nan) are true.
enum class Relation : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal, number };

struct Comparison {
  Relation relation = Relation::equal;
  bool complement = false;
  bool valid = false;
};
/// From the instruction's modifiers.
Comparison integer_comparison(const ptx::Instruction& instruction);
Comparison float_comparison(const ptx::Instruction& instruction);

// Op::immediate of setp and set
inline constexpr u64 kComplement = 1u << 0;    // of the comparison's result
inline constexpr u64 kJoinAnd = 1u << 1;       // result & c
inline constexpr u64 kJoinXor = 1u << 2;       // result ^ c; with kJoinAnd: result | c
inline constexpr u64 kNegatedC = 1u << 3;
inline constexpr u64 kTwoResults = 1u << 4;    // of the two halves of packed operands
inline constexpr u64 kToPredicates = 1u << 5;
inline constexpr u64 kTo16 = 1u << 6;          // else to numbers of 32 bits
inline constexpr unsigned kFirstSource = 8;    // position of a, two bits
inline constexpr unsigned kFormat = 10;        // halves: two bits, see compare_half_cpu.cpp
inline constexpr unsigned kWanted = 12;        // halves: four bits
inline constexpr unsigned kTrueValue = 32;     // what set writes; 16 bits of it per result where there are two

/// Everything in it but what is compared.
u64 comparison_immediate(const ptx::Instruction& instruction, const ptx::Function& function, bool complement);

/// The results of one instruction: a word per warp, a second one for the upper halves of packed operands.
struct Results {
  std::array<u32, kMaxWarps> first{};
  std::array<u32, kMaxWarps> second{};
};
/// Joins them with c and writes what the instruction writes.
const Op* write_results(const Op* op, Context& context, const Results& results);

[[gnu::always_inline]] inline Slot source_slot(const Op* op, unsigned index) {
  return op->operands[(op->immediate >> kFirstSource & 3u) + index];
}

/// setp with one destination and nothing to join: the usual case.
template <class T, auto f>
const Op* compare_simply(const Op* op, Context& context) {
  const u32 flip = (op->immediate & kComplement) != 0 ? kAllLanes : 0;
  Mask mask(*op, context);
  Destination<u32> p(context, op->operands[0]);
  Source<T> a(context, source_slot(op, 0));
  Source<T> b(context, source_slot(op, 1));
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), p.next(), a.next(), b.next()) {
    const T* const x = a.lanes();
    const T* const y = b.lanes();
    write_predicate(p.lanes(), mask_of<T>([&](unsigned i) { return f(x[i], y[i]); }) ^ flip, mask.lanes());
  }
  return op + 1;
}

template <class T, auto f>
const Op* compare_generally(const Op* op, Context& context) {
  Source<T> a(context, source_slot(op, 0));
  Source<T> b(context, source_slot(op, 1));
  Results results;
  for (unsigned warp = 0; warp < context.warps; ++warp, a.next(), b.next()) {
    const T* const x = a.lanes();
    const T* const y = b.lanes();
    results.first[warp] = mask_of<T>([&](unsigned i) { return f(x[i], y[i]); });
  }
  return write_results(op, context, results);
}

/// Whether compare_simply does.
inline bool is_simple(const ptx::Instruction& instruction, const ptx::Function& function, u64 immediate) {
  const auto absent = [&](unsigned i) { return function.operand(instruction, i).kind == ptx::Operand::Kind::none; };
  return (immediate & kToPredicates) != 0 && (immediate & (kJoinAnd | kJoinXor)) == 0 &&
         function.operand(instruction, 0).kind == ptx::Operand::Kind::reg && (instruction.destinations == 1 || absent(1));
}

template <class T, auto f>
Handler comparing(bool simple) {
  return simple ? compare_simply<T, f> : compare_generally<T, f>;
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
