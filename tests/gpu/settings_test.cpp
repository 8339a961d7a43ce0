// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/settings.hpp"

#include <doctest/doctest.h>

using namespace bascule::gpu_run;

TEST_CASE("nothing on the command line is NVIDIA's first card and eight minutes") {
  const Settings settings = parse_settings({});
  CHECK(settings.backend == "cuda");
  CHECK(settings.selector == "cuda:0");
  CHECK(settings.time_limit == 480);
  CHECK(settings.driver.empty());
  CHECK(settings.out.starts_with("/"));
}

TEST_CASE("AMD's run differs by the vendor alone") {
  const Settings settings = parse_settings({"--vendor", "amd", "--time-limit=30"});
  CHECK(settings.backend == "hip");
  CHECK(settings.selector == "hip:0");
  CHECK(settings.time_limit == 30);
}

TEST_CASE("the emulated driver is the bundle's") {
  const Settings settings = parse_settings({"--emulated", "--prefix", "/p"});
  CHECK(settings.driver == "/p/lib/bascule/emulated/cuda/libcuda.so.1");
  CHECK(settings.selector == "cuda:0");
}

TEST_CASE("what makes no sense is refused by name") {
  const auto message = [](const std::vector<std::string>& words) -> std::string {
    try {
      parse_settings(words);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(message({"--vendor", "voodoo"}).find("voodoo") != std::string::npos);
  CHECK(message({"--time-limit", "soon"}).find("--time-limit soon") != std::string::npos);
  CHECK(message({"--time-limit", "0"}).find("1 to 86400") != std::string::npos);
  CHECK(message({"--time-limit", "nan"}).find("not a number") != std::string::npos);
  CHECK(message({"--out"}) == "--out needs a value");
  CHECK(message({"--out="}) == "--out needs a value");
  CHECK(message({"--fast"}).find("--fast") != std::string::npos);
  CHECK(message({"--help=yes"}).find("--help=yes") != std::string::npos);
  CHECK(message({"--emulated", "--vendor", "amd"}).find("NVIDIA") != std::string::npos);
  CHECK(message({"--emulated", "--driver", "/x"}).find("exclude") != std::string::npos);
  CHECK(message({"--vendor", "cpu", "--driver", "/x"}).find("processor") != std::string::npos);
}
