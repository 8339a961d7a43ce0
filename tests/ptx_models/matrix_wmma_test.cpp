// wmma against plain matrix products. Only whole matrices in memory are defined, so loads, product and stores are tried
// together.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstring>

#include "tests/ptx_models/engine.hpp"
#include "tests/ptx_models/matrix_model.hpp"
#include "tests/ptx_models/sweep.hpp"
#include "tests/support/seed.hpp"

namespace bascule::ptx_models {
namespace {

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

}  // namespace

TEST_CASE("chapter matrix: wmma loads, multiplies and stores matrices by rows and by columns") {
  Random random(test::seed());
  for (const std::uint32_t level : cpu_levels()) {
    for (const Wmma& wmma : all_wmma()) {
      for (int orders = 0; orders < 16; ++orders) check_wmma(wmma, orders, level, random);
    }
  }
}

TEST_CASE("chapter matrix: wmma loads and stores through shared addresses of 32 and 64 bits and generic ones") {
  Random random(test::seed());
  for (const std::uint32_t level : cpu_levels()) {
    for (const std::string space : {".shared", ""}) {
      for (const std::string address : {"%s32", "%s", "%g"}) {
        if ((space.empty()) != (address == "%g")) continue;
        // 16 x 16 words, by rows on one side and by columns on the other; in and out have gaps of 4 words.
        const std::string text = module_header(80) +
                                 ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.shared .align 32 .b8 tile[1344];\n.reg .b64 %o, %i, %s, %g, %x, %y;\n"
                                 ".reg .b32 %s32, %t, %n, %v;\n.reg .pred %q;\n" +
                                 registers_of("r", 8, 32) +
                                 "ld.param.u64 %o, [out];\nld.param.u64 %i, [in];\nmov.u64 %s, tile;\nadd.u64 %s, %s, 64;\ncvt.u32.u64 %s32, %s;\ncvta.shared.u64 %g, %s;\nmov.u32 %t, %tid.x;\n"
                                 "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + vector_of("r", 8) + ", [%i], 16;\n" +
                                 "wmma.store.d.sync.aligned.col.m16n16k16" + space + ".f32 [" + address + "], " + vector_of("r", 8) + ", 20;\nbar.sync 0;\n" +
                                 "wmma.load.c.sync.aligned.row.m16n16k16" + space + ".f32 " + vector_of("r", 8) + ", [" + address + "], 20;\n" +
                                 "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%o], " + vector_of("r", 8) + ", 16;\nret;\n}\n";
        Module module(text, options_for_level(level));
        REQUIRE_MESSAGE(module.loaded(), module.error());
        Bytes in(1024), out(1024);
        for (std::size_t i = 0; i < 1024; ++i) in.data()[i] = static_cast<std::uint8_t>(random.next());
        const std::uint64_t arguments[] = {out.address(), in.address()};
        REQUIRE_MESSAGE(module.launch("k", {}, arguments, sizeof arguments) == BSC_OK, module.error());
        for (std::size_t row = 0; row < 16; ++row) {
          for (std::size_t column = 0; column < 16; ++column) {
            const bool same = std::memcmp(out.data() + 4 * (16 * row + column), in.data() + 4 * (16 * column + row), 4) == 0;
            CHECK_MESSAGE(same, space << " " << address << ": element " << row << ", " << column);
          }
        }
      }
    }
  }
}

}  // namespace bascule::ptx_models
