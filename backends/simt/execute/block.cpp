// Starting a block, giving each of its groups a turn, and seeing that it is stuck.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/block.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/simt/execute/launch.hpp"

namespace bascule::simt {
namespace {

constexpr std::uint64_t kSharedAlignment = 1024;
constexpr unsigned kPassesOfATurn = 256;      // over groups that pass each other on at barriers
constexpr std::size_t kDeadlockPlaces = 8;  // named in the report

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

// splitmix64
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::string place_of(const Fragment& fragment, const WarpGroup& group) {
  const ptx::Instruction* const instruction = fragment.at->instruction;
  std::uint32_t lanes = 0;
  unsigned warp = 0;
  for (unsigned w = 0; w < group.warps && lanes == 0; ++w) {
    lanes = fragment.lanes[w];
    warp = w;
  }
  std::string what = "waits";
  if (fragment.state == Fragment::State::barrier) what = fmt::format("waits at barrier {}", fragment.barrier);
  if (fragment.state == Fragment::State::meeting) what = "waits for lanes of its warp";
  return fmt::format("warp {} (lanes {:#010x}) {} in {} at line {}{}", group.first_warp + warp, lanes, what,
                     instruction != nullptr ? ptx::name_of(instruction->operation) : "?",
                     instruction != nullptr ? instruction->location.line : 0,
                     fragment.frame->depth != 0 ? " of " + fragment.frame->code->function->name : "");
}

}  // namespace

void BlockRun::start(Launch& of, std::uint64_t index_in_grid, std::uint32_t on_worker) {
  launch = &of;
  services = &of;
  worker = on_worker;
  linear_index = index_in_grid;
  index = {static_cast<std::uint32_t>(index_in_grid), 0, 0};
  if (index_in_grid >= of.shape.grid[0]) {  // three divisions that a short kernel would notice
    index = {static_cast<std::uint32_t>(index_in_grid % of.shape.grid[0]),
             static_cast<std::uint32_t>(index_in_grid / of.shape.grid[0] % of.shape.grid[1]),
             static_cast<std::uint32_t>(index_in_grid / of.shape.grid[0] / of.shape.grid[1])};
  }
  threads = of.shape.threads();
  exited_threads = 0;
  busy_turns = 0;
  if (barriers_used) barriers = {};
  barriers_used = false;
  random = of.options.seed == 0 ? 0 : of.options.seed ^ (index_in_grid + 1) * 0xd6e8feb86659fd93u;
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
    groups[g].start(*this, of.program, of.constant_pool(), first, std::min(of.group_warps, warps - first),
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
    moved = std::any_of(groups.begin(), groups.begin() + group_count, [](WarpGroup& group) {
      return std::any_of(group.waiting().begin(), group.waiting().end(),
                         [](const Fragment& f) { return f.state == Fragment::State::ready; });
    });
    if (!moved && !spinning && !busy) {
      report_deadlock();
      return Progress::fault;
    }
  }
  busy_turns = busy ? busy_turns + 1 : busy_turns;
  return spinning ? Progress::spinning : Progress::busy;
}

void BlockRun::report_deadlock() {
  std::string places;
  std::size_t count = 0;
  const Fragment* first = nullptr;
  const WarpGroup* first_group = nullptr;
  for (std::uint32_t g = 0; g < group_count; ++g) {
    for (const Fragment& fragment : groups[g].waiting()) {
      if (first == nullptr) {
        first = &fragment;
        first_group = &groups[g];
      }
      if (++count <= kDeadlockPlaces) places += "\n  " + place_of(fragment, groups[g]);
    }
  }
  if (count > kDeadlockPlaces) places += fmt::format("\n  and {} more", count - kDeadlockPlaces);
  Finding finding;
  finding.kind = "deadlock";
  finding.message =
      fmt::format("every thread of the block that has not exited waits for others ({} of {} threads have exited):{}",
                  exited_threads, threads, places);
  finding.block = index;
  if (first != nullptr) {
    for (unsigned w = 0; w < first_group->warps; ++w) {
      if (first->lanes[w] == 0) continue;
      finding.thread = thread_index(*launch, first_group->first_warp + w, static_cast<unsigned>(__builtin_ctz(first->lanes[w])));
      break;
    }
    finding.function = first->frame->code->function->name;
    if (first->at->instruction != nullptr) launch->locate(finding, *first->at->instruction);
  }
  launch->report(std::move(finding));
}

}  // namespace bascule::simt
