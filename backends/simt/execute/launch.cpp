// Blocks are taken in order, cluster by cluster, held while they wait for others, and given back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "backends/simt/execute/cluster.hpp"
#include "backends/simt/execute/fault_guard.hpp"
#include "backends/simt/execute/host_arithmetic.hpp"

namespace bascule::simt {
namespace {

// A multiprocessor of an sm_90.
constexpr std::uint64_t kThreadsOfASm = 2048;
constexpr std::uint64_t kBlocksOfASm = 32;
constexpr std::uint64_t kSharedOfASm = 228 * 1024;
constexpr std::uint64_t kSharedReserved = 1024;  // per block

// Register files that do not fit the first-level cache cost more than fetching operations again does.
constexpr std::uint32_t kGroupRegisterBytes = 40 * 1024;

// Blocks that only compute need no company; but after so many turns one may be waiting in a way that does not show.
constexpr std::uint32_t kBusyTurns = 64;

std::uint32_t warps_of_group(const Program& program, const LaunchShape& shape, bool sanitize) {
  if (sanitize) return 1;
  std::uint32_t warps = std::min<std::uint32_t>(kMaxWarps, shape.warps());
  while (warps > 1 && warps * program.functions[program.entry]->frame_bytes > kGroupRegisterBytes) warps = (warps + 1) / 2;
  return warps;
}

std::uint64_t parameter_bits(const std::byte* blob, std::uint64_t blob_bytes, const LaunchConstant& constant) {
  std::uint64_t bits = 0;
  if (constant.offset + constant.bytes <= blob_bytes) std::memcpy(&bits, blob + constant.offset, constant.bytes);
  if (constant.sign && constant.bytes < 8) {
    const unsigned unused = 64 - 8u * constant.bytes;
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  return bits;
}

}  // namespace

std::uint64_t residency(const LaunchShape& shape, const Program& program, const LaunchOptions& options) {
  if (options.resident_blocks != 0) return options.resident_blocks;
  const std::uint64_t threads = std::uint64_t{shape.warps()} * kLanes;
  const std::uint64_t shared = std::uint64_t{program.static_shared_bytes} + shape.dynamic_shared_bytes + kSharedReserved;
  const std::uint64_t per_sm =
      std::max<std::uint64_t>(1, std::min({kBlocksOfASm, kThreadsOfASm / std::max<std::uint64_t>(threads, 1), kSharedOfASm / shared}));
  return std::max<std::uint64_t>(per_sm * std::max<std::uint64_t>(options.workers, 1), shape.cluster_blocks());
}

std::array<std::uint32_t, 3> thread_index(const Launch& launch, std::uint32_t warp, std::uint32_t lane) {
  const std::uint32_t thread = warp * kLanes + lane;
  const auto& block = launch.shape.block;
  return {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]};
}

std::string render(const Finding& finding, std::string_view ptx_file) {
  std::string text = finding.kind + ": " + finding.message;
  text += fmt::format("\n  in {} at {}:{}:{}", finding.function, ptx_file, finding.location.line, finding.location.column);
  if (!finding.source_file.empty()) text += fmt::format(" ({}:{})", finding.source_file, finding.source_line);
  text += fmt::format(", block ({}, {}, {}), thread ({}, {}, {})", finding.block[0], finding.block[1], finding.block[2],
                      finding.thread[0], finding.thread[1], finding.thread[2]);
  if (finding.other_location.line != 0) {
    text += fmt::format("\n  the other side: {}:{}:{}", ptx_file, finding.other_location.line, finding.other_location.column);
    if (!finding.source_file.empty() && finding.other_source_line != 0) {
      text += fmt::format(" (source line {})", finding.other_source_line);
    }
  }
  return text;
}

Launch::Launch(const Program& code, const LaunchShape& launch_shape, const LaunchOptions& launch_options,
               const void* argument_blob, std::uint64_t blob_bytes, std::uint64_t launch_number)
    : program(code),
      shape(launch_shape),
      options(launch_options),
      number(launch_number),
      resident_limit(residency(launch_shape, code, launch_options)),
      cluster_count(launch_shape.clusters()),
      group_warps(warps_of_group(code, launch_shape, launch_options.sanitize)) {
  arguments_.resize(blob_bytes / sizeof(ConstantPool::Line) + 1);
  if (blob_bytes != 0) std::memcpy(arguments_.data(), argument_blob, blob_bytes);
  arguments = reinterpret_cast<std::uint64_t>(arguments_.data());
  argument_bytes = blob_bytes;
  seed = options.seed;
  const std::vector<ConstantPool::Line>& pool = program.constants.lines();
  constants_.reserve(pool.size() * shape.cluster_blocks());
  for (std::uint32_t rank = 0; rank < shape.cluster_blocks(); ++rank) {
    constants_.insert(constants_.end(), pool.begin(), pool.end());
    fill_constants(rank);
  }
  const std::uint32_t warps = shape.warps();
  thread_indices.resize(std::size_t{warps} * 3);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const auto thread = thread_index(*this, warp, lane);
      for (unsigned c = 0; c < 3; ++c) thread_indices[std::size_t{warp} * 3 + c][lane] = thread[c];
    }
  }
  if (options.watchdog_ns != 0) {
    constexpr auto kCentury = std::chrono::hours{24 * 365 * 100};
    deadline_ = std::chrono::steady_clock::now() +
                std::min<std::chrono::nanoseconds>(std::chrono::nanoseconds{std::min<std::uint64_t>(options.watchdog_ns, INT64_MAX)},
                                                   kCentury);
  }
}

