// mma against a triple loop in double over matrices that are put together by the ISA's formulas (matrix_layouts.hpp).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cfenv>

#include "backends/simt/operations/collective_fixture.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/matrix_layouts.hpp"

namespace {

using namespace bascule::simt;
using namespace bascule::simt::test;
using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

std::vector<Level> mma_levels() {
  return levels(x86_64_v2::select_matrix_mma, x86_64_v3::select_matrix_mma, x86_64_v4::select_matrix_mma);
}

// ---- fragments ----------------------------------------------------------------------------------------------------------

constexpr unsigned kWarps = 2;
/// Slots of a fragment whose lanes hold `elements` elements each.
std::vector<Slot> make_fragment(Machine& machine, Type type, unsigned elements) {
  const unsigned bits = element_bits(type);
  std::vector<Slot> slots(bits == 64 ? elements : elements * bits / 32);
  for (Slot& slot : slots) slot = machine.slot(bits == 64 ? 8 : 4);
  return slots;
}

std::uint32_t element(Machine& machine, const std::vector<Slot>& slots, Type type, unsigned warp, unsigned lane, unsigned i) {
  const unsigned bits = element_bits(type), per_word = 32 / bits;
  const std::uint32_t word = machine.lanes<std::uint32_t>(slots[i / per_word], warp)[lane];
  return bits == 32 ? word : word >> (i % per_word * bits) & ((1u << bits) - 1);
}

void fill(Machine& machine, const std::vector<Slot>& slots, Type type, std::mt19937_64& random, bool special) {
  const unsigned bits = element_bits(type);
  for (const Slot slot : slots) {
    for (unsigned thread = 0; thread < kWarps * kLanes; ++thread) {
      std::uint32_t word = 0;
      for (unsigned at = 0; at < 32; at += bits) word |= random_element(type, random, special) << at;
      machine.lanes<std::uint32_t>(slot, thread / 32)[thread % 32] = word;
    }
  }
}

Matrix gather(Machine& machine, const std::vector<Slot>& slots, Type type, unsigned warp, unsigned elements, PlaceOf layout,
              unsigned rows, unsigned columns) {
  Matrix matrix = zeros(rows, columns);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned i = 0; i < elements; ++i) {
      const Place place = layout(lane, i);
      matrix.at(place.row).at(place.column) = decode_element(type, element(machine, slots, type, warp, lane, i));
    }
  }
  return matrix;
}

struct Types {
  Type d, a, b, c;
};

std::string describe(const MatrixShape& shape, const Types& types) {
  std::string text(name_of(shape.name));
  for (const Type type : {types.d, types.a, types.b, types.c}) text += "." + std::string(name_of(type));
  return text;
}

/// Runs one mma of 32-bit registers on random fragments and compares D in both warps. Some warps are not active: they keep D.
void check(const Level& level, const MatrixShape& shape, const Types& types, std::initializer_list<Modifier> more, bool special,
           std::mt19937_64& random) {
  CAPTURE(describe(shape, types));
  Machine machine(kWarps);
  const unsigned in_a = shape.rows * shape.depth / 32, in_b = shape.depth * 8 / 32, in_c = shape.rows * 8 / 32;
  const auto a = make_fragment(machine, types.a, in_a), b = make_fragment(machine, types.b, in_b);
  const auto c = make_fragment(machine, types.c, in_c);
  const bool in_place = types.c == types.d && random() % 2 == 0;
  const auto d = in_place ? c : make_fragment(machine, types.d, in_c);
  fill(machine, a, types.a, random, special);
  fill(machine, b, types.b, random, special);
  fill(machine, c, types.c, random, special);
  const PlaceOf layout = shape.rows == 8 ? accumulator_8 : accumulator_16;
  std::vector<Expected> expected;
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    expected.push_back(triple_loop(gather(machine, a, types.a, warp, in_a, shape.a, shape.rows, shape.depth),
                                   gather(machine, b, types.b, warp, in_b, shape.b, shape.depth, 8),
                                   gather(machine, c, types.c, warp, in_c, layout, shape.rows, 8)));
  }
  const unsigned asleep = static_cast<unsigned>(random() % 3);  // 2: none
  if (asleep < kWarps) machine.context.active[asleep] = 0;
  std::vector<std::uint32_t> kept;
  for (const Slot slot : d) kept.push_back(machine.lanes<std::uint32_t>(slot, asleep % kWarps)[7]);

  Case test(Operation::mma, {Modifier::sync, Modifier::aligned, shape.name, Modifier::row, Modifier::col},
            {types.d, types.a, types.b, types.c});
  for (const Modifier modifier : more) test.instruction.modifiers[test.instruction.modifier_count++] = modifier;
  test.vector(d).vector(a).vector(b).vector(c);
  REQUIRE(test.run(level, machine));
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    if (warp == asleep) {
      for (std::size_t i = 0; i < d.size(); ++i) CHECK(machine.lanes<std::uint32_t>(d[i], warp)[7] == kept[i]);
      continue;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned i = 0; i < in_c; ++i) {
        CAPTURE(lane);
        CAPTURE(i);
        const Place place = layout(lane, i);
        const double want = expected[warp].value[place.row][place.column];
        const std::uint32_t bits = element(machine, d, types.d, warp, lane, i);
        if (types.d == Type::s32) {
          const auto exact = static_cast<std::int64_t>(want);
          const bool saturate = test.instruction.has(Modifier::satfinite);
          const std::int64_t limited = std::min<std::int64_t>(INT32_MAX, std::max<std::int64_t>(INT32_MIN, exact));
          CHECK(bits == static_cast<std::uint32_t>(saturate ? limited : exact));
        } else {
          check_float(types.d, bits, want, expected[warp].magnitude[place.row][place.column], shape.depth);
        }
      }
    }
  }
}

