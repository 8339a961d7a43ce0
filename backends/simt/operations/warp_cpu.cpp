// Operations by which the lanes of a warp read each other: shfl, vote, match, redux, elect, activemask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/select.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/warp_meeting.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

// ---- shfl: d, p, a, b, c, members ------------------------------------------------------------------------------------

enum class Shuffle { up, down, butterfly, index };

/// From where each lane reads, and which lanes' computed source is in range.
struct Sources {
  std::uint32_t lane[kLanes];
  std::uint32_t in_range = 0;
};

template <Shuffle mode>
Sources shuffle_sources(const std::uint32_t* b, const std::uint32_t* c) {
  Sources sources;
  std::uint32_t in_range[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::int32_t offset = static_cast<std::int32_t>(b[lane] & 31u);
    const std::int32_t segment = static_cast<std::int32_t>(c[lane] >> 8 & 31u);
    const std::int32_t clamp = static_cast<std::int32_t>(c[lane] & 31u);
    const std::int32_t own = static_cast<std::int32_t>(lane);
    const std::int32_t first = own & segment;
    const std::int32_t last = first | (clamp & ~segment);
    std::int32_t source;
    if constexpr (mode == Shuffle::up) source = own - offset;
    if constexpr (mode == Shuffle::down) source = own + offset;
    if constexpr (mode == Shuffle::butterfly) source = own ^ offset;
    if constexpr (mode == Shuffle::index) source = first | (offset & ~segment);
    const bool good = mode == Shuffle::up ? source >= last : source <= last;
    in_range[lane] = good ? 1 : 0;
    // .down with a clamp of 31 in a full segment never goes past lane 31; & 31 keeps what is out of range readable.
    sources.lane[lane] = static_cast<std::uint32_t>(good ? source : own) & 31u;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) sources.in_range |= in_range[lane] << lane;
  return sources;
}

/// Reading a lane that does not take part is undefined in PTX: here it gives the reader's own value.
template <Shuffle mode>
const Op* shuffle(const Op* op, Context& context) {
  const auto& slots = op->operands;
  const Result<std::uint32_t> d(context, slots[0]);
  const Result<std::uint32_t> p(context, slots[1]);
  const bool same_for_all = (slots[3] & slots[4] & kConstant) != 0;
  const Source<std::uint32_t> b(context, slots[3]);
  const Source<std::uint32_t> c(context, slots[4]);
  const std::size_t b_step = (slots[3] & kConstant) != 0 ? 0 : context.frame_bytes / sizeof(std::uint32_t);
  const std::size_t c_step = (slots[4] & kConstant) != 0 ? 0 : context.frame_bytes / sizeof(std::uint32_t);
  Sources sources;
  if (same_for_all) sources = shuffle_sources<mode>(b.lanes(), c.lanes());
  return collective<std::uint32_t>(
      op, context, slots[5], slots[2],
      [&](unsigned warp, std::uint32_t lanes, std::uint32_t members, const std::uint32_t* a) {
        if (!same_for_all) sources = shuffle_sources<mode>(b.lanes() + warp * b_step, c.lanes() + warp * c_step);
        alignas(64) std::uint32_t result[kLanes];
        if (members == kAllLanes) {
          for (unsigned i = 0; i < kLanes; ++i) result[i] = a[sources.lane[i]];
        } else {
          for (unsigned i = 0; i < kLanes; ++i) result[i] = a[(members >> sources.lane[i] & 1u) != 0 ? sources.lane[i] : i];
        }
        p.set_predicate(warp, lanes, sources.in_range);
        if (!d.wanted()) return;
        if (lanes == kAllLanes) {
          std::memcpy(d.lanes(warp), result, sizeof result);
        } else {
          blend_lanes(d.lanes(warp), result, lanes);
        }
      });
}

// ---- vote: d, a, members ---------------------------------------------------------------------------------------------

enum class Vote { all, any, uniform, ballot };

template <Vote mode>
const Op* vote(const Op* op, Context& context) {
  const Result<std::uint32_t> d(context, op->operands[0]);
  const auto flip = static_cast<std::uint32_t>(op->immediate);
  return collective<bool>(op, context, op->operands[2], op->operands[1],
                          [&](unsigned warp, std::uint32_t lanes, std::uint32_t members, const std::uint32_t* a) {
                            const std::uint32_t yes = (*a ^ flip) & members;
                            if constexpr (mode == Vote::ballot) {
                              d.set_lanes(warp, lanes, yes);
                            } else {
                              const bool result = mode == Vote::all   ? yes == members
                                                  : mode == Vote::any ? yes != 0
                                                                      : yes == members || yes == 0;
                              d.set_predicate(warp, lanes, result ? kAllLanes : 0);
                            }
                          });
}

