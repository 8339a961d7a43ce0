// Cases of attention over a prompt: awkward lengths for correctness, prompts of Llama 3 8B for speed. The reference is in float64,
// from the rounded inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>

#include "../cases/case_list.hpp"
#include "../common/half_formats.hpp"
#include "../common/tolerance.hpp"
#include "attention_reference.hpp"

namespace bascule::kernels {
namespace {

constexpr double kReferenceBudget = 2e7;  // multiply-adds; beyond, rows are sampled

struct Shape {
  std::uint64_t batch = 1, heads = 1, kv_heads = 1, queries = 0, keys = 0, head_dim = 64;
  std::uint32_t causal = 0;
  std::uint64_t padding = 0;  // elements added to each stride
};

enum class Special { none, nan_in_q, nan_in_k, large_scores };

double rows_of(const Shape& shape) { return static_cast<double>(shape.batch * shape.heads * shape.queries); }

template <class Format>
class AttentionData final : public CaseData {
 public:
  AttentionData(const Shape& shape, Special special, std::uint64_t seed)
      : shape_(shape),
        scale_((special == Special::large_scores ? 40.0f : 1.0f) / std::sqrt(static_cast<float>(shape.head_dim))),
        q_stride_(shape.heads * shape.head_dim + shape.padding),
        kv_stride_(shape.kv_heads * shape.head_dim + shape.padding),
        q_(halves(span(shape.queries, q_stride_, shape.heads), seed)),
        k_(halves(span(shape.keys, kv_stride_, shape.kv_heads), seed + 1)),
        v_(halves(span(shape.keys, kv_stride_, shape.kv_heads), seed + 2)),
        seed_(seed) {
    RandomData random(seed + 3);
    const std::uint16_t nan = Format::from_float(std::numeric_limits<float>::quiet_NaN());
    if (special == Special::nan_in_q) q_[random.below(shape.queries) * q_stride_ + random.below(shape.head_dim)] = nan;
    // A key that the first query does not see: were all results NaN, nobody could tell them from poison.
    if (special == Special::nan_in_k) k_[(shape.keys - 1 - random.below(shape.queries - 1)) * kv_stride_ + random.below(shape.head_dim)] = nan;
    add_scalar(shape_.causal);
    add_scalar(shape_.batch);
    add_scalar(shape_.heads);
    add_scalar(shape_.kv_heads);
    add_scalar(shape_.queries);
    add_scalar(shape_.keys);
    add_scalar(shape_.head_dim);
    add_scalar(scale_);
    add_input(q_);
    add_scalar(q_stride_);
    add_input(k_);
    add_scalar(kv_stride_);
    add_input(v_);
    add_scalar(kv_stride_);
    add_output<std::uint16_t>(span(shape.queries, q_stride_, shape.heads));
    add_scalar(q_stride_);
  }

  void check(const void* const* outputs, bsc_case_verdict& verdict) override {
    const auto* o = static_cast<const std::uint16_t*>(outputs[14]);
    comparison worst;
    check_gaps(o, worst);
    const auto rows = static_cast<std::uint64_t>(rows_of(shape_));
    const double cost = 2 * static_cast<double>(std::max<std::uint64_t>(shape_.keys, 1) * shape_.head_dim);
    const auto affordable = static_cast<std::uint64_t>(kReferenceBudget / cost);
    if (rows <= affordable) {
      for (std::uint64_t row = 0; row < rows; ++row) check_row(o, row, worst);
      return fill_verdict(verdict, worst, rows * shape_.head_dim, rows * shape_.head_dim);
    }
    RandomData random(seed_ + 4);
    check_row(o, 0, worst);
    check_row(o, rows - 1, worst);
    for (std::uint64_t i = 2; i < affordable; ++i) check_row(o, random.below(rows), worst);
    fill_verdict(verdict, worst, affordable * shape_.head_dim, rows * shape_.head_dim);
  }

 private:
  static constexpr std::uint16_t kPoison = 0xffff;  // of the tools' poison bytes

