// One launch while it runs: shape, arguments, counters that its threads share, findings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backends/simt/execute/group.hpp"
#include "backends/simt/execute/program.hpp"
#include "backends/simt/execute/services.hpp"

namespace bascule::simt {

struct LaunchShape {
  std::array<std::uint64_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{1, 1, 1};  // blocks; divides the grid
  bool explicit_cluster = false;                  // somebody has asked for it
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;

  [[nodiscard]] std::uint64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  [[nodiscard]] std::uint32_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
  [[nodiscard]] std::uint64_t clusters() const { return blocks() / cluster_blocks(); }
  [[nodiscard]] std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
  [[nodiscard]] std::uint32_t warps() const { return (threads() + kLanes - 1) / kLanes; }
};

struct LaunchOptions {
  bool sanitize = false;
  bool statistics = false;
  std::uint64_t seed = 0;
  std::uint64_t watchdog_ns = 0;
  std::uint32_t workers = 1;
  std::uint32_t resident_blocks = 0;
};

/// How many blocks are resident at once: what was asked for, or as an sm_90 with `workers` multiprocessors would hold, but then
/// at least one cluster.
[[nodiscard]] std::uint64_t residency(const LaunchShape& shape, const Program& program, const LaunchOptions& options);

/// Text for people: kind, message, where in the PTX and in the source, block and thread.
[[nodiscard]] std::string render(const Finding& finding, std::string_view ptx_file);

/// The thread of a lane of a group.
[[nodiscard]] std::array<std::uint32_t, 3> thread_index(const Launch& launch, std::uint32_t warp, std::uint32_t lane);

class Launch : public LaunchServices {
 public:
  enum class End : std::uint8_t { running, finding, timed_out, internal };

  Launch(const Program& code, const LaunchShape& launch_shape, const LaunchOptions& launch_options,
         const void* argument_blob, std::uint64_t blob_bytes, std::uint64_t launch_number);
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  /// Runs blocks until none is left for this thread.
  void run(std::uint32_t worker);

  void print(std::string_view text) override { printer(text); }
  void keep(Finding finding) override;

  /// Fills in where an instruction stands.
  void locate(Finding& finding, const ptx::Instruction& instruction) const;
  /// Keeps it, and ends the launch with the first one.
  void report(Finding finding);
  void end(End how);
  [[nodiscard]] bool stopped() const { return end_.load(std::memory_order_relaxed) != End::running; }
  [[nodiscard]] End how_it_ended() const { return end_.load(std::memory_order_acquire); }
  [[nodiscard]] std::vector<Finding> findings() const;
  /// Ends the launch when its time is up.
  void look_at_clock();

  /// Of the blocks with that rank in their cluster.
  [[nodiscard]] const std::byte* constant_pool(std::uint32_t rank) const {
    return constants_.empty() ? nullptr : constants_[rank * program.constants.lines().size()].bytes.data();
  }

  const Program& program;
  const LaunchShape shape;
  const LaunchOptions options;
  const std::uint64_t number;  // %gridid
  const std::uint64_t resident_limit;
  const std::uint64_t cluster_count;
  std::uint32_t group_warps = 1;
  std::function<void(std::string_view)> printer = [](std::string_view) {};
  std::function<void(std::string_view)> tracer = [](std::string_view) {};
  /// %tid of each warp's lanes: [warp * 3 + component].
  std::vector<std::array<std::uint32_t, kLanes>> thread_indices;
  std::atomic<std::uint64_t> executed_operations{0};
  std::atomic<std::uint64_t> executed_lanes{0};

 private:
  void fill_constants(std::uint32_t rank);
  bool claim(std::uint64_t& index);

  std::vector<ConstantPool::Line> arguments_;
  std::vector<ConstantPool::Line> constants_;  // a pool for each rank in a cluster, one after another
  std::atomic<std::uint64_t> next_cluster_{0};
  std::atomic<std::uint64_t> resident_{0};  // blocks
  std::atomic<End> end_{End::running};
  std::chrono::steady_clock::time_point deadline_{};
  mutable std::mutex mutex_;
  std::vector<Finding> findings_;
};

}  // namespace bascule::simt
