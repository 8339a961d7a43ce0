// Every hand-written PTX kernel over the self-test's sizes, with the sanitizer, at every alignment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdio>

#include "tests/ptx_kernels/variant_package.hpp"
#include "tests/support/seed.hpp"

using namespace bascule;
using namespace bascule::test;

namespace {

// Under the host's sanitizers everything takes ten times as long: every fifth case, and a few megabytes less.
#ifdef BASCULE_SANITIZED
constexpr std::uint64_t kMaxBytes = 1 << 18, kEvery = 5;
#else
constexpr std::uint64_t kMaxBytes = 1 << 26, kEvery = 1;
#endif

cli::PackageHandle load(bsc_instance* instance, const std::string& path) {
  return cli::make<cli::PackageHandle>([&](auto** out, auto** error) { return bsc_package_load_file(instance, path.c_str(), out, error); });
}

}  // namespace

TEST_CASE("hand-written PTX is right for every size and alignment, and the sanitizer finds nothing") {
  const cli::CaseLibrary library("");
  const std::vector<HandWritten> sources = hand_written();
  REQUIRE_FALSE(sources.empty());
  for (const std::uint64_t order : {std::uint64_t{0}, seed()}) {
    const cli::InstanceHandle instance = open_sanitized(order);
    for (const HandWritten& source : sources) {
      CAPTURE(source.image);
      const TemporaryDirectory directory;
      const cli::PackageHandle package = load(instance.get(), make_package(source, "", order == 0 ? Grid::as_planned : Grid::one_block, directory));
      std::vector<std::string> left_out;
      const std::vector<const bsc_case*> cases = cases_of(source, library, kMaxBytes, left_out);
      CHECK_FALSE(cases.empty());
      if (order == 0) {
        for (const std::string& label : left_out) std::printf("too large for here, left to the self-test: %s\n", label.c_str());
      }
      std::uint64_t number = 0;
      for (const bsc_case* description : cases) {
        // All aligned, or all moved alike by 1 to 3 elements, or each on its own.
        const std::uint64_t placement = number % 3 == 0 ? 0 : number % 3 == 1 ? 0x1111111111111111u * (1 + number % 4) : (seed() + number) * 0x9e3779b97f4a7c15u;
        ++number;
        if ((number + seed()) % (order == 0 ? kEvery : 3 * kEvery) != 0) continue;
        CAPTURE(description->label);
        CAPTURE(placement);
        CHECK(run_case(bsc_instance_default_device(instance.get()), package.get(), source, *description, seed() + number, placement) == "");
      }
    }
  }
}
