// Tests of npy.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "failure.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace bascule::cli;
using bascule::test::TemporaryDirectory;

namespace {

std::string header_of(const std::string& dictionary) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size() & 0xff);
  bytes += static_cast<char>(dictionary.size() >> 8);
  return bytes + dictionary;
}

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_all(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("an array survives writing and reading, for every type and for shapes () (0) (7) (2,3)") {
  TemporaryDirectory directory;
  const std::string path = directory / "a.npy";
  for (int type = 0; type <= static_cast<int>(ElementType::f64); ++type) {
    for (const std::vector<std::uint64_t>& shape : {std::vector<std::uint64_t>{}, {0}, {7}, {2, 3}}) {
      NpyArray array{static_cast<ElementType>(type), shape, {}};
      std::size_t count = 1;
      for (auto size : shape) count *= size;
      array.data.resize(count * size_of(array.type));
      for (std::size_t i = 0; i < array.data.size(); ++i) array.data[i] = static_cast<std::byte>(i * 37 + 11);
      write_npy(path, array);
      CHECK(std::filesystem::file_size(path) % 64 == array.data.size() % 64);
      const NpyArray back = read_npy(path, array.type);
      CHECK(back.shape == shape);
      CHECK(back.data == array.data);
    }
  }
}

TEST_CASE("a .npy file cut at any byte, or with any header byte changed, is refused or read whole, never worse") {
  TemporaryDirectory directory;
  const std::string path = directory / "a.npy";
  NpyArray array{ElementType::f32, {5}, std::vector<std::byte>(20)};
  write_npy(path, array);
  const std::string good = read_all(path);
  for (std::size_t length = 0; length < good.size(); ++length) {
    write_all(path, good.substr(0, length));
    CAPTURE(length);
    CHECK_THROWS_AS(read_npy(path, ElementType::f32), Failure);
  }
  for (std::size_t i = 0; i < 128; ++i) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      write_all(path, bad);
      try {
        const std::size_t bytes = read_npy(path, ElementType::f32).data.size();
        CHECK(bytes == 20);
      } catch (const Failure& failure) {
        CHECK(std::strlen(failure.what()) > 0);
      }
    }
  }
}

TEST_CASE("hostile headers are refused with the file's name: huge shapes, overflow, Fortran order, other types") {
  TemporaryDirectory directory;
  const std::string path = directory / "hostile.npy";
  for (const char* dictionary : {
           "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4), }\n",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,), }\n",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2147483648,), }\n",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n",
           "{'descr': '<f4', 'fortran_order': True, 'shape': (0, 2), }\n",
           "{'descr': '>f4', 'fortran_order': False, 'shape': (0,), }\n",
           "{'descr': '|O', 'fortran_order': False, 'shape': (0,), }\n",
           "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (0,), }\n",
           "{'descr': '<f4', 'shape': (0,), }\n",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), 'x': 1}\n",
           "{'descr': '<f4\n", "{", ""}) {
    write_all(path, header_of(dictionary));
    CAPTURE(dictionary);
    CHECK_THROWS_WITH_AS(read_npy(path, ElementType::f32), doctest::Contains("hostile.npy"), Failure);
  }
  CHECK_THROWS_AS(read_npy(directory.path(), ElementType::f32), Failure);
  CHECK_THROWS_AS(read_npy(directory / "absent.npy", ElementType::f32), Failure);
}

TEST_CASE("a failed write names the path and leaves nothing behind") {
  TemporaryDirectory directory;
  const NpyArray array{ElementType::u8, {1}, std::vector<std::byte>(1)};
  CHECK_THROWS_AS(write_npy(directory / "absent/a.npy", array), Failure);
  std::filesystem::create_directory(directory / "is_a_directory");
  CHECK_THROWS_AS(write_npy(directory / "is_a_directory", array), Failure);
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory.path())) ++entries;
  CHECK(entries == 1);
}
