// The dialect's parts on the cpu device, through the PTX engine, against what they must give.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <bascule/bascule.hpp>
#include <bascule/device.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "features.kernels.hpp"
#include "tests/support/seed.hpp"

namespace {

std::string logged;
void keep(void*, int, const char* text) { logged += text; }

struct Engine {
  Engine() {
    bascule::Options options;
    options.packages = {features::package()};
    options.settings = {{"backends", "cpu"}, {"log.level", "info"}};  // what kernels print is logged as information
    options.log_sink = keep;
    runtime = bascule::Runtime::open(options);
    device = runtime.device();
    queue = device.create_queue();
  }
  template <class T>
  std::vector<T> read(const bascule::Buffer<T>& buffer) {
    std::vector<T> values(buffer.size());
    queue.read(buffer, values).wait();
    return values;
  }
  bascule::Runtime runtime;
  bascule::Device device;
  bascule::Queue queue;
};

template <class T>
std::vector<T> random_values(std::size_t count, double low, double high) {
  std::mt19937_64 random(bascule::test::seed() + count);
  std::uniform_real_distribution<double> values(low, high);
  std::vector<T> result(count);
  for (T& value : result) value = static_cast<T>(values(random));
  return result;
}

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST_CASE("sub-group operations: ballot, shuffles, reductions and scans") {
  Engine engine;
  const auto x = random_values<std::int32_t>(128, -50, 50);
  const auto results = engine.device.allocate<std::int32_t>(8 * x.size());
  engine.queue.launch(engine.device.kernel(features::sub_groups), bascule::work_items(x.size()), engine.device.upload(engine.queue, x), results);
  const auto got = engine.read(results);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t first = i / 32 * 32, lane = i % 32;
    std::uint32_t ballot = 0;
    for (std::size_t l = 0; l < 32; ++l) ballot |= static_cast<std::uint32_t>(x[first + l] > 0) << l;
    const std::int32_t up_to = std::accumulate(x.begin() + static_cast<long>(first), x.begin() + static_cast<long>(i), 0);
    const std::int32_t expected[8] = {static_cast<std::int32_t>(ballot),
                                      x[first + (lane + 3) % 32],
                                      lane >= 1 ? x[i - 1] : x[i],
                                      lane + 2 < 32 ? x[i + 2] : x[i],
                                      std::accumulate(x.begin() + static_cast<long>(first), x.begin() + static_cast<long>(first) + 32, 0),
                                      *std::max_element(x.begin() + static_cast<long>(first), x.begin() + static_cast<long>(first) + 32),
                                      up_to + x[i],
                                      up_to};
    for (int k = 0; k < 8; ++k) REQUIRE_MESSAGE(got[i * 8 + k] == expected[k], "result " << k << " of thread " << i);
  }
}

TEST_CASE("reductions of 64-bit values over a block whose size is no power of two") {
  Engine engine;
  const auto x = random_values<double>(1000, -2, 3);
  const auto sums = engine.device.allocate<double>(2);
  const auto counts = engine.device.allocate<std::uint64_t>(1);
  engine.queue.launch(engine.device.kernel(features::wide_reductions), bascule::work_items(96), engine.device.upload(engine.queue, x), sums, counts);
  std::vector<double> each(96, 0);
  std::uint64_t positive = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    each[i % 96] += x[i];
    positive += x[i] > 0;
  }
  const auto got = engine.read(sums);
  CHECK(got[0] == doctest::Approx(std::accumulate(each.begin(), each.end(), 0.0)).epsilon(1e-12));
  CHECK(got[1] == *std::max_element(each.begin(), each.end()));
  CHECK(engine.read(counts)[0] == positive << 33);
}

TEST_CASE("atomics on shared and global memory") {
  Engine engine;
  const auto x = random_values<std::uint32_t>(5000, 0, 1000);
  const auto bins = engine.device.upload(engine.queue, std::vector<std::uint32_t>(16, 0));
  const auto sum = engine.device.upload(engine.queue, std::vector<float>(1, 0));
  const auto extremes = engine.device.upload(engine.queue, std::vector<std::int32_t>{2000, -1});
  engine.queue.launch(engine.device.kernel(features::histogram), bascule::work_items(1280), engine.device.upload(engine.queue, x), bins, sum, extremes);
  std::vector<std::uint32_t> expected(16, 0);
  for (const std::uint32_t value : x) ++expected[value % 16];
  CHECK(engine.read(bins) == expected);
  CHECK(engine.read(sum)[0] == 5000);
  CHECK(engine.read(extremes)[0] == static_cast<std::int32_t>(*std::min_element(x.begin(), x.end())));
  CHECK(engine.read(extremes)[1] == static_cast<std::int32_t>(*std::max_element(x.begin(), x.end())));
}