// ---- match.any: d, a, members. match.all: d, p, a, members -------------------------------------------------------------

template <class T>
const Op* match_any(const Op* op, Context& context) {
  const Result<std::uint32_t> d(context, op->operands[0]);
  return collective<T>(op, context, op->operands[2], op->operands[1],
                       [&](unsigned warp, std::uint32_t lanes, std::uint32_t members, const T* a) {
                         // The destination may be where the source is.
                         alignas(64) std::uint32_t result[kLanes]{};
                         for (std::uint32_t left = members; left != 0;) {
                           const std::uint32_t same = lanes_equal(a, a[__builtin_ctz(left)]) & members;
                           for (std::uint32_t rest = same; rest != 0; rest &= rest - 1) result[__builtin_ctz(rest)] = same;
                           left &= ~same;
                         }
                         if (d.wanted()) blend_lanes(d.lanes(warp), result, lanes);
                       });
}

template <class T>
const Op* match_all(const Op* op, Context& context) {
  const Result<std::uint32_t> d(context, op->operands[0]);
  const Result<std::uint32_t> p(context, op->operands[1]);
  return collective<T>(op, context, op->operands[3], op->operands[2],
                       [&](unsigned warp, std::uint32_t lanes, std::uint32_t members, const T* a) {
                         const bool same = (lanes_equal(a, a[__builtin_ctz(members)]) & members) == members;
                         d.set_lanes(warp, lanes, same ? members : 0);
                         p.set_predicate(warp, lanes, same ? kAllLanes : 0);
                       });
}

// ---- redux: d, a, members --------------------------------------------------------------------------------------------

template <class T, class F>
[[gnu::always_inline]] inline const Op* reduce(const Op* op, Context& context, F f) {
  const Result<std::uint32_t> d(context, op->operands[0]);
  return collective<std::uint32_t>(op, context, op->operands[2], op->operands[1],
                                   [&](unsigned warp, std::uint32_t lanes, std::uint32_t members, const std::uint32_t* a) {
                                     T result = static_cast<T>(a[__builtin_ctz(members)]);
                                     for (std::uint32_t left = members & (members - 1); left != 0; left &= left - 1) {
                                       result = f(result, static_cast<T>(a[__builtin_ctz(left)]));
                                     }
                                     d.set_lanes(warp, lanes, static_cast<std::uint32_t>(result));
                                   });
}

