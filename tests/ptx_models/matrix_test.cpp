// Matrix instructions against plain matrix products over the fragments that the ISA's section 9.7.14 draws. Elements are small
// whole numbers, so that every sum is exact and the order of summation does not matter.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <bit>
#include <cstring>

#include "tests/ptx_models/arithmetic.hpp"
#include "tests/ptx_models/engine.hpp"
#include "tests/ptx_models/inputs.hpp"
#include "tests/ptx_models/sweep.hpp"
#include "tests/support/seed.hpp"

namespace bascule::ptx_models {
namespace {

/// A type of elements: how wide, and how a whole number is written in it.
struct Element {
  const char* name;
  int width;
  const Format* format;  // none: an integer
  bool is_signed;
  int low, high;  // range of random values
};
constexpr Element kHalf{"f16", 16, &kF16, true, -6, 6}, kBrain{"bf16", 16, &kBf16, true, -6, 6}, kTensor{"tf32", 32, &kF32, true, -40, 40},
    kDouble{"f64", 64, &kF64, true, -1000, 1000}, kSingle{"f32", 32, &kF32, true, -500, 500}, kE4{"e4m3", 8, &kE4m3, true, -9, 9},
    kE5{"e5m2", 8, &kE5m2, true, -4, 4}, kS8{"s8", 8, nullptr, true, -128, 127}, kU8{"u8", 8, nullptr, false, 0, 255},
    kS4{"s4", 4, nullptr, true, -8, 7}, kU4{"u4", 4, nullptr, false, 0, 15}, kB1{"b1", 1, nullptr, false, 0, 1},
    kS32{"s32", 32, nullptr, true, -100000, 100000};

std::uint64_t written(const Element& element, std::int64_t value) {
  if (element.format == nullptr) return static_cast<std::uint64_t>(value) & low_bits(element.width);
  return encode(*element.format, integer_number(static_cast<std::uint64_t>(value < 0 ? -value : value), value < 0), Rounding::nearest_even);
}

struct Matrix {
  int rows, columns;
  std::vector<std::int64_t> values;
  Matrix(int r, int c) : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  std::int64_t& at(int row, int column) { return values[static_cast<std::size_t>(row * columns + column)]; }
  [[nodiscard]] std::int64_t at(int row, int column) const { return values[static_cast<std::size_t>(row * columns + column)]; }
  void randomize(const Element& element, Random& random) {
    for (auto& value : values) value = element.low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(element.high - element.low + 1)));
  }
};

enum class Product { sum, exclusive_or, conjunction };

Matrix product_of(const Matrix& a, const Matrix& b, const Matrix& c, Product product, bool saturate, bool integer) {
  Matrix d(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < b.columns; ++j) {
      std::int64_t sum = c.at(i, j);
      for (int k = 0; k < a.columns; ++k) {
        const std::int64_t x = a.at(i, k), y = b.at(k, j);
        sum += product == Product::sum ? x * y : product == Product::exclusive_or ? x ^ y : x & y;
      }
      if (saturate) sum = static_cast<std::int64_t>(clamped(sum, 32, true));
      d.at(i, j) = integer ? static_cast<std::int32_t>(static_cast<std::uint32_t>(sum)) : sum;
    }
  }
  return d;
}

struct Place {
  int row, column;
};

/// Registers of a lane, packed: the e-th element of the r-th register lies at place(lane, r, e).
template <class PlaceOf>
std::vector<std::uint64_t> fragments(const Matrix& matrix, const Element& element, int registers, int register_width, PlaceOf place) {
  std::vector<std::uint64_t> words;
  const int per_register = register_width / element.width;
  for (int lane = 0; lane < 32; ++lane) {
    for (int r = 0; r < registers; ++r) {
      std::uint64_t word = 0;
      for (int e = 0; e < per_register; ++e) {
        const Place at = place(lane, r, e);
        word |= written(element, matrix.at(at.row, at.column)) << (e * element.width);
      }
      words.push_back(word);
    }
  }
  return words;
}

struct Mma {
  int m, k;
  Element a, b, c;
  std::string modifiers = "";  // before the types: ".satfinite"
  std::string ending = "";     // after them: ".xor.popc"
  Product product = Product::sum;
  unsigned target = 80;
  bool overflow = false;  // accumulators near the ends of s32
};