// ---- the shapes -----------------------------------------------------------------------------------------------------------

TEST_CASE("mma of f16, with f32 and f16 accumulators") {
  for (const Level& level : mma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(10);
    for (const MatrixShape& shape : kHalfShapes) {
      for (int round = 0; round < 12; ++round) {
        const bool special = round % 3 == 0;
        check(level, shape, {Type::f32, Type::f16, Type::f16, Type::f32}, {}, special, random);
        check(level, shape, {Type::f16, Type::f16, Type::f16, Type::f16}, {}, special, random);
      }
    }
  }
}

TEST_CASE("mma of bf16 and of tf32, whose low 13 bits do not count") {
  for (const Level& level : mma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(11);
    for (int round = 0; round < 12; ++round) {
      const bool special = round % 3 == 0;
      for (const MatrixShape& shape : kHalfShapes) check(level, shape, {Type::f32, Type::bf16, Type::bf16, Type::f32}, {}, special, random);
      for (const MatrixShape& shape : kTf32Shapes) check(level, shape, {Type::f32, Type::tf32, Type::tf32, Type::f32}, {}, special, random);
    }
  }
}

TEST_CASE("mma of fp8, A and B of different formats, with f32 and f16 accumulators") {
  for (const Level& level : mma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(12);
    for (const MatrixShape& shape : kFp8Shapes) {
      for (const Type a : {Type::e4m3, Type::e5m2}) {
        for (const Type b : {Type::e4m3, Type::e5m2}) {
          for (int round = 0; round < 6; ++round) {
            check(level, shape, {Type::f32, a, b, Type::f32}, {}, round % 3 == 0, random);
            check(level, shape, {Type::f16, a, b, Type::f16}, {}, round % 3 == 0, random);
          }
        }
      }
    }
  }
}

TEST_CASE("mma of integers wraps, or saturates with .satfinite") {
  for (const Level& level : mma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(13);
    for (int round = 0; round < 4; ++round) {
      for (const MatrixShape& shape : kByteShapes) {
        for (const Type a : {Type::s8, Type::u8}) {
          for (const Type b : {Type::s8, Type::u8}) {
            check(level, shape, {Type::s32, a, b, Type::s32}, {}, false, random);
            check(level, shape, {Type::s32, a, b, Type::s32}, {Modifier::satfinite}, false, random);
          }
        }
      }
      for (const MatrixShape& shape : kNibbleShapes) {
        for (const Type a : {Type::s4, Type::u4}) {
          for (const Type b : {Type::s4, Type::u4}) {
            check(level, shape, {Type::s32, a, b, Type::s32}, {}, false, random);
            check(level, shape, {Type::s32, a, b, Type::s32}, {Modifier::satfinite}, false, random);
          }
        }
      }
    }
  }
}

TEST_CASE("mma of the largest 8-bit products is exact") {
  for (const Level& level : mma_levels()) {
    CAPTURE(level.name);
    Machine machine(1);
    const auto a = make_fragment(machine, Type::u8, 16), b = make_fragment(machine, Type::u8, 8);
    const auto c = make_fragment(machine, Type::s32, 4);
    for (const auto& slots : {a, b, c}) {
      for (const Slot slot : slots) std::memset(machine.lanes<char>(slot, 0), 0xff, 128);
    }
    Case test(Operation::mma, {Modifier::m16n8k32, Modifier::row, Modifier::col}, {Type::s32, Type::u8, Type::u8, Type::s32});
    test.vector(c).vector(a).vector(b).vector(c);
    REQUIRE(test.run(level, machine));
    for (unsigned lane = 0; lane < kLanes; ++lane) CHECK(machine.lanes<std::int32_t>(c[3], 0)[lane] == 255 * 255 * 32 - 1);
  }
}

