// One case on one device: kernel, guarded buffers, the checked first run, and launches for timing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "api.hpp"
#include "bench/report.hpp"
#include "case_library.hpp"

namespace bascule::cli {

// The device was asked for and does not compute (the null backend): results are not checked and no rate is shown.
bool computes(const bsc_device* device);

// What a case costs an engine that executes PTX, in operations of one lane; tails and idle lanes of a kernel that does little but
// move data included.
double lane_operations(const bsc_case& description);
// A self-test on an emulated GPU leaves dearer cases out: minutes each, and the sizes that are awkward are small ones.
inline constexpr double kEmulatedLaneOperations = 1 << 28;

// What a case may cost so that each of the devices finishes it in a fraction of a second: on a GPU a share of its memory, on a CPU
// fewer operations as well, on an emulated GPU far fewer.
struct CaseLimits {
  std::uint64_t max_bytes = UINT64_MAX;
  double max_operations = 0;  // 0: no limit
};
CaseLimits case_limits(const std::vector<bsc_device*>& devices, bool full_size);

class CaseRun {
 public:
  // Creates the kernel, allocates and fills buffers: every output is poisoned and has guard bands on both sides. `copies`
  // sets of buffers serve the cold-cache mode. Buffers begin at multiples of 256 bytes if `placement` is 0; else its bits say
  // by how many elements, up to 15, each is moved from there. Throws Failure.
  CaseRun(bsc_device* device, bsc_package* package, const bsc_case& description, bsc_case_data* data, std::uint64_t copies,
          const std::string& variant = {}, std::uint64_t placement = 0);

  // Launches once on the first set, reads outputs and guards, and judges them.
  CheckResult check();
  // Nanoseconds per call of `calls` launches in a row, on the device's clock if it has one.
  double sample(std::uint64_t calls);
  // Host time of one launch and the wait for it.
  double launch_and_wait();
  // Judges the outputs of the last launch on the first set again: what timing left behind must still be right.
  CheckResult recheck();

  const Phases& phases() const { return phases_; }
  Phases& phases() { return phases_; }
  bool device_clock() const { return device_clock_; }
  double clock_resolution() const { return clock_resolution_; }
  std::string variant() const { return bsc_kernel_variant(kernel_.get()); }

 private:
  struct Argument {
    bsc_case_argument description;
    std::uint64_t offset = 0;  // of the contents in a buffer
    std::vector<BufferHandle> buffers;  // one per set; empty for scalars
  };

  void upload(Argument& argument, std::size_t set);
  EventHandle launch(std::size_t set);
  CheckResult judge_outputs();

  const bsc_case& description_;
  bsc_case_data* data_;
  QueueHandle queue_;
  KernelHandle kernel_;
  std::vector<Argument> arguments_;
  std::vector<std::vector<bsc_argument>> launch_arguments_;  // per set
  std::size_t next_set_ = 0;
  bool device_clock_ = false;
  double clock_resolution_ = 1;
  Phases phases_;
};

}  // namespace bascule::cli
