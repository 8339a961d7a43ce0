// Cases of RMSNorm.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>

#include "../cases/case_list.hpp"
#include "rms_norm_reference.hpp"

namespace bascule::kernels {
namespace {

constexpr float kEpsilon = 1e-5f;  // Llama 3's

struct Shape {
  std::uint64_t rows, columns, x_stride, y_stride;
};

class RmsNormData final : public CaseData {
 public:
  RmsNormData(const Shape& shape, bool with_nan, std::uint64_t seed)
      : shape_(shape), x_(random_floats(elements(shape.x_stride), seed)), w_(random_floats(shape.columns, seed + 1)) {
    if (with_nan && !x_.empty()) x_[RandomData(seed + 2).below(shape.columns)] = std::numeric_limits<float>::quiet_NaN();
    add_scalar(shape_.rows);
    add_scalar(shape_.columns);
    add_scalar(kEpsilon);
    add_input(x_);
    add_scalar(shape_.x_stride);
    add_input(w_);
    add_output<float>(elements(shape.y_stride));
    add_scalar(shape_.y_stride);
  }

  void check(const void* const* outputs, bsc_case_verdict& verdict) override {
    const auto* y = static_cast<const float*>(outputs[6]);
    std::vector<double> value(shape_.columns), allowed(shape_.columns);
    comparison worst;
    for (std::uint64_t row = 0; row < shape_.rows; ++row) {
      rms_norm_reference_row(x_.data() + row * shape_.x_stride, w_.data(), shape_.columns, kEpsilon, value.data(), allowed.data());
      for (std::uint64_t column = 0; column < shape_.columns; ++column) {
        const std::uint64_t index = row * shape_.y_stride + column;
        compare_element(worst, index, y[index], value[column], allowed[column]);
      }
      for (std::uint64_t gap = row * shape_.y_stride + shape_.columns; row + 1 < shape_.rows && gap < (row + 1) * shape_.y_stride; ++gap) {
        if (find_poison(y + gap, 1) != 0) compare_element(worst, gap, 1, 0, 0);
      }
    }
    fill_verdict(verdict, worst, shape_.rows * shape_.columns, shape_.rows * shape_.columns);
  }

 private:
  std::uint64_t elements(std::uint64_t stride) const {
    return shape_.rows == 0 || shape_.columns == 0 ? 0 : (shape_.rows - 1) * stride + shape_.columns;
  }

  Shape shape_;
  std::vector<float> x_, w_;
};

void add_one(CaseList& list, const Shape& shape, bool with_nan, const std::string& prefix) {
  CaseDefinition definition;
  definition.kernel = "rms_norm_f32";
  definition.shape = dimensions_text({{"rows", shape.rows}, {"columns", shape.columns}});
  if (shape.x_stride != shape.columns) definition.shape += " " + dimensions_text({{"x_stride", shape.x_stride}, {"y_stride", shape.y_stride}});
  definition.label = prefix + "rms_norm " + definition.shape + (with_nan ? ", one NaN" : "");
  definition.bytes = 8.0 * static_cast<double>(shape.rows) * static_cast<double>(shape.columns) + 4.0 * static_cast<double>(shape.columns);
  definition.device_bytes = 4 * shape.rows * (shape.x_stride + shape.y_stride) + 4 * shape.columns;
  definition.make = [shape, with_nan](std::uint64_t seed) { return std::make_unique<RmsNormData>(shape, with_nan, seed); };
  list.add(std::move(definition));
}

}  // namespace

void add_rms_norm_cases(CaseList& list) {
  if (list.wants("selftest")) {
    for (const std::uint64_t columns : {1ull, 2ull, 7ull, 16ull, 33ull, 1000ull, 4097ull}) {
      for (const std::uint64_t rows : {1ull, 3ull, 17ull}) {
        add_one(list, {rows, columns, columns, columns}, false, "");
        add_one(list, {rows, columns, columns + 5, columns + 3}, true, "");
      }
    }
    add_one(list, {3, 9001, 9004, 9005}, true, "");
    add_one(list, {0, 5, 5, 5}, false, "");
    add_one(list, {2, 131072, 131072, 131072}, false, "");
    add_one(list, {65537, 3, 3, 3}, false, "");
  }
  if (list.wants("quick")) add_one(list, {512, 4096, 4096, 4096}, false, "");
  if (list.wants("llm")) {
    add_one(list, {1, 4096, 4096, 4096}, false, "llama3-8b hidden, 1 token: ");
    add_one(list, {512, 4096, 4096, 4096}, false, "llama3-8b hidden, 512 tokens: ");
    add_one(list, {64, 7168, 7168, 7168}, false, "deepseek-v3 hidden, 64 tokens: ");
  }
}

}  // namespace bascule::kernels
