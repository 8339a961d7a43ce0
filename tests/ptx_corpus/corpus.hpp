// Running the corpus's kernels: each at the lowest and the highest x86-64 level, by one host thread and by several, and with
// the sanitizer in several orders of warps, where nothing may be found.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "backends/simt/simt.h"
#include "tests/support/seed.hpp"

namespace bascule::test::corpus {

struct Setting {
  std::string name;
  bsc_simt_options options{};
  unsigned threads = 1;
};
std::vector<Setting> settings();

void* guarded_memory(std::size_t bytes);
void free_guarded_memory(void* memory);
/// Whether the bytes around are still as they were made. `bytes`: as they were asked for.
bool guards_are_whole(const void* memory, std::size_t bytes);

/// What nobody has written is all ones (not a number, as floating point), and on both sides lie bytes that stay as they are.
template <class T>
class GuardedAllocator {
 public:
  using value_type = T;
  GuardedAllocator() = default;
  template <class U>
  GuardedAllocator(const GuardedAllocator<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(guarded_memory(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { free_guarded_memory(memory); }
  template <class U>
  void construct(U* at) {
    std::memset(static_cast<void*>(at), 0xff, sizeof *at);
  }
  friend bool operator==(const GuardedAllocator&, const GuardedAllocator&) { return true; }
};

/// Memory that a kernel may use.
template <class T>
using Buffer = std::vector<T, GuardedAllocator<T>>;

/// A buffer as kernels in the dialect take it: address, offset in bytes, number of elements.
template <class T>
struct View {
  explicit View(const Buffer<T>& of) : buffer(of) {}
  const Buffer<T>& buffer;
};

class Arguments {
 public:
  template <class... T>
  explicit Arguments(const T&... values) {
    (add(values), ...);
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<bsc_simt_range>& ranges() const { return ranges_; }
  [[nodiscard]] bool guards_are_whole() const {
    return std::all_of(memory_.begin(), memory_.end(), [](const Memory& m) { return corpus::guards_are_whole(m.at, m.bytes); });
  }

 private:
  struct Memory {
    const void* at;
    std::size_t bytes;
  };
  template <class T>
  void add(const Buffer<T>& buffer) {
    ranges_.push_back({reinterpret_cast<std::uintptr_t>(buffer.data()), buffer.size() * sizeof(T)});
    if (buffer.capacity() != 0) memory_.push_back({buffer.data(), buffer.capacity() * sizeof(T)});
    add(ranges_.back().address);
  }
  template <class T>
  void add(const View<T>& view) {
    add(view.buffer);
    add(std::uint64_t{0});
    add(std::uint64_t{view.buffer.size()});
  }
  template <class T>
  void add(const T& value) {
    const std::size_t at = (bytes_.size() + sizeof value - 1) / sizeof value * sizeof value;
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  std::vector<std::byte> bytes_;
  std::vector<bsc_simt_range> ranges_;
  std::vector<Memory> memory_;
};

struct Shape {
  std::array<std::uint64_t, 3> grid{1, 1, 1};
  std::array<std::uint64_t, 3> block{32, 1, 1};
  std::uint64_t shared_bytes = 0;
  std::uint64_t flags = 0;
  std::array<std::uint64_t, 3> cluster{};
};

class Program {
 public:
  /// `text` is PTX, `name` for messages. A module that does not load fails the test.
  Program(const std::string& text, const std::string& name, const Setting& setting);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// A launch that fails, or writes beside its buffers, fails the test.
  void run(std::string_view kernel, const Shape& shape, const Arguments& arguments);
  /// What a launch says that must fail.
  std::string fault(std::string_view kernel, const Shape& shape, const Arguments& arguments);
  void expect_no_findings();
  /// What the kernels printed, a line each.
  [[nodiscard]] const std::vector<std::string>& printed() const { return printed_; }
  [[nodiscard]] bool sanitized() const { return setting_.options.sanitize != 0; }

 private:
  bsc_status launch(std::string_view kernel, const Shape& shape, const Arguments& arguments, bsc_plugin_error& error);
  static void log(void* program, std::uint32_t level, const char* message);

  Setting setting_;
  bsc_host_services services_{};
  bsc_simt_module* module_ = nullptr;
  std::vector<std::string> printed_;
};

std::string written_by_hand(std::string_view name);
std::string compiled(std::string_view name);
bool have_compiled();

std::string read_file(const std::string& path);

/// body(program) in every setting.
template <class Body>
void everywhere_text(const std::string& text, const std::string& name, Body body) {
  for (const Setting& setting : settings()) {
    CAPTURE(setting.name);
    Program program(text, name, setting);
    body(program);
    program.expect_no_findings();
  }
}
template <class Body>
void everywhere(const std::string& path, Body body) {
  everywhere_text(read_file(path), path, body);
}

inline std::mt19937_64 random_source(std::uint64_t stream) { return std::mt19937_64(seed() + stream); }

template <class T>
Buffer<T> random_values(std::mt19937_64& random, std::size_t count, double low, double high) {
  std::uniform_real_distribution<double> values(low, high);
  Buffer<T> result(count);
  for (T& value : result) value = static_cast<T>(values(random));
  return result;
}

inline Buffer<std::uint32_t> random_words(std::mt19937_64& random, std::size_t count, std::uint64_t below = 1ull << 32) {
  Buffer<std::uint32_t> result(count);
  for (std::uint32_t& value : result) value = static_cast<std::uint32_t>(random() % below);
  return result;
}

inline bool close(double got, double want, double relative, double absolute = 0) {
  return std::fabs(got - want) <= relative * std::fabs(want) + absolute;
}

/// f16 for what is handed to kernels and comes back.
std::uint16_t half_of(double value);
double value_of(std::uint16_t half);

inline Buffer<std::uint16_t> random_halves(std::mt19937_64& random, std::size_t count, double low, double high) {
  std::uniform_real_distribution<double> values(low, high);
  Buffer<std::uint16_t> result(count);
  for (std::uint16_t& value : result) value = half_of(values(random));
  return result;
}

inline std::uint64_t blocks_for(std::uint64_t items, std::uint64_t block) { return (items + block - 1) / block; }

}  // namespace bascule::test::corpus