const Op* reduce_add(const Op* op, Context& context) {
  return reduce<std::uint32_t>(op, context, [](std::uint32_t a, std::uint32_t b) { return a + b; });
}
const Op* reduce_and(const Op* op, Context& context) {
  return reduce<std::uint32_t>(op, context, [](std::uint32_t a, std::uint32_t b) { return a & b; });
}
const Op* reduce_or(const Op* op, Context& context) {
  return reduce<std::uint32_t>(op, context, [](std::uint32_t a, std::uint32_t b) { return a | b; });
}
const Op* reduce_xor(const Op* op, Context& context) {
  return reduce<std::uint32_t>(op, context, [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
}
template <class T>
const Op* reduce_min(const Op* op, Context& context) {
  return reduce<T>(op, context, [](T a, T b) { return b < a ? b : a; });
}
template <class T>
const Op* reduce_max(const Op* op, Context& context) {
  return reduce<T>(op, context, [](T a, T b) { return a < b ? b : a; });
}

constexpr std::uint32_t kCanonicalNaN = 0x7fffffffu;

/// As bits: a NaN drops out, or decides where `propagate` is set; +0 is above -0. Bits of numbers are put into the order of
/// signed integers by flipping those below the sign where it is set.
template <bool largest, bool absolute, bool propagate>
const Op* reduce_f32(const Op* op, Context& context) {
  const Result<std::uint32_t> d(context, op->operands[0]);
  return collective<std::uint32_t>(
      op, context, op->operands[2], op->operands[1],
      [&](unsigned warp, std::uint32_t lanes, std::uint32_t members, const std::uint32_t* a) {
        bool nan = false;
        bool found = false;
        std::int32_t best = 0;
        for (std::uint32_t left = members; left != 0; left &= left - 1) {
          const std::uint32_t bits = absolute ? a[__builtin_ctz(left)] & 0x7fffffffu : a[__builtin_ctz(left)];
          if ((bits & 0x7fffffffu) > 0x7f800000u) {
            nan = true;
            continue;
          }
          const std::int32_t order = static_cast<std::int32_t>((bits & 0x80000000u) != 0 ? bits ^ 0x7fffffffu : bits);
          if (!found || (largest ? order > best : order < best)) best = order;
          found = true;
        }
        const std::uint32_t order = static_cast<std::uint32_t>(best);
        const std::uint32_t bits = (order & 0x80000000u) != 0 ? order ^ 0x7fffffffu : order;
        d.set_lanes(warp, lanes, !found || (propagate && nan) ? kCanonicalNaN : bits);
      });
}

// ---- activemask: d. elect: d, p, members -------------------------------------------------------------------------------

const Op* active_mask(const Op* op, Context& context) {
  Mask mask(*op, context);
  const Result<std::uint32_t> d(context, op->operands[0]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) d.set_lanes(warp, mask.lanes(), mask.lanes());
  return op + 1;
}

const Op* elect(const Op* op, Context& context) {
  const Result<std::uint32_t> d(context, op->operands[0]);
  const Result<std::uint32_t> p(context, op->operands[1]);
  return collective<bool>(op, context, op->operands[2], kNoSlot,
                          [&](unsigned warp, std::uint32_t lanes, std::uint32_t members, const std::uint32_t*) {
                            const std::uint32_t leader = members & (~members + 1);
                            d.set_lanes(warp, lanes, static_cast<std::uint32_t>(__builtin_ctz(members)));
                            p.set_predicate(warp, lanes, leader);
                          });
}

// ---- selection ---------------------------------------------------------------------------------------------------------

Handler shuffle_handler(const ptx::Instruction& instruction) {
  if (instruction.has(Modifier::up)) return shuffle<Shuffle::up>;
  if (instruction.has(Modifier::down)) return shuffle<Shuffle::down>;
  if (instruction.has(Modifier::bfly)) return shuffle<Shuffle::butterfly>;
  if (instruction.has(Modifier::idx)) return shuffle<Shuffle::index>;
  return nullptr;
}

Handler vote_handler(const ptx::Instruction& instruction) {
  if (instruction.has(Modifier::all)) return vote<Vote::all>;
  if (instruction.has(Modifier::any)) return vote<Vote::any>;
  if (instruction.has(Modifier::uni)) return vote<Vote::uniform>;
  if (instruction.has(Modifier::ballot)) return vote<Vote::ballot>;
  return nullptr;
}

Handler match_handler(const ptx::Instruction& instruction) {
  const bool wide = bits_of(instruction.type()) == 64;
  if (instruction.has(Modifier::any)) return wide ? match_any<std::uint64_t> : match_any<std::uint32_t>;
  if (instruction.has(Modifier::all)) return wide ? match_all<std::uint64_t> : match_all<std::uint32_t>;
  return nullptr;
}

template <bool largest>
Handler reduce_f32_handler(const ptx::Instruction& instruction) {
  const bool absolute = instruction.has(Modifier::abs);
  if (instruction.has(Modifier::NaN)) return absolute ? reduce_f32<largest, true, true> : reduce_f32<largest, false, true>;
  return absolute ? reduce_f32<largest, true, false> : reduce_f32<largest, false, false>;
}

Handler reduce_handler(const ptx::Instruction& instruction) {
  if (instruction.has(Modifier::and_)) return reduce_and;
  if (instruction.has(Modifier::or_)) return reduce_or;
  if (instruction.has(Modifier::xor_)) return reduce_xor;
  if (instruction.has(Modifier::add)) return reduce_add;
  const bool largest = instruction.has(Modifier::max);
  if (!largest && !instruction.has(Modifier::min)) return nullptr;
  switch (instruction.type()) {
    case Type::f32: return largest ? reduce_f32_handler<true>(instruction) : reduce_f32_handler<false>(instruction);
    case Type::s32: return largest ? reduce_max<std::int32_t> : reduce_min<std::int32_t>;
    case Type::u32: return largest ? reduce_max<std::uint32_t> : reduce_min<std::uint32_t>;
    default: return nullptr;
  }
}

}  // namespace

Selected select_warp(const ptx::Instruction& instruction, const ptx::Function& function) {
  switch (instruction.operation) {
    case Operation::shfl:
    case Operation::shfl_sync: return {shuffle_handler(instruction)};
    case Operation::vote:
    case Operation::vote_sync:
      return {vote_handler(instruction), function.operand(instruction, 1).negated ? std::uint64_t{kAllLanes} : 0};
    case Operation::match_sync: return {match_handler(instruction)};
    case Operation::redux_sync: return {reduce_handler(instruction)};
    case Operation::activemask: return {active_mask};
    case Operation::elect_sync: return {elect};
    default: return {};
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
