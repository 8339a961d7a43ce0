// stream.cl
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/stream/stream.cl.hpp"

#include "tests/opencl_kernels/kernel_runner.hpp"

using namespace bascule::opencl::test;

namespace {
constexpr std::uint64_t kSizes[] = {0, 1, 3, 7, 8, 9, 31, 33, 1023, 2049, 32768, 32769, 100'003};
constexpr std::uint64_t kPerBlock = 64 * 8;
}  // namespace

TEST_CASE("copy, scale, add and triad give the exact bits at every size") {
  KernelRunner runner(bascule::embedded::stream_stream_cl);
  for (const std::uint64_t n : kSizes) {
    CAPTURE(n);
    auto first = random_floats(n, n), second = random_floats(n, n + 1);
    if (n > 8) {
      first[3] = kNan;
      first[5] = 1e-40f;  // denormals are kept
      second[7] = -kInfinity;
    }
    const auto a = runner.buffer(first), b = runner.buffer(second);
    const auto grid = ceil_divide(n, kPerBlock);
    const auto check = [&](Launch launch, const Buffer<float>& output, auto&& expected) {
      runner.run({split(launch, output).command()});
      const auto result = runner.read(output);
      for (std::uint64_t i = 0; i < n; ++i) {
        const float wanted = expected(i);
        if (std::isnan(wanted)) REQUIRE(std::isnan(result[i]));
        else REQUIRE(result[i] == wanted);
      }
    };
    const float s = 0.4f;
    Launch copy = runner.launch("stream_copy", grid, 64);
    check(split(copy.value(n), a), runner.poisoned<float>(n), [&](auto i) { return first[i]; });
    Launch scale = runner.launch("stream_scale", grid, 64);
    check(split(scale.value(n).value(s), a), runner.poisoned<float>(n), [&](auto i) { return s * first[i]; });
    Launch add = runner.launch("stream_add", grid, 64);
    check(split(split(add.value(n), a), b), runner.poisoned<float>(n), [&](auto i) { return first[i] + second[i]; });
    Launch triad = runner.launch("stream_triad", grid, 64);
    check(split(split(triad.value(n).value(s), a), b), runner.poisoned<float>(n), [&](auto i) {
      const float product = s * second[i];
      return first[i] + product;
    });
  }
}

TEST_CASE("the dot product is within its bound and the same in every run, in both forms") {
  KernelRunner runner(bascule::embedded::stream_stream_cl, "-DGROUP=64");
  for (const std::uint64_t n : kSizes) {
    const auto first = random_floats(n, n), second = random_floats(n, n + 1);
    double sum = 0, magnitude = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      sum += double{first[i]} * second[i];
      magnitude += std::fabs(double{first[i]} * second[i]);
    }
    const auto a = runner.buffer(first), b = runner.buffer(second);
    const std::uint64_t blocks = ceil_divide(n, 32768);
    for (const std::string form : {"item", "group"}) {
      CAPTURE(n);
      CAPTURE(form);
      const std::uint64_t block = form == "item" ? 1 : 64;
      float before = 0;
      for (int run = 0; run < 3; ++run) {
        const auto partials = runner.poisoned<float>(blocks), result = runner.poisoned<float>(1);
        Launch partial = runner.launch(("stream_dot_partial_" + form).c_str(), blocks, block);
        split(split(split(partial.value(n), a), b), partials);
        Launch combine = runner.launch(("stream_dot_combine_" + form).c_str(), 1, block);
        split(split(combine.value(n), partials), result);
        runner.run({partial.command(), combine.command()});
        const float value = runner.read(result)[0];
        runner.read(partials);
        CHECK(std::fabs(value - sum) <= sum_bound(n, magnitude, sum));
        if (run > 0) CHECK(value == before);
        before = value;
      }
    }
  }
}