/// A and B as bits: the sum over k of a & b or a ^ b.
void check_bits(const Level& level, const MatrixShape& shape, bool conjunction, std::mt19937_64& random) {
  CAPTURE(describe(shape, {Type::s32, Type::b1, Type::b1, Type::s32}));
  Machine machine(1);
  const unsigned in_a = shape.rows * shape.depth / 32, in_b = shape.depth * 8 / 32, in_c = shape.rows * 8 / 32;
  const auto a = make_fragment(machine, Type::b1, in_a), b = make_fragment(machine, Type::b1, in_b);
  const auto c = make_fragment(machine, Type::s32, in_c), d = make_fragment(machine, Type::s32, in_c);
  for (const auto& slots : {a, b, c}) {
    for (const Slot slot : slots) {
      for (unsigned lane = 0; lane < kLanes; ++lane) machine.lanes<std::uint32_t>(slot, 0)[lane] = static_cast<std::uint32_t>(random());
    }
  }
  Case test(Operation::mma, {shape.name, Modifier::row, Modifier::col, conjunction ? Modifier::and_ : Modifier::xor_, Modifier::popc},
            {Type::s32, Type::b1, Type::b1, Type::s32});
  test.vector(d).vector(a).vector(b).vector(c);
  REQUIRE(test.run(level, machine));
  const Matrix left = gather(machine, a, Type::b1, 0, in_a, shape.a, shape.rows, shape.depth);
  const Matrix right = gather(machine, b, Type::b1, 0, in_b, shape.b, shape.depth, 8);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned i = 0; i < in_c; ++i) {
      const Place place = shape.rows == 8 ? accumulator_8(lane, i) : accumulator_16(lane, i);
      std::uint32_t want = element(machine, c, Type::s32, 0, lane, i);
      for (unsigned k = 0; k < shape.depth; ++k) {
        const bool x = left[place.row][k] != 0, y = right[k][place.column] != 0;
        want += (conjunction ? x && y : x != y) ? 1u : 0u;
      }
      CHECK(element(machine, d, Type::s32, 0, lane, i) == want);
    }
  }
}

TEST_CASE("mma of single bits counts where they differ or where both are set") {
  for (const Level& level : mma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(14);
    for (const MatrixShape& shape : kBitShapes) {
      for (int round = 0; round < 3; ++round) {
        check_bits(level, shape, true, random);
        check_bits(level, shape, false, random);
      }
    }
  }
}

struct Rounding {
  int mode;
  Modifier modifier;
};

void check_doubles(const Level& level, const MatrixShape& shape, const Rounding& rounding, std::mt19937_64& random) {
  CAPTURE(describe(shape, {Type::f64, Type::f64, Type::f64, Type::f64}));
  Machine machine(1);
  const unsigned in_a = shape.rows * shape.depth / 32, in_b = shape.depth * 8 / 32, in_c = shape.rows * 8 / 32;
  const auto a = make_fragment(machine, Type::f64, in_a), b = make_fragment(machine, Type::f64, in_b);
  const auto c = make_fragment(machine, Type::f64, in_c);
  std::uniform_real_distribution<double> values(-1, 1);
  for (const auto& slots : {a, b, c}) {
    for (const Slot slot : slots) {
      for (unsigned lane = 0; lane < kLanes; ++lane) machine.lanes<double>(slot, 0)[lane] = values(random);
    }
  }
  const auto matrix = [&](const std::vector<Slot>& slots, unsigned elements, PlaceOf layout, unsigned rows, unsigned columns) {
    Matrix result = zeros(rows, columns);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned i = 0; i < elements; ++i) {
        const Place place = layout(lane, i);
        result.at(place.row).at(place.column) = machine.lanes<double>(slots[i], 0)[lane];
      }
    }
    return result;
  };
  const PlaceOf layout = shape.rows == 8 ? accumulator_8 : accumulator_16;
  const Matrix left = matrix(a, in_a, shape.a, shape.rows, shape.depth), right = matrix(b, in_b, shape.b, shape.depth, 8);
  Matrix want = matrix(c, in_c, layout, shape.rows, 8);
  std::fesetround(rounding.mode);
  for (unsigned row = 0; row < shape.rows; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      for (unsigned k = 0; k < shape.depth; ++k) {
        volatile double x = left[row][k], y = right[k][column];
        want[row][column] = std::fma(x, y, want[row][column]);
      }
    }
  }
  std::fesetround(FE_TONEAREST);
  Case test(Operation::mma, {shape.name, Modifier::row, Modifier::col, rounding.modifier}, {Type::f64, Type::f64, Type::f64, Type::f64});
  test.vector(c).vector(a).vector(b).vector(c);
  REQUIRE(test.run(level, machine));
  CHECK(std::fegetround() == FE_TONEAREST);
  const Matrix got = matrix(c, in_c, layout, shape.rows, 8);
  CHECK(got == want);
}