  std::uint64_t span(std::uint64_t tokens, std::uint64_t stride, std::uint64_t heads) const {
    return shape_.batch * tokens == 0 ? 0 : (shape_.batch * tokens - 1) * stride + heads * shape_.head_dim;
  }

  static std::vector<std::uint16_t> halves(std::uint64_t count, std::uint64_t seed) {
    const std::vector<float> floats = random_floats(count, seed);
    std::vector<std::uint16_t> result(count);
    std::transform(floats.begin(), floats.end(), result.begin(), Format::from_float);
    return result;
  }

  static std::vector<double> doubles(const std::vector<std::uint16_t>& halves, std::uint64_t begin, std::uint64_t rows, std::uint64_t stride,
                                     std::uint64_t columns) {
    std::vector<double> result;
    result.reserve(rows * columns);
    for (std::uint64_t row = 0; row < rows; ++row) {
      for (std::uint64_t column = 0; column < columns; ++column) result.push_back(Format::to_double(halves[begin + row * stride + column]));
    }
    return result;
  }

  void check_row(const std::uint16_t* o, std::uint64_t number, comparison& worst) const {
    const std::uint64_t query = number % shape_.queries, head = number / shape_.queries % shape_.heads, sequence = number / shape_.queries / shape_.heads;
    const std::uint64_t kv_head = head / (shape_.heads / shape_.kv_heads);
    const std::uint64_t seen = attention_keys_seen(shape_.causal != 0, query, shape_.queries, shape_.keys);
    const std::uint64_t place = (sequence * shape_.queries + query) * q_stride_ + head * shape_.head_dim;
    const std::uint64_t kv_place = sequence * shape_.keys * kv_stride_ + kv_head * shape_.head_dim;
    const std::vector<double> q = doubles(q_, place, 1, 0, shape_.head_dim);
    const std::vector<double> k = doubles(k_, kv_place, seen, kv_stride_, shape_.head_dim);
    const std::vector<double> v = doubles(v_, kv_place, seen, kv_stride_, shape_.head_dim);
    const std::vector<reference_value> expected = attention_reference_row(q, k, v, seen, double{scale_}, Format::kUnitRoundoff);
    for (std::uint64_t d = 0; d < shape_.head_dim; ++d) {
      compare_element(worst, place + d, Format::to_double(o[place + d]), expected[d].value, expected[d].allowed + Format::kSmallest);
    }
  }

  // What lies between the tokens of O stays as it was.
  void check_gaps(const std::uint16_t* o, comparison& worst) const {
    for (std::uint64_t token = 0; token + 1 < shape_.batch * shape_.queries; ++token) {
      for (std::uint64_t i = token * q_stride_ + shape_.heads * shape_.head_dim; i < (token + 1) * q_stride_; ++i) {
        if (o[i] != kPoison) compare_element(worst, i, 1, 0, 0);
      }
    }
  }