/// The accumulators' type is that of C and of D. Integer elements of A stand in registers of 32 bits.
int register_width(const Element& element) { return element.width == 64 ? 64 : 32; }

std::string vector_of(const char* name, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + std::string(name) + std::to_string(i);
  return text + "}";
}

std::string registers_of(const char* name, int count, int width) {
  return ".reg .b" + std::to_string(width) + " %" + name + "<" + std::to_string(count) + ">;\n";
}

std::string transfer(const char* operation, const char* name, int count, int width, int& offset) {
  std::string text;
  for (int i = 0; i < count; ++i, offset += 8) {
    const std::string reg = "%" + std::string(name) + std::to_string(i), at = "[%p+" + std::to_string(offset) + "]";
    const std::string head = std::string(operation) + ".global.b" + std::to_string(width) + " ";
    text += head + (operation[0] == 'l' ? reg + ", " + at : at + ", " + reg) + ";\n";
  }
  return text;
}

void check_mma(const Mma& mma, std::uint32_t level, Random& random) {
  const int m = mma.m, n = 8, k = mma.k;
  Matrix a(m, k), b(k, n), c(m, n);
  a.randomize(mma.a, random), b.randomize(mma.b, random), c.randomize(mma.c, random);
  if (mma.overflow) {
    for (auto& value : c.values) value = random.below(2) != 0 ? 0x7fffffff - static_cast<std::int64_t>(random.below(2000)) : -0x80000000ll + static_cast<std::int64_t>(random.below(2000));
  }
  const int width_a = register_width(mma.a), width_c = register_width(mma.c), pack = width_a / mma.a.width, pack_c = width_c / mma.c.width;
  const int regs_a = m * k / (32 * pack), regs_b = k * n / (32 * pack), regs_c = m * n / (32 * pack_c);
  const auto place_a = [&](int lane, int r, int e) {
    const bool tall = m == 16;
    return Place{lane / 4 + (tall && (r & 1) != 0 ? 8 : 0), (tall ? r / 2 : r) * 4 * pack + lane % 4 * pack + e};
  };
  const auto place_b = [&](int lane, int r, int e) { return Place{r * 4 * pack + lane % 4 * pack + e, lane / 4}; };
  const auto place_c = [&](int lane, int r, int e) {
    const int i = r * pack_c + e;
    return Place{lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + i % 2};
  };
  const auto words_a = fragments(a, mma.a, regs_a, width_a, place_a), words_b = fragments(b, mma.b, regs_b, width_a, place_b),
             words_c = fragments(c, mma.c, regs_c, width_c, place_c);
  const bool saturate = mma.modifiers == ".satfinite";
  const Matrix d = product_of(a, b, c, mma.product, saturate, mma.c.format == nullptr);
  const auto expected = fragments(d, mma.c, regs_c, width_c, place_c);
  std::vector<std::uint64_t> in;
  const auto append = [&](const std::vector<std::uint64_t>& words, int lane, int count) {
    in.insert(in.end(), words.begin() + lane * count, words.begin() + (lane + 1) * count);
  };
  for (int lane = 0; lane < 32; ++lane) append(words_a, lane, regs_a), append(words_b, lane, regs_b), append(words_c, lane, regs_c);
  const std::string c_name = mma.c.name;
  const std::string instruction = "mma.sync.aligned.m" + std::to_string(m) + "n8k" + std::to_string(k) + ".row.col" + mma.modifiers + "." + c_name +
                                  "." + mma.a.name + "." + mma.b.name + "." + c_name + mma.ending;
  int offset = 0, out_offset = 0;
  std::string loads = transfer("ld", "a", regs_a, width_a, offset);
  loads += transfer("ld", "b", regs_b, width_a, offset);
  loads += transfer("ld", "c", regs_c, width_c, offset);
  const std::string stores = transfer("st", "d", regs_c, width_c, out_offset);
  const std::string text = module_header(mma.target) +
                           ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b64 %p, %o;\n.reg .b32 %t;\n" + registers_of("a", regs_a, width_a) +
                           registers_of("b", regs_b, width_a) + registers_of("c", regs_c, width_c) + registers_of("d", regs_c, width_c) +
                           "mov.u32 %t, %tid.x;\nld.param.u64 %p, [in];\nmul.wide.u32 %o, %t, " + std::to_string(8 * (regs_a + regs_b + regs_c)) +
                           ";\nadd.u64 %p, %p, %o;\n" + loads + instruction + " " + vector_of("d", regs_c) + ", " + vector_of("a", regs_a) + ", " +
                           vector_of("b", regs_b) + ", " + vector_of("c", regs_c) + ";\nld.param.u64 %p, [out];\nmul.wide.u32 %o, %t, " +
                           std::to_string(8 * regs_c) + ";\nadd.u64 %p, %p, %o;\n" + stores + "ret;\n}\n";
  Module module(text, options_for_level(level));
  REQUIRE_MESSAGE(module.loaded(), instruction << ": " << module.error());
  std::vector<std::uint64_t> out(expected.size());
  const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(out.data()), reinterpret_cast<std::uint64_t>(in.data())};
  const bsc_status status = module.launch("k", {}, arguments, sizeof arguments);
  REQUIRE_MESSAGE(status == BSC_OK, module.error());
  CHECK_MESSAGE(out == expected, instruction << " at level " << level);
}

