// Cases of SGEMM: awkward shapes for correctness, projections of real models for speed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>

#include "../cases/case_list.hpp"
#include "sgemm_reference.hpp"

namespace bascule::kernels {
namespace {

// Multiply-adds that a float64 reference may cost; beyond, elements are sampled and all are searched for poison.
constexpr double kReferenceBudget = 2e8;

struct Shape {
  std::uint32_t transpose_a = 0, transpose_b = 0;
  std::uint64_t m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
  std::uint64_t padding = 0;  // added to each leading dimension
};

enum class Special { none, nan_in_c, nan_in_a };

class SgemmData final : public CaseData {
 public:
  SgemmData(const Shape& shape, Special special, std::uint64_t seed)
      : shape_(shape),
        lda_((shape.transpose_a ? shape.m : shape.k) + shape.padding),
        ldb_((shape.transpose_b ? shape.k : shape.n) + shape.padding),
        ldc_(shape.n + shape.padding),
        a_(random_floats(span(shape.transpose_a ? shape.k : shape.m, shape.transpose_a ? shape.m : shape.k, lda_), seed)),
        b_(random_floats(span(shape.transpose_b ? shape.n : shape.k, shape.transpose_b ? shape.k : shape.n, ldb_), seed + 1)),
        c_(random_floats(span(shape.m, shape.n, ldc_), seed + 2)),
        seed_(seed) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    if (special == Special::nan_in_c) std::fill(c_.begin(), c_.end(), kNan);
    if (special == Special::nan_in_a && !a_.empty()) a_[RandomData(seed + 3).below(a_.size())] = kNan;
    add_scalar(shape_.transpose_a);
    add_scalar(shape_.transpose_b);
    add_scalar(shape_.m);
    add_scalar(shape_.n);
    add_scalar(shape_.k);
    add_scalar(shape_.alpha);
    add_input(a_);
    add_scalar(lda_);
    add_input(b_);
    add_scalar(ldb_);
    add_scalar(shape_.beta);
    add_in_out(c_);
    add_scalar(ldc_);
  }

  void check(const void* const* outputs, bsc_case_verdict& verdict) override {
    const auto* c = static_cast<const float*>(outputs[11]);
    const std::uint64_t total = shape_.m * shape_.n;
    const double cost = static_cast<double>(total) * static_cast<double>(std::max<std::uint64_t>(shape_.k, 1));
    comparison worst;
    check_gaps(c, worst);
    if (cost <= kReferenceBudget) {
      for (std::uint64_t i = 0; i < total; ++i) check_element(c, i / shape_.n, i % shape_.n, worst);
      return fill_verdict(verdict, worst, total, total);
    }
    const auto samples = std::max<std::uint64_t>(64, static_cast<std::uint64_t>(kReferenceBudget / static_cast<double>(shape_.k)));
    RandomData random(seed_ + 4);
    for (const std::uint64_t row : {std::uint64_t{0}, shape_.m - 1}) {
      for (const std::uint64_t column : {std::uint64_t{0}, shape_.n - 1}) check_element(c, row, column, worst);
    }
    for (std::uint64_t i = 4; i < samples; ++i) check_element(c, random.below(shape_.m), random.below(shape_.n), worst);
    check_all_written(c, worst);
    fill_verdict(verdict, worst, samples, total);
  }

 private:
  static std::uint64_t span(std::uint64_t rows, std::uint64_t columns, std::uint64_t stride) {
    return rows == 0 || columns == 0 ? 0 : (rows - 1) * stride + columns;
  }

  void check_element(const float* c, std::uint64_t row, std::uint64_t column, comparison& worst) {
    sgemm_arguments x = {};
    x.transpose_a = shape_.transpose_a;
    x.transpose_b = shape_.transpose_b;
    x.m = shape_.m;
    x.n = shape_.n;
    x.k = shape_.k;
    x.alpha = shape_.alpha;
    x.beta = shape_.beta;
    x.a = {a_.data(), a_.size() * sizeof(float)};
    x.b = {b_.data(), b_.size() * sizeof(float)};
    x.c = {c_.data(), c_.size() * sizeof(float)};
    x.lda = lda_;
    x.ldb = ldb_;
    x.ldc = ldc_;
    const reference_value expected = sgemm_reference_element(x, row, column);
    compare_element(worst, row * ldc_ + column, c[row * ldc_ + column], expected.value, expected.allowed);
  }

  // What lies between the rows of C stays as it was.
  void check_gaps(const float* c, comparison& worst) const {
    for (std::uint64_t row = 0; row + 1 < shape_.m; ++row) {
      for (std::uint64_t i = row * ldc_ + shape_.n; i < (row + 1) * ldc_; ++i) {
        const bool both_nan = c[i] != c[i] && c_[i] != c_[i];
        if (c[i] != c_[i] && !both_nan) compare_element(worst, i, c[i], c_[i], 0);
      }
    }
  }

  // In the sampled case C starts as random numbers; one that is still the same to the bit was not written. A product that
  // happens to equal it is as likely as a hash collision, and a few are let pass.
  void check_all_written(const float* c, comparison& worst) const {
    std::uint64_t same = 0, index = 0;
    for (std::uint64_t i = 0; i < c_.size(); ++i) {
      if (c[i] != c_[i] || i % ldc_ >= shape_.n) continue;
      ++same;
      index = i;
    }
    if (same > 4 + c_.size() / 100000) compare_element(worst, index, c[index], 0, 0);
  }