void Launch::fill_constants(std::uint32_t rank) {
  const auto& c = shape.cluster;
  const std::array<std::uint32_t, 3> in_cluster{rank % c[0], rank / c[0] % c[1], rank / c[0] / c[1]};
  auto* const pool = reinterpret_cast<std::byte*>(constants_.data() + rank * program.constants.lines().size());
  const auto* const blob = reinterpret_cast<const std::byte*>(arguments_.data());
  for (const LaunchConstant& constant : program.launch_constants) {
    std::uint64_t bits = 0;
    switch (constant.what) {
      case LaunchConstant::What::parameter: bits = parameter_bits(blob, argument_bytes, constant); break;
      case LaunchConstant::What::parameter_address: bits = arguments + constant.offset; break;
      case LaunchConstant::What::ntid: bits = shape.block[constant.component]; break;
      case LaunchConstant::What::nctaid: bits = shape.grid[constant.component]; break;
      case LaunchConstant::What::nclusterid: bits = shape.grid[constant.component] / c[constant.component]; break;
      case LaunchConstant::What::cluster_nctaid: bits = c[constant.component]; break;
      case LaunchConstant::What::cluster_nctarank: bits = shape.cluster_blocks(); break;
      case LaunchConstant::What::cluster_ctaid: bits = in_cluster[constant.component]; break;
      case LaunchConstant::What::cluster_ctarank: bits = rank; break;
      case LaunchConstant::What::is_explicit_cluster: bits = shape.explicit_cluster ? 1 : 0; break;
      case LaunchConstant::What::shared_address: bits = (std::uint64_t{rank} << kSharedWindowBits) + constant.offset; break;
      case LaunchConstant::What::nwarpid: bits = kThreadsOfASm / kLanes; break;
      case LaunchConstant::What::dynamic_shared: bits = shape.dynamic_shared_bytes; break;
      case LaunchConstant::What::total_shared: bits = program.static_shared_bytes + shape.dynamic_shared_bytes; break;
      case LaunchConstant::What::gridid: bits = number; break;
      case LaunchConstant::What::nsmid: bits = std::max<std::uint32_t>(options.workers, 1); break;
    }
    broadcast_lanes(pool + (constant.slot & ~kConstant), bits, constant.width);
  }
}

void Launch::locate(Finding& finding, const ptx::Instruction& instruction) const {
  finding.location = instruction.location;
  finding.source_line = instruction.source.line;
  const auto& files = program.module->files;
  if (instruction.source.file < files.size()) finding.source_file = files[instruction.source.file];
}

