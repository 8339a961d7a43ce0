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

/// Two words of 64 bits at once, in global and shared memory, by their own and by generic addresses.
void add_double_words(Forms& forms) {
  const std::vector<Values> inputs(4, Values::integer64);
  for (const Place& place : kPlaces) {
    const std::string here = std::string(" [") + place.address + "]";
    const std::string put = std::string("st") + place.space + ".v2.b64" + here + ", {$a, $b}; ";
    const std::string get = std::string("; ld") + place.space + ".v2.b64 {$d, $e}," + here;
    const auto push = [&](const std::string& code, Model model) {
      Form form{put + code, inputs, {output(64), output(64)}, std::move(model)};
      form.target = 90;
      form.may_be_immediate = false;
      forms.push_back(form);
    };
    const std::string exchange = std::string("mov.b128 %v1, {$c, $f}; atom") + place.space + ".exch.b128 %v0," + here + ", %v1";
    push(exchange + get, [](const std::uint64_t* in, Expected* out) { out[0] = in[2], out[1] = in[3]; });
    push(exchange + "; mov.b128 {$d, $e}, %v0", [](const std::uint64_t* in, Expected* out) { out[0] = in[0], out[1] = in[1]; });
    // Compared with {a, c}: equal where c is b.
    const std::string swap = std::string("mov.b128 %v1, {$a, $c}; mov.b128 %v2, {$f, $a}; atom") + place.space + ".cas.b128 %v0," + here + ", %v1, %v2";
    push(swap + get, [](const std::uint64_t* in, Expected* out) {
      const bool equal = in[1] == in[2];
      out[0] = equal ? in[3] : in[0];
      out[1] = equal ? in[0] : in[1];
    });
    push(swap + "; mov.b128 {$d, $e}, %v0", [](const std::uint64_t* in, Expected* out) { out[0] = in[0], out[1] = in[1]; });
  }
}

/// Vectors, in global memory alone: two elements carry values, the others constants.
void add_vectors(Forms& forms) {
  struct Vector {
    const char* type;
    int count, width;
    Values values;
    const Format* format;
    int elements;
    const char* filler;
  };
  const Vector vectors[] = {{"v2.f32", 2, 32, Values::f32, &kF32, 1, "%t0"},         {"v4.f32", 4, 32, Values::f32, &kF32, 1, "%t0"},
                            {"v2.f16", 2, 16, Values::f16, &kF16, 1, "%h0"},         {"v4.f16", 4, 16, Values::f16, &kF16, 1, "%h0"},
                            {"v8.f16", 8, 16, Values::f16, &kF16, 1, "%h0"},         {"v4.bf16", 4, 16, Values::bf16, &kBf16, 1, "%h0"},
                            {"v2.f16x2", 2, 32, Values::f16x2, &kF16, 2, "%t0"},     {"v4.bf16x2", 4, 32, Values::bf16x2, &kBf16, 2, "%t0"}};
  for (const Vector& v : vectors) {
    const auto braces = [&](const std::string& first, const std::string& last) {
      std::string text = "{" + first;
      for (int i = 2; i < v.count; ++i) text += std::string(", ") + v.filler;
      return text + ", " + last + "}";
    };
    const std::string bits = ".b" + std::to_string(v.width);
    const std::string last = "[%cell+" + std::to_string((v.count - 1) * v.width / 8) + "]";
    const std::string clear = std::string("mov") + bits + " " + v.filler + ", 0; mov.b64 %w0, 0; st.global.v2.b64 [%cell], {%w0, %w0}; ";
    const std::string put = clear + "st.global" + bits + " [%cell], $a; st.global" + bits + " " + last + ", $b; ";
    const std::string get = "; ld.global" + bits + " $d, [%cell]; ld.global" + bits + " $e, " + last;
    for (const std::string operation : {"add", "min", "max"}) {
      if (operation != "add" && v.format == &kF32) continue;
      const std::string name = operation + (v.format == &kF32 ? "." : ".noftz.") + v.type;
      const auto one = [=](std::uint64_t old, std::uint64_t b) {
        const Format& format = *v.format;
        if (operation == "add") {
          if (&format == &kF32) old = flushed(format, old, true), b = flushed(format, b, true);
          const std::uint64_t sum = element_sum(format, old, b);
          return &format == &kF32 ? flushed(format, sum, true) : sum;
        }
        if (format.is_nan(old) || format.is_nan(b)) return format.is_nan(old) ? b : old;
        const auto key = [](std::uint64_t x) { return (x & 0x8000) != 0 ? -1 - static_cast<int>(x & 0x7fff) : static_cast<int>(x); };
        return (key(old) < key(b)) == (operation == "min") ? old : b;
      };
      const auto whole = [=](std::uint64_t old, std::uint64_t b) { return v.elements == 1 ? one(old, b) : each_half(old, b, one); };
      const Output after{v.width, v.format, v.elements};
      const std::vector<Values> inputs(4, v.values);
      const Model model = [=](const std::uint64_t* in, Expected* out) { out[0] = whole(in[0], in[2]), out[1] = whole(in[1], in[3]); };
      Form reduction{put + "red.global." + name + " [%cell], " + braces("$c", "$f") + get, inputs, {after, after}, model};
      reduction.target = 90;
      reduction.may_be_immediate = false;
      forms.push_back(reduction);
      reduction.code = put + "atom.global." + name + " " + braces("%" + std::string(v.width == 16 ? "h1" : "t1"), v.width == 16 ? "%h2" : "%t2") +
                       ", [%cell], " + braces("$c", "$f") + get;
      forms.push_back(reduction);
      Form returned = reduction;
      returned.code = put + "atom." + name + " " + braces("$d", "$e") + ", [%cell], " + braces("$c", "$f");
      returned.outputs = {output(v.width), output(v.width)};
      returned.model = [](const std::uint64_t* in, Expected* out) { out[0] = in[0], out[1] = in[1]; };
      forms.push_back(returned);
    }
  }
}

}  // namespace

Forms atomic_forms() {
  Forms forms;
  add_integers(forms);
  add_floats(forms);
  add_double_words(forms);
  add_vectors(forms);
  return forms;
}

}  // namespace bascule::ptx_models
