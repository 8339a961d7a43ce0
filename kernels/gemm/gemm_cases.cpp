// Cases of GEMM in bf16 and f16: awkward shapes for correctness, projections of real models for speed. The reference is in float64,
// from the rounded inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>

#include "../cases/case_list.hpp"
#include "../common/half_formats.hpp"
#include "../common/tolerance.hpp"
#include "gemm_reference.hpp"

namespace bascule::kernels {
namespace {

constexpr double kReferenceBudget = 5e7;  // multiply-adds; beyond, elements are sampled

struct Shape {
  std::uint32_t transpose_b = 1, activation = 0, has_bias = 0;
  std::uint64_t m = 0, n = 0, k = 0;
  std::uint64_t padding = 0;  // added to each leading dimension
  bool nan = false;           // one in A
};

template <class Format>
class GemmData final : public CaseData {
 public:
  GemmData(const Shape& shape, std::uint64_t seed)
      : shape_(shape),
        lda_(shape.k + shape.padding),
        ldb_((shape.transpose_b != 0 ? shape.k : shape.n) + shape.padding),
        ldc_(shape.n + shape.padding),
        a_(halves(span(shape.m, shape.k, lda_), seed)),
        b_(halves(shape.transpose_b != 0 ? span(shape.n, shape.k, ldb_) : span(shape.k, shape.n, ldb_), seed + 1)),
        bias_(random_floats(shape.has_bias != 0 ? shape.n : 0, seed + 2)),
        seed_(seed) {
    if (shape.nan && !a_.empty()) a_[RandomData(seed + 3).below(shape.k)] = Format::from_float(std::numeric_limits<float>::quiet_NaN());
    add_scalar(shape_.transpose_b);
    add_scalar(shape_.activation);
    add_scalar(shape_.has_bias);
    add_scalar(shape_.m);
    add_scalar(shape_.n);
    add_scalar(shape_.k);
    add_input(a_);
    add_scalar(lda_);
    add_input(b_);
    add_scalar(ldb_);
    add_input(bias_);
    add_output<std::uint16_t>(span(shape.m, shape.n, ldc_));
    add_scalar(ldc_);
  }

  void check(const void* const* outputs, bsc_case_verdict& verdict) override {
    const auto* c = static_cast<const std::uint16_t*>(outputs[11]);
    const std::uint64_t total = shape_.m * shape_.n;
    comparison worst;
    check_gaps(c, worst);
    if (static_cast<double>(total) * static_cast<double>(shape_.k) <= kReferenceBudget) {
      for (std::uint64_t i = 0; i < total; ++i) check_element(c, i / shape_.n, i % shape_.n, worst);
      return fill_verdict(verdict, worst, total, total);
    }
    const auto samples = static_cast<std::uint64_t>(kReferenceBudget / static_cast<double>(shape_.k));
    RandomData random(seed_ + 4);
    check_element(c, 0, 0, worst);
    check_element(c, shape_.m - 1, shape_.n - 1, worst);
    for (std::uint64_t i = 2; i < samples; ++i) check_element(c, random.below(shape_.m), random.below(shape_.n), worst);
    for (std::uint64_t i = 0; i < total; ++i) {
      const std::uint64_t index = i / shape_.n * ldc_ + i % shape_.n;
      if (c[index] == kPoison) compare_element(worst, index, 1, 0, 0);
    }
    fill_verdict(verdict, worst, samples, total);
  }

 private:
  static constexpr std::uint16_t kPoison = 0xffff;  // a NaN that no kernel makes: of the tools' poison bytes

  static std::uint64_t span(std::uint64_t rows, std::uint64_t columns, std::uint64_t stride) {
    return rows == 0 || columns == 0 ? 0 : (rows - 1) * stride + columns;
  }

  static std::vector<std::uint16_t> halves(std::uint64_t count, std::uint64_t seed) {
    const std::vector<float> floats = random_floats(count, seed);
    std::vector<std::uint16_t> result(count);
    std::transform(floats.begin(), floats.end(), result.begin(), Format::from_float);
    return result;
  }

  void check_element(const std::uint16_t* c, std::uint64_t row, std::uint64_t column, comparison& worst) const {
    double sum = 0, magnitude = 0;
    for (std::uint64_t l = 0; l < shape_.k; ++l) {
      const double b = Format::to_double(b_[shape_.transpose_b != 0 ? column * ldb_ + l : l * ldb_ + column]);
      const double product = Format::to_double(a_[row * lda_ + l]) * b;
      sum += product;
      magnitude += std::fabs(product);
    }
    const double bias = shape_.has_bias != 0 ? double{bias_[column]} : 0.0;
    const double value = activation_reference(shape_.activation, sum + bias);
    // Format::kUnitRoundoff is the last rounding's; the activation's slope is below 1.13.
    const double before = r1_bound(shape_.k + shape_.has_bias, magnitude + std::fabs(bias), sum + bias);
    const double allowed = 1.13 * before + activation_error(shape_.activation, sum + bias) + Format::kUnitRoundoff * std::fabs(value) + Format::kSmallest;
    const std::uint64_t index = row * ldc_ + column;
    compare_element(worst, index, Format::to_double(c[index]), value, allowed);
  }

