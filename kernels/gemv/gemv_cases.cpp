// Cases of products of a matrix and a vector: awkward shapes for correctness, projections of one token for speed. The reference is in
// float64, from the rounded or quantised weights.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>

#include "../cases/case_list.hpp"
#include "../common/half_formats.hpp"
#include "../common/tolerance.hpp"
#include "block_formats.hpp"

namespace bascule::kernels {
namespace {

constexpr double kReferenceBudget = 5e7;  // multiply-adds; beyond, rows are sampled

struct Shape {
  std::uint64_t n = 0, k = 0;
  float alpha = 1, beta = 0;
  std::uint64_t padding = 0;  // elements or blocks added to the leading dimension
};

enum class Special { none, nan_in_w, nan_in_x };

// Weights of one number each.
struct F32Weights {
  using Stored = float;
  static constexpr const char* kName = "f32";
  static constexpr std::uint64_t kLength = 1, kStored = 1;
  static constexpr double kBytes = 4;
  static std::vector<float> from(std::vector<float> values) { return values; }
  static double weight(const float* stored, std::uint64_t) { return *stored; }
  static void make_nan(float* stored) { *stored = std::numeric_limits<float>::quiet_NaN(); }
};

struct Bf16Weights {
  using Stored = std::uint16_t;
  static constexpr const char* kName = "bf16";
  static constexpr std::uint64_t kLength = 1, kStored = 1;
  static constexpr double kBytes = 2;
  static std::vector<std::uint16_t> from(const std::vector<float>& values) {
    std::vector<std::uint16_t> stored(values.size());
    std::transform(values.begin(), values.end(), stored.begin(), Bf16::from_float);
    return stored;
  }
  static double weight(const std::uint16_t* stored, std::uint64_t) { return Bf16::to_double(*stored); }
  static void make_nan(std::uint16_t* stored) { *stored = 0x7fc0; }
};

// Weights in blocks of 32, in words of 16 bits.
template <class Format>
struct BlockWeights {
  using Stored = std::uint16_t;
  static constexpr const char* kName = Format::kName;
  static constexpr std::uint64_t kLength = kBlockLength, kStored = Format::kWords;
  static constexpr double kBytes = Format::kBytes;
  static std::vector<std::uint16_t> from(const std::vector<float>& values) { return quantised<Format>(values); }
  static double weight(const std::uint16_t* stored, std::uint64_t index) { return Format::weight(stored, index); }
  static void make_nan(std::uint16_t* stored) { *stored = 0x7e00; }  // the factor
};

template <class Weights>
class GemvData final : public CaseData {
 public:
  using Stored = typename Weights::Stored;

  GemvData(const Shape& shape, Special special, std::uint64_t seed)
      : shape_(shape),
        ldw_(shape.k / Weights::kLength + shape.padding),
        w_(Weights::from(random_floats(units() * Weights::kLength, seed))),
        x_(random_floats(shape.n == 0 ? 0 : shape.k, seed + 1)),
        y_(random_floats(shape.n, seed + 2)),
        seed_(seed) {
    RandomData random(seed + 3);
    if (special == Special::nan_in_w && !w_.empty()) Weights::make_nan(w_.data() + random.below(shape.k / Weights::kLength) * Weights::kStored);
    if (special == Special::nan_in_x && !x_.empty()) x_[random.below(shape.k)] = std::numeric_limits<float>::quiet_NaN();
    if (shape.beta == 0) std::fill(y_.begin(), y_.end(), std::numeric_limits<float>::quiet_NaN());  // must not be read
    add_scalar(shape_.n);
    add_scalar(shape_.k);
    add_scalar(shape_.alpha);
    add_scalar(shape_.beta);
    add_input(w_);
    add_scalar(ldw_);
    add_input(x_);
    add_in_out(y_);
  }

  void check(const void* const* outputs, bsc_case_verdict& verdict) override {
    const auto* y = static_cast<const float*>(outputs[7]);
    comparison worst;
    if (static_cast<double>(shape_.n) * static_cast<double>(shape_.k) <= kReferenceBudget) {
      for (std::uint64_t row = 0; row < shape_.n; ++row) check_row(y, row, worst);
      return fill_verdict(verdict, worst, shape_.n, shape_.n);
    }
    const auto samples = static_cast<std::uint64_t>(kReferenceBudget / static_cast<double>(shape_.k));
    RandomData random(seed_ + 4);
    check_row(y, 0, worst);
    check_row(y, shape_.n - 1, worst);
    for (std::uint64_t i = 2; i < samples; ++i) check_row(y, random.below(shape_.n), worst);
    fill_verdict(verdict, worst, samples, shape_.n);
  }

 private:
  // Elements or blocks that the matrix takes.
  std::uint64_t units() const { return shape_.n == 0 || shape_.k == 0 ? 0 : (shape_.n - 1) * ldw_ + shape_.k / Weights::kLength; }

  void check_row(const float* y, std::uint64_t row, comparison& worst) const {
    double sum = 0, magnitude = 0;
    for (std::uint64_t j = 0; j < shape_.k && shape_.alpha != 0; ++j) {
      const Stored* stored = w_.data() + (row * ldw_ + j / Weights::kLength) * Weights::kStored;
      const double product = Weights::weight(stored, j % Weights::kLength) * double{x_[j]};
      sum += product;
      magnitude += std::fabs(product);
    }
    const double old = shape_.beta != 0 ? double{shape_.beta} * double{y_[row]} : 0.0;
    const double value = double{shape_.alpha} * sum + old;
    const double allowed = r1_bound(shape_.k + 2, std::fabs(double{shape_.alpha}) * magnitude + std::fabs(old), value);
    compare_element(worst, row, y[row], value, allowed);
  }