std::vector<Mma> all_mma() {
  std::vector<Mma> all;
  for (const int k : {8, 16}) {
    all.push_back({16, k, kHalf, kHalf, kSingle});
    all.push_back({16, k, kHalf, kHalf, kHalf});
    all.push_back({16, k, kBrain, kBrain, kSingle});
  }
  for (const int k : {4, 8}) all.push_back({16, k, kTensor, kTensor, kSingle});
  all.push_back({8, 4, kDouble, kDouble, kDouble});
  for (const int k : {4, 8, 16}) all.push_back({16, k, kDouble, kDouble, kDouble, "", "", Product::sum, 90});
  for (const char* rounding : {".rn", ".rz", ".rm", ".rp"}) all.push_back({8, 4, kDouble, kDouble, kDouble, rounding, "", Product::sum, 80});
  for (const Element* a : {&kE4, &kE5}) {
    for (const Element* b : {&kE4, &kE5}) {
      for (const int k : {16, 32}) {
        all.push_back({16, k, *a, *b, kSingle, "", "", Product::sum, 90});
        all.push_back({16, k, *a, *b, kHalf, "", "", Product::sum, 90});
      }
    }
  }
  for (const bool small : {false, true}) {
    for (const bool a_signed : {false, true}) {
      for (const bool b_signed : {false, true}) {
        for (const bool saturate : {false, true}) {
          const Element a = small ? (a_signed ? kS4 : kU4) : (a_signed ? kS8 : kU8), b = small ? (b_signed ? kS4 : kU4) : (b_signed ? kS8 : kU8);
          const std::string modifier = saturate ? ".satfinite" : "";
          const int k = small ? 32 : 16;
          for (const bool overflow : {false, true}) {
            all.push_back({8, k, a, b, kS32, modifier, "", Product::sum, 80, overflow});
            all.push_back({16, k, a, b, kS32, modifier, "", Product::sum, 80, overflow});
            all.push_back({16, 2 * k, a, b, kS32, modifier, "", Product::sum, 80, overflow});
          }
        }
      }
    }
  }
  for (const bool exclusive : {false, true}) {
    const Product product = exclusive ? Product::exclusive_or : Product::conjunction;
    const std::string ending = exclusive ? ".xor.popc" : ".and.popc";
    all.push_back({8, 128, kB1, kB1, kS32, "", ending, product});
    all.push_back({16, 128, kB1, kB1, kS32, "", ending, product});
    all.push_back({16, 256, kB1, kB1, kS32, "", ending, product});
  }
  return all;
}

// ---- wmma: only whole matrices in memory are defined, so loads, product and stores are tried together -----------------------

struct Wmma {
  int m, n, k;
  Element a, b, c, d;
  int regs_a, regs_b, regs_c, regs_d;
  bool packed_rows_only = false;  // 4- and 1-bit elements: A by rows, B by columns
  std::string operation = "";     // ".xor.popc"
  Product product = Product::sum;
  unsigned target = 80;
};

