// Every form of wmma as text: matrices go from memory through fragments to memory, in each shape, type, layout and space.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cfenv>

#include "backends/simt/operations/matrix_layouts.hpp"
#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;
using namespace bascule::simt::test;
using bascule::simt::ptx::Type;

struct Size {
  const char* name;
  unsigned m, n, k;
};
constexpr Size kSizes[] = {{"m16n16k16", 16, 16, 16}, {"m8n32k16", 8, 32, 16}, {"m32n8k16", 32, 8, 16}, {"m16n16k8", 16, 16, 8},
                           {"m8n8k4", 8, 8, 4},       {"m8n8k32", 8, 8, 32},   {"m8n8k128", 8, 8, 128}};

/// A matrix in memory. Space: "", ".global", ".shared" or ".shared::cta".
struct Stored {
  Type type;
  unsigned rows, columns;
  bool by_rows;
  std::string space;
  unsigned stride;         // elements
  std::string stride_text; // as written: nothing, a constant or a register

  [[nodiscard]] std::size_t bit_of(unsigned row, unsigned column) const {
    return (by_rows ? std::size_t{row} * stride + column : std::size_t{column} * stride + row) * element_bits(type);
  }
  [[nodiscard]] std::size_t words() const { return std::size_t{by_rows ? rows : columns} * stride * element_bits(type) / 32; }
  [[nodiscard]] bool shared() const { return space.starts_with(".shared"); }
};

struct Form {
  Size size;
  Stored a, b, c, d;
  std::string operation, behind_layout, behind_types;
  bool saturate = false, conjunction = false;
  int rounding = FE_TONEAREST;
};

Stored make_stored(Type type, unsigned rows, unsigned columns, bool by_rows, unsigned variant) {
  constexpr const char* kSpaces[] = {"", ".global", ".shared", ".shared::cta"};
  const unsigned line = by_rows ? columns : rows, wider = line + 256 / element_bits(type);
  switch (variant / 4 % 3) {
    case 0: return {type, rows, columns, by_rows, kSpaces[variant % 4], line, ""};
    case 1: return {type, rows, columns, by_rows, kSpaces[variant % 4], wider, ", " + std::to_string(wider)};
    default: return {type, rows, columns, by_rows, kSpaces[variant % 4], wider, ", %stride"};
  }
}

/// A form with its four matrices; `variant` walks through layouts, spaces and strides.
Form make_form(const Size& size, Type d, Type a, Type b, Type c, unsigned variant) {
  const bool sub_byte = element_bits(a) < 8;
  const bool a_rows = sub_byte || variant % 2 == 0, b_rows = !sub_byte && variant / 2 % 2 == 0;
  return {size, make_stored(a, size.m, size.k, a_rows, variant + variant / 4), make_stored(b, size.k, size.n, b_rows, variant + 1 + variant / 4),
          make_stored(c, size.m, size.n, variant / 3 % 2 == 0, variant + 2), make_stored(d, size.m, size.n, variant / 5 % 2 == 0, variant + 3),
          "wmma.mma.sync.aligned", "", ""};
}

unsigned registers_of(Type type, unsigned elements, bool multiplicand) {
  if (type == Type::f64) return elements / 32;
  return multiplicand && type == Type::f16 ? 8 : elements * element_bits(type) / 1024;
}

std::string name_text(Type type) { return "." + std::string(name_of(type)); }
const char* layout(const Stored& stored) { return stored.by_rows ? ".row" : ".col"; }

constexpr unsigned kTileBytes = 8192;  // of each of the four matrices in shared memory

/// Copies a matrix between global and shared memory by words.
std::string copy(const Stored& stored, char name, unsigned tile, bool to_shared) {
  if (!stored.shared()) return "";
  std::string text = "  add.s64 %at, %" + std::string(1, name) + ", %lane4;\n  mov.u32 %to, tile; add.u32 %to, %to, %lane; add.u32 %to, %to, " +
                     std::to_string(tile * kTileBytes) + ";\n";
  for (std::size_t word = 0; word < stored.words(); word += 32) {
    const std::string offset = "+" + std::to_string(word * 4) + "]";
    text += to_shared ? "  ld.global.b32 %word, [%at" + offset + "; st.shared.b32 [%to" + offset + ", %word;\n"
                      : "  ld.shared.b32 %word, [%to" + offset + "; st.global.b32 [%at" + offset + ", %word;\n";
  }
  return text + "  bar.warp.sync 0xffffffff;\n";
}

std::string address(const Stored& stored, char name, unsigned tile) {
  return stored.shared() ? "[tile+" + std::to_string(tile * kTileBytes) + "]" : "[%" + std::string(1, name) + "]";
}

std::string stride(const Stored& stored) {
  return stored.stride_text == ", %stride" ? "  mov.u32 %stride, " + std::to_string(stored.stride) + ";\n" : "";
}

