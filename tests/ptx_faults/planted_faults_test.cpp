// Each fault of this folder is found with its kind at its line, whatever the order in which warps run and however many host
// threads run them; its repaired twin is clean.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/ptx_faults/fault_file.hpp"
#include "tests/support/seed.hpp"

namespace bascule::simt::test {
namespace {

constexpr std::uint64_t kWatchdog = 30'000'000'000;

/// Whether one of the findings is of the file's kind and at one of its lines, on either side.
bool is_found(const FaultFile& file, const FaultRun& run) {
  return std::any_of(run.findings.begin(), run.findings.end(), [&](const FaultRun::Found& found) {
    const auto marked = [&](std::uint32_t line) { return std::find(file.lines.begin(), file.lines.end(), line) != file.lines.end(); };
    const bool kind = std::find(file.kinds.begin(), file.kinds.end(), found.kind) != file.kinds.end();
    return kind && (marked(found.line) || marked(found.other_line));
  });
}

TEST_CASE("every fault has a repaired twin, and there are at least 25 kinds of them") {
  std::set<std::string> faults, repaired, kinds;
  for (const FaultFile& file : read_fault_files()) {
    if (!file.repaired()) {
      faults.insert(file.name);
      kinds.insert(file.kinds.begin(), file.kinds.end());
    } else {
      repaired.insert(file.name.substr(0, file.name.rfind("_repaired")));
    }
  }
  CHECK(faults == repaired);
  CHECK(faults.size() >= 25);
}

TEST_CASE("planted faults are found with their kind at their line, with many seeds") {
  const std::uint64_t first = bascule::test::seed();
  for (const FaultFile& file : read_fault_files()) {
    if (file.repaired()) continue;
    for (const unsigned threads : {1u, 2u}) {
      CAPTURE(file.name);
      CAPTURE(threads);
      unsigned found = 0;
      FaultRun missed;
      for (std::uint64_t i = 0; i < BASCULE_FAULT_SEEDS; ++i) {
        FaultRun run = run_fault(file.text, file, first + i, threads, kWatchdog);
        if (run.status == "finding" && is_found(file, run)) {
          ++found;
        } else {
          missed = std::move(run);
        }
      }
      CAPTURE(missed.status);
      CAPTURE(missed.message);
      CHECK(found * 100 >= file.at_least * BASCULE_FAULT_SEEDS);
    }
  }
}

TEST_CASE("the repaired twins are clean, with many seeds") {
  const std::uint64_t first = bascule::test::seed();
  for (const FaultFile& file : read_fault_files()) {
    if (!file.repaired()) continue;
    for (const unsigned threads : {1u, 2u}) {
      CAPTURE(file.name);
      CAPTURE(threads);
      for (std::uint64_t i = 0; i < BASCULE_FAULT_SEEDS; ++i) {
        const FaultRun run = run_fault(file.text, file, first + i, threads, kWatchdog);
        CAPTURE(run.message);
        CHECK(run.status == "ok");
        CHECK(run.findings.empty());
        if (run.status != "ok") break;
      }
    }
  }
}

}  // namespace
}  // namespace bascule::simt::test