  Shape shape_;
  float scale_;
  std::uint64_t q_stride_, kv_stride_;
  std::vector<std::uint16_t> q_, k_, v_;
  std::uint64_t seed_;
};

// Pairs of a query and a key that it sees, of one head.
double pairs_of(const Shape& shape) {
  double pairs = 0;
  for (std::uint64_t query = 0; query < shape.queries; ++query) {
    pairs += static_cast<double>(attention_keys_seen(shape.causal != 0, query, shape.queries, shape.keys));
  }
  return pairs;
}

double operations_of(const Shape& shape) { return 4 * pairs_of(shape) * static_cast<double>(shape.batch * shape.heads * shape.head_dim); }

std::uint64_t bytes_of(const Shape& shape) {
  return 4 * shape.batch * shape.head_dim * (shape.heads * shape.queries + shape.kv_heads * shape.keys);
}

template <class Format>
void add_one(CaseList& list, const Shape& shape, Special special, const std::string& prefix, const std::string& shrunk = "") {
  CaseDefinition definition;
  definition.kernel = std::string("attention_") + Format::kName;
  definition.number_format = Format::kName;
  definition.math_mode = "f32 accumulate";
  definition.shape = dimensions_text({{"B", shape.batch}, {"H", shape.heads}, {"KV", shape.kv_heads}, {"Q", shape.queries}, {"K", shape.keys}, {"D", shape.head_dim}}) +
                     (shape.causal != 0 ? " causal" : "");
  definition.label = prefix + definition.kernel + " " + definition.shape;
  if (shape.padding != 0) definition.label += " padding=" + std::to_string(shape.padding);
  if (special == Special::nan_in_q) definition.label += ", one NaN in Q";
  if (special == Special::nan_in_k) definition.label += ", one NaN in K";
  if (special == Special::large_scores) definition.label += ", large scores";
  definition.shrunk = shrunk;
  definition.bytes = static_cast<double>(bytes_of(shape));
  definition.operations = operations_of(shape);
  definition.device_bytes = bytes_of(shape) + 4 * shape.batch * (shape.queries + shape.keys) * shape.padding;
  definition.make = [shape, special](std::uint64_t seed) { return std::make_unique<AttentionData<Format>>(shape, special, seed); };
  list.add(std::move(definition));
}

template <class Format>
void add_selftest(CaseList& list) {
  for (const std::uint64_t head_dim : {64ull, 128ull}) {
    add_one<Format>(list, {1, 1, 1, 1, 1, head_dim, 0, 0}, Special::none, "");
    add_one<Format>(list, {1, 2, 1, 1, 17, head_dim, 1, 0}, Special::none, "");
    add_one<Format>(list, {1, 2, 2, 17, 17, head_dim, 1, 3}, Special::none, "");
    add_one<Format>(list, {1, 1, 1, 64, 64, head_dim, 0, 8}, Special::none, "");
    add_one<Format>(list, {1, 2, 1, 65, 129, head_dim, 1, 0}, Special::large_scores, "");
    add_one<Format>(list, {1, 1, 1, 129, 65, head_dim, 1, 0}, Special::none, "");  // queries that see nothing
    add_one<Format>(list, {2, 4, 2, 5, 200, head_dim, 0, 5}, Special::none, "");
    add_one<Format>(list, {2, 2, 1, 33, 70, head_dim, 1, 8}, Special::nan_in_q, "");
    add_one<Format>(list, {1, 2, 1, 40, 75, head_dim, 1, 0}, Special::nan_in_k, "");
    add_one<Format>(list, {1, 1, 1, 3, 0, head_dim, 0, 0}, Special::none, "");     // nothing to see: 0
    add_one<Format>(list, {1, 1, 1, 0, 3, head_dim, 0, 0}, Special::none, "");
    add_one<Format>(list, {0, 1, 1, 3, 3, head_dim, 0, 0}, Special::none, "");
  }
}

// Halves the length of the prompt until the case fits.
template <class Format>
void add_shrinking(CaseList& list, const Shape& full, const std::string& prefix) {
  Shape shape = full;
  while (!list.fits(operations_of(shape), bytes_of(shape)) && shape.queries > 64) {
    shape.queries /= 2;
    shape.keys /= 2;
  }
  add_one<Format>(list, shape, Special::none, prefix,
                  shape.keys == full.keys ? "" : "K=" + std::to_string(full.keys) + " shrunk to " + std::to_string(shape.keys));
}

template <class Format>
void add_kernel(CaseList& list) {
  if (list.wants("selftest")) add_selftest<Format>(list);
  if (list.wants("quick")) add_shrinking<Format>(list, {1, 8, 2, 512, 512, 128, 1, 0}, "");
}

}  // namespace

void add_attention_cases(CaseList& list) {
  add_kernel<Bf16>(list);
  add_kernel<F16>(list);
  if (!list.wants("llm")) return;
  for (const std::uint64_t tokens : {512ull, 4096ull}) {
    add_shrinking<Bf16>(list, {1, 32, 8, tokens, tokens, 128, 1, 0}, "llama3-8b prompt of " + std::to_string(tokens) + " tokens: ");
  }
}

}  // namespace bascule::kernels
