// Bitwise operations, shifts, lop3, prmt and the logic of predicates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/integer_fixture.hpp"

namespace bascule::simt::test_integer {
namespace {

TEST_CASE("and, or, xor, not and cnot in every width") {
  for (const auto& [type, w] : {std::pair{Type::b16, 16u}, {Type::b32, 32u}, {Type::b64, 64u}}) {
    sweep({Operation::and_, {}, {type}}, w, {w, w}, [](auto& s) { return s[0] & s[1]; });
    sweep({Operation::or_, {}, {type}}, w, {w, w}, [](auto& s) { return s[0] | s[1]; });
    sweep({Operation::xor_, {}, {type}}, w, {w, w}, [](auto& s) { return s[0] ^ s[1]; });
    sweep({Operation::not_, {}, {type}}, w, {w}, [](auto& s) { return ~s[0]; });
    sweep({Operation::cnot, {}, {type}}, w, {w}, [](auto& s) { return u64{s[0] == 0}; });
  }
}

TEST_CASE("shifts by the width and more shift everything out") {
  for (const auto& [type, w, is_signed] :
       {std::tuple{Type::b16, 16u, false}, {Type::u32, 32u, false}, {Type::b64, 64u, false}, {Type::s16, 16u, true},
        {Type::s32, 32u, true}, {Type::s64, 64u, true}}) {
    const auto w_ = w;
    const auto is_signed_ = is_signed;
    sweep({Operation::shr, {}, {type}}, w, {w, 32}, [=](auto& s) {
      const bool negative = is_signed_ && (s[0] >> (w_ - 1) & 1u) != 0;
      const u64 fill = negative ? ~u64{0} : 0;
      if (s[1] >= w_) return fill;
      return s[1] == 0 ? s[0] : s[0] >> s[1] | fill << (w_ - s[1]);
    });
    if (!is_signed) {
      sweep({Operation::shl, {}, {type}}, w, {w, 32}, [=](auto& s) { return s[1] >= w_ ? 0 : s[0] << s[1]; });
    }
  }
}

TEST_CASE("funnel shifts clamp or wrap their amount") {
  for (const bool left : {false, true}) {
    for (const bool clamp : {false, true}) {
      const Named named{Operation::shf, {left ? Modifier::l : Modifier::r, clamp ? Modifier::clamp : Modifier::wrap}, {Type::b32}};
      sweep(named, 32, {32, 32, 32}, [=](auto& s) {
        const u64 n = clamp ? std::min<u64>(s[2], 32) : s[2] % 32;
        const u64 both = s[1] << 32 | s[0];
        if (!left) return both >> n;
        return n == 32 ? s[0] : both << n >> 32;
      });
    }
  }
}

u64 by_table(u64 table, u64 a, u64 b, u64 c) {
  u64 result = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const u64 row = (a >> i & 1u) << 2 | (b >> i & 1u) << 1 | (c >> i & 1u);
    result |= (table >> row & 1u) << i;
  }
  return result;
}

TEST_CASE("lop3 evaluates every truth table") {
  Random random;
  for (u64 table = 0; table < 256; ++table) {
    INFO("table ", table);
    for (const Level& level : levels()) {
      std::vector<Value> sources(3);
      for (Value& source : sources) source.lanes = random.lanes(32);
      sources.push_back({.lanes = {table}});
      Machine machine;
      REQUIRE(machine.run(level, {Operation::lop3, {}, {Type::b32}}, {Value{}}, sources));
      bool right = true;
      for (unsigned i = 0; i < kThreads; ++i) {
        right &= machine.result(0, i) == by_table(table, sources[0].lanes[i], sources[1].lanes[i], sources[2].lanes[i]);
      }
      CHECK(right);
    }
  }
  // The loops of their own and the general one, laid out in every way.
  for (const u64 table : {0x96u, 0xe8u, 0xcau, 0x80u, 0xfeu, 0xeau, 0xa8u, 0x6au, 0x28u, 0xc0u, 0xfcu, 0x3cu, 0x1bu}) {
    Machine machine;
    std::vector<Value> sources(3);
    for (Value& source : sources) source.lanes = random.lanes(32);
    sources.push_back({.lanes = {table}});
    machine.active = {0x55aa0ff0u, 0, kAllLanes};
    for (const Level& level : levels()) {
      REQUIRE(machine.run(level, {Operation::lop3, {}, {Type::b32}}, {Value{.in_place_of = 1}}, sources));
      for (unsigned i = 0; i < kThreads; ++i) {
        const u64 expected = machine.runs(i) ? by_table(table, sources[0].lanes[i], sources[1].lanes[i], sources[2].lanes[i])
                                             : sources[1].lanes[i];
        CHECK(machine.result(0, i) == expected);
      }
    }
  }
}

TEST_CASE("lop3 with .or and .and also says whether the result, joined with a predicate, is not zero") {
  Random random;
  for (const Level& level : levels()) {
    for (const Modifier join : {Modifier::or_, Modifier::and_}) {
      for (const bool negated : {false, true}) {
        for (const bool sink : {false, true}) {
          std::vector<Value> sources(3);
          for (Value& source : sources) source.lanes = random.lanes(32);
          for (u64& value : sources[2].lanes) value = random.word() % 2;
          sources.push_back({.lanes = {0x80}});
          sources.push_back({.bits = 1, .lanes = random.lanes(1), .negated = negated});
          Machine machine;
          machine.active[1] = 0x0ff0a5a5u;
          REQUIRE(machine.run(level, {Operation::lop3, {join}, {Type::b32}}, {Value{.sink = sink}, Value{.bits = 1}}, sources));
          for (unsigned i = 0; i < kThreads; ++i) {
            const u64 d = sources[0].lanes[i] & sources[1].lanes[i] & sources[2].lanes[i];
            const bool q = (sources[4].lanes[i] != 0) != negated;
            const bool p = join == Modifier::or_ ? d != 0 || q : d != 0 && q;
            CHECK(machine.result(1, i) == (machine.runs(i) ? u64{p} : cut(Machine::kOld, 1)));
            if (!sink) CHECK(machine.result(0, i) == (machine.runs(i) ? d : cut(Machine::kOld, 32)));
          }
        }
      }
    }
  }
}

struct Mode {
  Modifier name;
  std::array<std::array<unsigned, 4>, 4> bytes;  // by selector: sources of bytes 3, 2, 1, 0, as the ISA's table has them
};
constexpr Mode kModes[] = {
    {Modifier::f4e, {{{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}}},
    {Modifier::b4e, {{{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}}},
    {Modifier::rc8, {{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}}},
    {Modifier::ecl, {{{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}}},
    {Modifier::ecr, {{{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}}},
    {Modifier::rc16, {{{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}},
};

TEST_CASE("prmt picks bytes by its seven modes, and only the generic one replicates signs") {
  const auto generic = [](auto& s) {
    const u64 bytes = s[1] << 32 | s[0];
    u64 result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const u64 selector = s[2] >> (4 * i) & 0xfu;
      u64 byte = bytes >> (8 * (selector & 7u)) & 0xffu;
      if ((selector & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xff : 0;
      result |= byte << (8 * i);
    }
    return result;
  };
  for (int round = 0; round < 8; ++round) sweep({Operation::prmt, {}, {Type::b32}}, 32, {32, 32, 32}, generic);
  for (const Mode& mode : kModes) {
    for (int round = 0; round < 4; ++round) {
      sweep({Operation::prmt, {mode.name}, {Type::b32}}, 32, {32, 32, 32}, [&](auto& s) {
        const u64 bytes = s[1] << 32 | s[0];
        u64 result = 0;
        for (unsigned i = 0; i < 4; ++i) result |= (bytes >> (8 * mode.bytes[s[2] % 4][3 - i]) & 0xffu) << (8 * i);
        return result;
      });
    }
  }
  CHECK(evaluate({Operation::prmt, {}, {Type::b32}}, 32, {0x33221180, 0x77665544, 0x8888}) == 0xffffffff);
  CHECK(evaluate({Operation::prmt, {Modifier::b4e}, {Type::b32}}, 32, {0x33221100, 0x77665544, 5}) == 0x66770011);
}

TEST_CASE("predicates are joined, and negated as operands") {
  Random random;
  for (const Level& level : levels()) {
    for (const Operation operation : {Operation::and_, Operation::or_, Operation::xor_, Operation::not_}) {
      for (unsigned negated = 0; negated < 4; ++negated) {
        std::vector<Value> sources{{.bits = 1, .lanes = random.lanes(1), .negated = (negated & 1u) != 0}};
        if (operation != Operation::not_) {
          sources.push_back({.bits = 1, .lanes = random.lanes(1), .negated = (negated & 2u) != 0});
        }
        Machine machine;
        machine.active[0] = static_cast<u32>(random.word());
        REQUIRE(machine.run(level, {operation, {}, {Type::pred}}, {Value{.bits = 1}}, sources));
        for (unsigned i = 0; i < kThreads; ++i) {
          const bool a = (sources[0].lanes[i] != 0) != sources[0].negated;
          const bool b = sources.size() > 1 && (sources[1].lanes[i] != 0) != sources[1].negated;
          const bool expected = operation == Operation::and_  ? a && b
                                : operation == Operation::or_ ? a || b
                                : operation == Operation::xor_ ? a != b
                                                               : !a;
          CHECK(machine.result(0, i) == (machine.runs(i) ? u64{expected} : cut(Machine::kOld, 1)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace bascule::simt::test_integer
