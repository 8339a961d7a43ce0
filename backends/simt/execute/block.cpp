// Starting a block, giving each of its groups a turn, and seeing that it is stuck.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/cluster.hpp"

#include <algorithm>

#include "backends/simt/execute/launch.hpp"

namespace bascule::simt {
namespace {

constexpr std::uint64_t kSharedAlignment = 1024;
constexpr unsigned kPassesOfATurn = 256;      // over groups that pass each other on at barriers

// Room for `bytes` at a multiple of `alignment`; kept and grown from block to block.
std::byte* room(std::unique_ptr<ConstantPool::Line[]>& storage, std::size_t& capacity, std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) return nullptr;
  if (bytes > capacity) {
    storage.reset();
    capacity = 0;
    storage.reset(new ConstantPool::Line[(bytes + alignment) / sizeof(ConstantPool::Line) + 1]);
    capacity = bytes;
  }
  const auto at = reinterpret_cast<std::uintptr_t>(storage.get());
  return reinterpret_cast<std::byte*>((at + alignment - 1) / alignment * alignment);
}

}  // namespace

void BlockRun::start(ClusterRun& in, Launch& of, const std::array<std::uint32_t, 3>& index_in_grid, std::uint32_t rank,
                     std::uint32_t on_worker) {
  launch = &of;
  services = &of;
  worker = on_worker;
  index = index_in_grid;
  linear_index = (std::uint64_t{index[2]} * of.shape.grid[1] + index[1]) * of.shape.grid[0] + index[0];
  threads = of.shape.threads();
  exited_threads = 0;
  run_of_cluster = &in;
  cluster = &in;
  cluster_rank = rank;
  ended = false;
  if (barriers_used) barriers = {};
  barriers_used = false;
  if (in.barrier_used) cluster_arrivals = {};
  random = of.options.seed == 0 ? 0 : of.options.seed ^ (linear_index + 1) * 0xd6e8feb86659fd93u;
  for (auto& extension : extensions) extension.reset();

  shared_bytes = of.program.static_shared_bytes + of.program.shared_gap_bytes + of.shape.dynamic_shared_bytes;
  shared = room(shared_storage, shared_capacity, std::max<std::size_t>(shared_bytes, 1), kSharedAlignment);
  const std::uint32_t warps = of.shape.warps();
  const std::size_t warp_bytes = std::size_t{of.program.local_bytes} * kLanes;
  std::byte* local = room(local_storage, local_capacity, warp_bytes * warps, of.program.local_alignment);
  group_count = (warps + of.group_warps - 1) / of.group_warps;
  if (groups.size() < group_count) groups.resize(group_count);
  for (std::uint32_t g = 0; g < group_count; ++g) {
    const std::uint32_t first = g * of.group_warps;
    groups[g].start(*this, of.program, of.constant_pool(rank), first, std::min(of.group_warps, warps - first),
                    local != nullptr ? local + first * warp_bytes : nullptr);
  }
}

BlockRun::Progress BlockRun::run() {
  bool spinning = false, busy = false, moved = true;
  // Groups that wait cost little, so a pass over all of them is a turn.
  const auto turn = [&](WarpGroup& group) {
    switch (group.run()) {
      case WarpGroup::Progress::done:
      case WarpGroup::Progress::waiting: break;
      case WarpGroup::Progress::spinning: spinning = true; break;
      case WarpGroup::Progress::busy: busy = true; break;
      case WarpGroup::Progress::fault: return false;
    }
    return true;
  };
  for (unsigned pass = 0; moved && !spinning && !busy; ++pass) {
    if (pass == kPassesOfATurn) {  // the launch may have ended, or its time be up
      busy = true;
      break;
    }
    const std::uint32_t first = random == 0 ? 0 : static_cast<std::uint32_t>(next_random(random) % group_count);
    for (std::uint32_t i = 0; i < group_count; ++i) {
      if (random != 0 && group_count > 2 && next_random(random) % 4 == 0) {
        if (!turn(groups[next_random(random) % group_count])) return Progress::fault;
      }
      if (!turn(groups[(first + i) % group_count])) return Progress::fault;
    }
    if (alive_threads() == 0) return Progress::done;
    moved = has_ready();
  }
  if (!moved && !spinning && !busy) return Progress::waiting;
  return spinning ? Progress::spinning : Progress::busy;
}

namespace {

template <class F>
bool any_fragment(const BlockRun& block, F holds) {
  return std::any_of(block.groups.begin(), block.groups.begin() + block.group_count, [&](const WarpGroup& group) {
    return std::any_of(group.waiting().begin(), group.waiting().end(), holds);
  });
}

}  // namespace

bool BlockRun::has_ready() const {
  return any_fragment(*this, [](const Fragment& f) { return f.state == Fragment::State::ready; });
}

bool BlockRun::waits_for_cluster() const {
  return any_fragment(*this, [](const Fragment& f) { return f.state == Fragment::State::barrier && f.barrier == kClusterBarrier; });
}

}  // namespace bascule::simt
