// One case of the kernel library computed by the vendor's matrix library, on memory of its own, with the inputs and the judge that
// our kernel gets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/common/gpu/driver.hpp"
#include "core/cli/case_library.hpp"
#include "core/cli/bench/report.hpp"
#include "tests/gpu/blas.hpp"

namespace bascule::gpu_run {

// The card through the vendor's driver, in the context that the backend's plugin uses too. Throws std::runtime_error.
class PeerCard {
 public:
  static constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;

  PeerCard() = default;
  PeerCard(const PeerCard&) = delete;
  PeerCard& operator=(const PeerCard&) = delete;
  ~PeerCard();
  void open(const std::string& driver, const bsc_device_info& device);

  const gpu::Api& api() const { return driver_.api; }
  Address workspace() const { return workspace_; }
  Handle stream() const { return stream_; }
  double clock_resolution() const { return static_cast<double>(gpu::vendor().clock_resolution_ns); }
  Address allocate(std::size_t bytes);
  void check(int code, const char* call) const;

 private:
  gpu::Driver driver_;
  std::vector<Address> memory_;
  Address workspace_ = 0;
  Handle stream_ = nullptr;
};

// "" or why the library has nothing that computes this case.
std::string why_no_peer(const bsc_case& description, bsc_case_data* data);

class PeerRun {
 public:
  PeerRun(PeerCard& card, Blas& blas, const bsc_case& description, bsc_case_data* data);
  PeerRun(const PeerRun&) = delete;
  PeerRun& operator=(const PeerRun&) = delete;
  ~PeerRun();

  // Computes from poisoned outputs and judges them.
  cli::CheckResult check();
  // Nanoseconds per call, by the device's events.
  double sample(std::uint64_t calls);

 private:
  void prepare();
  void release();

  PeerCard& card_;
  Blas& blas_;
  const bsc_case& description_;
  bsc_case_data* data_;
  std::size_t output_ = 0;  // which argument is C
  std::uint64_t output_bytes_ = 0;
  std::vector<Address> memory_;
  Product product_;
  Handle begin_ = nullptr, end_ = nullptr;
};

}  // namespace bascule::gpu_run
