// Every form of mma as text: fragments are loaded register by register, multiplied and stored, and compared with the product
// of the matrices that the ISA's formulas make of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cfenv>

#include "backends/simt/operations/matrix_layouts.hpp"
#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;
using namespace bascule::simt::test;
using bascule::simt::ptx::Type;

struct Form {
  MatrixShape shape;
  Type d, a, b, c;
  std::string behind_layout, behind_types;  // further words of the name
  bool saturate = false, conjunction = false;
  int rounding = FE_TONEAREST;

  [[nodiscard]] unsigned elements_a() const { return shape.rows * shape.depth / 32; }
  [[nodiscard]] unsigned elements_b() const { return shape.depth * 8 / 32; }
  [[nodiscard]] unsigned elements_c() const { return shape.rows * 8 / 32; }
  [[nodiscard]] std::string name() const {
    std::string text = "mma.sync.aligned." + std::string(name_of(shape.name)) + ".row.col" + behind_layout;
    for (const Type type : {d, a, b, c}) text += "." + std::string(name_of(type));
    return text + behind_types;
  }
};

unsigned registers_of(Type type, unsigned elements) { return element_bits(type) == 64 ? elements : elements * element_bits(type) / 32; }
unsigned words_of(Type type, unsigned elements) { return registers_of(type, elements) * (element_bits(type) == 64 ? 64 : 32); }

std::string list(char name, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + std::string(1, name) + std::to_string(i);
  return text + "}";
}

/// Register r of lane l of the fragments of a, b, c one after the other is in[32 r + l]; so are those of d in out.
std::string kernel(const std::string& name, const std::string& instruction, bool doubles, unsigned d, unsigned a, unsigned b,
                   unsigned c) {
  const std::string type = doubles ? ".b64" : ".b32", line_of_lanes = doubles ? "256" : "128";
  std::string text = ".visible .entry " + name + "(.param .u64 in, .param .u64 out)\n{\n  .reg .b64 %in, %out, %step; .reg .b32 %t;\n";
  text += "  .reg " + type + " %a<" + std::to_string(a) + ">, %b<" + std::to_string(b) + ">, %c<" + std::to_string(c) + ">, %d<" +
          std::to_string(d) + ">;\n  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %laneid;\n";
  text += "  mul.wide.u32 %step, %t, " + std::string(doubles ? "8" : "4") + "; add.s64 %in, %in, %step; add.s64 %out, %out, %step;\n";
  for (const auto& [letter, count] : {std::pair{'a', a}, std::pair{'b', b}, std::pair{'c', c}}) {
    for (unsigned i = 0; i < count; ++i) {
      text += "  ld.global" + type + " %" + letter + std::to_string(i) + ", [%in]; add.s64 %in, %in, " + line_of_lanes + ";\n";
    }
  }
  text += "  " + instruction + " " + list('d', d) + ", " + list('a', a) + ", " + list('b', b) + ", " + list('c', c) + ";\n";
  for (unsigned i = 0; i < d; ++i) {
    text += "  st.global" + type + " [%out], %d" + std::to_string(i) + "; add.s64 %out, %out, " + line_of_lanes + ";\n";
  }
  return text + "  ret;\n}\n";
}

std::uint32_t element(const std::uint32_t* fragment, Type type, unsigned lane, unsigned i) {
  const unsigned bits = element_bits(type), per_word = 32 / bits;
  const std::uint32_t word = fragment[i / per_word * 32 + lane];
  return bits == 32 ? word : word >> (i % per_word * bits) & ((1u << bits) - 1);
}

double value(const std::uint32_t* fragment, Type type, unsigned lane, unsigned i) {
  if (type != Type::f64) return decode_element(type, element(fragment, type, lane, i));
  double result;
  std::memcpy(&result, fragment + (i * 32 + lane) * 2, sizeof result);
  return result;
}

Matrix gather(const std::uint32_t* fragment, Type type, unsigned elements, PlaceOf place_of, unsigned rows, unsigned columns) {
  Matrix matrix = zeros(rows, columns);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < elements; ++i) {
      const Place place = place_of(lane, i);
      matrix.at(place.row).at(place.column) = value(fragment, type, lane, i);
    }
  }
  return matrix;
}

void fill(std::uint32_t* fragment, Type type, unsigned words, std::mt19937_64& random) {
  for (unsigned i = 0; i < words; ++i) {
    fragment[i] = 0;
    if (type == Type::f64) {
      const double number = std::uniform_real_distribution<double>(-1, 1)(random);
      if (i % 2 == 0) std::memcpy(fragment + i, &number, sizeof number);
      if (i % 2 == 0) ++i;
      continue;
    }
    for (unsigned at = 0; at < 32; at += element_bits(type)) fragment[i] |= random_element(type, random, false) << at;
  }
}

