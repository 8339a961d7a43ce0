// mov: between registers, and packing and unpacking of vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "backends/simt/execute/lanes.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/move.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Operand;

template <class D, class A>
const Op* convert(const Op* op, Context& context) {
  return map<D, A>(op, context, [](A a) { return static_cast<D>(a); });
}

template <class D>
Handler convert_to(unsigned from, bool sign) {
  switch (from) {
    case 1: return sign ? convert<D, std::int8_t> : convert<D, std::uint8_t>;
    case 2: return sign ? convert<D, std::int16_t> : convert<D, std::uint16_t>;
    case 4: return sign ? convert<D, std::int32_t> : convert<D, std::uint32_t>;
    case 8: return convert<D, std::uint64_t>;
    default: return nullptr;
  }
}

Handler convert_handler(unsigned from, unsigned to, bool sign) {
  switch (to) {
    case 1: return convert_to<std::uint8_t>(from, sign);
    case 2: return convert_to<std::uint16_t>(from, sign);
    case 4: return convert_to<std::uint32_t>(from, sign);
    case 8: return convert_to<std::uint64_t>(from, sign);
    default: return nullptr;
  }
}

template <class T>
const Op* add_immediate(const Op* op, Context& context) {
  const T addend = static_cast<T>(op->immediate);
  return map<T, T>(op, context, [addend](T a) { return static_cast<T>(a + addend); });
}

const Op* move_predicate(const Op* op, Context& context) {
  Mask mask(*op, context);
  Destination<std::uint32_t> d(context, op->operands[0]);
  Source<std::uint32_t> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    *d.lanes() = (*d.lanes() & ~mask.lanes()) | (*a.lanes() & mask.lanes());
  }
  return op + 1;
}

// b128 registers are two 64-bit slots, low first.
const Op* move128(const Op* op, Context& context) {
  Mask mask(*op, context);
  Destination<std::uint64_t> d(context, op->operands[0]);
  Source<std::uint64_t> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    for (unsigned half = 0; half < 2; ++half) {
      const std::uint64_t* const x = a.lanes() + half * kLanes;
      each_lane(d.lanes() + half * kLanes, mask.lanes(), [x](unsigned i) { return x[i]; });
    }
  }
  return op + 1;
}

const Slot* operands_of(const Op* op, unsigned count) { return count > 6 ? op->slots : op->operands.data(); }

template <class T>
const T* lanes_of(const Context& context, Slot slot, unsigned warp) {
  if ((slot & kConstant) != 0) return reinterpret_cast<const T*>(context.constants + (slot & ~kConstant));
  return reinterpret_cast<const T*>(context.registers + slot + std::size_t{warp} * context.frame_bytes);
}

// {d, e, ...} = {a, b, ...}. A destination may lie on any of the sources, so all are read before one is written.
template <class T, unsigned count>
const Op* move_vector(const Op* op, Context& context) {
  const Slot* const slots = operands_of(op, 2 * count);
  Mask mask(*op, context);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) {
    alignas(64) T values[count][kLanes];
    for (unsigned k = 0; k < count; ++k) std::memcpy(values[k], lanes_of<T>(context, slots[count + k], warp), sizeof values[k]);
    for (unsigned k = 0; k < count; ++k) {
      if (slots[k] == kNoSlot) continue;
      auto* const d = reinterpret_cast<T*>(context.registers + slots[k] + std::size_t{warp} * context.frame_bytes);
      each_lane(d, mask.lanes(), [&](unsigned i) { return values[k][i]; });
    }
  }
  return op + 1;
}

template <class T>
Handler move_vector_of(unsigned count) {
  return count == 2 ? move_vector<T, 2> : count == 4 ? move_vector<T, 4> : nullptr;
}

Handler vector_handler(unsigned bits, unsigned count) {
  switch (bits) {
    case 16: return move_vector_of<std::uint16_t>(count);
    case 32: return move_vector_of<std::uint32_t>(count);
    case 64: return move_vector_of<std::uint64_t>(count);
    default: return nullptr;
  }
}

// d = {a, b, ...}, the first one lowest.
template <class D, class E>
const Op* pack(const Op* op, Context& context) {
  constexpr unsigned kCount = sizeof(D) / sizeof(E);
  const Slot* const slots = operands_of(op, kCount + 1);
  Mask mask(*op, context);
  Destination<D> d(context, slots[0]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next()) {
    const E* x[kCount];
    for (unsigned k = 0; k < kCount; ++k) {
      Source<E> source(context, slots[k + 1]);
      x[k] = (slots[k + 1] & kConstant) != 0
                 ? source.lanes()
                 : reinterpret_cast<const E*>(reinterpret_cast<const std::byte*>(source.lanes()) +
                                              std::size_t{warp} * context.frame_bytes);
    }
    each_lane(d.lanes(), mask.lanes(), [&](unsigned i) {
      D value = 0;
      for (unsigned k = 0; k < kCount; ++k) value = static_cast<D>(value | static_cast<D>(D{x[k][i]} << (k * sizeof(E) * 8)));
      return value;
    });
  }
  return op + 1;
}

