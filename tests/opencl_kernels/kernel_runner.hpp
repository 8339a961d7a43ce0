// Runs kernels of one OpenCL C file and guards their buffers: each starts at an odd offset in poisoned memory, and what
// lies around it must stay as it was.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "backends/opencl/on_device/fixture.hpp"
#include "tests/support/seed.hpp"

namespace bascule::opencl::test {

inline constexpr std::uint64_t kGuard = 37;  // elements on either side

template <class T>
struct Buffer {
  bsc_plugin_memory memory;
  std::uint64_t count;
  std::vector<T> whole;  // as written, guards included

  std::uint64_t offset() const { return kGuard * sizeof(T); }
};

class KernelRunner {
 public:
  explicit KernelRunner(const std::string& source, const char* options = "") {
    REQUIRE(opened.status == BSC_OK);
    const bsc_status loaded = opened.load(source, module, options);
    CAPTURE(opened.message());
    REQUIRE(loaded == BSC_OK);
    queue = opened.queue();
  }

  template <class T>
  Buffer<T> buffer(const std::vector<T>& values) {
    std::vector<T> whole(values.size() + 2 * kGuard);
    for (std::size_t i = 0; i < whole.size(); ++i) std::memset(&whole[i], 0xA5, sizeof(T));
    std::copy(values.begin(), values.end(), whole.begin() + kGuard);
    Buffer<T> result = {opened.memory(whole.size() * sizeof(T)), values.size(), whole};
    opened.write(queue, result.memory, whole);
    return result;
  }
  template <class T>
  Buffer<T> poisoned(std::uint64_t count) {
    std::vector<T> values(count);
    if (count > 0) std::memset(values.data(), 0xFF, count * sizeof(T));  // NaN, or all bits set
    return buffer(values);
  }

  // The values, after checking the guards.
  template <class T>
  std::vector<T> read(const Buffer<T>& from) {
    const auto whole = opened.read<T>(queue, from.memory, from.whole.size());
    for (std::uint64_t i = 0; i < kGuard; ++i) {
      REQUIRE(std::memcmp(&whole[i], &from.whole[i], sizeof(T)) == 0);
      REQUIRE(std::memcmp(&whole[kGuard + from.count + i], &from.whole[kGuard + from.count + i], sizeof(T)) == 0);
    }
    return {whole.begin() + kGuard, whole.end() - kGuard};
  }

  Launch launch(const char* name, std::uint64_t grid, std::uint64_t block) {
    return {opened.function(module, name), grid, block};
  }

  void run(std::vector<bsc_plugin_command> commands) {
    std::uint64_t value = 0;
    const bsc_status submitted = opened.submit(queue, commands, &value);
    CAPTURE(opened.message());
    REQUIRE(submitted == BSC_OK);
    REQUIRE(opened.wait(queue, value) == BSC_OK);
  }

  Opened opened;
  bsc_plugin_module module = nullptr;
  bsc_plugin_queue queue = nullptr;
};

template <class T>
Launch& split(Launch& launch, const Buffer<T>& buffer) {
  return launch.split(buffer.memory, buffer.count, sizeof(T), buffer.offset());
}

inline std::vector<float> random_floats(std::size_t count, std::uint64_t salt) {
  std::mt19937_64 engine(bascule::test::seed() + salt);
  std::uniform_real_distribution<float> distribution(-1.0f, 1.0f);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(engine);
  return values;
}

inline std::uint64_t ceil_divide(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// R1: the bound for a sum of `terms` products with that sum of magnitudes.
inline double sum_bound(std::uint64_t terms, double magnitude, double reference) {
  const double unit = 0x1p-24;
  return std::min(4 * std::sqrt(double(terms)), double(terms)) * unit * magnitude + unit * std::fabs(reference) + 0x1p-149;
}

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace bascule::opencl::test
