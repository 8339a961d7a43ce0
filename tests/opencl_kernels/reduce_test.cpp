// reduce.cl
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/reduce/reduce.cl.hpp"

#include "tests/opencl_kernels/kernel_runner.hpp"

using namespace bascule::opencl::test;

namespace {

constexpr std::uint64_t kSizes[] = {0, 1, 31, 33, 1023, 32768, 32769, 200'001};
constexpr std::uint64_t kBlock = 32768;
constexpr const char* kForms[] = {"item", "group"};

template <class T>
T reduce(KernelRunner& runner, const std::string& partial_name, const std::string& combine_name, const std::string& form,
         const std::vector<float>& values, bool combine_takes_x) {
  const std::uint64_t n = values.size(), blocks = ceil_divide(n, kBlock), block = form == "item" ? 1 : 64;
  const auto x = runner.buffer(values);
  const auto partials = runner.poisoned<float>(blocks);
  const auto result = runner.poisoned<T>(1);
  Launch partial = runner.launch((partial_name + "_partial_" + form).c_str(), blocks, block);
  split(split(partial.value(n), x), partials);
  Launch combine = runner.launch((combine_name + "_combine_" + form).c_str(), 1, block);
  combine.value(n);
  if (combine_takes_x) split(combine, x);
  split(split(combine, partials), result);
  runner.run({partial.command(), combine.command()});
  runner.read(partials);
  return runner.read(result)[0];
}

}  // namespace

TEST_CASE("the sum is within its bound in both forms") {
  KernelRunner runner(bascule::embedded::reduce_reduce_cl, "-DGROUP=64");
  for (const std::uint64_t n : kSizes) {
    const auto values = random_floats(n, n);
    double sum = 0, magnitude = 0;
    for (const float value : values) {
      sum += value;
      magnitude += std::fabs(value);
    }
    for (const char* form : kForms) {
      CAPTURE(n);
      CAPTURE(form);
      const float result = reduce<float>(runner, "reduce_sum", "reduce_sum", form, values, false);
      CHECK(std::fabs(result - sum) <= sum_bound(n, magnitude, sum));
      CHECK(result == reduce<float>(runner, "reduce_sum", "reduce_sum", form, values, false));
    }
  }
}

TEST_CASE("maximum and its index are exact in both forms, wherever the maximum and NaN stand") {
  KernelRunner runner(bascule::embedded::reduce_reduce_cl, "-DGROUP=64");
  std::mt19937_64 engine(bascule::test::seed());
  for (const std::uint64_t n : kSizes) {
    for (int variation = 0; variation < 5; ++variation) {
      auto values = random_floats(n, n + 7 * static_cast<std::uint64_t>(variation));
      const auto anywhere = [&] { return n == 0 ? 0 : engine() % n; };
      if (n > 0 && variation == 1) values[anywhere()] = values[anywhere()] = 2.0f;  // equal ones: the lowest index
      if (n > 0 && variation == 2) values[anywhere()] = values[anywhere()] = kNan;  // the first NaN
      if (variation == 3) std::fill(values.begin(), values.end(), -kInfinity);
      if (variation == 4) {
        std::fill(values.begin(), values.end(), -0.0f);
        if (n > 0) values[anywhere()] = 0.0f;  // equal to -0
      }
      std::uint64_t index = n == 0 ? ~std::uint64_t{0} : 0;
      for (std::uint64_t i = 0; i < n && !std::isnan(values[index]); ++i) {
        if (std::isnan(values[i]) || values[i] > values[index]) index = i;
      }
      for (const char* form : kForms) {
        CAPTURE(n);
        CAPTURE(variation);
        CAPTURE(form);
        const float largest = reduce<float>(runner, "reduce_max", "reduce_max", form, values, false);
        if (n == 0) CHECK(largest == -kInfinity);
        else if (std::isnan(values[index])) CHECK(std::isnan(largest));
        else CHECK(largest == values[index]);
        CHECK(reduce<std::uint64_t>(runner, "reduce_max", "arg_max", form, values, true) == index);
      }
    }
  }
}
