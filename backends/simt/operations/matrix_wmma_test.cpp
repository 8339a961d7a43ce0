// wmma: matrices in memory are loaded, multiplied and stored, and the memory is compared with a triple loop in double.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cfenv>

#include "backends/simt/operations/collective_fixture.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/matrix_elements.hpp"

namespace {

using namespace bascule::simt;
using namespace bascule::simt::test;
using ptx::Modifier;
using ptx::Operation;
using ptx::Space;
using ptx::Type;

std::vector<Level> wmma_levels() {
  return levels(x86_64_v2::select_matrix_wmma, x86_64_v3::select_matrix_wmma, x86_64_v4::select_matrix_wmma);
}

struct Shape {
  Modifier name;
  unsigned m, n, k;
};
constexpr Shape kShapes16[] = {{Modifier::m16n16k16, 16, 16, 16}, {Modifier::m8n32k16, 8, 32, 16}, {Modifier::m32n8k16, 32, 8, 16}};
constexpr Shape kShapeTf32{Modifier::m16n16k8, 16, 16, 8};
constexpr Shape kShapeNibble{Modifier::m8n8k32, 8, 8, 32};
constexpr Shape kShapeBit{Modifier::m8n8k128, 8, 8, 128};
constexpr Shape kShapeDouble{Modifier::m8n8k4, 8, 8, 4};

struct Types {
  Type d, a, b, c;
};

enum class Where { generic, global, shared };

/// A matrix in the machine's shared memory (reached by its offset, or by its host address), with its own lines' stride.
struct Stored {
  Type type;
  unsigned rows, columns;
  bool by_rows;
  unsigned stride;   // elements
  bool has_stride;   // written in the instruction
  std::size_t offset;

  [[nodiscard]] std::size_t bit_of(unsigned row, unsigned column) const {
    const std::size_t at = by_rows ? std::size_t{row} * stride + column : std::size_t{column} * stride + row;
    return at * element_bits(type);
  }
};

class Bench {
 public:
  Bench(const Level& level, std::mt19937_64& random) : machine(1), level_(level), random_(random) {}

  Stored store_random(Type type, unsigned rows, unsigned columns, bool by_rows, bool special) {
    const unsigned line = by_rows ? columns : rows;
    const bool has_stride = random_() % 2 == 0;
    Stored stored{type, rows, columns, by_rows, has_stride ? line + 128 / element_bits(type) * static_cast<unsigned>(random_() % 3) : line,
                  has_stride, next_};
    next_ += (std::size_t{by_rows ? rows : columns} * stored.stride * element_bits(type) / 8 + 255) / 256 * 256;
    REQUIRE(next_ <= machine.block.shared_bytes);
    for (unsigned row = 0; row < rows; ++row) {
      for (unsigned column = 0; column < columns; ++column) {
        if (type == Type::f64) {
          const double value = std::uniform_real_distribution<double>(-1, 1)(random_);
          std::memcpy(byte(stored, row, column), &value, sizeof value);
        } else {
          set(stored, row, column, random_element(type, random_, special));
        }
      }
    }
    return stored;
  }

  [[nodiscard]] std::byte* byte(const Stored& stored, unsigned row, unsigned column) {
    return machine.block.shared + stored.offset + stored.bit_of(row, column) / 8;
  }
  void set(const Stored& stored, unsigned row, unsigned column, std::uint32_t bits) {
    const unsigned width = element_bits(stored.type);
    if (width >= 8) {
      std::memcpy(byte(stored, row, column), &bits, width / 8);
      return;
    }
    const unsigned shift = static_cast<unsigned>(stored.bit_of(row, column) % 8), mask = ((1u << width) - 1) << shift;
    std::byte& target = *byte(stored, row, column);
    target = static_cast<std::byte>((static_cast<unsigned>(target) & ~mask) | bits << shift);
  }
  std::uint32_t get(const Stored& stored, unsigned row, unsigned column) {
    const unsigned width = element_bits(stored.type);
    std::uint32_t bits = 0;
    std::memcpy(&bits, byte(stored, row, column), width >= 8 ? width / 8 : 1);
    return width >= 8 ? bits : bits >> (stored.bit_of(row, column) % 8) & ((1u << width) - 1);
  }
  double value(const Stored& stored, unsigned row, unsigned column) {
    if (stored.type != Type::f64) return decode_element(stored.type, get(stored, row, column));
    double value;
    std::memcpy(&value, byte(stored, row, column), sizeof value);
    return value;
  }