/// A matrix in memory by rows or by columns, with a leading dimension that leaves a gap.
struct Bytes {
  explicit Bytes(std::size_t count) : lines((count + 63) / 64) {}
  [[nodiscard]] std::uint8_t* data() { return lines.front().bytes; }
  [[nodiscard]] std::uint64_t address() { return reinterpret_cast<std::uint64_t>(data()); }
  [[nodiscard]] bool operator==(const Bytes& other) const {
    return lines.size() == other.lines.size() && std::memcmp(lines.data(), other.lines.data(), lines.size() * sizeof(Line)) == 0;
  }
  struct alignas(64) Line {  // wmma wants its rows aligned
    std::uint8_t bytes[64];
  };
  std::vector<Line> lines;
};

Bytes stored(const Matrix& matrix, const Element& element, bool by_rows, int leading) {
  Bytes memory(static_cast<std::size_t>((by_rows ? matrix.rows : matrix.columns) * leading * element.width / 8 + 64));
  std::uint8_t* const bytes = memory.data();
  for (int i = 0; i < matrix.rows; ++i) {
    for (int j = 0; j < matrix.columns; ++j) {
      const std::size_t index = static_cast<std::size_t>(by_rows ? i * leading + j : j * leading + i) * static_cast<std::size_t>(element.width);
      const std::uint64_t value = written(element, matrix.at(i, j));
      for (int bit = 0; bit < element.width; bit += 8) {
        if (element.width < 8) {
          bytes[index / 8] = static_cast<std::uint8_t>(bytes[index / 8] | value << (index % 8));
        } else {
          bytes[index / 8 + static_cast<std::size_t>(bit / 8)] = static_cast<std::uint8_t>(value >> bit);
        }
      }
    }
  }
  return memory;
}

