// Bit counting, fields, reversal and dot products, bit by bit as the ISA's pseudo-code has them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/integer_fixture.hpp"

namespace bascule::simt::test_integer {
namespace {

bool bit(u64 value, u64 at) { return (value >> at & 1u) != 0; }

u64 highest(u64 a, unsigned width, bool is_signed) {
  if (is_signed && bit(a, width - 1)) a = ~a;
  for (int i = static_cast<int>(width) - 1; i >= 0; --i) {
    if (bit(a, static_cast<u64>(i))) return static_cast<u64>(i);
  }
  return 0xffffffffu;
}

TEST_CASE("popc, clz, brev and bfind in both widths") {
  for (const unsigned w : {32u, 64u}) {
    const std::vector<Type> b{w == 32 ? Type::b32 : Type::b64};
    sweep({Operation::popc, {}, b}, 32, {w}, [w](auto& s) {
      u64 count = 0;
      for (unsigned i = 0; i < w; ++i) count += bit(s[0], i) ? 1 : 0;
      return count;
    });
    sweep({Operation::clz, {}, b}, 32, {w}, [w](auto& s) {
      u64 count = 0;
      while (count < w && !bit(s[0], w - 1 - count)) ++count;
      return count;
    });
    sweep({Operation::brev, {}, b}, w, {w}, [w](auto& s) {
      u64 result = 0;
      for (unsigned i = 0; i < w; ++i) result |= bit(s[0], i) ? u64{1} << (w - 1 - i) : 0;
      return result;
    });
    for (const bool is_signed : {false, true}) {
      const std::vector<Type> t{w == 32 ? (is_signed ? Type::s32 : Type::u32) : is_signed ? Type::s64 : Type::u64};
      sweep({Operation::bfind, {}, t}, 32, {w}, [=](auto& s) { return highest(s[0], w, is_signed); });
      sweep({Operation::bfind, {Modifier::shiftamt}, t}, 32, {w}, [=](auto& s) {
        const u64 position = highest(s[0], w, is_signed);
        return position == 0xffffffffu ? position : w - 1 - position;
      });
    }
  }
}

// 8 bits of position and length count in the 32-bit forms; all 32 in the 64-bit ones, as NVIDIA's assembler folds them.
u64 field_part(u64 value, unsigned width) { return width == 32 ? value & 0xffu : value; }

TEST_CASE("bfe extracts, extends by the field's sign, and fills beyond the top with the sign") {
  for (const unsigned w : {32u, 64u}) {
    for (const bool is_signed : {false, true}) {
      const std::vector<Type> t{w == 32 ? (is_signed ? Type::s32 : Type::u32) : is_signed ? Type::s64 : Type::u64};
      sweep({Operation::bfe, {}, t}, w, {w, 32, 32}, [=](auto& s) {
        const u64 position = field_part(s[1], w);
        const u64 length = field_part(s[2], w);
        const u64 last = position + length - 1;
        const bool sign = is_signed && length != 0 && bit(s[0], last < w ? last : w - 1);
        u64 result = 0;
        for (u64 i = 0; i < w; ++i) {
          const bool inside = i < length && position + i < w;
          if (inside ? bit(s[0], position + i) : sign) result |= u64{1} << i;
        }
        return result;
      });
    }
  }
  const auto field = [](Type type, unsigned w, u64 a, u64 position, u64 length) {
    return evaluate({Operation::bfe, {}, {type}}, w, {{.bits = w, .lanes = {a}}, {.lanes = {position}}, {.lanes = {length}}});
  };
  CHECK(field(Type::u32, 32, 0xffffffff, 256, 4) == 0xf);
  CHECK(field(Type::u64, 64, ~u64{0}, 256, 4) == 0);
  CHECK(field(Type::s32, 32, 0x80000000, 33, 255) == 0xffffffff);
}

TEST_CASE("bfi inserts what fits") {
  for (const unsigned w : {32u, 64u}) {
    sweep({Operation::bfi, {}, {w == 32 ? Type::b32 : Type::b64}}, w, {w, w, 32, 32}, [w](auto& s) {
      const u64 position = field_part(s[2], w);
      const u64 length = field_part(s[3], w);
      u64 result = s[1];
      for (u64 i = 0; i < length && position + i < w; ++i) {
        const u64 mask = u64{1} << (position + i);
        result = bit(s[0], i) ? result | mask : result & ~mask;
      }
      return result;
    });
  }
}

TEST_CASE("bmsk and szext clamp or wrap widths and positions") {
  sweep({Operation::bmsk, {Modifier::clamp}, {Type::b32}}, 32, {32, 32}, [](auto& s) {
    u64 result = 0;
    for (u64 i = 0; i < s[1] && s[0] + i < 32; ++i) result |= u64{1} << (s[0] + i);
    return result;
  });
  sweep({Operation::bmsk, {Modifier::wrap}, {Type::b32}}, 32, {32, 32}, [](auto& s) {
    u64 result = 0;
    for (u64 i = 0; i < s[1] % 32 && s[0] % 32 + i < 32; ++i) result |= u64{1} << (s[0] % 32 + i);
    return result;
  });
  for (const bool is_signed : {false, true}) {
    for (const bool clamp : {false, true}) {
      const Named named{Operation::szext, {clamp ? Modifier::clamp : Modifier::wrap}, {is_signed ? Type::s32 : Type::u32}};
      sweep(named, 32, {32, 32}, [=](auto& s) {
        if (clamp && s[1] >= 32) return s[0];
        const u64 width = s[1] % 32;
        u64 result = 0;
        for (u64 i = 0; i < 32 && width != 0; ++i) {
          if (i < width ? bit(s[0], i) : is_signed && bit(s[0], width - 1)) result |= u64{1} << i;
        }
        return result;
      });
    }
  }
}

TEST_CASE("fns finds the n-th set bit in either direction") {
  sweep({Operation::fns, {}, {Type::b32}}, 32, {32, 32, 32}, [](auto& s) -> u64 {
    const auto offset = static_cast<s64>(static_cast<s32>(s[2]));
    if (s[1] > 31) return 0xffffffffu;
    if (offset == 0) return bit(s[0], s[1]) ? s[1] : 0xffffffffu;
    s64 left = offset < 0 ? -offset : offset;
    for (s64 at = static_cast<s64>(s[1]); at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
      if (bit(s[0], static_cast<u64>(at)) && --left == 0) return static_cast<u64>(at);
    }
    return 0xffffffffu;
  });
  CHECK(evaluate({Operation::fns, {}, {Type::b32}}, 32, {0xffffffff, 3, static_cast<u64>(-2)}) == 2);
  CHECK(evaluate({Operation::fns, {}, {Type::b32}}, 32, {0x80000001, 0, 2}) == 31);
}

s64 part(u64 value, unsigned index, unsigned width, bool is_signed) {
  const u64 plain = cut(value >> (index * width), width);
  return is_signed && bit(plain, width - 1) ? static_cast<s64>(plain) - (s64{1} << width) : static_cast<s64>(plain);
}

TEST_CASE("dp4a and dp2a take each operand's bytes by that operand's sign") {
  for (const bool signed_a : {false, true}) {
    for (const bool signed_b : {false, true}) {
      const std::vector<Type> types{signed_a ? Type::s32 : Type::u32, signed_b ? Type::s32 : Type::u32};
      sweep({Operation::dp4a, {}, types}, 32, {32, 32, 32}, [=](auto& s) {
        s64 sum = static_cast<s64>(s[2]);
        for (unsigned i = 0; i < 4; ++i) sum += part(s[0], i, 8, signed_a) * part(s[1], i, 8, signed_b);
        return static_cast<u64>(sum);
      });
      for (const bool high : {false, true}) {
        sweep({Operation::dp2a, {high ? Modifier::hi : Modifier::lo}, types}, 32, {32, 32, 32}, [=](auto& s) {
          s64 sum = static_cast<s64>(s[2]);
          for (unsigned i = 0; i < 2; ++i) sum += part(s[0], i, 16, signed_a) * part(s[1], i + (high ? 2 : 0), 8, signed_b);
          return static_cast<u64>(sum);
        });
      }
    }
  }
}

}  // namespace
}  // namespace bascule::simt::test_integer
