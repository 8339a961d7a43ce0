// Carry chains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/integer_fixture.hpp"

namespace bascule::simt::test_integer {
namespace {

using Wide = unsigned __int128;

struct Form {
  Operation operation;
  std::vector<Modifier> modifiers;
  bool reads;
  bool writes;
  bool subtracts;
  bool product;
};

Wide signed_value(u64 x, unsigned w) { return (x >> (w - 1) & 1u) != 0 ? Wide{x} - (Wide{1} << w) : Wide{x}; }

/// What is added to the last operand, or subtracted from.
u64 addend(const Form& form, Type type, unsigned w, u64 a, u64 b) {
  if (!form.product) return a;
  const bool is_signed = ptx::kind_of(type) == 's';
  const Wide product = is_signed ? signed_value(a, w) * signed_value(b, w) : Wide{a} * Wide{b};
  const bool high = form.modifiers.front() == Modifier::hi;
  return cut(static_cast<u64>(high ? product >> w : product), w);
}

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const bool writes : {false, true}) {
    const std::vector<Modifier> cc = writes ? std::vector{Modifier::cc} : std::vector<Modifier>{};
    all.push_back({Operation::addc, cc, true, writes, false, false});
    all.push_back({Operation::subc, cc, true, writes, true, false});
    if (writes) all.push_back({Operation::add, cc, false, true, false, false});
    if (writes) all.push_back({Operation::sub, cc, false, true, true, false});
    for (const Modifier part : {Modifier::lo, Modifier::hi}) {
      std::vector<Modifier> modifiers{part};
      modifiers.insert(modifiers.end(), cc.begin(), cc.end());
      all.push_back({Operation::madc, modifiers, true, writes, false, true});
      if (writes) all.push_back({Operation::mad, modifiers, false, true, false, true});
    }
  }
  return all;
}

void check_form(const Form& form, Type type) {
  const unsigned w = ptx::bits_of(type);
  Random random;
  for (const Level& level : levels()) {
    INFO(ptx::name_of(form.operation), " ", ptx::name_of(type), " at ", std::string(level.name));
    for (int round = 0; round < 4; ++round) {
      std::vector<Value> sources(form.product ? 3 : 2);
      for (Value& source : sources) source = {.bits = w, .lanes = random.lanes(w)};
      if (round == 1) sources.back().lanes.resize(1);
      Machine machine;
      for (u32& word : machine.carry) word = static_cast<u32>(random.word());
      if (round == 2) machine.active = {0x0f0f3355u, 0, 0x80000001u};
      const auto before = machine.carry;
      REQUIRE(machine.run(level, {form.operation, form.modifiers, {type}}, {Value{.bits = w, .in_place_of = round == 3 ? 0 : -1}},
                          sources));
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        const auto value = [&](std::size_t i) { return sources[i].lanes[sources[i].lanes.size() == 1 ? 0 : thread]; };
        const bool flag = (before[thread / kLanes] >> thread % kLanes & 1u) != 0;
        const bool flag_after = (machine.carry[thread / kLanes] >> thread % kLanes & 1u) != 0;
        if (!machine.runs(thread)) {
          CHECK(machine.result(0, thread) == cut(Machine::kOld, w));
          CHECK(flag_after == flag);
          continue;
        }
        const u64 x = addend(form, type, w, value(0), value(1));
        const u64 y = value(form.product ? 2 : 1);
        // A borrow is a carry that is not set.
        const Wide full = form.subtracts ? Wide{x} - y - (form.reads && !flag ? 1 : 0) : Wide{x} + y + (form.reads && flag ? 1 : 0);
        CHECK(machine.result(0, thread) == cut(static_cast<u64>(full), w));
        const bool carry = ((full >> w & 1u) != 0) != form.subtracts;
        CHECK(flag_after == (form.writes ? carry : flag));
      }
    }
  }
}

TEST_CASE("carries are read and written lane by lane, in both widths and by every operation that has them") {
  for (const Form& form : forms()) {
    for (const Type type : {Type::u32, Type::s32, Type::u64, Type::s64}) check_form(form, type);
  }
}

TEST_CASE("sums and differences without carry leave the flag alone") {
  for (const Level& level : levels()) {
    for (const Operation operation : {Operation::add, Operation::sub}) {
      Machine machine;
      machine.carry = {1, 2, 3};
      std::vector<Value> sources(2, Value{.lanes = std::vector<u64>(kThreads, 0xffffffffu)});
      REQUIRE(machine.run(level, {operation, {}, {Type::u32}}, {Value{}}, sources));
      CHECK(machine.carry == std::array<u32, kWarps>{1, 2, 3});
    }
  }
}

}  // namespace
}  // namespace bascule::simt::test_integer