std::vector<Form> float_forms() {
  std::vector<Form> forms;
  for (const MatrixShape& shape : kHalfShapes) {
    forms.push_back({shape, Type::f16, Type::f16, Type::f16, Type::f16, "", ""});
    forms.push_back({shape, Type::f32, Type::f16, Type::f16, Type::f32, "", ""});
    forms.push_back({shape, Type::f32, Type::bf16, Type::bf16, Type::f32, "", ""});
  }
  for (const MatrixShape& shape : kTf32Shapes) forms.push_back({shape, Type::f32, Type::tf32, Type::tf32, Type::f32, "", ""});
  for (const MatrixShape& shape : kFp8Shapes) {
    for (const Type a : {Type::e4m3, Type::e5m2}) {
      for (const Type b : {Type::e4m3, Type::e5m2}) {
        forms.push_back({shape, Type::f16, a, b, Type::f16, "", ""});
        forms.push_back({shape, Type::f32, a, b, Type::f32, "", ""});
      }
    }
  }
  return forms;
}

/// The 8-bit formats of .kind::f8f6f4; the smaller ones are refused.
std::vector<Form> kind_forms() {
  std::vector<Form> forms;
  for (const Type a : {Type::e4m3, Type::e5m2}) {
    for (const Type b : {Type::e4m3, Type::e5m2}) {
      for (const Type d : {Type::f16, Type::f32}) {
        for (const MatrixShape& shape : kFp8Shapes) {
          if (shape.depth == 32) forms.push_back({shape, d, a, b, d, ".kind::f8f6f4", ""});
        }
      }
    }
  }
  return forms;
}

std::vector<Form> integer_forms() {
  std::vector<Form> forms;
  const auto add = [&](const MatrixShape& shape, Type a, Type b) {
    forms.push_back({shape, Type::s32, a, b, Type::s32, "", ""});
    forms.push_back({shape, Type::s32, a, b, Type::s32, ".satfinite", "", true});
  };
  for (const Type a : {Type::u8, Type::s8}) {
    for (const Type b : {Type::u8, Type::s8}) {
      for (const MatrixShape& shape : kByteShapes) add(shape, a, b);
    }
  }
  for (const Type a : {Type::u4, Type::s4}) {
    for (const Type b : {Type::u4, Type::s4}) {
      for (const MatrixShape& shape : kNibbleShapes) add(shape, a, b);
    }
  }
  for (const MatrixShape& shape : kBitShapes) {
    forms.push_back({shape, Type::s32, Type::b1, Type::b1, Type::s32, "", ".xor.popc"});
    forms.push_back({shape, Type::s32, Type::b1, Type::b1, Type::s32, "", ".and.popc", false, true});
  }
  return forms;
}

std::vector<Form> double_forms() {
  struct Rounding {
    const char* word;
    int mode;
  };
  std::vector<Form> forms;
  for (const MatrixShape& shape : kDoubleShapes) {
    for (const Rounding& rounding : {Rounding{"", FE_TONEAREST}, Rounding{".rn", FE_TONEAREST}, Rounding{".rz", FE_TOWARDZERO},
                                     Rounding{".rm", FE_DOWNWARD}, Rounding{".rp", FE_UPWARD}}) {
      forms.push_back({shape, Type::f64, Type::f64, Type::f64, Type::f64, rounding.word, "", false, false, rounding.mode});
      if (*rounding.word == 0) continue;
      forms.push_back({shape, Type::f64, Type::f64, Type::f64, Type::f64, "", rounding.word, false, false, rounding.mode});
    }
  }
  return forms;
}

/// The ISA's sums of integers and of bits, and f64's chain of fused operations.
double exact(const Form& form, const Matrix& a, const Matrix& b, double c, unsigned row, unsigned column) {
  if (form.d == Type::f64) {
    std::fesetround(form.rounding);
    volatile double sum = c;
    for (unsigned k = 0; k < form.shape.depth; ++k) sum = std::fma(a[row][k], b[k][column], sum);
    std::fesetround(FE_TONEAREST);
    return sum;
  }
  auto sum = static_cast<std::int64_t>(c);
  for (unsigned k = 0; k < form.shape.depth; ++k) {
    if (form.a == Type::b1) {
      sum += (form.conjunction ? a[row][k] != 0 && b[k][column] != 0 : a[row][k] != b[k][column]) ? 1 : 0;
    } else {
      sum += static_cast<std::int64_t>(a[row][k] * b[k][column]);
    }
  }
  if (form.saturate) return static_cast<double>(std::min<std::int64_t>(INT32_MAX, std::max<std::int64_t>(INT32_MIN, sum)));
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
}

void check(const Form& form, const Buffer<std::uint32_t>& in, const Buffer<std::uint32_t>& out) {
  const std::uint32_t* const at_b = in.data() + words_of(form.a, form.elements_a());
  const std::uint32_t* const at_c = at_b + words_of(form.b, form.elements_b());
  const PlaceOf place_of = form.shape.rows == 8 ? accumulator_8 : accumulator_16;
  const Matrix a = gather(in.data(), form.a, form.elements_a(), form.shape.a, form.shape.rows, form.shape.depth);
  const Matrix b = gather(at_b, form.b, form.elements_b(), form.shape.b, form.shape.depth, 8);
  const Matrix c = gather(at_c, form.c, form.elements_c(), place_of, form.shape.rows, 8);
  const Expected expected = triple_loop(a, b, c);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < form.elements_c(); ++i) {
      CAPTURE(lane);
      CAPTURE(i);
      const Place place = place_of(lane, i);
      if (form.d == Type::f16 || form.d == Type::f32) {
        check_float(form.d, element(out.data(), form.d, lane, i), expected.value[place.row][place.column],
                    expected.magnitude[place.row][place.column], form.shape.depth);
      } else {
        CHECK(value(out.data(), form.d, lane, i) == exact(form, a, b, c[place.row][place.column], place.row, place.column));
      }
    }
  }
}

