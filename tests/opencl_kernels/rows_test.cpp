// softmax.cl and rms_norm.cl
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/rms_norm/rms_norm.cl.hpp"
#include "kernels/softmax/softmax.cl.hpp"

#include "tests/opencl_kernels/kernel_runner.hpp"

using namespace bascule::opencl::test;

namespace {

constexpr std::uint64_t kColumns[] = {1, 2, 7, 16, 17, 63, 64, 1000, 5003};
constexpr std::uint64_t kRows = 5;
constexpr const char* kForms[] = {"item", "group"};

// Twice what a careful f32 implementation may be wrong by, relative: sums grow with the root of the length.
double relative_bound(std::uint64_t columns) { return 0x1p-24 * (16 + 4 * std::sqrt(double(columns))); }

}  // namespace

TEST_CASE("softmax is right in both forms, in place too, and handles masked and undefined rows") {
  KernelRunner runner(bascule::embedded::softmax_softmax_cl, "-DGROUP=64");
  for (const std::uint64_t columns : kColumns) {
    const std::uint64_t x_stride = columns + 3, y_stride = columns + 1;
    auto values = random_floats(kRows * x_stride, columns);
    for (float& value : values) value *= 20.0f;
    for (std::uint64_t j = 0; j < columns; ++j) values[2 * x_stride + j] = -kInfinity;
    values[3 * x_stride + columns / 2] = kNan;
    values[4 * x_stride + columns - 1] = kInfinity;
    values[1 * x_stride] = 1e30f;  // would overflow without the shift
    for (const std::string form : kForms) {
      for (const bool in_place : {false, true}) {
        CAPTURE(columns);
        CAPTURE(form);
        CAPTURE(in_place);
        const auto x = runner.buffer(values);
        const auto y = in_place ? x : runner.poisoned<float>(kRows * y_stride);
        const std::uint64_t stride = in_place ? x_stride : y_stride;
        Launch launch = runner.launch(("softmax_" + form).c_str(), kRows, form == "item" ? 1 : 64);
        split(launch.value(kRows).value(columns), x).value(x_stride);
        split(launch, y).value(stride);
        runner.run({launch.command()});
        const auto result = runner.read(y);
        for (std::uint64_t i = 0; i < kRows; ++i) {
          float largest = -kInfinity;
          for (std::uint64_t j = 0; j < columns; ++j) largest = std::max(largest, values[i * x_stride + j]);
          double sum = 0;
          for (std::uint64_t j = 0; j < columns; ++j) sum += std::exp(double{values[i * x_stride + j]} - largest);
          for (std::uint64_t j = 0; j < columns; ++j) {
            const float given = result[i * stride + j];
            const double wanted = std::exp(double{values[i * x_stride + j]} - largest) / sum;
            if (i == 2) REQUIRE(given == 0.0f);
            else if (i >= 3) REQUIRE(std::isnan(given));
            else {
              // The exponent's argument is rounded to f32 first, which moves e to it by up to |argument| units.
              const double bound = relative_bound(columns) + 0x1p-24 * (double{largest} - values[i * x_stride + j]);
              REQUIRE(std::fabs(given - wanted) <= bound * wanted + 0x1p-148);
            }
          }
          if (!in_place && i + 1 < kRows) REQUIRE(std::isnan(result[i * stride + columns]));  // between rows: untouched
        }
      }
    }
  }
}

TEST_CASE("RMSNorm is right in both forms, in place too, and keeps NaN in its row") {
  KernelRunner runner(bascule::embedded::rms_norm_rms_norm_cl, "-DGROUP=64");
  for (const std::uint64_t columns : kColumns) {
    const std::uint64_t stride = columns + 2;
    auto values = random_floats(kRows * stride, columns);
    values[3 * stride + columns / 2] = kNan;
    const auto weights = random_floats(columns, columns + 1);
    const float epsilon = 1e-5f;
    for (const std::string form : kForms) {
      for (const bool in_place : {false, true}) {
        CAPTURE(columns);
        CAPTURE(form);
        CAPTURE(in_place);
        const auto x = runner.buffer(values), w = runner.buffer(weights);
        const auto y = in_place ? x : runner.poisoned<float>(kRows * stride);
        Launch launch = runner.launch(("rms_norm_" + form).c_str(), kRows, form == "item" ? 1 : 64);
        split(launch.value(kRows).value(columns).value(epsilon), x).value(stride);
        split(split(launch, w), y).value(stride);
        runner.run({launch.command()});
        const auto result = runner.read(y);
        for (std::uint64_t i = 0; i < kRows; ++i) {
          double sum = 0;
          for (std::uint64_t j = 0; j < columns; ++j) sum += double{values[i * stride + j]} * values[i * stride + j];
          const double scale = 1 / std::sqrt(sum / double(columns) + epsilon);
          for (std::uint64_t j = 0; j < columns; ++j) {
            const double wanted = values[i * stride + j] * scale * weights[j];
            if (i == 3) REQUIRE(std::isnan(result[i * stride + j]));
            else REQUIRE(std::fabs(result[i * stride + j] - wanted) <= relative_bound(columns) * std::fabs(wanted) + 0x1p-149);
          }
        }
      }
    }
  }
}