TEST_CASE("a lock taken with acquire and given back with release loses no update") {
  Engine engine;
  const auto words = engine.device.upload(engine.queue, std::vector<std::uint32_t>(4, 0));
  engine.queue.launch(engine.device.kernel(features::ordered), bascule::work_items(32 * 40), words);
  CHECK(engine.read(words) == std::vector<std::uint32_t>{0, 40, 7, 0xffffffffu});
}

TEST_CASE("dynamic shared memory is as large as the contract says") {
  Engine engine;
  const auto x = random_values<float>(256, -1, 1);
  const auto y = engine.device.allocate<float>(x.size());
  engine.queue.launch(engine.device.kernel(features::reversed), bascule::work_items(x.size()), engine.device.upload(engine.queue, x), y);
  const auto got = engine.read(y);
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(got[i] == x[i / 64 * 64 + 63 - i % 64]);
  const auto odd = engine.device.allocate<float>(65);
  CHECK_THROWS_WITH_AS(engine.queue.launch(engine.device.kernel(features::reversed), bascule::work_items(65), odd, odd), doctest::Contains("whole blocks"), bascule::Error);
}

TEST_CASE("matrix fragments in f16 and bf16") {
  Engine engine;
  const auto run = [&](const auto& handle, auto convert, auto back) {
    const auto a = random_values<float>(256, -2, 2), b = random_values<float>(128, -2, 2);
    std::vector<std::uint16_t> a_bits, b_bits;
    for (const float value : a) a_bits.push_back(convert(value));
    for (const float value : b) b_bits.push_back(convert(value));
    const auto d = engine.device.allocate<float>(128);
    engine.queue.launch(engine.device.kernel(handle), bascule::work_items(32), engine.device.upload(engine.queue, a_bits), engine.device.upload(engine.queue, b_bits), d);
    const auto got = engine.read(d);
    for (std::size_t row = 0; row < 16; ++row) {
      for (std::size_t column = 0; column < 8; ++column) {
        double exact = 0;
        for (std::size_t k = 0; k < 16; ++k) exact += back(a_bits[row * 16 + k]) * back(b_bits[column * 16 + k]);
        REQUIRE(std::fabs(got[row * 8 + column] - exact) < 1e-4);
      }
    }
  };
  run(features::matrix_bf16, bsc::bf16_bits_from_float, [](std::uint16_t bits) { return double{bsc::float_from_bf16_bits(bits)}; });
  run(features::matrix_f16, [](float value) { return std::bit_cast<std::uint16_t>(bsc::to_f16(value)); },
      [](std::uint16_t bits) { return double{bsc::to_float(std::bit_cast<bsc::f16>(bits))}; });
}

TEST_CASE("16-bit numbers convert as on the host, and a 16-bit scalar arrives") {
  Engine engine;
  auto x = random_values<float>(1000, -7e4, 7e4);
  x[0] = 0x1p-24f, x[1] = 0x1p-133f, x[2] = INFINITY, x[3] = 65519.0f, x[4] = 65520.0f;
  const auto h = engine.device.allocate<std::uint16_t>(x.size()), b = engine.device.allocate<std::uint16_t>(x.size());
  engine.queue.launch(engine.device.kernel(features::halves), bascule::work_items(x.size()), 0.5f, engine.device.upload(engine.queue, x), h, b);
  const auto got_h = engine.read(h), got_b = engine.read(b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    REQUIRE(got_h[i] == std::bit_cast<std::uint16_t>(bsc::to_f16(x[i] * 0.5f)));
    REQUIRE(got_b[i] == bsc::bf16_bits_from_float(x[i]));
  }
}

