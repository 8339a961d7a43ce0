// Integer arithmetic against plain 128-bit arithmetic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "backends/simt/operations/integer_fixture.hpp"

namespace bascule::simt::test_integer {
namespace {

using Wide = __int128;

struct Form {
  Type type;
  unsigned bits;
  bool is_signed;
};
constexpr Form kForms[] = {{Type::u16, 16, false}, {Type::u32, 32, false}, {Type::u64, 64, false},
                           {Type::s16, 16, true},  {Type::s32, 32, true},  {Type::s64, 64, true}};

Wide number(u64 value, unsigned bits, bool is_signed) {
  const Wide plain = static_cast<Wide>(cut(value, bits));
  return is_signed && (value >> (bits - 1) & 1u) != 0 ? plain - (static_cast<Wide>(1) << bits) : plain;
}
Wide clamped_32(Wide x) { return std::clamp<Wide>(x, -(Wide{1} << 31), (Wide{1} << 31) - 1); }
u64 low(Wide x) { return static_cast<u64>(x); }

TEST_CASE("sums, differences, products and their halves wrap in every width") {
  for (const Form form : kForms) {
    const auto n = [form](u64 x) { return number(x, form.bits, form.is_signed); };
    const unsigned w = form.bits;
    const std::vector<Type> t{form.type};
    sweep({Operation::add, {}, t}, w, {w, w}, [&](auto& s) { return low(n(s[0]) + n(s[1])); });
    sweep({Operation::sub, {}, t}, w, {w, w}, [&](auto& s) { return low(n(s[0]) - n(s[1])); });
    const auto product = [&](auto& s) {
      // 128 bits hold u64 products only without a sign: their upper half is the same bits
      return static_cast<unsigned __int128>(n(s[0])) * static_cast<unsigned __int128>(n(s[1]));
    };
    const auto high = [&](auto& s) { return static_cast<u64>(product(s) >> w); };
    sweep({Operation::mul, {Modifier::lo}, t}, w, {w, w}, [&](auto& s) { return static_cast<u64>(product(s)); });
    sweep({Operation::mul, {Modifier::hi}, t}, w, {w, w}, high);
    sweep({Operation::mad, {Modifier::lo}, t}, w, {w, w, w}, [&](auto& s) { return static_cast<u64>(product(s)) + s[2]; });
    sweep({Operation::mad, {Modifier::hi}, t}, w, {w, w, w}, [&](auto& s) { return high(s) + s[2]; });
    if (w == 64) continue;
    sweep({Operation::mul, {Modifier::wide}, t}, 2 * w, {w, w}, [&](auto& s) { return static_cast<u64>(product(s)); });
    sweep({Operation::mad, {Modifier::wide}, t}, 2 * w, {w, w, 2 * w},
          [&](auto& s) { return static_cast<u64>(product(s)) + s[2]; });
  }
}

TEST_CASE("absolute differences, minimum and maximum follow the type's order; magnitudes and negation wrap") {
  for (const Form form : kForms) {
    const auto n = [form](u64 x) { return number(x, form.bits, form.is_signed); };
    const unsigned w = form.bits;
    const std::vector<Type> t{form.type};
    sweep({Operation::sad, {}, t}, w, {w, w, w},
          [&](auto& s) { return low(n(s[2]) + std::max(n(s[0]), n(s[1])) - std::min(n(s[0]), n(s[1]))); });
    sweep({Operation::min, {}, t}, w, {w, w}, [&](auto& s) { return low(std::min(n(s[0]), n(s[1]))); });
    sweep({Operation::max, {}, t}, w, {w, w}, [&](auto& s) { return low(std::max(n(s[0]), n(s[1]))); });
    if (!form.is_signed) continue;
    sweep({Operation::abs, {}, t}, w, {w}, [&](auto& s) { return low(n(s[0]) < 0 ? -n(s[0]) : n(s[0])); });
    sweep({Operation::neg, {}, t}, w, {w}, [&](auto& s) { return low(-n(s[0])); });
  }
}

TEST_CASE("saturation holds at the ends of s32") {
  const auto n = [](u64 x) { return number(x, 32, true); };
  const std::vector<Type> s32_type{Type::s32};
  sweep({Operation::add, {Modifier::sat}, s32_type}, 32, {32, 32}, [&](auto& s) { return low(clamped_32(n(s[0]) + n(s[1]))); });
  sweep({Operation::sub, {Modifier::sat}, s32_type}, 32, {32, 32}, [&](auto& s) { return low(clamped_32(n(s[0]) - n(s[1]))); });
  sweep({Operation::mad, {Modifier::hi, Modifier::sat}, s32_type}, 32, {32, 32, 32},
        [&](auto& s) { return low(clamped_32((n(s[0]) * n(s[1]) >> 32) + n(s[2]))); });
  CHECK(evaluate({Operation::add, {Modifier::sat}, s32_type}, 32, {0x7fffffff, 1}) == 0x7fffffff);
  CHECK(evaluate({Operation::sub, {Modifier::sat}, s32_type}, 32, {0x80000000, 1}) == 0x80000000);
}

TEST_CASE("mul24 and mad24 look at 24 bits; .hi is bits 47 to 16 of the product") {
  for (const bool is_signed : {false, true}) {
    const std::vector<Type> t{is_signed ? Type::s32 : Type::u32};
    const auto product = [is_signed](auto& s) { return number(s[0], 24, is_signed) * number(s[1], 24, is_signed); };
    sweep({Operation::mul24, {Modifier::lo}, t}, 32, {32, 32}, [&](auto& s) { return low(product(s)); });
    sweep({Operation::mul24, {Modifier::hi}, t}, 32, {32, 32}, [&](auto& s) { return low(product(s) >> 16); });
    sweep({Operation::mad24, {Modifier::lo}, t}, 32, {32, 32, 32}, [&](auto& s) { return low(product(s)) + s[2]; });
    sweep({Operation::mad24, {Modifier::hi}, t}, 32, {32, 32, 32}, [&](auto& s) { return low(product(s) >> 16) + s[2]; });
  }
  sweep({Operation::mad24, {Modifier::hi, Modifier::sat}, {Type::s32}}, 32, {32, 32, 32}, [](auto& s) {
    const Wide high = number(low(number(s[0], 24, true) * number(s[1], 24, true) >> 16), 32, true);
    return low(clamped_32(high + number(s[2], 32, true)));
  });
  // As NVIDIA's assembler folds it.
  CHECK(evaluate({Operation::mul24, {Modifier::hi}, {Type::u32}}, 32, {0xffffffff, 0xffffffff}) == 0xfffffe00);
  CHECK(evaluate({Operation::mul24, {Modifier::lo}, {Type::u32}}, 32, {0xffffffff, 0xffffffff}) == 0xfe000001);
}

TEST_CASE("packed halves are computed apart from each other") {
  for (const bool is_signed : {false, true}) {
    const std::vector<Type> t{is_signed ? Type::s16x2 : Type::u16x2};
    const auto halves = [is_signed](auto f) {
      return [is_signed, f](const std::vector<u64>& s) {
        u64 result = 0;
        for (unsigned shift = 0; shift < 32; shift += 16) {
          const auto n = [&](u64 x) { return number(cut(x >> shift, 16), 16, is_signed); };
          result |= cut(low(f(n(s[0]), n(s[1]))), 16) << shift;
        }
        return result;
      };
    };
    const auto least = [](Wide a, Wide b) { return std::min(a, b); };
    const auto most = [](Wide a, Wide b) { return std::max(a, b); };
    sweep({Operation::add, {}, t}, 32, {32, 32}, halves([](Wide a, Wide b) { return a + b; }));
    sweep({Operation::min, {}, t}, 32, {32, 32}, halves(least));
    sweep({Operation::max, {}, t}, 32, {32, 32}, halves(most));
    if (!is_signed) continue;
    sweep({Operation::min, {Modifier::relu}, t}, 32, {32, 32}, halves([](Wide a, Wide b) { return std::max<Wide>(std::min(a, b), 0); }));
    sweep({Operation::max, {Modifier::relu}, t}, 32, {32, 32}, halves([](Wide a, Wide b) { return std::max({a, b, Wide{0}}); }));
  }
  const auto n = [](u64 x) { return number(x, 32, true); };
  sweep({Operation::min, {Modifier::relu}, {Type::s32}}, 32, {32, 32},
        [&](auto& s) { return low(std::max<Wide>(std::min(n(s[0]), n(s[1])), 0)); });
  sweep({Operation::max, {Modifier::relu}, {Type::s32}}, 32, {32, 32},
        [&](auto& s) { return low(std::max({n(s[0]), n(s[1]), Wide{0}})); });
}

TEST_CASE("division cuts towards zero, and neither 0 nor -1 as divisor traps") {
  for (const Form form : kForms) {
    const auto n = [form](u64 x) { return number(x, form.bits, form.is_signed); };
    const unsigned w = form.bits;
    sweep({Operation::div, {}, {form.type}}, w, {w, w}, [&](auto& s) { return n(s[1]) == 0 ? ~u64{0} : low(n(s[0]) / n(s[1])); });
    sweep({Operation::rem, {}, {form.type}}, w, {w, w}, [&](auto& s) { return n(s[1]) == 0 ? ~u64{0} : low(n(s[0]) % n(s[1])); });
  }
  // What the ISA leaves open is what NVIDIA's assembler folds it to.
  CHECK(evaluate({Operation::div, {}, {Type::s32}}, 32, {7, 0}) == 0xffffffff);
  CHECK(evaluate({Operation::rem, {}, {Type::u32}}, 32, {7, 0}) == 0xffffffff);
  CHECK(evaluate({Operation::div, {}, {Type::s32}}, 32, {0x80000000, 0xffffffff}) == 0x80000000);
  CHECK(evaluate({Operation::rem, {}, {Type::s64}}, 64, {u64{1} << 63, ~u64{0}}) == 0);
}

TEST_CASE("16-bit arithmetic wraps at 16 bits") {
  CHECK(evaluate({Operation::add, {}, {Type::u16}}, 16, {0xffff, 1}) == 0);
  CHECK(evaluate({Operation::mul, {Modifier::lo}, {Type::u16}}, 16, {0xffff, 0xffff}) == 1);
  CHECK(evaluate({Operation::neg, {}, {Type::s16}}, 16, {0x8000}) == 0x8000);
  CHECK(evaluate({Operation::sub, {}, {Type::s16}}, 16, {0x8000, 1}) == 0x7fff);
}

}  // namespace
}  // namespace bascule::simt::test_integer
