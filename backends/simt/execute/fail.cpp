// How an operation ends its launch: a finding with the place and the thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include "backends/simt/execute/launch.hpp"
#include "backends/simt/execute/scheduler.hpp"

namespace bascule::simt {

Finding describe(const Op* op, const Context& context, unsigned warp, unsigned lane, std::string kind, std::string message) {
  const Group& group = *context.group;
  const Launch& launch = *group.block->launch;
  Finding finding;
  finding.kind = std::move(kind);
  finding.message = std::move(message);
  finding.function = static_cast<WarpGroup&>(*context.group).frame().code->function->name;
  finding.block = group.block->index;
  finding.thread = thread_index(launch, group.first_warp + warp, lane);
  if (op != nullptr && op->instruction != nullptr) launch.locate(finding, *op->instruction);
  return finding;
}

const Op* fail(const Op* op, Context& context, unsigned warp, unsigned lane, std::string kind, std::string message) {
  const Group& group = *context.group;
  // Operations can be tested without a launch; then the event says it all.
  if (group.block == nullptr || group.block->launch == nullptr) return leave(op, context, Event::fault);
  group.block->launch->report(describe(op, context, warp, lane, std::move(kind), std::move(message)));
  return leave(op, context, Event::fault);
}

}  // namespace bascule::simt
