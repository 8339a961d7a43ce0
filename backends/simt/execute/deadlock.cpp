// What is said when every thread of a cluster waits for others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>

#include "backends/simt/execute/cluster.hpp"
#include "backends/simt/execute/launch.hpp"

namespace bascule::simt {
namespace {

constexpr std::size_t kPlaces = 8;  // named in the report, or one of each block

struct Place {
  const BlockRun* block = nullptr;
  const WarpGroup* group = nullptr;
  const Fragment* fragment = nullptr;
  std::size_t ordinal = 0;  // in its block

  [[nodiscard]] unsigned warp() const {
    unsigned w = 0;
    while (w + 1 < group->warps && fragment->lanes[w] == 0) ++w;
    return w;
  }
};

std::string describe(const Place& place, bool of_several) {
  const Fragment& fragment = *place.fragment;
  const ptx::Instruction* const instruction = fragment.at->instruction;
  const unsigned warp = place.warp();
  std::string what = "waits";
  if (fragment.state == Fragment::State::barrier) {
    what = fragment.barrier == kClusterBarrier ? "waits at the cluster's barrier" : fmt::format("waits at barrier {}", fragment.barrier);
  }
  if (fragment.state == Fragment::State::meeting) what = "waits for lanes of its warp";
  const auto& index = place.block->index;
  return fmt::format("{}warp {} (lanes {:#010x}) {} in {} at line {}{}",
                     of_several ? fmt::format("block ({}, {}, {}), ", index[0], index[1], index[2]) : std::string(),
                     place.group->first_warp + warp, fragment.lanes[warp], what,
                     instruction != nullptr ? ptx::name_of(instruction->operation) : "?",
                     instruction != nullptr ? instruction->location.line : 0,
                     fragment.frame->depth != 0 ? " of " + fragment.frame->code->function->name : "");
}

}  // namespace

void report_deadlock(const ClusterRun& cluster) {
  std::vector<Place> places;
  std::uint32_t exited = 0, threads = 0;
  for (std::uint32_t rank = 0; rank < cluster.count; ++rank) {
    const BlockRun& block = *cluster.runs[rank];
    exited += block.exited_threads;
    threads += block.threads;
    std::size_t ordinal = 0;
    for (std::uint32_t g = 0; g < block.group_count; ++g) {
      for (const Fragment& fragment : block.groups[g].waiting()) places.push_back({&block, &block.groups[g], &fragment, ordinal++});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.ordinal != b.ordinal ? a.ordinal < b.ordinal : a.block->cluster_rank < b.block->cluster_rank;
  });
  const std::size_t named = std::min(places.size(), std::max<std::size_t>(kPlaces, cluster.count));
  const bool several = cluster.count > 1;
  Finding finding;
  finding.kind = "deadlock";
  finding.message = fmt::format("every thread of the {} that has not exited waits for others ({} of {} threads have exited):",
                                several ? "cluster" : "block", exited, threads);
  for (std::size_t i = 0; i < named; ++i) finding.message += "\n  " + describe(places[i], several);
  if (places.size() > named) finding.message += fmt::format("\n  and {} more", places.size() - named);
  Launch& launch = *cluster.runs.front()->launch;
  if (!places.empty()) {
    const Place& first = places.front();
    const unsigned warp = first.warp();
    finding.block = first.block->index;
    finding.thread = thread_index(launch, first.group->first_warp + warp,
                                  static_cast<unsigned>(__builtin_ctz(first.fragment->lanes[warp])));
    finding.function = first.fragment->frame->code->function->name;
    if (first.fragment->at->instruction != nullptr) launch.locate(finding, *first.fragment->at->instruction);
  }
  launch.report(std::move(finding));
}

}  // namespace bascule::simt