  // What lies between the rows of C stays as it was.
  void check_gaps(const std::uint16_t* c, comparison& worst) const {
    for (std::uint64_t row = 0; row + 1 < shape_.m; ++row) {
      for (std::uint64_t i = row * ldc_ + shape_.n; i < (row + 1) * ldc_ && shape_.n != 0; ++i) {
        if (c[i] != kPoison) compare_element(worst, i, 1, 0, 0);
      }
    }
  }

  Shape shape_;
  std::uint64_t lda_, ldb_, ldc_;
  std::vector<std::uint16_t> a_, b_;
  std::vector<float> bias_;
  std::uint64_t seed_;
};

double operations_of(const Shape& shape) { return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k); }
std::uint64_t bytes_of(const Shape& shape) { return 2 * (shape.m * shape.k + shape.k * shape.n + shape.m * shape.n) + 4 * shape.n * shape.has_bias; }

template <class Format>
void add_one(CaseList& list, const Shape& shape, const std::string& prefix, const std::string& shrunk = "") {
  constexpr const char* kActivations[] = {"", " relu", " gelu", " silu"};
  CaseDefinition definition;
  definition.kernel = std::string("gemm_") + Format::kName;
  definition.number_format = Format::kName;
  definition.math_mode = "f32 accumulate";
  definition.shape = dimensions_text({{"M", shape.m}, {"N", shape.n}, {"K", shape.k}}) + (shape.transpose_b != 0 ? " B^T" : "");
  definition.label = prefix + definition.kernel + " " + definition.shape + (shape.has_bias != 0 ? " bias" : "") + kActivations[shape.activation];
  if (shape.padding != 0) definition.label += " padding=" + std::to_string(shape.padding);
  if (shape.nan) definition.label += ", one NaN in A";
  definition.shrunk = shrunk;
  definition.bytes = static_cast<double>(bytes_of(shape));
  definition.operations = operations_of(shape);
  definition.device_bytes = bytes_of(shape);
  definition.make = [shape](std::uint64_t seed) { return std::make_unique<GemmData<Format>>(shape, seed); };
  list.add(std::move(definition));
}

template <class Format>
void add_selftest(CaseList& list) {
  constexpr std::uint64_t kSizes[][3] = {{1, 1, 1}, {1, 17, 3}, {17, 3, 33}, {16, 8, 16}, {127, 129, 65}, {129, 127, 32}, {128, 128, 128}, {8, 257, 130}, {150, 264, 96}};
  std::uint32_t number = 0;
  for (const auto& [m, n, k] : kSizes) {
    for (std::uint32_t transpose = 0; transpose < 2; ++transpose) {
      add_one<Format>(list, {transpose, number % 4, number / 2 % 2, m, n, k, 0, false}, "");
      add_one<Format>(list, {transpose, (number + 1) % 4, 1, m, n, k, number % 2 == 0 ? 8u : 3u, false}, "");
      ++number;
    }
  }
  add_one<Format>(list, {1, 0, 0, 0, 5, 7, 0, false}, "");
  add_one<Format>(list, {0, 0, 0, 5, 0, 7, 0, false}, "");
  add_one<Format>(list, {1, 3, 1, 5, 7, 0, 0, false}, "");  // K = 0: activation(bias)
  for (std::uint32_t activation = 0; activation < 4; ++activation) add_one<Format>(list, {1, activation, 0, 17, 19, 40, 0, true}, "");
}

template <class Format>
void add_shrinking(CaseList& list, const Shape& full, const std::string& prefix) {
  Shape shape = full;
  while (!list.fits(operations_of(shape), bytes_of(shape)) && shape.n > 64) shape.n /= 2;
  add_one<Format>(list, shape, prefix, shape.n == full.n ? "" : "N=" + std::to_string(full.n) + " shrunk to " + std::to_string(shape.n));
}

}  // namespace

void add_gemm_cases(CaseList& list) {
  if (list.wants("selftest")) {
    add_selftest<Bf16>(list);
    add_selftest<F16>(list);
  }
  if (list.wants("quick")) {
    add_shrinking<Bf16>(list, {1, 0, 0, 512, 512, 512, 0, false}, "");
    add_shrinking<F16>(list, {1, 0, 0, 512, 512, 512, 0, false}, "");
  }
  if (!list.wants("llm")) return;
  for (const std::uint64_t tokens : {16ull, 512ull}) {
    const std::string end = ", " + std::to_string(tokens) + " tokens: ";
    add_shrinking<Bf16>(list, {1, 0, 0, tokens, 6144, 4096, 0, false}, "llama3-8b qkv" + end);
    add_shrinking<Bf16>(list, {1, 3, 0, tokens, 28672, 4096, 0, false}, "llama3-8b gate+up" + end);
    add_shrinking<Bf16>(list, {1, 0, 0, tokens, 4096, 14336, 0, false}, "llama3-8b down" + end);
  }
}

}  // namespace bascule::kernels