  Shape shape_;
  std::uint64_t ldw_;
  std::vector<Stored> w_;
  std::vector<float> x_, y_;
  std::uint64_t seed_;
};

template <class Weights>
void add_one(CaseList& list, const Shape& shape, Special special, const std::string& prefix, const std::string& shrunk = "") {
  CaseDefinition definition;
  definition.kernel = std::string("gemv_") + Weights::kName;
  definition.number_format = Weights::kName;
  definition.math_mode = "f32 accumulate";
  definition.shape = dimensions_text({{"N", shape.n}, {"K", shape.k}});
  definition.label = prefix + definition.kernel + " " + definition.shape;
  if (shape.alpha != 1 || shape.beta != 0 || shape.padding != 0) {
    definition.label += " alpha=" + std::to_string(shape.alpha).substr(0, 4) + " beta=" + std::to_string(shape.beta).substr(0, 4) +
                        " padding=" + std::to_string(shape.padding);
  }
  if (special != Special::none) definition.label += special == Special::nan_in_w ? ", one NaN in W" : ", one NaN in x";
  definition.shrunk = shrunk;
  const double rows = static_cast<double>(shape.n), columns = static_cast<double>(shape.k);
  definition.bytes = rows * columns * Weights::kBytes / static_cast<double>(Weights::kLength) + 4 * (rows + columns);
  definition.operations = 2 * rows * columns;
  definition.device_bytes = static_cast<std::uint64_t>(definition.bytes) + shape.n * shape.padding * static_cast<std::uint64_t>(Weights::kBytes);
  definition.make = [shape, special](std::uint64_t seed) { return std::make_unique<GemvData<Weights>>(shape, special, seed); };
  list.add(std::move(definition));
}

template <class Weights>
void add_selftest(CaseList& list) {
  constexpr std::uint64_t kUnit = Weights::kLength;
  constexpr std::uint64_t kSizes[][2] = {{1, 1}, {3, 2}, {4, 7}, {5, 31}, {31, 33}, {33, 5}, {17, 129}, {8, 257}, {100, 64}};  // columns in units
  for (const auto& [n, units] : kSizes) {
    add_one<Weights>(list, {n, units * kUnit, 1, 0, 0}, Special::none, "");
    add_one<Weights>(list, {n, units * kUnit, -1.5f, 0.5f, units % 2 == 0 ? 8u : 3u}, Special::none, "");
  }
  add_one<Weights>(list, {3000, 5 * kUnit, 1, 1, 1}, Special::none, "");  // more rows than a grid's warps
  add_one<Weights>(list, {0, 5 * kUnit, 1, 0, 0}, Special::none, "");
  add_one<Weights>(list, {5, 0, 1, 2, 0}, Special::none, "");             // K = 0: y = beta y
  add_one<Weights>(list, {5, 0, 1, 0, 0}, Special::none, "");
  add_one<Weights>(list, {9, 6 * kUnit, 0, 2, 0}, Special::nan_in_x, "");  // alpha = 0 reads neither W nor x
  add_one<Weights>(list, {9, 6 * kUnit, 0, 0, 0}, Special::nan_in_w, "");
  add_one<Weights>(list, {9, 6 * kUnit, 1, 1, 0}, Special::nan_in_w, "");  // a NaN reaches its row only
  add_one<Weights>(list, {9, 6 * kUnit, 1, 1, 0}, Special::nan_in_x, "");  // and all rows
}

// Halves N until the case fits.
template <class Weights>
void add_shrinking(CaseList& list, const Shape& full, const std::string& prefix) {
  const auto bytes = [](const Shape& shape) {
    return static_cast<std::uint64_t>(static_cast<double>(shape.n * shape.k) * Weights::kBytes / static_cast<double>(Weights::kLength));
  };
  Shape shape = full;
  while (!list.fits(2.0 * static_cast<double>(shape.n) * static_cast<double>(shape.k), bytes(shape)) && shape.n > 64) shape.n /= 2;
  add_one<Weights>(list, shape, Special::none, prefix, shape.n == full.n ? "" : "N=" + std::to_string(full.n) + " shrunk to " + std::to_string(shape.n));
}

template <class Weights>
void add_projections(CaseList& list) {
  add_shrinking<Weights>(list, {6144, 4096}, "llama3-8b qkv, 1 token: ");
  add_shrinking<Weights>(list, {28672, 4096}, "llama3-8b gate+up, 1 token: ");
  add_shrinking<Weights>(list, {4096, 14336}, "llama3-8b down, 1 token: ");
}

template <class Weights>
void add_kernel(CaseList& list) {
  if (list.wants("selftest")) add_selftest<Weights>(list);
  if (list.wants("quick")) add_shrinking<Weights>(list, {1024, 4096}, "");
}

}  // namespace

void add_gemv_cases(CaseList& list) {
  add_kernel<F32Weights>(list);
  add_kernel<Bf16Weights>(list);
  add_kernel<BlockWeights<Q4_0>>(list);
  add_kernel<BlockWeights<Q8_0>>(list);
  if (!list.wants("llm")) return;
  add_projections<Bf16Weights>(list);
  add_projections<BlockWeights<Q4_0>>(list);
  add_projections<BlockWeights<Q8_0>>(list);
}

}  // namespace bascule::kernels
