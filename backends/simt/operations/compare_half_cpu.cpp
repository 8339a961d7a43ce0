// setp and set of f16, bf16 and pairs of them.
//
// Half-precision numbers are compared as 16-bit integers: with negative ones mapped to their magnitude's negative, both formats
// are ordered as integers are, and both zeros become 0. So one loop serves both formats, every comparison, with .ftz or not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/compare.hpp"
#include "backends/simt/operations/families.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

// Op::immediate, at kFormat
constexpr u64 kBrain = 1u << 0;
constexpr u64 kFlush = 1u << 1;
// at kWanted: for which of the outcomes the relation holds
constexpr u64 kLess = 1u << 0;
constexpr u64 kEqual = 1u << 1;
constexpr u64 kGreater = 1u << 2;

struct Format {
  explicit Format(u64 how)
      : infinity((how >> kFormat & kBrain) != 0 ? 0x7f80 : 0x7c00),
        smallest((how >> kFormat & kFlush) == 0 ? 0 : (how >> kFormat & kBrain) != 0 ? 0x0080 : 0x0400) {}
  s16 infinity;
  s16 smallest;  // magnitudes below count as 0
};

/// The lanes for which the wanted relation holds.
u32 holds(const u16* a, const u16* b, Format format, u64 wanted) {
  const auto magnitude = [&](u16 x) { return static_cast<s16>(x & 0x7fff); };
  const auto ordered = [&](u16 x) {
    const s16 kept = magnitude(x) < format.smallest ? s16{0} : magnitude(x);
    return static_cast<s16>(static_cast<s16>(x) < 0 ? -kept : kept);
  };
  alignas(64) s16 x[kLanes];
  alignas(64) s16 y[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) x[i] = ordered(a[i]);
  for (unsigned i = 0; i < kLanes; ++i) y[i] = ordered(b[i]);
  const u32 number = mask_of<u16>(
      [&](unsigned i) { return (magnitude(a[i]) > magnitude(b[i]) ? magnitude(a[i]) : magnitude(b[i])) <= format.infinity; });
  const u32 less = mask_of<u16>([&](unsigned i) { return x[i] < y[i]; });
  const u32 equal = mask_of<u16>([&](unsigned i) { return x[i] == y[i]; });
  const auto all_if = [&](u64 bit) { return (wanted & bit) != 0 ? kAllLanes : 0u; };
  return number & ((less & all_if(kLess)) | (equal & all_if(kEqual)) | (~(less | equal) & all_if(kGreater)));
}

const Op* compare_halves(const Op* op, Context& context) {
  const Format format(op->immediate);
  const u64 wanted = op->immediate >> kWanted;
  Source<u16> a(context, source_slot(op, 0));
  Source<u16> b(context, source_slot(op, 1));
  Results results;
  for (unsigned warp = 0; warp < context.warps; ++warp, a.next(), b.next()) {
    results.first[warp] = holds(a.lanes(), b.lanes(), format, wanted);
  }
  return write_results(op, context, results);
}

const Op* compare_pairs(const Op* op, Context& context) {
  const Format format(op->immediate);
  const u64 wanted = op->immediate >> kWanted;
  Source<u32> a(context, source_slot(op, 0));
  Source<u32> b(context, source_slot(op, 1));
  Results results;
  for (unsigned warp = 0; warp < context.warps; ++warp, a.next(), b.next()) {
    alignas(64) u16 x[kLanes];
    alignas(64) u16 y[kLanes];
    const auto half = [&](unsigned shift) {
      for (unsigned i = 0; i < kLanes; ++i) x[i] = static_cast<u16>(a.lanes()[i] >> shift);
      for (unsigned i = 0; i < kLanes; ++i) y[i] = static_cast<u16>(b.lanes()[i] >> shift);
      return holds(x, y, format, wanted);
    };
    results.first[warp] = half(0);
    results.second[warp] = half(16);
  }
  return write_results(op, context, results);
}

u64 wanted_outcomes(Relation relation) {
  switch (relation) {
    case Relation::equal: return kEqual;
    case Relation::not_equal: return kLess | kGreater;
    case Relation::less: return kLess;
    case Relation::less_equal: return kLess | kEqual;
    case Relation::greater: return kGreater;
    case Relation::greater_equal: return kGreater | kEqual;
    case Relation::number: return kLess | kEqual | kGreater;
  }
  return 0;
}

}  // namespace

Selected select_compare_half(const Instruction& instruction, const ptx::Function& function) {
  if (instruction.operation != Operation::setp && instruction.operation != Operation::set) return {};
  const Type type = instruction.type(instruction.operation == Operation::setp ? 0 : 1);
  const bool pairs = type == Type::f16x2 || type == Type::bf16x2;
  const bool brain = type == Type::bf16 || type == Type::bf16x2;
  if (!pairs && !brain && type != Type::f16) return {};
  const Comparison comparison = float_comparison(instruction);
  if (!comparison.valid) return {};
  const u64 format = (brain ? kBrain : 0) | (instruction.has(Modifier::ftz) ? kFlush : 0);
  const u64 how = comparison_immediate(instruction, function, comparison.complement) | format << kFormat |
                  wanted_outcomes(comparison.relation) << kWanted;
  return {.run = pairs ? compare_pairs : compare_halves, .immediate = how, .layout = Layout::plain};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
