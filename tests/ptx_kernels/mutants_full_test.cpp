// What a source marks with .needed is needed: without it a result is wrong or the sanitizer finds why it could be. The folder is
// named by KERNEL_FOLDER (all without), so that folders are tested side by side.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/ptx_kernels/variant_package.hpp"
#include "tests/support/seed.hpp"

using namespace bascule;
using namespace bascule::test;

namespace {

constexpr std::uint64_t kMaxBytes = 1 << 20;  // what a missing bound does shows in small cases

// Under the host's sanitizers, which look at the engine and not at these kernels, one mark in eight, other ones each time.
#ifdef BASCULE_SANITIZED
constexpr std::uint64_t kEvery = 8;
#else
constexpr std::uint64_t kEvery = 1;
#endif

// The first complaint, or "".
std::string complaint(bsc_instance* instance, const HandWritten& source, const std::string& package_file, const std::vector<const bsc_case*>& cases) {
  const auto package = cli::make<cli::PackageHandle>([&](auto** out, auto** error) { return bsc_package_load_file(instance, package_file.c_str(), out, error); });
  for (const std::uint64_t placement : {std::uint64_t{0}, std::uint64_t{0x1111111111111111}, seed() | 1}) {
    for (const bsc_case* description : cases) {
      const std::string message = run_case(bsc_instance_default_device(instance), package.get(), source, *description, seed(), placement);
      if (!message.empty()) return std::string(description->label) + ": " + message.substr(0, message.find('\n'));
    }
  }
  return {};
}

}  // namespace

TEST_CASE("a kernel without one of its barriers, fences or bounds is noticed") {
  const cli::CaseLibrary library("");
  const cli::InstanceHandle in_turn = open_sanitized(0), shuffled = open_sanitized(seed());
  std::uint64_t tested = 0;
  for (const HandWritten& source : hand_written()) {
    if (const char* folder = std::getenv("KERNEL_FOLDER"); folder != nullptr && source.folder != folder) continue;
    std::vector<std::string> left_out;
    const std::vector<const bsc_case*> cases = cases_of(source, library, kMaxBytes, left_out);
    const std::vector<ptx::Mark> marks = marks_of(source);
    CHECK_MESSAGE(!marks.empty(), source.image, " marks nothing with .needed");
    const std::uint64_t every = std::clamp<std::uint64_t>(marks.size(), 1, kEvery);
    for (std::uint64_t number = seed(); const ptx::Mark& mark : marks) {
      if (number++ % every != 0) continue;
      ++tested;
      const TemporaryDirectory directory;
      std::string found;
      for (const Grid grid : {Grid::as_planned, Grid::one_block}) {
        const std::string package = make_package(source, mark.name, grid, directory);
        if (found.empty()) found = complaint(in_turn.get(), source, package, cases);
        if (found.empty()) found = complaint(shuffled.get(), source, package, cases);
      }
      CHECK_MESSAGE(!found.empty(), source.image, " without ", mark.name, " (", mark.place, ") passes every case");
      std::printf("%s without %s: %.160s\n", source.image.c_str(), mark.name.c_str(), found.c_str());
    }
  }
  CHECK(tested > 0);
}
