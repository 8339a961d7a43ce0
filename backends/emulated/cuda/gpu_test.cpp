// Descriptions of GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/gpu.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <initializer_list>

#include "backends/emulated/cuda/call.hpp"

using namespace bascule::emulated;

namespace {

const std::string kValid = R"(name = "my emulated card"
architecture = "sm_80"
memory_mib = 16
driver_version = 12040
ptx_version = 84
[attributes]
MULTIPROCESSOR_COUNT = 2
COMPUTE_CAPABILITY_MAJOR = 8
MAX_THREADS_PER_BLOCK = 1024
MAX_THREADS_PER_MULTIPROCESSOR = 2048
MAX_BLOCKS_PER_MULTIPROCESSOR = 32
MAX_REGISTERS_PER_MULTIPROCESSOR = 65536
MAX_SHARED_MEMORY_PER_BLOCK = 49152
MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 166912
MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 167936
)";

std::string refusal(const std::string& from, const std::string& to) {
  std::string text = kValid;
  text.replace(text.find(from), from.size(), to);
  try {
    parse_gpu(text, "g.toml");
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a description gives a GPU") {
  const Gpu gpu = parse_gpu(kValid, "g.toml");
  CHECK(gpu.compute_capability() == 80);
  CHECK(gpu.memory_bytes == 16 << 20);
  CHECK(gpu.count == 1);
  CHECK(gpu.attribute(16) == 2);  // multiprocessors
  CHECK(gpu.attribute(75) == 8);
  CHECK(gpu.attribute(1000) == 0);
}

TEST_CASE("a description that is wrong is refused with the place") {
  CHECK(contains(refusal("my emulated card", "A100"), "must contain \"emulated\""));
  CHECK(contains(refusal("memory_mib = 16", "memory_mib = \"16\""), "memory_mib must be a whole number"));
  CHECK(contains(refusal("memory_mib = 16", "memory = 16"), "unknown key memory"));
  CHECK(contains(refusal("sm_80", "sm_90"), "compute capability 80"));
  CHECK(contains(refusal("MULTIPROCESSOR_COUNT", "MULTIPROCESSORS"), "no device attribute is called MULTIPROCESSORS"));
  CHECK(contains(refusal("MULTIPROCESSOR_COUNT = 2", "MULTIPROCESSOR_COUNT = 0"), "MULTIPROCESSOR_COUNT must be above 0"));
  CHECK(contains(refusal("[attributes]", "[attributes"), "g.toml:"));
}

TEST_CASE("every description that is installed is good") {
  for (const char* const file : std::initializer_list<const char*> BASCULE_EMULATED_GPUS) {
    std::string directory = file;
    const std::size_t slash = directory.rfind('/');
    const std::string name = directory.substr(slash + 1, directory.size() - slash - 6);
    directory.resize(slash);
    setenv("BASCULE_EMULATED_GPU", name.c_str(), 1);
    const Gpu gpu = chosen_gpu(directory);
    CHECK(gpu.architecture == name);
    unsetenv("BASCULE_EMULATED_GPU");
  }
}