std::string wmma_text(const Wmma& w, const std::string& shape, const std::string (&order)[4], const int (&leading)[4], bool shared, bool saturate) {
  const auto width = [](const Element& e) { return e.width == 64 ? 64 : 32; };
  const std::string space = shared ? ".shared" : ".global";
  const auto load = [&](const char* which, const char* reg, int count, const Element& e, int i) {
    return std::string("wmma.load.") + which + ".sync.aligned" + order[i] + shape + (i == 2 ? space : ".global") + "." + e.name + " " + vector_of(reg, count) +
           ", [%" + which + "p], " + std::to_string(leading[i]) + ";\n";
  };
  std::string types = std::string(".") + w.d.name;
  if (w.a.format == &kF16) {
    types += std::string(".") + w.c.name;
  } else {
    types += std::string(".") + w.a.name + "." + w.b.name + "." + w.c.name;
  }
  // C goes through shared memory where `shared` is set: copied there byte by byte.
  std::string copy;
  if (shared) {
    copy = "mov.u64 %cp, staging;\nmov.u32 %i, %t;\nCOPY:\ncvt.u64.u32 %x, %i;\nadd.u64 %y, %cs, %x;\nld.global.u8 %v, [%y];\n"
           "add.u64 %y, %cp, %x;\nst.shared.u8 [%y], %v;\nadd.u32 %i, %i, 32;\nsetp.lt.u32 %q, %i, 8192;\n@%q bra COPY;\nbar.warp.sync 0xffffffff;\n";
  }
  return module_header(w.target) + ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{\n.shared .align 32 .b8 staging[8192];\n"
         ".reg .b64 %ap, %bp, %cp, %dp, %cs, %x, %y;\n.reg .b32 %t, %i, %v;\n.reg .pred %q;\n" +
         registers_of("ra", w.regs_a, width(w.a)) + registers_of("rb", w.regs_b, width(w.b)) + registers_of("rc", w.regs_c, width(w.c)) +
         registers_of("rd", w.regs_d, width(w.d)) +
         "mov.u32 %t, %tid.x;\nld.param.u64 %ap, [a];\nld.param.u64 %bp, [b];\nld.param.u64 %cp, [c];\nld.param.u64 %dp, [d];\nmov.u64 %cs, %cp;\n" + copy +
         load("a", "ra", w.regs_a, w.a, 0) + load("b", "rb", w.regs_b, w.b, 1) + load("c", "rc", w.regs_c, w.c, 2) + "wmma.mma" + w.operation +
         ".sync.aligned" + order[0] + order[1] + shape + types + (saturate ? ".satfinite" : "") + " " + vector_of("rd", w.regs_d) + ", " +
         vector_of("ra", w.regs_a) + ", " + vector_of("rb", w.regs_b) + ", " + vector_of("rc", w.regs_c) + ";\nwmma.store.d.sync.aligned" + order[3] + shape +
         ".global." + w.d.name + " [%dp], " + vector_of("rd", w.regs_d) + ", " + std::to_string(leading[3]) + ";\nret;\n}\n";
}

void check_wmma(const Wmma& w, int orders, std::uint32_t level, Random& random) {
  const std::string shape = ".m" + std::to_string(w.m) + "n" + std::to_string(w.n) + "k" + std::to_string(w.k);
  Matrix a(w.m, w.k), b(w.k, w.n), c(w.m, w.n);
  a.randomize(w.a, random), b.randomize(w.b, random), c.randomize(w.c, random);
  const bool integer = w.d.format == nullptr, saturate = integer && w.operation.empty() && (orders & 1) != 0;
  const bool rows[4] = {w.packed_rows_only || (orders & 1) == 0, !w.packed_rows_only && (orders & 2) == 0, (orders & 4) == 0, (orders & 8) == 0};
  const Matrix d = product_of(a, b, c, w.product, saturate, integer);
  const int lengths[4] = {rows[0] ? w.k : w.m, rows[1] ? w.n : w.k, rows[2] ? w.n : w.m, rows[3] ? w.n : w.m};
  // Each row starts at a multiple of the size of a fragment, 32 bytes at most.
  const int units[4] = {256 / w.a.width, 256 / w.b.width, 256 / w.c.width, 256 / w.d.width};
  int leading[4];
  for (int i = 0; i < 4; ++i) leading[i] = (lengths[i] + 2 * units[i] - 1) / units[i] * units[i];  // a gap of at least one unit less one
  const std::string order[4] = {rows[0] ? ".row" : ".col", rows[1] ? ".row" : ".col", rows[2] ? ".row" : ".col", rows[3] ? ".row" : ".col"};
  const std::string text = wmma_text(w, shape, order, leading, (orders & 2) != 0, saturate);
  Module module(text, options_for_level(level));
  REQUIRE_MESSAGE(module.loaded(), shape << ": " << module.error());
  Bytes memory_a = stored(a, w.a, rows[0], leading[0]), memory_b = stored(b, w.b, rows[1], leading[1]), memory_c = stored(c, w.c, rows[2], leading[2]);
  memory_c.lines.resize(8192 / 64);
  const Bytes expected = stored(d, w.d, rows[3], leading[3]);
  Bytes out(64 * expected.lines.size());
  const std::uint64_t arguments[] = {memory_a.address(), memory_b.address(), memory_c.address(), out.address()};
  const bsc_status status = module.launch("k", {}, arguments, sizeof arguments);
  REQUIRE_MESSAGE(status == BSC_OK, "wmma" << shape << " of " << w.a.name << ", orders " << orders << ": " << module.error());
  CHECK_MESSAGE(out == expected, "wmma" << shape << " of " << w.a.name << " and " << w.c.name << ", orders " << orders << ", level " << level);
}

std::vector<Wmma> all_wmma() {
  std::vector<Wmma> all;
  const int shapes[][3] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};
  for (const auto& [m, n, k] : shapes) {
    const int scale_a = m == 16 ? 2 : m == 8 ? 1 : 4, scale_b = m == 16 ? 2 : m == 8 ? 4 : 1;
    for (const Element* c : {&kHalf, &kSingle}) {
      for (const Element* d : {&kHalf, &kSingle}) all.push_back({m, n, k, kHalf, kHalf, *c, *d, 8, 8, c->width / 4, d->width / 4});
    }
    all.push_back({m, n, k, kBrain, kBrain, kSingle, kSingle, 2 * scale_a, 2 * scale_b, 8, 8});
    for (const bool a_signed : {false, true}) {
      const Element& a = a_signed ? kS8 : kU8;
      all.push_back({m, n, k, a, a, kS32, kS32, scale_a, scale_b, 8, 8});
    }
  }
  all.push_back({16, 16, 8, kTensor, kTensor, kSingle, kSingle, 4, 4, 8, 8});
  all.push_back({8, 8, 4, kDouble, kDouble, kDouble, kDouble, 1, 1, 2, 2});
  all.push_back({8, 8, 32, kS4, kS4, kS32, kS32, 1, 1, 2, 2, true});
  all.push_back({8, 8, 32, kU4, kU4, kS32, kS32, 1, 1, 2, 2, true});
  all.push_back({8, 8, 128, kB1, kB1, kS32, kS32, 1, 1, 2, 2, true, ".xor.popc", Product::exclusive_or});
  all.push_back({8, 8, 128, kB1, kB1, kS32, kS32, 1, 1, 2, 2, true, ".and.popc", Product::conjunction});
  return all;
}