TEST_CASE("mma of f64 is a chain of fused multiply-adds in the asked rounding") {
  for (const Level& level : mma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(15);
    for (const MatrixShape& shape : kDoubleShapes) {
      for (const Rounding& rounding : {Rounding{FE_TONEAREST, Modifier::rn}, Rounding{FE_TOWARDZERO, Modifier::rz},
                                       Rounding{FE_DOWNWARD, Modifier::rm}, Rounding{FE_UPWARD, Modifier::rp}}) {
        check_doubles(level, shape, rounding, random);
      }
    }
  }
}

// ---- m8n8k4 of f16: four products --------------------------------------------------------------------------------------------

void check_quads(const Level& level, bool a_by_column, bool b_by_column, Type d_type, Type c_type, std::mt19937_64& random) {
  Machine machine(kWarps);
  const auto a = make_fragment(machine, Type::f16, 4), b = make_fragment(machine, Type::f16, 4);
  const auto c = make_fragment(machine, c_type, 8), d = make_fragment(machine, d_type, 8);
  fill(machine, a, Type::f16, random, random() % 2 == 0);
  fill(machine, b, Type::f16, random, false);
  fill(machine, c, c_type, random, false);
  Case test(Operation::mma, {Modifier::m8n8k4, a_by_column ? Modifier::col : Modifier::row, b_by_column ? Modifier::col : Modifier::row},
            {d_type, Type::f16, Type::f16, c_type});
  test.vector(d).vector(a).vector(b).vector(c);
  REQUIRE(test.run(level, machine));
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    for (unsigned quad = 0; quad < 4; ++quad) {
      Matrix left = zeros(8, 4), right = zeros(4, 8), before = zeros(8, 8);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (quad_of(lane) != quad) continue;
        for (unsigned i = 0; i < 4; ++i) {
          const Place in_a = quad_a(a_by_column, lane, i), in_b = quad_b(b_by_column, lane, i);
          left.at(in_a.row).at(in_a.column) = decode_element(Type::f16, element(machine, a, Type::f16, warp, lane, i));
          right.at(in_b.row).at(in_b.column) = decode_element(Type::f16, element(machine, b, Type::f16, warp, lane, i));
        }
        for (unsigned i = 0; i < 8; ++i) {
          const Place in_c = quad_c(c_type, lane, i);
          before.at(in_c.row).at(in_c.column) = decode_element(c_type, element(machine, c, c_type, warp, lane, i));
        }
      }
      const Expected expected = triple_loop(left, right, before);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (quad_of(lane) != quad) continue;
        for (unsigned i = 0; i < 8; ++i) {
          CAPTURE(lane);
          CAPTURE(i);
          const Place place = quad_c(d_type, lane, i);
          check_float(d_type, element(machine, d, d_type, warp, lane, i), expected.value[place.row][place.column],
                      expected.magnitude[place.row][place.column], 4);
        }
      }
    }
  }
}

TEST_CASE("mma.m8n8k4 of f16 computes four products, of matrices in rows or columns") {
  for (const Level& level : mma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(16);
    for (int layouts = 0; layouts < 4; ++layouts) {
      CAPTURE(layouts);
      check_quads(level, (layouts & 1) != 0, (layouts & 2) != 0, Type::f16, Type::f16, random);
      check_quads(level, (layouts & 1) != 0, (layouts & 2) != 0, Type::f32, Type::f16, random);
      check_quads(level, (layouts & 1) != 0, (layouts & 2) != 0, Type::f32, Type::f32, random);
    }
  }
}

TEST_CASE("shapes and formats of later targets are not taken") {
  const Level level = mma_levels().front();
  Op op;
  const auto taken = [&](std::initializer_list<Modifier> modifiers, Types types) {
    return Case(Operation::mma, modifiers, {types.d, types.a, types.b, types.c}).prepare(level, op);
  };
  CHECK(taken({Modifier::m16n8k32}, {Type::f32, Type::e4m3, Type::e5m2, Type::f32}));
  CHECK_FALSE(taken({Modifier::m16n8k32, Modifier::kind_f8f6f4}, {Type::f32, Type::e3m2, Type::e2m3, Type::f32}));
  CHECK_FALSE(taken({Modifier::m16n8k64, Modifier::kind_mxf4, Modifier::block_scale}, {Type::f32, Type::e2m1, Type::e2m1, Type::f32}));
  CHECK_FALSE(taken({Modifier::m16n8k16}, {Type::f32, Type::f32, Type::f32, Type::f32}));
}

}  // namespace