void Launch::keep(Finding finding) {
  const std::lock_guard lock(mutex_);
  findings_.push_back(std::move(finding));
}

void Launch::report(Finding finding) {
  {
    const std::lock_guard lock(mutex_);
    findings_.push_back(std::move(finding));
  }
  end(End::finding);
}

void Launch::end(End how) {
  End expected = End::running;
  end_.compare_exchange_strong(expected, how, std::memory_order_acq_rel);
}

std::vector<Finding> Launch::findings() const {
  const std::lock_guard lock(mutex_);
  return findings_;
}

void Launch::look_at_clock() {
  if (options.watchdog_ns != 0 && std::chrono::steady_clock::now() >= deadline_) end(End::timed_out);
}

bool Launch::claim(std::uint64_t& cluster_index) {
  // The places among the resident ones first: blocks once taken must run.
  const std::uint64_t places = shape.cluster_blocks();
  std::uint64_t resident = resident_.load(std::memory_order_relaxed);
  do {
    if (resident + places > resident_limit) return false;
  } while (!resident_.compare_exchange_weak(resident, resident + places, std::memory_order_acq_rel));
  cluster_index = next_cluster_.fetch_add(1, std::memory_order_acq_rel);
  if (cluster_index < cluster_count) return true;
  resident_.fetch_sub(places, std::memory_order_acq_rel);
  return false;
}

void Launch::run(std::uint32_t worker) {
  const HostArithmetic arithmetic;
  prepare_thread_for_faults();
  std::vector<std::unique_ptr<ClusterRun>> clusters, spare;
  std::uint64_t operations = 0, lanes = 0;
  const auto retire = [&](std::unique_ptr<ClusterRun>& cluster) {
    for (std::uint32_t rank = 0; rank < cluster->count; ++rank) {
      BlockRun& block = *cluster->runs[rank];
      for (std::uint32_t g = 0; g < block.group_count; ++g) {
        operations += block.groups[g].executed_operations;
        lanes += block.groups[g].executed_lanes;
      }
      for (auto& extension : block.extensions) extension.reset();
    }
    cluster->extension.reset();
    spare.push_back(std::move(cluster));
    resident_.fetch_sub(shape.cluster_blocks(), std::memory_order_acq_rel);
  };
  const auto take = [&] {
    std::uint64_t index = 0;
    if (next_cluster_.load(std::memory_order_relaxed) >= cluster_count || !claim(index)) return false;
    if (spare.empty()) spare.push_back(std::make_unique<ClusterRun>());
    clusters.push_back(std::move(spare.back()));
    spare.pop_back();
    clusters.back()->start(*this, index, worker);
    return true;
  };
  constexpr std::uint32_t kPassesOfAYield = 64;
  std::uint32_t idle_passes = 0;
  while (!stopped()) {
    if (clusters.empty() && !take()) {
      if (next_cluster_.load(std::memory_order_acquire) >= cluster_count) break;
      std::this_thread::yield();  // all places are taken, by other threads' blocks
      look_at_clock();
      continue;
    }
    bool company = true;
    for (std::size_t i = 0; i < clusters.size() && !stopped();) {
      const ClusterRun::Progress progress = clusters[i]->run();
      if (progress == ClusterRun::Progress::done) {
        retire(clusters[i]);
        clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(i));
        company = false;
        continue;
      }
      if (progress == ClusterRun::Progress::fault) break;
      if (progress == ClusterRun::Progress::busy && clusters[i]->busy_turns % kBusyTurns != 0) company = false;
      ++i;
      look_at_clock();
    }
    // On a busy machine a yield may cost many milliseconds, a pass over blocks that wait some microseconds.
    if (company && !clusters.empty() && !stopped() && !take() && options.workers > 1 && ++idle_passes % kPassesOfAYield == 0) {
      std::this_thread::yield();
    }
  }
  for (auto& cluster : clusters) retire(cluster);
  executed_operations.fetch_add(operations, std::memory_order_relaxed);
  executed_lanes.fetch_add(lanes, std::memory_order_relaxed);
}

}  // namespace bascule::simt