  std::vector<Slot> make_fragment(Type type, std::size_t registers) {
    std::vector<Slot> slots(registers);
    for (Slot& slot : slots) slot = machine.slot(type == Type::f64 ? 8 : 4);
    return slots;
  }

  /// wmma.load or wmma.store of a whole matrix.
  void move(Operation operation, Modifier which, const Shape& shape, const Stored& stored, const std::vector<Slot>& fragment,
            Where where) {
    const bool narrow = where == Where::shared && random_() % 2 == 0;
    const Slot address = machine.slot(narrow ? 4 : 8);
    const std::uint64_t base = where == Where::shared ? stored.offset : reinterpret_cast<std::uintptr_t>(machine.block.shared + stored.offset);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (narrow) machine.lanes<std::uint32_t>(address, 0)[lane] = static_cast<std::uint32_t>(base - 64);
      if (!narrow) machine.lanes<std::uint64_t>(address, 0)[lane] = base - 64;
    }
    Slot stride = kNoSlot;
    if (stored.has_stride) {
      stride = machine.slot(4);
      for (unsigned lane = 0; lane < kLanes; ++lane) machine.lanes<std::uint32_t>(stride, 0)[lane] = stored.stride;
    }
    Case test(operation, {which, Modifier::sync, Modifier::aligned, stored.by_rows ? Modifier::row : Modifier::col, shape.name},
              {stored.type});
    if (where == Where::shared) test.in(Space::shared);
    if (where == Where::global) test.in(Space::global);
    if (operation == Operation::wmma_load) test.vector(fragment).address(address, !narrow, 64).operand(stride);
    if (operation == Operation::wmma_store) test.address(address, !narrow, 64).vector(fragment).operand(stride);
    REQUIRE(test.run(level_, machine));
  }

  Machine machine;

 private:
  const Level& level_;
  std::mt19937_64& random_;
  std::size_t next_ = 64;
};

std::size_t registers_of(Type type, unsigned elements, bool multiplicand) {
  if (type == Type::f64) return elements / 32;
  return multiplicand && type == Type::f16 ? 8 : elements * element_bits(type) / 1024;
}

struct Run {
  const Level& level;
  const Shape& shape;
  Types types;
  std::vector<Modifier> modifiers;
  bool special = false;
};

using Matrix = std::vector<std::vector<double>>;

/// Loads, scales C by -1 (floats: by its sign bit) where asked, multiplies, stores; hands the matrices of values to `check`.
template <class Check>
void run(const Run& run, std::mt19937_64& random, Check check) {
  Bench bench(run.level, random);
  const Types& types = run.types;
  const Shape& shape = run.shape;
  const bool sub_byte = element_bits(types.a) < 8;
  const bool a_rows = sub_byte || random() % 2 == 0, b_rows = !sub_byte && random() % 2 == 0;
  const Stored a = bench.store_random(types.a, shape.m, shape.k, a_rows, run.special);
  const Stored b = bench.store_random(types.b, shape.k, shape.n, b_rows, run.special);
  const Stored c = bench.store_random(types.c, shape.m, shape.n, random() % 2 == 0, false);
  const Stored d = bench.store_random(types.d, shape.m, shape.n, random() % 2 == 0, false);
  const auto a_fragment = bench.make_fragment(types.a, registers_of(types.a, shape.m * shape.k, true));
  const auto b_fragment = bench.make_fragment(types.b, registers_of(types.b, shape.k * shape.n, true));
  const auto c_fragment = bench.make_fragment(types.c, registers_of(types.c, shape.m * shape.n, false));
  const auto d_fragment = bench.make_fragment(types.d, registers_of(types.d, shape.m * shape.n, false));
  const Where places[] = {Where::generic, Where::global, Where::shared};
  bench.move(Operation::wmma_load, Modifier::a, shape, a, a_fragment, places[random() % 3]);
  bench.move(Operation::wmma_load, Modifier::b, shape, b, b_fragment, places[random() % 3]);
  bench.move(Operation::wmma_load, Modifier::c, shape, c, c_fragment, places[random() % 3]);
  // The same arithmetic on every element of a fragment is allowed.
  const bool negate = types.a == Type::f16 && random() % 2 == 0;
  for (const Slot slot : a_fragment) {
    for (unsigned lane = 0; negate && lane < kLanes; ++lane) bench.machine.lanes<std::uint32_t>(slot, 0)[lane] ^= 0x80008000u;
  }
  Case product(Operation::wmma_mma, {Modifier::sync, Modifier::aligned, a_rows ? Modifier::row : Modifier::col,
                                     b_rows ? Modifier::row : Modifier::col, shape.name},
               {});
  for (const Modifier modifier : run.modifiers) product.instruction.modifiers[product.instruction.modifier_count++] = modifier;
  const std::vector<Type> written = types.a == Type::f16 ? std::vector<Type>{types.d, types.c}
                                                         : std::vector<Type>{types.d, types.a, types.b, types.c};
  for (const Type type : written) product.instruction.types[product.instruction.type_count++] = type;
  product.vector(d_fragment).vector(a_fragment).vector(b_fragment).vector(c_fragment);
  REQUIRE(product.run(run.level, bench.machine));
  bench.move(Operation::wmma_store, Modifier::d, shape, d, d_fragment, places[random() % 3]);
  for (unsigned row = 0; row < shape.m; ++row) {
    for (unsigned column = 0; column < shape.n; ++column) {
      CAPTURE(row);
      CAPTURE(column);
      std::vector<double> left, right;
      for (unsigned k = 0; k < shape.k; ++k) {
        left.push_back((negate ? -1 : 1) * bench.value(a, row, k));
        right.push_back(bench.value(b, k, column));
      }
      check(left, right, bench.value(c, row, column), bench, d, row, column);
    }
  }
}

