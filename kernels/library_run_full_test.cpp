// The whole way: package, choice, plan, launch and result through the public API, on every device that is here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/bascule.hpp>
#include <bascule/kernels.hpp>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/seed.hpp"

namespace {

std::vector<float> random_values(std::size_t count) {
  static std::mt19937_64 random(bascule::test::seed());
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(random);
  return values;
}

// cpu always; opencl where it works. null computes nothing.
std::vector<bascule::Device> devices(bascule::Runtime& runtime) {
  bascule::Options options;
  options.settings = {{"backends", "cpu,opencl"}};
  runtime = bascule::Runtime::open(options);
  return runtime.devices();
}

struct OnDevice {
  explicit OnDevice(const bascule::Device& on)
      : device(on), queue(on.create_queue()), kernels(bascule::kernels::Library::open(on)) {}

  bascule::Buffer<float> upload(const std::vector<float>& values) const { return device.upload(queue, values); }
  template <class T>
  std::vector<T> read(const bascule::Buffer<T>& buffer) const {
    std::vector<T> values(buffer.size());
    queue.read(buffer, values).wait();
    return values;
  }

  bascule::Device device;
  bascule::Queue queue;
  bascule::kernels::Library kernels;
};

template <class Body>
void on_each_device(Body body) {
  bascule::Runtime runtime;
  const auto all = devices(runtime);
  REQUIRE_FALSE(all.empty());
  for (const bascule::Device& device : all) {
    CAPTURE(device.id());
    body(OnDevice(device));
  }
}

}  // namespace

TEST_CASE("the stream kernels compute what they say, also for nothing and for a slice") {
  on_each_device([](const OnDevice& on) {
    for (const std::size_t n : {0, 1, 33, 100000}) {
      CAPTURE(n);
      const auto hb = random_values(n + 3), hc = random_values(n);
      const auto b = on.upload(hb).slice(3, n), c = on.upload(hc);
      const auto a = on.device.allocate<float>(n), sum = on.device.allocate<float>(n), copy = on.device.allocate<float>(n);
      on.kernels.stream_triad(on.queue, 0.4f, b, c, a);
      on.kernels.stream_add(on.queue, b, c, sum);
      on.kernels.stream_copy(on.queue, b, copy);
      on.kernels.stream_scale(on.queue, 2.0f, copy, copy);
      const auto ha = on.read(a), hsum = on.read(sum), hcopy = on.read(copy);
      for (std::size_t i = 0; i < n; ++i) {
        const float product = 0.4f * hc[i];
        REQUIRE(ha[i] == hb[i + 3] + product);
        REQUIRE(hsum[i] == hb[i + 3] + hc[i]);
        REQUIRE(hcopy[i] == 2.0f * hb[i + 3]);
      }
    }
  });
}

TEST_CASE("reductions of several blocks, of one element and of nothing") {
  on_each_device([](const OnDevice& on) {
    for (const std::size_t n : {0, 1, 100001}) {
      CAPTURE(n);
      auto hx = random_values(n);
      if (n > 1) hx[77777] = 2;
      const auto x = on.upload(hx);
      const auto sum = on.device.allocate<float>(1), largest = on.device.allocate<float>(1), dot = on.device.allocate<float>(1);
      const auto index = on.device.allocate<std::uint64_t>(1);
      on.kernels.reduce_sum(on.queue, x, sum);
      on.kernels.reduce_max(on.queue, x, largest);
      on.kernels.arg_max(on.queue, x, index);
      on.kernels.stream_dot(on.queue, x, x, dot);
      double expected = 0, magnitude = 0, squares = 0;
      for (const float value : hx) {
        expected += value;
        magnitude += std::fabs(value);
        squares += double{value} * value;
      }
      CHECK(std::fabs(on.read(sum)[0] - expected) <= 1e-6 * magnitude + 1e-12);
      CHECK(std::fabs(on.read(dot)[0] - squares) <= 1e-6 * squares + 1e-12);
      CHECK(on.read(largest)[0] == (n == 0 ? -std::numeric_limits<float>::infinity() : n == 1 ? hx[0] : 2.0f));
      CHECK(on.read(index)[0] == (n == 0 ? ~std::uint64_t{0} : n == 1 ? 0 : 77777));
    }
  });
}

