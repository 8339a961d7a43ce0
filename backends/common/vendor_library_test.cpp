// Opening vendor libraries: which state each kind of failure is, and what its message holds.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/vendor_library.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

using namespace bascule::backend;

bsc_plugin_error fresh_error() {
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  return error;
}

struct TemporaryDirectory {
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bascule-test-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

bool contains(const char* text, const std::string& part) { return std::string(text).find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the first library of the list that is there is opened, and its real path is known") {
  VendorLibrary library;
  REQUIRE(library.open("Test", {"libbascule-absent.so.9", "libc.so.6"}, "", "", nullptr) == BSC_OK);
  CHECK(library.path().starts_with("/"));
  CHECK(contains(library.path().c_str(), "libc"));
  CHECK(library.attempts().size() == 1);
  CHECK(library.symbol("getpid") != nullptr);

  SymbolReader reader(library);
  pid_t (*get_process)() = nullptr;
  int (*no_such_function)() = nullptr;
  int (*also_absent)() = nullptr;
  reader.required("getpid", get_process);
  reader.required("bascule_no_such_function", no_such_function);
  reader.optional("bascule_also_absent", also_absent);
  REQUIRE((get_process != nullptr));
  CHECK(get_process() == getpid());
  CHECK(reader.missing() == std::vector<std::string>{"bascule_no_such_function"});
}

TEST_CASE("no library at all is DRIVER_MISSING with every name and the remedy") {
  VendorLibrary library;
  bsc_plugin_error error = fresh_error();
  CHECK(library.open("Test", {"libbascule-a.so.1", "libbascule-b.so.1"}, "", "Install it.", &error) == BSC_DRIVER_MISSING);
  CHECK(contains(error.message, "libbascule-a.so.1"));
  CHECK(contains(error.message, "libbascule-b.so.1"));
  CHECK(contains(error.message, "\nInstall it."));  // the first line is the cause alone
  CHECK_FALSE(library.is_open());
}

TEST_CASE("a library that is there but does not load is BROKEN, not missing") {
  const TemporaryDirectory directory;
  const auto file = directory.path / "libtest.so";
  std::ofstream(file) << "not an ELF file, but long enough to be looked at as one.....................";
  VendorLibrary library;
  bsc_plugin_error error = fresh_error();
  CHECK(library.open("Test", {}, file.string(), "", &error) == BSC_BROKEN);
  CHECK(contains(error.message, file.string()));
}

TEST_CASE("a configured path replaces the list") {
  VendorLibrary library;
  bsc_plugin_error error = fresh_error();
  CHECK(library.open("Test", {"libc.so.6"}, "/nonexistent/libtest.so", "", &error) == BSC_DRIVER_MISSING);
  CHECK(contains(error.message, "/nonexistent/libtest.so"));
}

TEST_CASE("a configured directory or relative path gets its own message") {
  const TemporaryDirectory directory;
  VendorLibrary library;
  bsc_plugin_error error = fresh_error();
  CHECK(library.open("Test", {}, directory.path.string(), "", &error) == BSC_INVALID_CONFIG);
  CHECK(contains(error.message, "is a directory"));
  CHECK(library.open("Test", {}, "libc.so.6", "", &error) == BSC_INVALID_CONFIG);
  CHECK(contains(error.message, "not an absolute path"));
}
