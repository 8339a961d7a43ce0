// Tests of whole kernels: PTX text in, results out, through the functions behind simt.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "backends/simt/simt.h"

namespace bascule::simt::test {

struct Outcome {
  bsc_status status = BSC_OK;
  std::string message;
};

/// The argument blob of a kernel: values at their natural alignment, pointers as addresses.
class Arguments {
 public:
  template <class... T>
  explicit Arguments(const T&... values) {
    (add(values), ...);
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t at = (bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  std::vector<std::byte> bytes_;
};

struct Shape {
  std::array<std::uint64_t, 3> grid{1, 1, 1};
  std::array<std::uint64_t, 3> block{32, 1, 1};
  std::uint64_t shared_bytes = 0;
  std::uint64_t flags = 0;
  unsigned threads = 1;  // of the host
  std::array<std::uint64_t, 3> cluster{};
};

class Engine {
 public:
  /// `body` is what follows .version, .target and .address_size.
  explicit Engine(std::string_view body, const bsc_simt_options& options = {}, const bsc_host_services* services = nullptr);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const Outcome& loaded() const { return loaded_; }
  /// `ranges`: the memory that the kernel may use, for the sanitizer.
  [[nodiscard]] Outcome run(std::string_view kernel, const Shape& shape, const Arguments& arguments,
                            const std::vector<bsc_simt_range>& ranges = {});
  /// The report as JSON.
  [[nodiscard]] std::string report();
  [[nodiscard]] bsc_simt_function_info info(std::string_view kernel);

 private:
  const bsc_simt_api* api_;
  bsc_simt_module* module_ = nullptr;
  Outcome loaded_;
};

}  // namespace bascule::simt::test
