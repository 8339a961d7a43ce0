// How an operation reads, computes and writes 32 lanes of each warp: the loops that every definition is put into.
// Compiled once per x86-64 level, inside files x_cpu.cpp only.
//
// A definition is a function of one lane; the loops below apply it to whole vectors and blend where lanes are inactive.
// It is evaluated for inactive lanes too, so it must be defined for any bits (no trap on x / 0, no undefined shift).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>

#include "backends/simt/execute/masks.hpp"
#include "backends/simt/execute/op.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

/// 32 lanes of a slot in one warp after another. Constants stay where they are.
template <class T>
class Source {
 public:
  Source(const Context& context, Slot slot)
      : at_((slot & kConstant) != 0 ? context.constants + (slot & ~kConstant) : context.registers + slot),
        step_((slot & kConstant) != 0 ? 0 : context.frame_bytes) {}
  [[nodiscard]] const T* lanes() const { return reinterpret_cast<const T*>(at_); }
  void next() { at_ += step_; }

 private:
  const std::byte* at_;
  std::size_t step_;
};

template <class T>
class Destination {
 public:
  Destination(const Context& context, Slot slot) : at_(context.registers + slot), step_(context.frame_bytes) {}
  [[nodiscard]] T* lanes() const { return reinterpret_cast<T*>(at_); }
  void next() { at_ += step_; }

 private:
  std::byte* at_;
  std::size_t step_;
};

/// The lanes of each warp that run the operation: active and let through by its guard.
class Mask {
 public:
  Mask(const Op& op, const Context& context)
      : guard_(context.registers + op.guard), flip_(op.guard_flip), step_(context.frame_bytes), active_(context.active.data()) {}
  [[nodiscard]] std::uint32_t lanes() const {
    std::uint32_t guard;
    std::memcpy(&guard, guard_, sizeof guard);
    return *active_ & (guard ^ flip_);
  }
  void next() {
    guard_ += step_;
    ++active_;
  }

 private:
  const std::byte* guard_;
  std::uint32_t flip_;
  std::size_t step_;
  const std::uint32_t* active_;
};

/// Where some lanes are inactive: the others keep what they had.
template <class T>
[[gnu::always_inline]] inline void blend_lanes(T* destination, const T* result, std::uint32_t mask) {
  select_lanes(destination, result, destination, mask);
}

/// The 32 lanes of one warp: destination[i] = f(i) for the lanes of `mask`. No lane reads what another one has written,
/// since lowering places a destination either exactly on a source or apart from all of them. g++ believes that when told so
/// and computes in place (1.5 times as fast as through a temporary); clang vectorises only into a temporary.
template <class T, class F>
[[gnu::always_inline]] inline void each_lane(T* destination, std::uint32_t mask, F f) {
#if !defined(__clang__)
  if (mask == kAllLanes) [[likely]] {
#pragma GCC ivdep
    for (unsigned i = 0; i < kLanes; ++i) destination[i] = f(i);
    return;
  }
#endif
  if (mask == 0) return;
  alignas(64) T result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) result[i] = f(i);
  if (mask == kAllLanes) {
    std::memcpy(destination, result, sizeof result);
  } else {
    blend_lanes(destination, result, mask);
  }
}

/// d = f(a)
template <class D, class A, class F>
[[gnu::always_inline]] inline const Op* map(const Op* op, Context& context, F f) {
  Mask mask(*op, context);
  Destination<D> d(context, op->operands[0]);
  Source<A> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    const A* const x = a.lanes();
    each_lane(d.lanes(), mask.lanes(), [&](unsigned i) { return static_cast<D>(f(x[i])); });
  }
  return op + 1;
}

/// d = f(a, b)
template <class D, class A, class B, class F>
[[gnu::always_inline]] inline const Op* map(const Op* op, Context& context, F f) {
  Mask mask(*op, context);
  Destination<D> d(context, op->operands[0]);
  Source<A> a(context, op->operands[1]);
  Source<B> b(context, op->operands[2]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next(), b.next()) {
    const A* const x = a.lanes();
    const B* const y = b.lanes();
    each_lane(d.lanes(), mask.lanes(), [&](unsigned i) { return static_cast<D>(f(x[i], y[i])); });
  }
  return op + 1;
}

/// d = f(a, b, c)
template <class D, class A, class B, class C, class F>
[[gnu::always_inline]] inline const Op* map(const Op* op, Context& context, F f) {
  Mask mask(*op, context);
  Destination<D> d(context, op->operands[0]);
  Source<A> a(context, op->operands[1]);
  Source<B> b(context, op->operands[2]);
  Source<C> c(context, op->operands[3]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next(), b.next(), c.next()) {
    const A* const x = a.lanes();
    const B* const y = b.lanes();
    const C* const z = c.lanes();
    each_lane(d.lanes(), mask.lanes(), [&](unsigned i) { return static_cast<D>(f(x[i], y[i], z[i])); });
  }
  return op + 1;
}

/// Handlers from a definition: `run_map<f, D, Sources...>` is d = f(sources).
template <auto f, class D, class... Sources>
const Op* run_map(const Op* op, Context& context) {
  return map<D, Sources...>(op, context, f);
}

/// Writes a predicate: bit i of `value` for the lanes of `mask`.
[[gnu::always_inline]] inline void write_predicate(std::uint32_t* predicate, std::uint32_t value, std::uint32_t mask) {
  *predicate = (*predicate & ~mask) | (value & mask);
}

/// p = f(a), a predicate
template <class A, class F>
[[gnu::always_inline]] inline const Op* test(const Op* op, Context& context, F f) {
  Mask mask(*op, context);
  Destination<std::uint32_t> p(context, op->operands[0]);
  Source<A> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), p.next(), a.next()) {
    const A* const x = a.lanes();
    write_predicate(p.lanes(), mask_of<A>([&](unsigned i) { return f(x[i]); }), mask.lanes());
  }
  return op + 1;
}

/// p = f(a, b), a predicate
template <class A, class F>
[[gnu::always_inline]] inline const Op* compare(const Op* op, Context& context, F f) {
  Mask mask(*op, context);
  Destination<std::uint32_t> p(context, op->operands[0]);
  Source<A> a(context, op->operands[1]);
  Source<A> b(context, op->operands[2]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), p.next(), a.next(), b.next()) {
    const A* const x = a.lanes();
    const A* const y = b.lanes();
    write_predicate(p.lanes(), mask_of<A>([&](unsigned i) { return f(x[i], y[i]); }), mask.lanes());
  }
  return op + 1;
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
