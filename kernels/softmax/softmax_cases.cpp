// Cases of softmax.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>

#include "../cases/case_list.hpp"
#include "softmax_reference.hpp"

namespace bascule::kernels {
namespace {

struct Shape {
  std::uint64_t rows, columns, x_stride, y_stride;
};

class SoftmaxData final : public CaseData {
 public:
  // masked: some rows hold -inf in part, one in whole, and one holds a NaN.
  SoftmaxData(const Shape& shape, bool masked, std::uint64_t seed) : shape_(shape), x_(random_floats(elements(shape.x_stride), seed)) {
    for (float& value : x_) value *= 8;  // logits spread wider than [-1, 1)
    if (masked) mask(seed);
    add_scalar(shape_.rows);
    add_scalar(shape_.columns);
    add_input(x_);
    add_scalar(shape_.x_stride);
    add_output<float>(elements(shape.y_stride));
    add_scalar(shape_.y_stride);
  }

  void check(const void* const* outputs, bsc_case_verdict& verdict) override {
    const auto* y = static_cast<const float*>(outputs[4]);
    std::vector<double> value(shape_.columns), allowed(shape_.columns);
    comparison worst;
    for (std::uint64_t row = 0; row < shape_.rows; ++row) {
      softmax_reference_row(x_.data() + row * shape_.x_stride, shape_.columns, value.data(), allowed.data());
      for (std::uint64_t column = 0; column < shape_.columns; ++column) {
        const std::uint64_t index = row * shape_.y_stride + column;
        compare_element(worst, index, y[index], value[column], allowed[column]);
      }
      // What lies between two rows is not the kernel's: it must still be the poison.
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

  void mask(std::uint64_t seed) {
    RandomData random(seed + 1);
    for (std::uint64_t row = 0; row < shape_.rows; ++row) {
      float* begin = x_.data() + row * shape_.x_stride;
      const std::uint64_t kept = row == 0 ? 0 : random.below(shape_.columns) + 1;
      std::fill(begin + kept, begin + shape_.columns, -std::numeric_limits<float>::infinity());
      if (row == 1) begin[random.below(shape_.columns)] = std::numeric_limits<float>::quiet_NaN();
    }
  }

  Shape shape_;
  std::vector<float> x_;
};

void add_one(CaseList& list, const Shape& shape, bool masked, const std::string& prefix) {
  CaseDefinition definition;
  definition.kernel = "softmax_f32";
  definition.shape = dimensions_text({{"rows", shape.rows}, {"columns", shape.columns}});
  if (shape.x_stride != shape.columns) definition.shape += " " + dimensions_text({{"x_stride", shape.x_stride}, {"y_stride", shape.y_stride}});
  definition.label = prefix + "softmax " + definition.shape + (masked ? ", masked rows and a NaN" : "");
  definition.distribution = "uniform [-8,8)";
  definition.bytes = 8.0 * static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  definition.device_bytes = 4 * shape.rows * (shape.x_stride + shape.y_stride);
  definition.make = [shape, masked](std::uint64_t seed) { return std::make_unique<SoftmaxData>(shape, masked, seed); };
  list.add(std::move(definition));
}

}  // namespace

void add_softmax_cases(CaseList& list) {
  if (list.wants("selftest")) {
    for (const std::uint64_t columns : {1ull, 2ull, 7ull, 16ull, 33ull, 1000ull, 4097ull}) {
      for (const std::uint64_t rows : {1ull, 3ull, 17ull}) {
        add_one(list, {rows, columns, columns, columns}, false, "");
        add_one(list, {rows, columns, columns + 5, columns + 3}, true, "");
      }
    }
    add_one(list, {3, 9001, 9004, 9005}, true, "");
    add_one(list, {0, 5, 5, 5}, false, "");
    add_one(list, {2, 131072, 131072, 131072}, true, "");
    add_one(list, {65537, 3, 3, 3}, false, "");
  }
  if (list.wants("quick")) add_one(list, {1024, 2048, 2048, 2048}, false, "");
  if (list.wants("llm")) {
    add_one(list, {32, 2048, 2048, 2048}, false, "llama3-8b attention scores, 1 query of 2048: ");
    add_one(list, {32 * 128, 1024, 1024, 1024}, false, "llama3-8b attention scores, 128 queries of 1024: ");
    add_one(list, {8, 128256, 128256, 128256}, false, "llama3-8b logits, batch 8: ");
  }
}

}  // namespace bascule::kernels