TEST_CASE("SGEMM: all transposes, few and many rows, padded rows, beta") {
  on_each_device([](const OnDevice& on) {
    struct Size {
      std::uint64_t m, n, k;
    };
    for (const Size size : {Size{1, 70, 33}, Size{5, 64, 300}, Size{65, 130, 257}, Size{100, 3, 64}, Size{40, 20, 0}, Size{0, 5, 3}}) {
      for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
          CAPTURE(size.m);
          CAPTURE(size.n);
          CAPTURE(size.k);
          CAPTURE(ta);
          CAPTURE(tb);
          bascule::kernels::Sgemm call;
          call.transpose_a = ta;
          call.transpose_b = tb;
          call.m = size.m;
          call.n = size.n;
          call.k = size.k;
          call.alpha = 1.5f;
          call.beta = -0.5f;
          call.ldc = size.n + 2;
          const auto ha = random_values(size.m * size.k), hb = random_values(size.k * size.n), hc = random_values(size.m * call.ldc);
          call.a = on.upload(ha);
          call.b = on.upload(hb);
          call.c = on.upload(hc);
          on.kernels.sgemm(on.queue, call);
          const auto result = on.read(call.c);
          for (std::uint64_t i = 0; i < size.m; ++i) {
            for (std::uint64_t j = 0; j < size.n; ++j) {
              double sum = 0, magnitude = 0;
              for (std::uint64_t l = 0; l < size.k; ++l) {
                const double product = double{ta ? ha[l * size.m + i] : ha[i * size.k + l]} * (tb ? hb[j * size.k + l] : hb[l * size.n + j]);
                sum += product;
                magnitude += std::fabs(product);
              }
              const double before = hc[i * call.ldc + j];
              const double bound = 1.2e-7 * static_cast<double>(size.k + 4) * (1.5 * magnitude + std::fabs(before));
              REQUIRE(std::fabs(result[i * call.ldc + j] - (1.5 * sum - 0.5 * before)) <= bound);
            }
            for (std::uint64_t j = size.n; j < call.ldc; ++j) REQUIRE(result[i * call.ldc + j] == hc[i * call.ldc + j]);
          }
        }
      }
    }
  });
}

TEST_CASE("softmax and RMSNorm over rows") {
  on_each_device([](const OnDevice& on) {
    const std::uint64_t rows = 7, columns = 1000;
    const auto hx = random_values(rows * columns), hw = random_values(columns);
    const auto x = on.upload(hx), w = on.upload(hw);
    const auto y = on.device.allocate<float>(rows * columns), z = on.device.allocate<float>(rows * columns);
    bascule::kernels::Softmax softmax;
    softmax.rows = rows;
    softmax.columns = columns;
    softmax.x = x;
    softmax.y = y;
    on.kernels.softmax(on.queue, softmax);
    bascule::kernels::RmsNorm norm;
    norm.rows = rows;
    norm.columns = columns;
    norm.x = x;
    norm.w = w;
    norm.y = z;
    on.kernels.rms_norm(on.queue, norm);
    const auto hy = on.read(y), hz = on.read(z);
    for (std::uint64_t i = 0; i < rows; ++i) {
      double sum = 0, squares = 0;
      for (std::uint64_t j = 0; j < columns; ++j) {
        const double value = hx[i * columns + j];
        sum += std::exp(value);
        squares += value * value;
      }
      const double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + double{1e-5f});
      for (std::uint64_t j = 0; j < columns; ++j) {
        const double value = hx[i * columns + j];
        const double softmax_value = std::exp(value) / sum, norm_value = value * scale * hw[j];
        REQUIRE(std::fabs(hy[i * columns + j] - softmax_value) <= 1e-5 * softmax_value);
        REQUIRE(std::fabs(hz[i * columns + j] - norm_value) <= 1e-5 * std::fabs(norm_value) + 1e-9);
      }
    }
  });
}

TEST_CASE("Philox gives the known answer") {
  on_each_device([](const OnDevice& on) {
    const auto words = on.device.allocate<std::uint32_t>(6);
    on.kernels.philox4x32_10(on.queue, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, words);
    const auto result = on.read(words);
    CHECK(result[0] == 0x408f276d);
    CHECK(result[1] == 0x41c83b0e);
    CHECK(result[2] == 0xa20bc7c6);
    CHECK(result[3] == 0x6d5451fd);
  });
}

TEST_CASE("a buffer that is too short is refused with both numbers") {
  on_each_device([](const OnDevice& on) {
    const auto ten = on.device.allocate<float>(10), nine = on.device.allocate<float>(9);
    try {
      on.kernels.stream_copy(on.queue, ten, nine);
      FAIL("no error");
    } catch (const bascule::Error& error) {
      CHECK(error.status() == BSC_INVALID_ARGUMENT);
      CHECK(std::string(error.message()).find("9 elements") != std::string::npos);
      CHECK(std::string(error.message()).find("at least 10") != std::string::npos);
    }
  });
}