void check_all(const std::vector<Form>& forms, std::uint64_t stream, const char* target = "sm_90a") {
  std::string text = std::string(".version 8.8\n.target ") + target + "\n.address_size 64\n";
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const Form& form = forms[i];
    text += kernel("form" + std::to_string(i), form.name(), form.d == Type::f64, registers_of(form.d, form.elements_c()),
                   registers_of(form.a, form.elements_a()), registers_of(form.b, form.elements_b()),
                   registers_of(form.c, form.elements_c()));
  }
  everywhere_text(text, "mma.ptx", [&](Program& program) {
    auto random = random_source(stream);
    for (std::size_t i = 0; i < forms.size(); ++i) {
      const Form& form = forms[i];
      CAPTURE(form.name());
      const unsigned in_a = words_of(form.a, form.elements_a()), in_b = words_of(form.b, form.elements_b());
      Buffer<std::uint32_t> in(in_a + in_b + words_of(form.c, form.elements_c())), out(words_of(form.d, form.elements_c()));
      fill(in.data(), form.a, in_a, random);
      fill(in.data() + in_a, form.b, in_b, random);
      fill(in.data() + in_a + in_b, form.c, words_of(form.c, form.elements_c()), random);
      program.run("form" + std::to_string(i), {}, Arguments(in, out));
      check(form, in, out);
    }
  });
}

TEST_CASE("each form of mma with floating-point accumulators") { check_all(float_forms(), 160); }
TEST_CASE("each form of mma of a kind") { check_all(kind_forms(), 164, "sm_120a"); }
TEST_CASE("each form of mma of integers and bits") { check_all(integer_forms(), 161); }
TEST_CASE("each form of mma of f64") { check_all(double_forms(), 162); }

TEST_CASE("each form of mma.m8n8k4 of f16") {
  struct Quad {
    bool a_by_column, b_by_column;
    Type d, c;
  };
  Buffer<Quad> quads;
  std::string text = ".version 8.8\n.target sm_90a\n.address_size 64\n";
  for (int layouts = 0; layouts < 4; ++layouts) {
    for (const auto& [d, c] : {std::pair{Type::f16, Type::f16}, std::pair{Type::f32, Type::f16}, std::pair{Type::f32, Type::f32}}) {
      quads.push_back({(layouts & 1) != 0, (layouts & 2) != 0, d, c});
      const std::string name = std::string("mma.sync.aligned.m8n8k4.") + ((layouts & 1) != 0 ? "col." : "row.") +
                               ((layouts & 2) != 0 ? "col." : "row.") + std::string(name_of(d)) + ".f16.f16." + std::string(name_of(c));
      text += kernel("form" + std::to_string(quads.size() - 1), name, false, registers_of(d, 8), 2, 2, registers_of(c, 8));
    }
  }
  everywhere_text(text, "mma.ptx", [&](Program& program) {
    auto random = random_source(163);
    for (std::size_t n = 0; n < quads.size(); ++n) {
      const Quad& quad = quads[n];
      CAPTURE(n);
      Buffer<std::uint32_t> in(128 + words_of(quad.c, 8)), out(words_of(quad.d, 8));
      fill(in.data(), Type::f16, 128, random);
      fill(in.data() + 128, quad.c, words_of(quad.c, 8), random);
      program.run("form" + std::to_string(n), {}, Arguments(in, out));
      for (unsigned which = 0; which < 4; ++which) {
        Matrix a = zeros(8, 4), b = zeros(4, 8), c = zeros(8, 8);
        for (unsigned lane = 0; lane < 32; ++lane) {
          if (quad_of(lane) != which) continue;
          for (unsigned i = 0; i < 4; ++i) {
            const Place in_a = quad_a(quad.a_by_column, lane, i), in_b = quad_b(quad.b_by_column, lane, i);
            a[in_a.row][in_a.column] = value(in.data(), Type::f16, lane, i);
            b[in_b.row][in_b.column] = value(in.data() + 64, Type::f16, lane, i);
          }
          for (unsigned i = 0; i < 8; ++i) {
            const Place place = quad_c(quad.c, lane, i);
            c[place.row][place.column] = value(in.data() + 128, quad.c, lane, i);
          }
        }
        const Expected expected = triple_loop(a, b, c);
        for (unsigned lane = 0; lane < 32; ++lane) {
          for (unsigned i = 0; i < 8 && quad_of(lane) == which; ++i) {
            const Place place = quad_c(quad.d, lane, i);
            check_float(quad.d, element(out.data(), quad.d, lane, i), expected.value[place.row][place.column],
                        expected.magnitude[place.row][place.column], 4);
          }
        }
      }
    }
  });
}

}  // namespace