std::string kernel(const std::string& name, const Form& form) {
  const Size& size = form.size;
  const std::string shape = std::string(".") + size.name;
  struct Part {
    char letter;
    const Stored& stored;
    unsigned registers;
  };
  const Part parts[] = {{'a', form.a, registers_of(form.a.type, size.m * size.k, true)},
                        {'b', form.b, registers_of(form.b.type, size.k * size.n, true)},
                        {'c', form.c, registers_of(form.c.type, size.m * size.n, false)},
                        {'d', form.d, registers_of(form.d.type, size.m * size.n, false)}};
  std::string text = ".visible .entry " + name + "(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{\n";
  text += "  .reg .b64 %a, %b, %c, %d, %at, %lane4; .reg .b32 %lane, %to, %word, %stride;\n  .shared .align 64 .b8 tile[" +
          std::to_string(4 * kTileBytes) + "];\n";
  for (const Part& part : parts) {
    text += std::string("  .reg ") + (part.stored.type == Type::f64 ? ".f64" : part.stored.type == Type::f32 ? ".f32" : ".b32") + " %f" +
            part.letter + "<" + std::to_string(part.registers) + ">;\n  ld.param.u64 %" + part.letter + ", [" + part.letter + "];\n";
  }
  text += "  mov.u32 %lane, %laneid; shl.b32 %lane, %lane, 2; cvt.u64.u32 %lane4, %lane;\n";
  const auto fragment = [](const Part& part) {
    std::string registers = "{";
    for (unsigned i = 0; i < part.registers; ++i) registers += std::string(i == 0 ? "%f" : ", %f") + part.letter + std::to_string(i);
    return registers + "}";
  };
  for (unsigned i = 0; i < 3; ++i) {
    const Part& part = parts[i];
    text += copy(part.stored, part.letter, i, true) + stride(part.stored) + "  wmma.load." + part.letter + ".sync.aligned" +
            layout(part.stored) + shape + part.stored.space + name_text(part.stored.type) + " " + fragment(part) + ", " +
            address(part.stored, part.letter, i) + part.stored.stride_text + ";\n";
  }
  text += "  " + form.operation + layout(form.a) + layout(form.b) + shape + form.behind_layout + name_text(form.d.type);
  if (form.a.type != Type::f16) text += name_text(form.a.type) + name_text(form.b.type);
  text += name_text(form.c.type) + form.behind_types + " " + fragment(parts[3]) + ", " + fragment(parts[0]) + ", " + fragment(parts[1]) +
          ", " + fragment(parts[2]) + ";\n";
  text += copy(form.d, 'd', 3, true) + stride(form.d) + "  wmma.store.d.sync.aligned" + layout(form.d) + shape + form.d.space +
          name_text(form.d.type) + " " + address(form.d, 'd', 3) + ", " + fragment(parts[3]) + form.d.stride_text + ";\n";
  return text + "  bar.warp.sync 0xffffffff;\n" + copy(form.d, 'd', 3, false) + "  ret;\n}\n";
}

std::uint32_t bits_at(const Buffer<std::uint32_t>& memory, const Stored& stored, unsigned row, unsigned column) {
  const std::size_t bit = stored.bit_of(row, column);
  const unsigned width = element_bits(stored.type);
  return width == 32 ? memory[bit / 32] : memory[bit / 32] >> (bit % 32) & ((1u << width) - 1);
}

double value_at(const Buffer<std::uint32_t>& memory, const Stored& stored, unsigned row, unsigned column) {
  if (stored.type != Type::f64) return decode_element(stored.type, bits_at(memory, stored, row, column));
  double value;
  std::memcpy(&value, &memory[stored.bit_of(row, column) / 32], sizeof value);
  return value;
}

/// Rounded up, since copies go by 32 words.
Buffer<std::uint32_t> random_matrix(const Stored& stored, std::mt19937_64& random) {
  Buffer<std::uint32_t> memory((stored.words() + 31) / 32 * 32);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (stored.type == Type::f64) {
      const double number = std::uniform_real_distribution<double>(-1, 1)(random);
      std::memcpy(&memory[i++], &number, sizeof number);
      continue;
    }
    for (unsigned at = 0; at < 32; at += element_bits(stored.type)) memory[i] |= random_element(stored.type, random, false) << at;
  }
  return memory;
}

double exact(const Form& form, const Matrix& a, const Matrix& b, double c, unsigned row, unsigned column) {
  if (form.d.type == Type::f64) {
    std::fesetround(form.rounding);
    volatile double sum = c;
    for (unsigned k = 0; k < form.size.k; ++k) sum = std::fma(a[row][k], b[k][column], sum);
    std::fesetround(FE_TONEAREST);
    return sum;
  }
  auto sum = static_cast<std::int64_t>(c);
  for (unsigned k = 0; k < form.size.k; ++k) {
    if (form.a.type == Type::b1) {
      sum += (form.conjunction ? a[row][k] != 0 && b[k][column] != 0 : a[row][k] != b[k][column]) ? 1 : 0;
    } else {
      sum += static_cast<std::int64_t>(a[row][k] * b[k][column]);
    }
  }
  if (form.saturate) return static_cast<double>(std::min<std::int64_t>(INT32_MAX, std::max<std::int64_t>(INT32_MIN, sum)));
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
}

