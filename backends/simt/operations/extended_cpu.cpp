// Arithmetic with carry: add.cc, addc, sub.cc, subc, mad.cc, madc.
//
// The flag is a carry throughout, also for subtraction, which adds the complement: sub.cc sets it where nothing was borrowed and
// subc borrows where it is clear. The ISA's text calls it a borrow there; the two differ only where chains mix sums and
// differences, and then this is what NVIDIA's assembler makes of them (one predicate, written by IADD3 and read by IADD3.X, for
// both; folded constants agree).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/integer_types.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operation;

// Op::immediate
constexpr u64 kReadsCarry = 1;
constexpr u64 kWritesCarry = 2;

enum class Chain { add, subtract, multiply_low, multiply_high };

/// The two numbers whose sum, with the carry, is the result.
template <class T>
struct Addends {
  std::make_unsigned_t<T> x;
  std::make_unsigned_t<T> y;
};
template <Chain chain, class T>
constexpr Addends<T> addends(T a, T b, T c) {
  using U = std::make_unsigned_t<T>;
  if constexpr (chain == Chain::add) return {a, b};
  if constexpr (chain == Chain::subtract) return {a, static_cast<U>(~b)};
  if constexpr (chain == Chain::multiply_low) return {static_cast<U>(a) * static_cast<U>(b), static_cast<U>(c)};
  if constexpr (chain == Chain::multiply_high) {
    return {static_cast<U>(static_cast<Wider<T>>(static_cast<Wider<T>>(a) * b) >> kBits<T>), static_cast<U>(c)};
  }
}

template <Chain chain, class T>
const Op* run_chain(const Op* op, Context& context) {
  using U = std::make_unsigned_t<T>;
  constexpr bool kThree = chain == Chain::multiply_low || chain == Chain::multiply_high;
  constexpr u32 kFirstCarry = chain == Chain::subtract ? kAllLanes : 0;
  const bool reads = (op->immediate & kReadsCarry) != 0;
  const bool writes = (op->immediate & kWritesCarry) != 0;
  Mask mask(*op, context);
  Destination<U> d(context, op->operands[0]);
  Source<T> a(context, op->operands[1]);
  Source<T> b(context, op->operands[2]);
  Source<T> c(context, op->operands[kThree ? 3 : 2]);
  Destination<u32> flag(context, kCarrySlot);
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    const T* const x = a.lanes();
    const T* const y = b.lanes();
    const T* const z = c.lanes();
    alignas(64) U carry[kLanes];
    alignas(64) U sum[kLanes];
    const u32 carries = reads ? *flag.lanes() : kFirstCarry;
    spread_mask(carries, carry);
    for (unsigned i = 0; i < kLanes; ++i) {
      const Addends<T> parts = addends<chain>(x[i], y[i], z[i]);
      const U total = static_cast<U>(parts.x + parts.y - carry[i]);  // a carry is -1 here
      const bool over = carry[i] != 0 ? total <= parts.x : total < parts.x;
      sum[i] = total;
      carry[i] = over ? static_cast<U>(-1) : U{0};
    }
    const u32 lanes = mask.lanes();
    if (writes) write_predicate(flag.lanes(), gather_mask(carry), lanes);
    each_lane(d.lanes(), lanes, [&](unsigned i) { return sum[i]; });
    mask.next(), d.next(), a.next(), b.next(), c.next(), flag.next();
  }
  return op + 1;
}

template <Chain chain>
Handler select_chain(ptx::Type type) {
  return for_bits(type, [](auto t) -> Handler {
    using T = decltype(t);
    if constexpr (sizeof(T) >= 4) return run_chain<chain, T>;
    return nullptr;
  });
}

Handler select_product(const Instruction& instruction) {
  if (instruction.has(Modifier::lo)) return select_chain<Chain::multiply_low>(instruction.type());
  if (!instruction.has(Modifier::hi)) return nullptr;
  return for_integer(instruction.type(), [](auto t) -> Handler {
    using T = decltype(t);
    if constexpr (sizeof(T) >= 4) return run_chain<Chain::multiply_high, T>;
    return nullptr;
  });
}

}  // namespace

Selected select_extended(const Instruction& instruction, const ptx::Function&) {
  const bool writes = instruction.has(Modifier::cc);
  Handler run = nullptr;
  bool reads = false;
  switch (instruction.operation) {
    case Operation::add: run = writes ? select_chain<Chain::add>(instruction.type()) : nullptr; break;
    case Operation::sub: run = writes ? select_chain<Chain::subtract>(instruction.type()) : nullptr; break;
    case Operation::mad: run = writes ? select_product(instruction) : nullptr; break;
    case Operation::addc: reads = true, run = select_chain<Chain::add>(instruction.type()); break;
    case Operation::subc: reads = true, run = select_chain<Chain::subtract>(instruction.type()); break;
    case Operation::madc: reads = true, run = select_product(instruction); break;
    default: break;
  }
  const u64 immediate = (reads ? kReadsCarry : 0) | (writes ? kWritesCarry : 0);
  return {.run = run, .immediate = immediate, .layout = Layout::plain};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
