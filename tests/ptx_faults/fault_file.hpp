// A PTX file of this folder: its text, what its head says about the launch, and which lines are marked as the fault's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bascule::simt::test {

struct FaultFile {
  std::string name;
  std::string text;
  std::vector<std::string> kinds;  // "kind: race|bad_mbarrier": any of these; "none": the repaired twin
  std::vector<std::uint32_t> lines;  // those with "<-- fault"; any of them
  std::uint64_t grid = 1;
  std::uint64_t block = 1;
  std::vector<std::uint64_t> buffers;  // bytes of each argument
  unsigned at_least = 100;             // of 100 seeds

  [[nodiscard]] bool repaired() const { return kinds.size() == 1 && kinds.front() == "none"; }
};

/// All files of the folder, by name. Throws std::runtime_error where a head does not make sense.
[[nodiscard]] std::vector<FaultFile> read_fault_files();

/// What one launch of the file's kernel gave.
struct FaultRun {
  std::string status;  // "ok", "finding", "timeout", "refused": with `message`
  std::string message;
  struct Found {
    std::string kind;
    std::uint32_t line;
    std::uint32_t other_line;  // 0: none
  };
  std::vector<Found> findings;
};

/// Loads `text` with the sanitizer on and runs its kernel `kernel` on so many host threads.
[[nodiscard]] FaultRun run_fault(const std::string& text, const FaultFile& how, std::uint64_t seed, unsigned threads,
                                 std::uint64_t watchdog_ns);

}  // namespace bascule::simt::test