void run(Program& program, const std::string& name, const Form& form, std::mt19937_64& random) {
  const auto a_memory = random_matrix(form.a, random), b_memory = random_matrix(form.b, random);
  const auto c_memory = random_matrix(form.c, random);
  auto d_memory = random_matrix(form.d, random);
  program.run(name, {}, Arguments(a_memory, b_memory, c_memory, d_memory));
  const auto matrix = [](const Buffer<std::uint32_t>& memory, const Stored& stored) {
    Matrix result = zeros(stored.rows, stored.columns);
    for (unsigned row = 0; row < stored.rows; ++row) {
      for (unsigned column = 0; column < stored.columns; ++column) result[row][column] = value_at(memory, stored, row, column);
    }
    return result;
  };
  const Matrix a = matrix(a_memory, form.a), b = matrix(b_memory, form.b), c = matrix(c_memory, form.c);
  const Expected expected = triple_loop(a, b, c);
  for (unsigned row = 0; row < form.size.m; ++row) {
    for (unsigned column = 0; column < form.size.n; ++column) {
      CAPTURE(row);
      CAPTURE(column);
      if (form.d.type == Type::f16 || form.d.type == Type::f32) {
        check_float(form.d.type, bits_at(d_memory, form.d, row, column), expected.value[row][column],
                    expected.magnitude[row][column], form.size.k);
      } else {
        CHECK(value_at(d_memory, form.d, row, column) == exact(form, a, b, c[row][column], row, column));
      }
    }
  }
}

void check_all(const std::vector<Form>& forms, std::uint64_t stream) {
  std::string text = ".version 8.8\n.target sm_90a\n.address_size 64\n";
  for (std::size_t i = 0; i < forms.size(); ++i) text += kernel("form" + std::to_string(i), forms[i]);
  everywhere_text(text, "wmma.ptx", [&](Program& program) {
    auto random = random_source(stream);
    for (std::size_t i = 0; i < forms.size(); ++i) {
      CAPTURE(i);
      run(program, "form" + std::to_string(i), forms[i], random);
    }
  });
}

/// Enough variants that every layout meets every space.
constexpr unsigned kVariants = 16;

TEST_CASE("each form of wmma with floating-point accumulators") {
  std::vector<Form> forms;
  for (unsigned variant = 0; variant < kVariants; ++variant) {
    for (unsigned i = 0; i < 3; ++i) {
      for (const Type d : {Type::f16, Type::f32}) {
        for (const Type c : {Type::f16, Type::f32}) forms.push_back(make_form(kSizes[i], d, Type::f16, Type::f16, c, variant));
      }
      forms.push_back(make_form(kSizes[i], Type::f32, Type::bf16, Type::bf16, Type::f32, variant));
    }
    forms.push_back(make_form(kSizes[3], Type::f32, Type::tf32, Type::tf32, Type::f32, variant));
  }
  check_all(forms, 170);
}

TEST_CASE("each form of wmma of integers and bits") {
  std::vector<Form> forms;
  const auto add = [&](const Size& size, Type a, Type b, unsigned variant) {
    forms.push_back(make_form(size, Type::s32, a, b, Type::s32, variant));
    if (variant % 3 != 0) return;
    forms.back().behind_types = ".satfinite";
    forms.back().saturate = true;
  };
  for (unsigned variant = 0; variant < kVariants; ++variant) {
    for (unsigned i = 0; i < 3; ++i) {
      for (const Type type : {Type::s8, Type::u8}) add(kSizes[i], type, type, variant);
    }
    for (const Type type : {Type::s4, Type::u4}) add(kSizes[5], type, type, variant);
    forms.push_back(make_form(kSizes[6], Type::s32, Type::b1, Type::b1, Type::s32, variant));
    forms.back().conjunction = variant % 2 == 0;
    forms.back().operation = variant % 2 == 0 ? "wmma.mma.and.popc.sync.aligned" : "wmma.mma.xor.popc.sync.aligned";
  }
  check_all(forms, 171);
}

TEST_CASE("each form of wmma of f64") {
  struct Rounding {
    const char* word;
    int mode;
  };
  std::vector<Form> forms;
  for (unsigned variant = 0; variant < kVariants; ++variant) {
    for (const Rounding& rounding : {Rounding{"", FE_TONEAREST}, Rounding{".rn", FE_TONEAREST}, Rounding{".rz", FE_TOWARDZERO},
                                     Rounding{".rm", FE_DOWNWARD}, Rounding{".rp", FE_UPWARD}}) {
      forms.push_back(make_form(kSizes[4], Type::f64, Type::f64, Type::f64, Type::f64, variant));
      forms.back().behind_layout = rounding.word;
      forms.back().rounding = rounding.mode;
    }
  }
  check_all(forms, 172);
}

}  // namespace