TEST_CASE("the maths give the host's bits") {
  Engine engine;
  auto x = random_values<float>(2000, -30, 30);
  std::mt19937_64 random(bascule::test::seed());
  for (std::size_t i = 0; i < 1000; ++i) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  const auto y = engine.device.allocate<float>(16 * x.size());
  engine.queue.launch(engine.device.kernel(features::maths), bascule::work_items(x.size()), engine.device.upload(engine.queue, x), y);
  const auto got = engine.read(y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float v = x[i];
    const float expected[16] = {bsc::exp(v),  bsc::exp2(v),    bsc::log(v), bsc::log2(v),      bsc::log10(v), bsc::sin(v),   bsc::cos(v),  bsc::tan(v),
                                bsc::tanh(v), bsc::sigmoid(v), bsc::erf(v), bsc::pow(v, 1.7f), bsc::sqrt(v),  bsc::rsqrt(v), bsc::gelu(v), 2 * bsc::silu(v)};
    for (int k = 0; k < 16; ++k) REQUIRE_MESSAGE(same_bits(got[i * 16 + k], expected[k]), "function " << k << " of " << v);
  }
  const auto wide = random_values<double>(1000, 1e-3, 50);
  const auto wide_y = engine.device.allocate<double>(4 * wide.size());
  engine.queue.launch(engine.device.kernel(features::maths_f64), bascule::work_items(wide.size()), engine.device.upload(engine.queue, wide), wide_y);
  const auto wide_got = engine.read(wide_y);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    REQUIRE(wide_got[i * 4] == bsc::exp(wide[i]));
    REQUIRE(wide_got[i * 4 + 1] == bsc::log(wide[i]));
    REQUIRE(wide_got[i * 4 + 2] == bsc::tanh(wide[i]));
    REQUIRE(wide_got[i * 4 + 3] == bsc::rsqrt(wide[i]));
  }
}

TEST_CASE("a kernel prints, and an assertion that fails names its condition") {
  Engine engine;
  logged.clear();
  const auto x = engine.device.upload(engine.queue, std::vector<float>{2.5f});
  engine.queue.launch(engine.device.kernel(features::speak), bascule::work_items(1), 7, x);
  engine.queue.wait();
  CHECK_MESSAGE(logged.find("number 7 of 2.50, well") != std::string::npos, logged);
  const auto empty = engine.device.allocate<float>(0);
  engine.queue.launch(engine.device.kernel(features::speak), bascule::work_items(1), 7, empty);
  CHECK_THROWS_WITH_AS(engine.queue.wait(), doctest::Contains("x.size() > 0"), bascule::Error);
}

TEST_CASE("a launch with raw grid and block replaces the plan's") {
  Engine engine;
  const auto x = random_values<float>(256, -1, 1);
  const auto y = engine.device.allocate<float>(x.size());
  engine.queue.launch(engine.device.kernel(features::reversed), bascule::grid({4, 1, 1}, {64, 1, 1}).shared(256), engine.device.upload(engine.queue, x), y);
  CHECK(engine.read(y)[0] == x[63]);
}

TEST_CASE("CUDA kernels are taken as they are") {
  Engine engine;
  const auto x = random_values<float>(1000, -1, 1);
  auto expected = random_values<float>(1000, -1, 1);
  const auto y = engine.device.upload(engine.queue, expected);
  const auto x_buffer = engine.device.upload(engine.queue, x);
  engine.queue.launch(engine.device.kernel(features::saxpy), bascule::work_items(1000), 1000, 3.0f, x_buffer, y);
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = 3.0f * x[i] + expected[i];
  CHECK(engine.read(y) == expected);

  const auto sums = engine.device.upload(engine.queue, std::vector<float>(1, 0));
  engine.queue.launch(engine.device.kernel(features::block_sums), bascule::work_items(512), x_buffer, sums, 1000);
  CHECK(engine.read(sums)[0] == doctest::Approx(2 * std::accumulate(x.begin(), x.end(), 0.0)).epsilon(1e-4));

  const auto v = random_values<std::int32_t>(64, -9, 9);
  const auto results = engine.device.allocate<std::int32_t>(256);
  engine.queue.launch(engine.device.kernel(features::votes), bascule::grid({1, 1, 1}, {64, 1, 1}), engine.device.upload(engine.queue, v), results);
  const auto got = engine.read(results);
  const auto positive = [&](std::size_t first, std::size_t count) {
    return static_cast<std::int32_t>(std::count_if(v.begin() + static_cast<long>(first), v.begin() + static_cast<long>(first + count), [](std::int32_t value) { return value > 0; }));
  };
  for (std::size_t i = 0; i < v.size(); ++i) {
    REQUIRE(got[i * 4] == positive(i / 32 * 32, 32));
    REQUIRE(got[i * 4 + 1] == positive(0, 64));
    REQUIRE(got[i * 4 + 2] == v[i / 8 * 8 + 5]);
    REQUIRE(got[i * 4 + 3] == (i % 32 >= 2 ? v[i - 2] : v[i]));
  }
}
