// A set-user-id program reads no variable, so that whoever starts it cannot have it load their code.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>

#include "core/loader/test_plugins.hpp"
#include "core/platform/process.hpp"

using namespace bascule::core;
using bascule::test::TemporaryDirectory;

TEST_CASE("a set-user-id program sees no variable (AT_SECURE), the same program without the bit sees them") {
  struct statvfs system {};
  const TemporaryDirectory directory;
  REQUIRE(statvfs(directory.path().c_str(), &system) == 0);
  if (geteuid() != 0 || (system.f_flag & ST_NOSUID) != 0) {
    MESSAGE("needs root and a file system that honours the set-user-id bit; not run");
    return;
  }
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  MESSAGE("a set-user-id program cannot start under a sanitizer; not run");
  return;
#endif
#endif
  const std::string program = directory / "program";
  std::filesystem::copy_file(own_library_directory() + "/../fake_plugins/fake_privileged", program);
  const auto output = [&] {
    setenv("BASCULE_DEVICE", "cpu:7", 1);
    setenv("BASCULE_CACHE_DIR", "/evil", 1);
    auto result = run_process({program, {}, std::chrono::seconds(60), 10'000});
    unsetenv("BASCULE_DEVICE");
    unsetenv("BASCULE_CACHE_DIR");
    REQUIRE(result.ok());
    return result->output;
  };
  const std::string before = output();
  CHECK(before == "privileged=0 path=1 device=cpu:7 cache=/evil\n");
  REQUIRE(chmod(directory.path().c_str(), 0755) == 0);
  REQUIRE(chown(program.c_str(), 65534, 65534) == 0);
  REQUIRE(chmod(program.c_str(), 04755) == 0);
  CHECK(output() == "privileged=1 path=0 device= cache=\n");
}
