// ISA 9.7.13: what atom and red compute, each thread on memory of its own: $a is there before, $d is what atom returns, $e what
// is there afterwards. Contention is another test's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/arithmetic.hpp"

namespace bascule::ptx_models {
namespace {

struct Place {
  const char* space;
  const char* address;
  bool global;
};
constexpr Place kPlaces[] = {{".global", "%cell", true}, {"", "%cell", true}, {".shared", "%shared", false}, {"", "%generic_shared", false}};

using Update = std::function<Expected(std::uint64_t old, std::uint64_t b, std::uint64_t c, bool global)>;

Expected exactly(std::uint64_t bits) {
  Expected result;
  result = bits;
  return result;
}

struct Atomic {
  std::string operation;  // "add.u32", "add.noftz.f16"
  int width;
  Values values;
  Update update;
  const Format* nan = nullptr;
  int elements = 1;
  unsigned target = 80;
  bool has_red = true;
  bool swaps = false;  // cas: two operands
};

void add(Forms& forms, const Atomic& atomic) {
  static constexpr const char* kOrders[] = {"", ".relaxed.gpu", ".acq_rel.sys", ".acquire.cta", ".release.gpu", ".relaxed.cta"};
  static constexpr const char* kRedOrders[] = {"", ".relaxed.gpu", ".release.sys", ".relaxed.cta"};
  std::size_t turn = std::hash<std::string>{}(atomic.operation);
  const std::string bits = ".b" + std::to_string(atomic.width);
  for (const Place& place : kPlaces) {
    const std::string here = std::string(" [") + place.address + "]";
    const std::string put = std::string("st") + place.space + bits + here + ", $a; ";
    const std::string get = std::string("ld") + place.space + bits;
    std::vector<Values> inputs = {atomic.values, atomic.values};
    if (atomic.swaps) inputs.push_back(atomic.values);
    const Output after{atomic.width, atomic.nan, atomic.elements};
    const auto compute = [update = atomic.update, place](const std::uint64_t* in) { return update(in[0], in[1], in[2], place.global); };
    const bool constants = atomic.nan == nullptr && atomic.width >= 32 && !atomic.swaps;
    Form form{put + "atom" + kOrders[turn++ % 6] + place.space + "." + atomic.operation + " $d," + here + ", $b" +
                  (atomic.swaps ? ", $c" : "") + "; " + get + " $e," + here,
              inputs, {output(atomic.width), after}, [=](const std::uint64_t* in, Expected* out) {
                out[0] = in[0];
                out[1] = compute(in);
              }};
    form.target = atomic.target;
    form.may_be_immediate = constants;
    forms.push_back(form);
    if (!atomic.has_red) continue;
    Form reduction{put + "red" + kRedOrders[turn % 4] + place.space + "." + atomic.operation + here + ", $b; " + get + " $d," + here, inputs,
                   {after}, [=](const std::uint64_t* in, Expected* out) { out[0] = compute(in); }};
    reduction.target = atomic.target;
    reduction.may_be_immediate = constants;
    forms.push_back(reduction);
  }
}

using Plain = std::uint64_t (*)(std::uint64_t old, std::uint64_t b);

void add_integer(Forms& forms, const char* operation, const char* type, int width, Plain f, bool has_red = true) {
  Atomic atomic{std::string(operation) + "." + type, width, integers(width),
                [=](std::uint64_t old, std::uint64_t b, std::uint64_t, bool) { return exactly(f(old, b) & low_bits(width)); }};
  atomic.has_red = has_red;
  add(forms, atomic);
}

void add_integers(Forms& forms) {
  const auto sum = [](std::uint64_t a, std::uint64_t b) { return a + b; };
  add_integer(forms, "add", "u32", 32, sum);
  add_integer(forms, "add", "s32", 32, sum);
  add_integer(forms, "add", "u64", 64, sum);
  add_integer(forms, "min", "u32", 32, [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; });
  add_integer(forms, "max", "u32", 32, [](std::uint64_t a, std::uint64_t b) { return a > b ? a : b; });
  add_integer(forms, "min", "u64", 64, [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; });
  add_integer(forms, "max", "u64", 64, [](std::uint64_t a, std::uint64_t b) { return a > b ? a : b; });
  add_integer(forms, "min", "s32", 32, [](std::uint64_t a, std::uint64_t b) { return value_of(a, 32, true) < value_of(b, 32, true) ? a : b; });
  add_integer(forms, "max", "s32", 32, [](std::uint64_t a, std::uint64_t b) { return value_of(a, 32, true) > value_of(b, 32, true) ? a : b; });
  add_integer(forms, "min", "s64", 64, [](std::uint64_t a, std::uint64_t b) { return value_of(a, 64, true) < value_of(b, 64, true) ? a : b; });
  add_integer(forms, "max", "s64", 64, [](std::uint64_t a, std::uint64_t b) { return value_of(a, 64, true) > value_of(b, 64, true) ? a : b; });
  add_integer(forms, "inc", "u32", 32, [](std::uint64_t r, std::uint64_t s) { return r >= s ? 0 : r + 1; });
  add_integer(forms, "dec", "u32", 32, [](std::uint64_t r, std::uint64_t s) { return r == 0 || r > s ? s : r - 1; });
  for (const int width : {32, 64}) {
    const char* const type = width == 32 ? "b32" : "b64";
    add_integer(forms, "and", type, width, [](std::uint64_t a, std::uint64_t b) { return a & b; });
    add_integer(forms, "or", type, width, [](std::uint64_t a, std::uint64_t b) { return a | b; });
    add_integer(forms, "xor", type, width, [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
    add_integer(forms, "exch", type, width, [](std::uint64_t, std::uint64_t b) { return b; }, false);
  }
  for (const int width : {16, 32, 64}) {
    Atomic swap{"cas.b" + std::to_string(width), width, integers(width),
                [](std::uint64_t old, std::uint64_t b, std::uint64_t c, bool) { return exactly(old == b ? c : old); }};
    swap.has_red = false;
    swap.swaps = true;
    add(forms, swap);
  }
}

std::uint64_t element_sum(const Format& format, std::uint64_t a, std::uint64_t b) {
  return encode(format, ptx_models::add(decode(format, a), decode(format, b), Rounding::nearest_even), Rounding::nearest_even);
}

void add_floats(Forms& forms) {
  // In global memory f32 sums flush subnormal inputs and results; in shared memory they do not.
  add(forms, {"add.f32", 32, Values::f32,
              [](std::uint64_t old, std::uint64_t b, std::uint64_t, bool global) {
                const Finish finish{&kF32, Rounding::nearest_even, global};
                return finished(finish, ptx_models::add(decode(kF32, flushed(kF32, old, global)), decode(kF32, flushed(kF32, b, global)),
                                                        Rounding::nearest_even));
              },
              &kF32});
  add(forms, {"add.f64", 64, Values::f64,
              [](std::uint64_t old, std::uint64_t b, std::uint64_t, bool) { return exactly(element_sum(kF64, old, b)); }, &kF64});
  for (const bool brain : {false, true}) {
    const Format& format = brain ? kBf16 : kF16;
    const std::string type = brain ? "bf16" : "f16";
    const unsigned target = brain ? 90 : 80;
    add(forms, {"add.noftz." + type, 16, brain ? Values::bf16 : Values::f16,
                [&format](std::uint64_t old, std::uint64_t b, std::uint64_t, bool) { return exactly(element_sum(format, old, b)); }, &format, 1,
                target});
    add(forms, {"add.noftz." + type + "x2", 32, brain ? Values::bf16x2 : Values::f16x2,
                [&format](std::uint64_t old, std::uint64_t b, std::uint64_t, bool) {
                  return exactly(each_half(old, b, [&](std::uint64_t x, std::uint64_t y) { return element_sum(format, x, y); }));
                },
                &format, 2, target});
  }
}

}  // namespace

Forms atomic_forms() {
  Forms forms;
  add_integers(forms);
  add_floats(forms);
  return forms;
}

}  // namespace bascule::ptx_models