std::string describe(const Shape& shape, const Types& types) {
  std::string text(name_of(shape.name));
  for (const Type type : {types.d, types.a, types.b, types.c}) text += "." + std::string(name_of(type));
  return text;
}

void check_floats(const Level& level, const Shape& shape, const Types& types, bool special, std::mt19937_64& random) {
  CAPTURE(describe(shape, types));
  run({level, shape, types, {}, special}, random,
      [&](const std::vector<double>& a, const std::vector<double>& b, double c, Bench& bench, const Stored& d, unsigned row,
          unsigned column) {
        double want = c, magnitude = std::fabs(c);
        for (std::size_t k = 0; k < a.size(); ++k) {
          want += a[k] * b[k];
          magnitude += std::fabs(a[k] * b[k]);
        }
        const double got = bench.value(d, row, column);
        double bound = static_cast<double>(a.size() + 1) * std::ldexp(magnitude, -24);
        if (types.d == Type::f16) bound += std::ldexp(std::fabs(want), -11) + std::ldexp(1.0, -25);
        if (std::isnan(want)) {
          CHECK(bench.get(d, row, column) == (types.d == Type::f16 ? 0x7fffu : 0x7fffffffu));
        } else if (std::isinf(want) || (types.d == Type::f16 && std::fabs(want) >= 65520.0 - bound)) {
          CHECK(std::fabs(got) >= std::fmin(std::fabs(want), 65504.0));
          CHECK(std::signbit(got) == std::signbit(want));
        } else {
          CHECK(std::fabs(got - want) <= bound);
        }
      });
}

TEST_CASE("wmma of f16 and bf16 in all shapes, layouts, spaces and strides") {
  for (const Level& level : wmma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(30);
    for (const Shape& shape : kShapes16) {
      for (int round = 0; round < 6; ++round) {
        for (const Type d : {Type::f16, Type::f32}) {
          for (const Type c : {Type::f16, Type::f32}) check_floats(level, shape, {d, Type::f16, Type::f16, c}, round % 3 == 0, random);
        }
        check_floats(level, shape, {Type::f32, Type::bf16, Type::bf16, Type::f32}, round % 3 == 0, random);
      }
    }
  }
}

TEST_CASE("wmma of tf32") {
  for (const Level& level : wmma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(31);
    for (int round = 0; round < 6; ++round) {
      check_floats(level, kShapeTf32, {Type::f32, Type::tf32, Type::tf32, Type::f32}, round % 3 == 0, random);
    }
  }
}