// ---- 8x8 matrices of 16 bits -------------------------------------------------------------------------------------------

std::string matrix_move_text(bool store, bool transposed, int count) {
  const std::string vector = vector_of("r", count);
  const std::string suffix = ".sync.aligned.m8n8.x" + std::to_string(count) + (transposed ? ".trans" : "") + ".shared.b16 ";
  std::string text = module_header(store ? 90 : 80) + ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.shared .align 16 .b8 tile[1024];\n"
                     ".reg .b64 %o, %i, %x, %y, %row;\n.reg .b32 %t, %r<4>, %v;\nld.param.u64 %o, [out];\nld.param.u64 %i, [in];\nmov.u32 %t, %tid.x;\n"
                     "mul.wide.u32 %x, %t, 16;\nadd.u64 %y, %i, %x;\nmov.u64 %row, tile;\nadd.u64 %row, %row, %x;\n.reg .b32 %m<4>;\n";
  if (!store) {
    text += "ld.global.v4.b32 {%m0, %m1, %m2, %m3}, [%y];\nst.shared.v4.b32 [%row], {%m0, %m1, %m2, %m3};\nbar.warp.sync 0xffffffff;\n"
            "mov.b32 %r0, 0;\nmov.b32 %r1, 0;\nmov.b32 %r2, 0;\nmov.b32 %r3, 0;\nldmatrix" + suffix + vector + ", [%row];\n"
            "add.u64 %y, %o, %x;\nst.global.v4.b32 [%y], {%r0, %r1, %r2, %r3};\nret;\n}\n";
  } else {
    text += "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%y];\nmov.b32 %v, 0;\nst.shared.v4.b32 [%row], {%v, %v, %v, %v};\nbar.warp.sync 0xffffffff;\nstmatrix" +
            suffix + "[%row], " + vector + ";\nbar.warp.sync 0xffffffff;\nld.shared.v4.b32 {%m0, %m1, %m2, %m3}, [%row];\nadd.u64 %y, %o, %x;\n"
            "st.global.v4.b32 [%y], {%m0, %m1, %m2, %m3};\nret;\n}\n";
  }
  return text;
}

/// Where the e-th half of register r of a lane lies in shared memory: row l of matrix r is at the address of lane 8r + l.
std::size_t half_in_memory(int lane, int r, int e, bool transposed) {
  const int first = lane / 4, second = lane % 4 * 2 + e;
  const int row = transposed ? second : first, column = transposed ? first : second;
  return static_cast<std::size_t>((8 * r + row) * 8 + column);
}

void check_matrix_move(bool store, bool transposed, int count, std::uint32_t level, Random& random) {
  std::vector<std::uint16_t> in(256), out(256), expected(256);
  for (auto& value : in) value = static_cast<std::uint16_t>(random.next());
  for (int lane = 0; lane < 32; ++lane) {
    for (int r = 0; r < count; ++r) {
      for (int e = 0; e < 2; ++e) {
        const auto in_register = static_cast<std::size_t>(lane * 8 + r * 2 + e);
        const std::size_t in_memory = half_in_memory(lane, r, e, transposed);
        store ? expected[in_memory] = in[in_register] : expected[in_register] = in[in_memory];
      }
    }
  }
  Module module(matrix_move_text(store, transposed, count), options_for_level(level));
  REQUIRE_MESSAGE(module.loaded(), module.error());
  const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(out.data()), reinterpret_cast<std::uint64_t>(in.data())};
  const bsc_status status = module.launch("k", {}, arguments, sizeof arguments);
  REQUIRE_MESSAGE(status == BSC_OK, module.error());
  CHECK_MESSAGE(out == expected, (store ? "stmatrix x" : "ldmatrix x") << count << (transposed ? " transposed" : ""));
}

}  // namespace

