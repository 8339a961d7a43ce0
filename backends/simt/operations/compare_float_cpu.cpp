// setp and set of f32 and f64. Subnormal numbers count, unless .ftz takes f32 ones for zero.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>

#include "backends/simt/operations/compare.hpp"
#include "backends/simt/operations/families.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Instruction;
using ptx::Operation;
using ptx::Type;

/// Zero for a subnormal number; its sign is of no account here.
inline float flushed(float x) {
  const u32 bits = std::bit_cast<u32>(x);
  return std::bit_cast<float>((bits & 0x7f800000u) == 0 ? 0u : bits);
}

/// False where an operand is NaN. No short circuits: these are vectors.
template <Relation relation, bool flush>
struct Holds {
  template <class T>
  bool operator()(T a, T b) const {
    if constexpr (flush) {
      a = flushed(a);
      b = flushed(b);
    }
    if constexpr (relation == Relation::equal) return a == b;
    if constexpr (relation == Relation::not_equal) return static_cast<int>(a < b) | static_cast<int>(a > b);
    if constexpr (relation == Relation::less) return a < b;
    if constexpr (relation == Relation::less_equal) return a <= b;
    if constexpr (relation == Relation::greater) return a > b;
    if constexpr (relation == Relation::greater_equal) return a >= b;
    if constexpr (relation == Relation::number) return static_cast<int>(a == a) & static_cast<int>(b == b);
  }
};

template <class T, bool flush>
Handler float_handler(Relation relation, bool simple) {
  switch (relation) {
    case Relation::equal: return comparing<T, Holds<Relation::equal, flush>{}>(simple);
    case Relation::not_equal: return comparing<T, Holds<Relation::not_equal, flush>{}>(simple);
    case Relation::less: return comparing<T, Holds<Relation::less, flush>{}>(simple);
    case Relation::less_equal: return comparing<T, Holds<Relation::less_equal, flush>{}>(simple);
    case Relation::greater: return comparing<T, Holds<Relation::greater, flush>{}>(simple);
    case Relation::greater_equal: return comparing<T, Holds<Relation::greater_equal, flush>{}>(simple);
    case Relation::number: return comparing<T, Holds<Relation::number, flush>{}>(simple);
  }
  return nullptr;
}

Handler handler_of(const Instruction& instruction, Type type, Relation relation, bool simple) {
  if (type == Type::f64) return float_handler<double, false>(relation, simple);
  if (instruction.has(ptx::Modifier::ftz)) return float_handler<float, true>(relation, simple);
  return float_handler<float, false>(relation, simple);
}

}  // namespace

Selected select_compare_float(const Instruction& instruction, const ptx::Function& function) {
  if (instruction.operation != Operation::setp && instruction.operation != Operation::set) return {};
  const Type type = instruction.type(instruction.operation == Operation::setp ? 0 : 1);
  if (type != Type::f32 && type != Type::f64) return {};
  const Comparison comparison = float_comparison(instruction);
  if (!comparison.valid) return {};
  const u64 how = comparison_immediate(instruction, function, comparison.complement);
  return {.run = handler_of(instruction, type, comparison.relation, is_simple(instruction, function, how)),
          .immediate = how,
          .layout = Layout::plain};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