  Shape shape_;
  std::uint64_t lda_, ldb_, ldc_;
  std::vector<float> a_, b_, c_;
  std::uint64_t seed_;
};

double operations_of(const Shape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
}

std::uint64_t bytes_of(const Shape& shape) { return 4 * (shape.m * shape.k + shape.k * shape.n + shape.m * shape.n); }

std::string shape_text(const Shape& shape) {
  return dimensions_text({{"M", shape.m}, {"N", shape.n}, {"K", shape.k}}) + (shape.transpose_a || shape.transpose_b ? " " : "") +
         (shape.transpose_a ? "A^T" : "") + (shape.transpose_b ? "B^T" : "");
}

void add_one(CaseList& list, const Shape& shape, Special special, const std::string& prefix, const std::string& shrunk = "") {
  CaseDefinition definition;
  definition.kernel = "sgemm_f32";
  definition.shape = shape_text(shape);
  definition.label = prefix + "sgemm " + definition.shape;
  if (shape.alpha != 1 || shape.beta != 0 || shape.padding != 0) {
    definition.label += " alpha=" + std::to_string(shape.alpha).substr(0, 4) + " beta=" + std::to_string(shape.beta).substr(0, 4) +
                        " padding=" + std::to_string(shape.padding);
  }
  if (special != Special::none) definition.label += special == Special::nan_in_c ? ", C is NaN" : ", one NaN in A";
  definition.shrunk = shrunk;
  definition.bytes = static_cast<double>(bytes_of(shape));
  definition.operations = operations_of(shape);
  definition.device_bytes = bytes_of(shape);
  definition.make = [shape, special](std::uint64_t seed) { return std::make_unique<SgemmData>(shape, special, seed); };
  list.add(std::move(definition));
}

// Halves N until the case fits: the inner dimension and the number of tokens are what makes such a product what it is.
void add_shrinking(CaseList& list, const Shape& full, const std::string& prefix) {
  Shape shape = full;
  while (!list.fits(operations_of(shape), bytes_of(shape)) && shape.n > 64) shape.n /= 2;
  add_one(list, shape, Special::none, prefix, shape.n == full.n ? "" : "N=" + std::to_string(full.n) + " shrunk to " + std::to_string(shape.n));
}

void add_selftest(CaseList& list) {
  constexpr std::uint64_t kSizes[][3] = {{1, 1, 1}, {1, 17, 3}, {3, 1, 17}, {17, 3, 1}, {17, 17, 17}, {127, 128, 129}, {129, 127, 128},
                                         {128, 129, 127}, {1, 513, 300}, {8, 257, 130}, {300, 1, 64}, {64, 48, 515}, {250, 240, 260}};
  for (const auto& [m, n, k] : kSizes) {
    for (std::uint32_t transposes = 0; transposes < 4; ++transposes) {
      const Shape plain = {transposes & 1u, transposes >> 1, m, n, k, 1, 0, 0};
      add_one(list, plain, Special::nan_in_c, "");  // beta = 0 never reads C
      Shape general = plain;
      general.alpha = -1.5f;
      general.beta = 0.5f;
      general.padding = 3;
      add_one(list, general, Special::none, "");
    }
  }
  add_one(list, {0, 0, 0, 5, 7, 1, 1, 0}, Special::none, "");
  add_one(list, {0, 0, 5, 0, 7, 1, 1, 0}, Special::none, "");
  add_one(list, {0, 0, 5, 7, 0, 1, 2, 0}, Special::none, "");          // K = 0: C = beta C
  add_one(list, {0, 0, 5, 7, 0, 1, 0, 0}, Special::nan_in_c, "");      // K = 0, beta = 0: zeros
  add_one(list, {0, 0, 17, 19, 23, 0, 0, 0}, Special::nan_in_a, "");   // alpha = 0 never reads A
  add_one(list, {0, 0, 17, 19, 23, 0, 2, 0}, Special::nan_in_a, "");
  add_one(list, {0, 0, 17, 19, 23, 1, 1, 0}, Special::nan_in_a, "");   // a NaN reaches its row only
}

}  // namespace

void add_sgemm_cases(CaseList& list) {
  if (list.wants("selftest")) add_selftest(list);
  if (list.wants("quick")) {
    for (const std::uint64_t size : {256ull, 1024ull}) add_shrinking(list, {0, 0, size, size, size, 1, 0, 0}, "");
  }
  if (!list.wants("llm")) return;
  struct Projection {
    const char* name;
    std::uint64_t n, k;
  };
  constexpr Projection kProjections[] = {{"llama3-8b qkv", 6144, 4096},    {"llama3-8b o", 4096, 4096},     {"llama3-8b gate+up", 28672, 4096},
                                         {"llama3-8b down", 4096, 14336},  {"llama3-8b head", 128256, 4096}, {"deepseek-v3 gate", 256, 7168}};
  // Weights are stored output x input, so that y = x W^T.
  for (const std::uint64_t tokens : {1ull, 8ull, 128ull}) {
    for (const Projection& projection : kProjections) {
      if (tokens > 1 && std::string_view(projection.name) == "llama3-8b head") continue;  // logits of the last token only
      add_shrinking(list, {0, 1, tokens, projection.n, projection.k, 1, 0, 0},
                    std::string(projection.name) + ", " + std::to_string(tokens) + (tokens == 1 ? " token: " : " tokens: "));
    }
  }
}

}  // namespace bascule::kernels