TEST_CASE("chapter matrix: mma of every dense shape and type is a matrix product") {
  Random random(test::seed());
  for (const std::uint32_t level : cpu_levels()) {
    for (const Mma& mma : all_mma()) check_mma(mma, level, random);
  }
}

TEST_CASE("chapter matrix: mma of f64 rounds as it is told") {
  struct Case {
    const char* rounding;
    double above, below;  // 1 + 2^-60 and 1 - 2^-60
  };
  const Case cases[] = {{"", 1, 1}, {".rn", 1, 1}, {".rz", 1, 1 - 0x1p-53}, {".rm", 1, 1 - 0x1p-53}, {".rp", 1 + 0x1p-52, 1}};
  for (const std::uint32_t level : cpu_levels()) {
    for (const Case& one : cases) {
      const std::string mma = std::string("mma.sync.aligned.m8n8k4.row.col") + one.rounding + ".f64.f64.f64.f64 ";
      // Only k = 0 counts: lanes whose number is a multiple of 4 hold 2^-30.
      const std::string text = module_header(80) +
                               ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %o, %x;\n.reg .b32 %t, %r;\n.reg .f64 %a, %b, %n, %c, %d<4>;\n.reg .pred %p;\n"
                               "ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nand.b32 %r, %t, 3;\nsetp.eq.u32 %p, %r, 0;\nmov.f64 %a, 0d0000000000000000;\n"
                               "@%p mov.f64 %a, 0d3E10000000000000;\nneg.f64 %n, %a;\nmov.f64 %b, %a;\nmov.f64 %c, 0d3FF0000000000000;\n" +
                               mma + "{%d0, %d1}, {%a}, {%b}, {%c, %c};\n" + mma + "{%d2, %d3}, {%n}, {%b}, {%c, %c};\n" +
                               "mul.wide.u32 %x, %t, 16;\nadd.u64 %o, %o, %x;\nst.global.v2.f64 [%o], {%d0, %d2};\nret;\n}\n";
      Module module(text, options_for_level(level));
      REQUIRE_MESSAGE(module.loaded(), module.error());
      std::vector<double> out(64);
      const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(out.data())};
      REQUIRE(module.launch("k", {}, arguments, sizeof arguments) == BSC_OK);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        CHECK(out[2 * lane] == one.above);
        CHECK(out[2 * lane + 1] == one.below);
      }
    }
  }
}

TEST_CASE("chapter matrix: wmma loads, multiplies and stores matrices by rows and by columns") {
  Random random(test::seed());
  for (const std::uint32_t level : cpu_levels()) {
    for (const Wmma& wmma : all_wmma()) {
      for (int orders = 0; orders < 16; ++orders) check_wmma(wmma, orders, level, random);
    }
  }
}

TEST_CASE("chapter matrix: ldmatrix, stmatrix and movmatrix put the halves where the ISA draws them") {
  Random random(test::seed());
  for (const std::uint32_t level : cpu_levels()) {
    for (const bool store : {false, true}) {
      for (const bool transposed : {false, true}) {
        for (const int count : {1, 2, 4}) check_matrix_move(store, transposed, count, level, random);
      }
    }
    std::vector<std::uint16_t> in(64), out(64);
    for (auto& value : in) value = static_cast<std::uint16_t>(random.next());
    Module module(module_header(80) +
                      ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b64 %o, %i, %x;\n.reg .b32 %t, %a, %d;\nld.param.u64 %o, [out];\n"
                      "ld.param.u64 %i, [in];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %x, %t, 4;\nadd.u64 %o, %o, %x;\nadd.u64 %i, %i, %x;\n"
                      "ld.global.b32 %a, [%i];\nmovmatrix.sync.aligned.m8n8.trans.b16 %d, %a;\nst.global.b32 [%o], %d;\nret;\n}\n",
                  options_for_level(level));
    REQUIRE_MESSAGE(module.loaded(), module.error());
    const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(out.data()), reinterpret_cast<std::uint64_t>(in.data())};
    REQUIRE(module.launch("k", {}, arguments, sizeof arguments) == BSC_OK);
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < 8; ++j) CHECK(out[8 * i + j] == in[8 * j + i]);
    }
  }
}

}  // namespace bascule::ptx_models
