// setp, set, selp and slct.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <cmath>
#include <limits>

#include "backends/simt/operations/integer_fixture.hpp"

namespace bascule::simt::test_integer {
namespace {

// ---- what a comparison means -----------------------------------------------------------------------------------------

/// -1, 0, 1: a is less, equal, greater; 2: an operand is NaN.
using Order = std::function<int(u64 a, u64 b)>;

struct Relation {
  Modifier name;
  bool less, equal, greater, unordered;
};
constexpr Relation kFloatRelations[] = {
    {Modifier::eq, false, true, false, false}, {Modifier::ne, true, false, true, false},
    {Modifier::lt, true, false, false, false}, {Modifier::le, true, true, false, false},
    {Modifier::gt, false, false, true, false}, {Modifier::ge, false, true, true, false},
    {Modifier::equ, false, true, false, true}, {Modifier::neu, true, false, true, true},
    {Modifier::ltu, true, false, false, true}, {Modifier::leu, true, true, false, true},
    {Modifier::gtu, false, false, true, true}, {Modifier::geu, false, true, true, true},
    {Modifier::num, true, true, true, false},  {Modifier::nan, false, false, false, true},
};
constexpr Relation kSignedRelations[] = {
    {Modifier::eq, false, true, false, false}, {Modifier::ne, true, false, true, false},
    {Modifier::lt, true, false, false, false}, {Modifier::le, true, true, false, false},
    {Modifier::gt, false, false, true, false}, {Modifier::ge, false, true, true, false},
};
constexpr Relation kUnsignedRelations[] = {
    {Modifier::lo, true, false, false, false}, {Modifier::ls, true, true, false, false},
    {Modifier::hi, false, false, true, false}, {Modifier::hs, false, true, true, false},
};

bool holds(const Relation& relation, int order) {
  return order == 2 ? relation.unordered : order < 0 ? relation.less : order == 0 ? relation.equal : relation.greater;
}
template <class T>
int order_of(T a, T b) {
  if (a != a || b != b) return 2;
  return a < b ? -1 : a == b ? 0 : 1;
}

/// The value of a half-precision number with `fraction` bits after the point.
double half_value(u64 bits, unsigned fraction, bool flush) {
  const unsigned exponent_bits = 15 - fraction;
  const int exponent = static_cast<int>(bits >> fraction & ((1u << exponent_bits) - 1));
  const double mantissa = static_cast<double>(bits & ((1u << fraction) - 1));
  const double sign = (bits >> 15 & 1u) != 0 ? -1.0 : 1.0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return flush ? 0.0 : sign * std::ldexp(mantissa, 1 - bias - static_cast<int>(fraction));
  return sign * std::ldexp(1.0 + std::ldexp(mantissa, -static_cast<int>(fraction)), exponent - bias);
}
float flushed(float x, bool flush) { return flush && std::fpclassify(x) == FP_SUBNORMAL ? 0.0f : x; }

struct Compared {
  Type type;
  unsigned bits;
  bool flush;
  Order order;
};
std::vector<Compared> floats() {
  std::vector<Compared> all;
  for (const bool flush : {false, true}) {
    all.push_back({Type::f32, 32, flush, [flush](u64 a, u64 b) {
                     return order_of(flushed(std::bit_cast<float>(static_cast<u32>(a)), flush),
                                     flushed(std::bit_cast<float>(static_cast<u32>(b)), flush));
                   }});
    all.push_back({Type::f16, 16, flush, [flush](u64 a, u64 b) { return order_of(half_value(a, 10, flush), half_value(b, 10, flush)); }});
  }
  all.push_back({Type::f64, 64, false, [](u64 a, u64 b) { return order_of(std::bit_cast<double>(a), std::bit_cast<double>(b)); }});
  all.push_back({Type::bf16, 16, false, [](u64 a, u64 b) { return order_of(half_value(a, 7, false), half_value(b, 7, false)); }});
  return all;
}

// ---- inputs ------------------------------------------------------------------------------------------------------------

/// Numbers of a format, with zeros, subnormal and infinite ones and NaN among them, and equal pairs.
u64 float_bits(Random& random, unsigned bits, unsigned fraction) {
  const u64 sign = random.word() % 2 << (bits - 1);
  const u64 exponent_mask = cut(~u64{0}, bits - 1) >> fraction << fraction;
  switch (random.word() % 8) {
    case 0: return sign;
    case 1: return sign | 1;
    case 2: return sign | (cut(random.word(), fraction));
    case 3: return sign | exponent_mask;
    case 4: return sign | exponent_mask | 1;
    case 5: return sign | exponent_mask | u64{1} << (fraction - 1);
    case 6: return sign | u64{1} << fraction;
    default: return cut(random.word(), bits);
  }
}
unsigned fraction_of(Type type) { return type == Type::f64 ? 52 : type == Type::f32 ? 23 : type == Type::bf16 || type == Type::bf16x2 ? 7 : 10; }
std::vector<u64> float_lanes(Random& random, Type type, unsigned bits) {
  std::vector<u64> lanes(kThreads);
  for (u64& value : lanes) value = float_bits(random, bits, fraction_of(type));
  return lanes;
}
void make_some_equal(Random& random, const std::vector<u64>& a, std::vector<u64>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) b[i] = random.word() % 3 == 0 ? a[i] : b[i];
}

// ---- the checks --------------------------------------------------------------------------------------------------------

std::vector<Modifier> with(Modifier relation, Modifier join, bool flush) {
  std::vector<Modifier> all;
  if (relation != Modifier::none) all.push_back(relation);
  if (join != Modifier::none) all.push_back(join);
  if (flush) all.push_back(Modifier::ftz);
  return all;
}
bool joined(bool t, Modifier join, bool c) {
  return join == Modifier::and_ ? t && c : join == Modifier::or_ ? t || c : join == Modifier::xor_ ? t != c : t;
}

/// setp p, a, b and all that may be added: a join with a predicate, its negation, a second destination, a sink.
void check_setp(const Level& level, Random& random, const Compared& compared, const Relation& relation) {
  for (const Modifier join : {Modifier::none, Modifier::and_, Modifier::or_, Modifier::xor_}) {
    const unsigned shape = static_cast<unsigned>(random.word() % 4);  // p; p and an absent q; p|q; _|q
    const bool is_float = ptx::kind_of(compared.type) == 'f';
    std::vector<Value> sources(2);
    for (Value& source : sources) {
      source = {.bits = compared.bits, .lanes = is_float ? float_lanes(random, compared.type, compared.bits) : random.lanes(compared.bits)};
    }
    make_some_equal(random, sources[0].lanes, sources[1].lanes);
    if (random.word() % 4 == 0) sources[1].lanes.resize(1);
    const bool negated = random.word() % 2 != 0;
    if (join != Modifier::none) sources.push_back({.bits = 1, .lanes = random.lanes(1), .negated = negated});
    std::vector<Value> destinations{{.bits = 1, .sink = shape == 3}};
    if (shape != 0) destinations.push_back({.bits = 1, .absent = shape == 1});
    Machine machine;
    if (random.word() % 2 != 0) machine.active = {static_cast<u32>(random.word()), 0, kAllLanes};
    machine.guarded = random.word() % 3 == 0;
    for (u32& word : machine.guard) word = static_cast<u32>(random.word());
    REQUIRE(machine.run(level, {Operation::setp, with(relation.name, join, compared.flush), {compared.type}}, destinations, sources));
    for (unsigned i = 0; i < kThreads; ++i) {
      const u64 b = sources[1].lanes[sources[1].lanes.size() == 1 ? 0 : i];
      const bool t = holds(relation, compared.order(sources[0].lanes[i], b));
      const bool c = join != Modifier::none && (sources[2].lanes[i] != 0) != negated;
      const u64 old = cut(Machine::kOld, 1);
      INFO(ptx::name_of(compared.type), " ", ptx::name_of(relation.name), " ", sources[0].lanes[i], " ", b, " ", std::string(level.name));
      if (shape != 3) CHECK(machine.result(0, i) == (machine.runs(i) ? u64{joined(t, join, c)} : old));
      if (shape >= 2) CHECK(machine.result(1, i) == (machine.runs(i) ? u64{joined(!t, join, c)} : old));
    }
  }
}

std::vector<Compared> integers() {
  std::vector<Compared> all;
  for (const auto& [type, bits] : {std::pair{Type::u16, 16u}, {Type::u32, 32u}, {Type::u64, 64u}}) {
    all.push_back({type, bits, false, [](u64 a, u64 b) { return order_of(a, b); }});
  }
  for (const auto& [type, bits] : {std::pair{Type::s16, 16u}, {Type::s32, 32u}, {Type::s64, 64u}}) {
    const unsigned shift = 64 - bits;
    all.push_back({type, bits, false, [shift](u64 a, u64 b) {
                     return order_of(static_cast<s64>(a << shift), static_cast<s64>(b << shift));
                   }});
  }
  return all;
}

TEST_CASE("setp compares integers in their type's order, joins predicates and writes one or two of them") {
  Random random;
  for (const Level& level : levels()) {
    for (const Compared& compared : integers()) {
      for (const Relation& relation : kSignedRelations) check_setp(level, random, compared, relation);
      if (ptx::kind_of(compared.type) != 'u') continue;
      for (const Relation& relation : kUnsignedRelations) check_setp(level, random, compared, relation);
    }
    for (const auto& [type, bits] : {std::pair{Type::b16, 16u}, {Type::b32, 32u}, {Type::b64, 64u}}) {
      const Compared compared{type, bits, false, [](u64 a, u64 b) { return order_of(a, b); }};
      check_setp(level, random, compared, kSignedRelations[0]);
      check_setp(level, random, compared, kSignedRelations[1]);
    }
  }
}

TEST_CASE("setp compares floating-point numbers ordered and unordered; .ftz takes subnormal ones for zero") {
  Random random;
  for (const Level& level : levels()) {
    for (const Compared& compared : floats()) {
      for (const Relation& relation : kFloatRelations) check_setp(level, random, compared, relation);
    }
  }
}

TEST_CASE("ne with NaN is false, neu is true") {
  for (const Level& level : levels()) {
    for (const auto& [relation, expected] : {std::pair{Modifier::ne, 0u}, {Modifier::neu, 1u}, {Modifier::eq, 0u}, {Modifier::nan, 1u}}) {
      Machine machine;
      const std::vector<Value> sources{{.lanes = std::vector<u64>(kThreads, 0x7fc00000u)}, {.lanes = {0x3f800000u}}};
      REQUIRE(machine.run(level, {Operation::setp, {relation}, {Type::f32}}, {Value{.bits = 1}}, sources));
      CHECK(machine.result(0, 5) == expected);
    }
  }
}

TEST_CASE("setp of packed halves gives a predicate for each half") {
  Random random;
  for (const Level& level : levels()) {
    for (const auto& [type, half] : {std::pair{Type::f16x2, 1}, {Type::bf16x2, 3}, {Type::f16x2, 2}}) {
      const Compared compared = half == 3 ? floats()[5] : floats()[half == 1 ? 1 : 3];
      for (const Relation& relation : kFloatRelations) {
        std::vector<Value> sources(2);
        for (Value& source : sources) {
          source.lanes = float_lanes(random, type, 16);
          const std::vector<u64> upper = float_lanes(random, type, 16);
          for (unsigned i = 0; i < kThreads; ++i) source.lanes[i] |= upper[i] << 16;
        }
        make_some_equal(random, sources[0].lanes, sources[1].lanes);
        sources.push_back({.bits = 1, .lanes = random.lanes(1), .negated = true});
        Machine machine;
        REQUIRE(machine.run(level, {Operation::setp, with(relation.name, Modifier::and_, compared.flush), {type}},
                            {Value{.bits = 1}, Value{.bits = 1}}, sources));
        for (unsigned i = 0; i < kThreads; ++i) {
          for (unsigned upper : {0u, 1u}) {
            const int order = compared.order(sources[0].lanes[i] >> 16 * upper & 0xffffu, sources[1].lanes[i] >> 16 * upper & 0xffffu);
            CHECK(machine.result(upper, i) == u64{holds(relation, order) && sources[2].lanes[i] == 0});
          }
        }
      }
    }
  }
}

TEST_CASE("set writes all ones or 1.0 of its destination's type") {
  struct To {
    Type type;
    unsigned bits;
    u64 one;
  };
  Random random;
  for (const Level& level : levels()) {
    for (const To to : {To{Type::u32, 32, 0xffffffff}, To{Type::s32, 32, 0xffffffff}, To{Type::f32, 32, 0x3f800000},
                        To{Type::f16, 16, 0x3c00}, To{Type::bf16, 16, 0x3f80}, To{Type::u16, 16, 0xffff}, To{Type::s16, 16, 0xffff}}) {
      std::vector<Compared> all = floats();
      const std::vector<Compared> whole = integers();
      all.insert(all.end(), whole.begin(), whole.end());
      for (const Compared& compared : all) {
        for (const Modifier join : {Modifier::none, Modifier::xor_}) {
          std::vector<Value> sources{{.bits = compared.bits, .lanes = random.lanes(compared.bits)},
                                     {.bits = compared.bits, .lanes = random.lanes(compared.bits)}};
          make_some_equal(random, sources[0].lanes, sources[1].lanes);
          if (join != Modifier::none) sources.push_back({.bits = 1, .lanes = random.lanes(1)});
          Machine machine;
          machine.active[2] = static_cast<u32>(random.word());
          const Relation relation = kSignedRelations[3];
          REQUIRE(machine.run(level, {Operation::set, with(relation.name, join, compared.flush), {to.type, compared.type}},
                              {Value{.bits = to.bits}}, sources));
          for (unsigned i = 0; i < kThreads; ++i) {
            const bool t = holds(relation, compared.order(sources[0].lanes[i], sources[1].lanes[i]));
            const bool r = joined(t, join, sources.size() > 2 && sources[2].lanes[i] != 0);
            CHECK(machine.result(0, i) == (machine.runs(i) ? (r ? to.one : 0) : cut(Machine::kOld, to.bits)));
          }
        }
      }
    }
  }
}

TEST_CASE("set of packed halves writes both halves") {
  Random random;
  for (const Level& level : levels()) {
    for (const auto& [to, from, one] : {std::tuple{Type::f16x2, Type::f16x2, 0x3c00u}, {Type::bf16x2, Type::bf16x2, 0x3f80u},
                                        {Type::u32, Type::f16x2, 0xffffu}, {Type::s32, Type::bf16x2, 0xffffu}}) {
      const Compared compared = from == Type::f16x2 ? floats()[1] : floats()[5];
      std::vector<Value> sources{{.lanes = random.lanes(32)}, {.lanes = random.lanes(32)}};
      make_some_equal(random, sources[0].lanes, sources[1].lanes);
      Machine machine;
      const Relation relation = kFloatRelations[8];
      REQUIRE(machine.run(level, {Operation::set, {relation.name}, {to, from}}, {Value{}}, sources));
      for (unsigned i = 0; i < kThreads; ++i) {
        u64 expected = 0;
        for (const unsigned shift : {0u, 16u}) {
          const int order = compared.order(cut(sources[0].lanes[i] >> shift, 16), cut(sources[1].lanes[i] >> shift, 16));
          expected |= u64{holds(relation, order) ? one : 0u} << shift;
        }
        CHECK(machine.result(0, i) == expected);
      }
    }
  }
}

TEST_CASE("a guard that is also a destination is read before it is written") {
  // p and q are written where p was set; only lanes of the old p may change in q.
  for (const Level& level : levels()) {
    Machine machine;
    machine.guarded = true;
    machine.guard = {0xff, 0, kAllLanes};
    const std::vector<Value> sources{{.lanes = std::vector<u64>(kThreads, 1)}, {.lanes = {1}}};
    REQUIRE(machine.run(level, {Operation::setp, {Modifier::ne}, {Type::u32}},
                        {Value{.bits = 1, .guard = true}, Value{.bits = 1}}, sources));
    for (unsigned i = 0; i < kThreads; ++i) {
      const bool ran = i < 8 || i >= 64;
      CHECK(machine.result(0, i) == 0);
      CHECK(machine.result(1, i) == (ran ? 1 : cut(Machine::kOld, 1)));
    }
  }
}

TEST_CASE("selp takes the first value where the predicate, or its negation, holds") {
  for (const auto& [type, w] : {std::pair{Type::b16, 16u}, {Type::f32, 32u}, {Type::u64, 64u}}) {
    sweep({Operation::selp, {}, {type}}, w, {w, w, 1}, [](auto& s) { return s[2] != 0 ? s[0] : s[1]; });
  }
  for (const Level& level : levels()) {
    Machine machine;
    const std::vector<Value> sources{{.lanes = {7}}, {.lanes = {9}}, {.bits = 1, .lanes = std::vector<u64>(kThreads, 1), .negated = true}};
    REQUIRE(machine.run(level, {Operation::selp, {}, {Type::s32}}, {Value{}}, sources));
    CHECK(machine.result(0, 3) == 9);
  }
}

TEST_CASE("slct looks at a sign; -0 counts as zero, NaN selects the second value") {
  for (const auto& [type, w] : {std::pair{Type::s16, 16u}, {Type::b32, 32u}, {Type::f64, 64u}}) {
    sweep({Operation::slct, {}, {type, Type::s32}}, w, {w, w, 32}, [](auto& s) { return s[2] >> 31 == 0 ? s[0] : s[1]; });
    for (const bool flush : {false, true}) {
      sweep({Operation::slct, with(Modifier::none, Modifier::none, flush), {type, Type::f32}}, w, {w, w, 32}, [flush](auto& s) {
        return flushed(std::bit_cast<float>(static_cast<u32>(s[2])), flush) >= 0.0f ? s[0] : s[1];
      });
    }
  }
  const auto chosen = [](u64 c, bool flush) {
    return evaluate({Operation::slct, with(Modifier::none, Modifier::none, flush), {Type::u32, Type::f32}}, 32, {1, 2, c});
  };
  CHECK(chosen(0x80000000u, false) == 1);
  CHECK(chosen(0x7fc00000u, false) == 2);
  CHECK(chosen(0x80000001u, false) == 2);
  CHECK(chosen(0x80000001u, true) == 1);
  CHECK(chosen(0xff800000u, true) == 2);
}

}  // namespace
}  // namespace bascule::simt::test_integer
