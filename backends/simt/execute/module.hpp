// A loaded module: its text parsed, its kernels lowered, its variables placed and initialised.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backends/common/host_services.hpp"
#include "backends/simt/execute/launch.hpp"
#include "backends/simt/execute/lower.hpp"
#include "backends/simt/operations/device_heap.hpp"
#include "backends/simt/simt.h"

namespace bascule::simt {

/// Storage of the variables of module scope, and the numbers that stand for functions.
class ModuleMemory {
 public:
  /// Throws std::bad_alloc.
  explicit ModuleMemory(const ptx::Module& module);

  [[nodiscard]] const Addresses& addresses() const { return addresses_; }
  [[nodiscard]] std::uint64_t constants() const { return constants_; }
  [[nodiscard]] std::uint64_t constant_bytes() const { return constant_bytes_; }
  [[nodiscard]] const std::vector<MemoryRange>& ranges() const { return ranges_; }

 private:
  void place(const ptx::Module& module);
  void fill(const ptx::Variable& variable, std::uint64_t address, const std::vector<ptx::Variable>& variables,
            const std::vector<std::uint64_t>& places);

  Addresses addresses_;
  std::vector<ConstantPool::Line> storage_;
  std::vector<std::byte> functions_;  // never read: only its addresses matter
  std::uint64_t constants_ = 0;
  std::uint64_t constant_bytes_ = 0;
  std::vector<MemoryRange> ranges_;
};

struct Kernel {
  std::uint32_t function = 0;  // Module::functions
  std::unique_ptr<Program> program;
  std::uint64_t argument_bytes = 0;
  std::uint64_t launches = 0;
  std::uint64_t executed_operations = 0;
  std::uint64_t executed_lanes = 0;
};

/// The bytes of a kernel's arguments, without padding behind the last one.
[[nodiscard]] std::uint64_t argument_bytes_of(const ptx::Function& function);
/// Threads in a block at most.
[[nodiscard]] std::uint64_t max_threads_of(const ptx::Function& function);

}  // namespace bascule::simt

/// What simt.h calls a module.
struct bsc_simt_module {
  std::string name;
  bascule::backend::HostServices services;
  bsc_simt_options options{};
  std::unique_ptr<bascule::simt::ptx::Module> module;
  std::unique_ptr<bascule::simt::ModuleMemory> memory;
  std::unique_ptr<bascule::simt::DeviceHeap> heap;
  std::vector<bascule::simt::Kernel> kernels;
  std::atomic<std::uint64_t> launches{0};

  std::mutex mutex;  // of what follows, and of the kernels' counts
  std::vector<bascule::simt::Finding> findings;
};

namespace bascule::simt {

/// BSC_INVALID_IMAGE with the diagnostics as a compiler gives them; BSC_UNSUPPORTED where all is well but not executed yet.
bsc_status load_module(std::string_view text, std::string_view name, const bsc_simt_options& options,
                       const bsc_host_services* services, std::unique_ptr<bsc_simt_module>& out, bsc_plugin_error* error);

/// Everything that a launch can be refused for.
bsc_status check_launch(const bsc_simt_module& module, const bsc_simt_launch& launch, LaunchShape& shape,
                        bsc_plugin_error* error);

/// JSON: kernels with their counts, findings.
[[nodiscard]] std::string report_of(bsc_simt_module& module);

}  // namespace bascule::simt