// {a, b, ...} = d; any of them may be a sink.
template <class S, class E>
const Op* unpack(const Op* op, Context& context) {
  constexpr unsigned kCount = sizeof(S) / sizeof(E);
  const Slot* const slots = operands_of(op, kCount + 1);
  for (unsigned k = 0; k < kCount; ++k) {
    if (slots[k] == kNoSlot) continue;
    Mask mask(*op, context);
    Source<S> source(context, slots[kCount]);
    Destination<E> d(context, slots[k]);
    for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), source.next(), d.next()) {
      const S* const x = source.lanes();
      each_lane(d.lanes(), mask.lanes(), [x, k](unsigned i) { return static_cast<E>(x[i] >> (k * sizeof(E) * 8)); });
    }
  }
  return op + 1;
}

/// To and from two elements of 64 bits or four of 32.
template <class E>
const Op* pack128(const Op* op, Context& context) {
  constexpr unsigned count = 16 / sizeof(E);
  for (unsigned half = 0; half < 2; ++half) {
    Mask mask(*op, context);
    Destination<std::uint64_t> d(context, op->operands[0]);
    Source<E> low(context, op->operands[1 + half * count / 2]);
    Source<E> high(context, op->operands[half * count / 2 + count / 2]);
    for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), low.next(), high.next()) {
      const E* const x = low.lanes();
      const E* const y = high.lanes();
      each_lane(d.lanes() + half * kLanes, mask.lanes(), [x, y](unsigned i) {
        return count == 2 ? std::uint64_t{x[i]} : std::uint64_t{x[i]} | static_cast<std::uint64_t>(y[i]) << 32;
      });
    }
  }
  return op + 1;
}

template <class E>
const Op* unpack128(const Op* op, Context& context) {
  constexpr unsigned count = 16 / sizeof(E);
  for (unsigned k = 0; k < count; ++k) {
    if (op->operands[k] == kNoSlot) continue;
    Mask mask(*op, context);
    Destination<E> d(context, op->operands[k]);
    Source<std::uint64_t> a(context, op->operands[count]);
    for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
      const std::uint64_t* const x = a.lanes() + 2 * k / count * kLanes;
      each_lane(d.lanes(), mask.lanes(), [x, k](unsigned i) { return static_cast<E>(x[i] >> (count == 4 ? k % 2 * 32 : 0)); });
    }
  }
  return op + 1;
}

template <template <class, class> class Form>
Handler choose(unsigned whole, unsigned count) {
  if (whole == 2 && count == 2) return Form<std::uint16_t, std::uint8_t>::run;
  if (whole == 4 && count == 2) return Form<std::uint32_t, std::uint16_t>::run;
  if (whole == 4 && count == 4) return Form<std::uint32_t, std::uint8_t>::run;
  if (whole == 8 && count == 2) return Form<std::uint64_t, std::uint32_t>::run;
  if (whole == 8 && count == 4) return Form<std::uint64_t, std::uint16_t>::run;
  if (whole == 8 && count == 8) return Form<std::uint64_t, std::uint8_t>::run;
  return nullptr;
}

template <class D, class E>
struct Pack {
  static constexpr Handler run = pack<D, E>;
};
template <class S, class E>
struct Unpack {
  static constexpr Handler run = unpack<S, E>;
};

}  // namespace

Selected select_move(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (instruction.operation != ptx::Operation::mov || instruction.operand_count != 2) return {};
  const Operand& destination = function.operand(instruction, 0);
  const Operand& source = function.operand(instruction, 1);
  const unsigned bits = bits_of(instruction.type());
  if (instruction.vector > 1) return {vector_handler(bits, instruction.vector)};
  if (source.kind == Operand::Kind::vector) {
    if (bits == 128) return {source.count == 2 ? pack128<std::uint64_t> : source.count == 4 ? pack128<std::uint32_t> : nullptr};
    return {choose<Pack>(bits / 8, source.count)};
  }
  if (destination.kind == Operand::Kind::vector) {
    if (bits == 128) return {destination.count == 2 ? unpack128<std::uint64_t> : destination.count == 4 ? unpack128<std::uint32_t> : nullptr};
    return {choose<Unpack>(bits / 8, destination.count)};
  }
  if (instruction.type() == ptx::Type::pred) return {move_predicate};
  if (bits == 128) return {move128};
  return {convert_handler(bits / 8, bits / 8, false)};
}

MoveHandlers move_handlers() { return {convert_handler, move_predicate, add_immediate<std::uint32_t>, add_immediate<std::uint64_t>}; }

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
