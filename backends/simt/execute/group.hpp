// What an operation can reach beyond its registers: the group of warps, their block, the launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/simt/execute/op.hpp"

namespace bascule::simt {

class Launch;
struct Exchange;  // rendezvous.hpp
struct LaunchServices;  // services.hpp

/// What went wrong while a kernel ran. The first one ends the launch, unless the sanitizer collects several.
struct Finding {
  std::string kind;     // "out_of_bounds", "misaligned", "uninitialised", "race", "divergent_barrier", "deadlock", "trap", ...
  std::string message;  // complete, with addresses, sizes and what was expected
  std::string function;
  ptx::Location location;     // in the PTX text
  std::string source_file;    // where the PTX says which source line it comes from
  std::uint32_t source_line = 0;
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
  ptx::Location other_location;  // of a race: the other side. Line 0: there is none
  std::uint32_t other_source_line = 0;
};

/// State of one family for one block, created when first used (cp.async queues, sanitizer shadows, ...).
class Extension {
 public:
  virtual ~Extension() = default;
};
enum class ExtensionKind : std::uint8_t { asynchronous_copies, shared_shadow, mbarriers, count };

inline constexpr unsigned kMaxClusterBlocks = 16;

struct Block;

/// Blocks that are resident together, all of them run by the same host thread, and stay so until the last one has ended.
struct Cluster {
  std::array<Block*, kMaxClusterBlocks> blocks{};  // by rank
  std::uint32_t count = 1;
  std::unique_ptr<Extension> extension;  // of the sanitizer
};

/// One block (CTA) while it is resident.
struct Block {
  Launch* launch = nullptr;
  LaunchServices* services = nullptr;
  std::array<std::uint32_t, 3> index{};   // %ctaid
  std::uint64_t linear_index = 0;
  std::uint32_t threads = 0;
  std::byte* shared = nullptr;            // static, then dynamic; 1024-byte aligned
  std::uint32_t shared_bytes = 0;
  std::uint32_t cluster_rank = 0;         // this block's shared window starts at cluster_rank << kSharedWindowBits
  Cluster* cluster = nullptr;             // null: a block alone
  bool ended = false;                     // all its threads have exited; the others of its cluster may still run
  std::array<std::unique_ptr<Extension>, static_cast<std::size_t>(ExtensionKind::count)> extensions;
};

/// The shared memory of a cluster's blocks lies in windows of this size, by rank.
inline constexpr unsigned kSharedWindowBits = 24;

/// Where a block's window starts.
[[nodiscard]] inline std::uint64_t shared_window(const Block& block) {
  return std::uint64_t{block.cluster_rank} << kSharedWindowBits;
}
/// The block of the same cluster with that rank; null: there is none.
[[nodiscard]] inline Block* peer(Block& block, std::uint64_t rank) {
  if (rank == block.cluster_rank) return &block;
  return block.cluster != nullptr && rank < block.cluster->count ? block.cluster->blocks[rank] : nullptr;
}
/// The block of the same cluster in whose shared memory the host's address lies; null: in none's.
[[nodiscard]] inline Block* shared_owner(Block& block, std::uint64_t address) {
  const auto holds = [address](const Block& candidate) {
    return address - reinterpret_cast<std::uintptr_t>(candidate.shared) < candidate.shared_bytes;
  };
  if (holds(block)) return &block;
  if (block.cluster == nullptr) return nullptr;
  for (std::uint32_t rank = 0; rank < block.cluster->count; ++rank) {
    if (holds(*block.cluster->blocks[rank])) return block.cluster->blocks[rank];
  }
  return nullptr;
}

/// Up to kMaxWarps warps of a block that run together.
class Group {
 public:
  Block* block = nullptr;
  std::uint32_t first_warp = 0;  // in the block
  std::uint32_t warps = 0;
  std::array<std::uint32_t, kMaxWarps> present{};  // lanes that have a thread (the last warp of a block may be part full)
  std::array<std::uint32_t, kMaxWarps> exited{};   // lanes whose thread has ended

  std::byte* local = nullptr;        // local memory: lane l of warp w starts at local + (w * 32 + l) * local_bytes
  std::uint32_t local_bytes = 0;     // per thread, stack included
  std::uint32_t local_frame = 0;     // where the running function's .local variables start in it

  /// Set only while a `.sync` operation runs for lanes that met from different places: what to read instead of the registers.
  const Exchange* exchange = nullptr;

  [[nodiscard]] std::byte* local_of(unsigned warp, unsigned lane) const {
    return local + (std::size_t{warp} * kLanes + lane) * local_bytes;
  }
  /// Lanes of a warp that still run.
  [[nodiscard]] std::uint32_t alive(unsigned warp) const { return present[warp] & ~exited[warp]; }
};

/// A finding about `op` for one lane, with everything that says where.
[[nodiscard]] Finding describe(const Op* op, const Context& context, unsigned warp, unsigned lane, std::string kind,
                               std::string message);

/// Reports a finding for one lane and ends the launch: sets Context::event to fault and returns nullptr, so a handler says
/// `return fail(op, context, warp, lane, "misaligned", message);`.
const Op* fail(const Op* op, Context& context, unsigned warp, unsigned lane, std::string kind, std::string message);

}  // namespace bascule::simt
