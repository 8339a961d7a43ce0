// Kernels that use every comparison of every type: set must write what setp says, with predicates joined in or not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "backends/simt/execute/test_engine.hpp"

namespace bascule::simt::test {
namespace {

struct Source {
  const char* type;
  unsigned bits;
  bool is_float;
  bool ordered;  // has more than eq and ne
  bool unsigned_names;
  bool flush;    // has .ftz
  bool half;     // f16, bf16
};
constexpr Source kSources[] = {
    {"b16", 16, false, false, false, false, false}, {"b32", 32, false, false, false, false, false},
    {"b64", 64, false, false, false, false, false}, {"u16", 16, false, true, true, false, false},
    {"u32", 32, false, true, true, false, false},   {"u64", 64, false, true, true, false, false},
    {"s16", 16, false, true, false, false, false},  {"s32", 32, false, true, false, false, false},
    {"s64", 64, false, true, false, false, false},  {"f32", 32, true, true, false, true, false},
    {"f64", 64, true, true, false, false, false},   {"f16", 16, true, true, false, true, true},
    {"bf16", 16, true, true, false, false, true},
};

struct Target {
  const char* type;
  unsigned bits;
  const char* one;
};
constexpr Target kWide[] = {{"u32", 32, "0xffffffff"}, {"s32", 32, "0xffffffff"}, {"f32", 32, "0x3f800000"}};
constexpr Target kOfHalves[] = {{"u16", 16, "0xffff"}, {"s16", 16, "0xffff"}, {"u32", 32, "0xffffffff"}, {"s32", 32, "0xffffffff"}};
constexpr Target kF16 = {"f16", 16, "0x3c00"};
constexpr Target kBf16 = {"bf16", 16, "0x3f80"};

std::vector<std::string> comparisons(const Source& source) {
  std::vector<std::string> names{"eq", "ne"};
  if (source.ordered) names.insert(names.end(), {"lt", "le", "gt", "ge"});
  if (source.unsigned_names) names.insert(names.end(), {"lo", "ls", "hi", "hs"});
  if (source.is_float) names.insert(names.end(), {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
  return names;
}

std::vector<Target> targets(const Source& source) {
  std::vector<Target> all;
  const std::string type = source.type;
  if (source.half) {
    all.assign(std::begin(kOfHalves), std::end(kOfHalves));
    if (type == "f16") all.push_back(kF16);
    all.push_back(kBf16);
  } else {
    all.assign(std::begin(kWide), std::end(kWide));
    all.push_back(kF16);
    all.push_back(kBf16);
  }
  return all;
}

std::string reg(const Source& source, char which) {
  const char* const prefix = source.bits == 16 ? "%h" : source.bits == 32 ? "%r" : "%d";
  return std::string(prefix) + (which == 'a' ? "1" : "2");
}

/// One set against the setp before it; differences are counted in %r5.
std::string check(const Source& source, const std::string& name, const Target& target, bool flush, const std::string& joined) {
  const bool half_target = target.bits == 16;
  const std::string result = half_target ? "%h5" : "%r6";
  const std::string wanted = half_target ? "%h6" : "%r7";
  const std::string bits = half_target ? "b16" : "b32";
  std::string text = "set." + name + (flush ? ".ftz." : ".") + target.type + "." + source.type + " " + result + ", " +
                     reg(source, 'a') + ", " + reg(source, 'b') + joined + ";\n";
  text += "selp." + bits + " " + wanted + ", " + target.one + ", 0, %p1;\n";
  text += "setp.ne." + bits + " %p3, " + result + ", " + wanted + ";\n@%p3 add.u32 %r5, %r5, 1;\n";
  return text;
}

std::string kernel(const Source& source) {
  const std::string bytes = std::to_string(source.bits / 8);
  const std::string load = "ld.global.b" + std::to_string(source.bits) + " ";
  std::string text = std::string(".visible .entry of_") + source.type +
                     "(.param .u64 a, .param .u64 b, .param .u64 out) {\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<10>; "
                     ".reg .b64 %d<10>;\nld.param.u64 %d5, [a];\nld.param.u64 %d6, [b];\nld.param.u64 %d7, [out];\n"
                     "mov.u32 %r3, %tid.x;\nmov.u32 %r5, 0;\nmov.u32 %r8, 0;\nand.b32 %r4, %r3, 1;\nsetp.eq.u32 %p2, %r4, 0;\n";
  text += "mad.wide.u32 %d5, %r3, " + bytes + ", %d5;\nmad.wide.u32 %d6, %r3, " + bytes + ", %d6;\n";
  text += load + reg(source, 'a') + ", [%d5];\n" + load + reg(source, 'b') + ", [%d6];\n";
  for (const std::string& comparison : comparisons(source)) {
    for (const bool flush : {false, true}) {
      if (flush && !source.flush) continue;
      for (const std::string join : {"", ".and", ".or", ".xor"}) {
        const std::string joined = join.empty() ? "" : ", !%p2";
        const std::string name = comparison + join;
        text += "setp." + name + (flush ? ".ftz." : ".") + source.type + " %p1, " + reg(source, 'a') + ", " + reg(source, 'b') +
                joined + ";\n@%p1 add.u32 %r8, %r8, 1;\n";
        for (const Target& target : targets(source)) {
          if (flush && std::string(target.type) == "bf16") continue;
          text += check(source, name, target, flush, joined);
        }
      }
    }
  }
  return text + "mad.wide.u32 %d7, %r3, 8, %d7;\nst.global.u32 [%d7], %r5;\nst.global.u32 [%d7+4], %r8;\nret;\n}\n";
}

/// Pairs that are less, equal, greater and, for floating point, not numbers, subnormal, zero with either sign.
std::uint64_t value_of(const Source& source, unsigned index) {
  static const std::map<std::string, std::vector<std::uint64_t>> kFloats = {
      {"f32", {0x3f800000, 0xbf800000, 0, 0x80000000, 1, 0x80000001, 0x7fc00000, 0x7f800000}},
      {"f64", {0x3ff0000000000000, 0xbff0000000000000, 0, 0x8000000000000000, 1, 0x8000000000000001, 0x7ff8000000000000,
               0x7ff0000000000000}},
      {"f16", {0x3c00, 0xbc00, 0, 0x8000, 1, 0x8001, 0x7e00, 0x7c00}},
      {"bf16", {0x3f80, 0xbf80, 0, 0x8000, 1, 0x8001, 0x7fc0, 0x7f80}},
  };
  static const std::vector<std::uint64_t> kIntegers = {0, 1, ~std::uint64_t{0}, 0x7fff, 0x8000, 0x80000000, 0x7fffffff,
                                                       0x8000000000000000};
  const auto found = kFloats.find(source.type);
  return (found == kFloats.end() ? kIntegers : found->second)[index % 8];
}

TEST_CASE("set writes for every comparison of every type what setp says, and both have both outcomes") {
  for (const Source& source : kSources) {
    INFO(source.type);
    Engine engine(kernel(source));
    REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
    std::vector<std::byte> a(64 * 8), b(64 * 8);
    for (unsigned i = 0; i < 64; ++i) {
      const std::uint64_t x = value_of(source, i), y = value_of(source, i / 8);
      std::memcpy(a.data() + std::size_t{i} * source.bits / 8, &x, source.bits / 8);
      std::memcpy(b.data() + std::size_t{i} * source.bits / 8, &y, source.bits / 8);
    }
    struct Counts {
      std::uint32_t different, held;
    };
    std::vector<Counts> out(64, Counts{99, 99});
    const Outcome outcome =
        engine.run(std::string("of_") + source.type, {.block = {64, 1, 1}}, Arguments(a.data(), b.data(), out.data()));
    REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
    const std::size_t every = comparisons(source).size() * 4 * (source.flush ? 2 : 1);
    for (unsigned i = 0; i < 64; ++i) {
      INFO("pair ", i % 8, " ", i / 8);
      CHECK(out[i].different == 0);
      CHECK(out[i].held > 0);
      CHECK(out[i].held < every);
    }
  }
}

}  // namespace
}  // namespace bascule::simt::test