void check_integers(const Level& level, const Shape& shape, Type type, bool saturate, std::mt19937_64& random) {
  const Types types{Type::s32, type, type, Type::s32};
  CAPTURE(describe(shape, types));
  std::vector<Modifier> modifiers;
  if (saturate) modifiers.push_back(Modifier::satfinite);
  run({level, shape, types, modifiers}, random,
      [&](const std::vector<double>& a, const std::vector<double>& b, double c, Bench& bench, const Stored& d, unsigned row,
          unsigned column) {
        auto want = static_cast<std::int64_t>(c);
        for (std::size_t k = 0; k < a.size(); ++k) want += static_cast<std::int64_t>(a[k] * b[k]);
        if (saturate) want = std::min<std::int64_t>(INT32_MAX, std::max<std::int64_t>(INT32_MIN, want));
        CHECK(bench.get(d, row, column) == static_cast<std::uint32_t>(want));
      });
}

TEST_CASE("wmma of 8-bit and 4-bit integers wraps or saturates") {
  for (const Level& level : wmma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(32);
    for (const bool saturate : {false, true}) {
      for (int round = 0; round < 3; ++round) {
        for (const Shape& shape : kShapes16) {
          for (const Type type : {Type::s8, Type::u8}) check_integers(level, shape, type, saturate, random);
        }
        for (const Type type : {Type::s4, Type::u4}) check_integers(level, kShapeNibble, type, saturate, random);
      }
    }
  }
}

TEST_CASE("wmma of single bits") {
  for (const Level& level : wmma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(33);
    for (const bool conjunction : {false, true}) {
      run({level, kShapeBit, {Type::s32, Type::b1, Type::b1, Type::s32}, {conjunction ? Modifier::and_ : Modifier::xor_, Modifier::popc}},
          random,
          [&](const std::vector<double>& a, const std::vector<double>& b, double c, Bench& bench, const Stored& d, unsigned row,
              unsigned column) {
            auto want = static_cast<std::uint32_t>(static_cast<std::int64_t>(c));
            for (std::size_t k = 0; k < a.size(); ++k) {
              want += (conjunction ? a[k] != 0 && b[k] != 0 : a[k] != b[k]) ? 1u : 0u;
            }
            CHECK(bench.get(d, row, column) == want);
          });
    }
  }
}

TEST_CASE("wmma of f64 is a chain of fused multiply-adds in the asked rounding") {
  struct Rounding {
    int mode;
    Modifier modifier;
  };
  for (const Level& level : wmma_levels()) {
    CAPTURE(level.name);
    auto random = random_source(34);
    for (const Rounding& rounding : {Rounding{FE_TONEAREST, Modifier::rn}, Rounding{FE_TOWARDZERO, Modifier::rz},
                                     Rounding{FE_DOWNWARD, Modifier::rm}, Rounding{FE_UPWARD, Modifier::rp}}) {
      run({level, kShapeDouble, {Type::f64, Type::f64, Type::f64, Type::f64}, {rounding.modifier}}, random,
          [&](const std::vector<double>& a, const std::vector<double>& b, double c, Bench& bench, const Stored& d, unsigned row,
              unsigned column) {
            std::fesetround(rounding.mode);
            volatile double sum = c;
            for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
            std::fesetround(FE_TONEAREST);
            CHECK(bench.value(d, row, column) == sum);
          });
    }
  }
}

TEST_CASE("clamping of wmma's floating-point results is not taken") {
  Op op;
  Case test(Operation::wmma_mma, {Modifier::row, Modifier::col, Modifier::m16n16k16, Modifier::satfinite}, {Type::f32, Type::f32});
  CHECK_FALSE(test.prepare(wmma_levels().front(), op));
}

TEST_CASE("a wmma.load that leaves shared memory ends the launch") {
  for (const Level& level : wmma_levels()) {
    CAPTURE(level.name);
    Machine machine(1);
    const Slot address = machine.slot(4);
    for (unsigned lane = 0; lane < kLanes; ++lane) machine.lanes<std::uint32_t>(address, 0)[lane] = machine.block.shared_bytes - 256;
    std::vector<Slot> d;
    for (int i = 0; i < 8; ++i) d.push_back(machine.slot(4));
    Case test(Operation::wmma_load, {Modifier::a, Modifier::row, Modifier::m16n16k16}, {Type::f16});
    test.in(Space::shared).vector(d).address(address, false, 0).operand(kNoSlot);
    CHECK_FALSE(test.run(level, machine));
    CHECK(machine.context.event == Event::fault);
  }
}

}  // namespace
