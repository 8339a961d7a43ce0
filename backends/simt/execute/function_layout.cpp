// Drafts to operations: checks of the sanitizer put between them, slots, order, targets of branches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "backends/simt/execute/control.hpp"
#include "backends/simt/execute/function_lowering.hpp"

namespace bascule::simt {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operation;

namespace {

// What a loop that waits for others contains.
bool looks_at_others(const Instruction& instruction) {
  switch (instruction.operation) {
    case Operation::atom: return instruction.has(Modifier::cas) || instruction.has(Modifier::exch);
    case Operation::ld:
      return instruction.has(Modifier::acquire) || instruction.has(Modifier::relaxed) || instruction.has(Modifier::volatile_) ||
             instruction.has(Modifier::mmio) || instruction.has(Modifier::cv);
    case Operation::mbarrier_test_wait:
    case Operation::mbarrier_try_wait:
    case Operation::nanosleep: return true;
    default: return false;
  }
}

/// Whether the k-th value that the draft reads is only handed on by it.
bool hands_on(const Draft& draft, std::size_t k) {
  if (draft.instruction == nullptr) return false;
  const Operation operation = draft.instruction->operation;
  return operation == Operation::call ||
         (operation == Operation::st && (draft.instruction->space() == ptx::Space::param || k > draft.destinations));
}

bool only_moves(const Instruction& instruction) {
  return instruction.operation == Operation::mov || instruction.operation == Operation::selp;
}

}  // namespace

// Rewrites the drafts with the sanitizer's operations around them.
void FunctionLowering::instrument() {
  const Instrumentation& hooks = instrumentation();
  const Liveness live = find_liveness(drafts_, graph_);
  std::vector<Reference> watch(drafts_.widths.size(), kNoSlot);  // by value: its predicate
  std::vector<std::uint32_t> register_of(drafts_.widths.size(), UINT32_MAX);
  for (std::uint32_t r = 0; r < register_values_.size(); ++r) {
    if (is_value(register_values_[r])) register_of[register_values_[r]] = r;
  }
  live.in[graph_.order.front()].each([&](std::uint32_t value) {
    const bool given = std::find(at_start_.begin(), at_start_.end(), value) != at_start_.end();
    if (!given && register_of[value] != UINT32_MAX) watch[value] = new_value(1);
  });

  std::vector<bool> looked_at(drafts_.widths.size(), false);
  for (const Draft& draft : drafts_.list) {
    if (draft.guard != kNoGuard) looked_at[draft.guard] = true;
    for (std::size_t k = draft.destinations; k < draft.count; ++k) {
      const Reference reference = drafts_.references[draft.first + k];
      if (is_value(reference) && !hands_on(draft, k)) looked_at[reference] = true;
    }
  }

  const std::vector<Draft> before = std::move(drafts_.list);
  drafts_.list.clear();
  const auto copy = [&](Draft draft, Handler run) {
    draft.run = run;
    draft.destinations = 0;  // it only looks
    drafts_.list.push_back(draft);
  };
  for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
    const std::uint32_t begin = drafts_.block_begin[b], end = drafts_.block_end[b];
    drafts_.block_begin[b] = static_cast<std::uint32_t>(drafts_.list.size());
    for (std::uint32_t i = begin; i < end; ++i) {
      const Draft& draft = before[i];
      const Instruction* const instruction = draft.instruction;
      const std::vector<Reference> references(drafts_.references.begin() + draft.first,
                                              drafts_.references.begin() + draft.first + draft.count);
      const auto watched = [&](Reference value) { return is_value(value) && value < watch.size() && watch[value] != kNoSlot; };
      if (instruction != nullptr && !only_moves(*instruction)) {
        const auto read = [&](Reference value, bool guarded) {
          if (watched(value) && hooks.register_read != nullptr) emit(hooks.register_read, instruction, {watch[value]}, 0, guarded, register_of[value]);
        };
        if (draft.guard != kNoGuard) read(draft.guard, false);
        for (std::size_t k = draft.destinations; k < references.size(); ++k) read(references[k], draft.guard != kNoGuard);
      }
      const bool copies = std::any_of(references.begin(), references.begin() + draft.destinations, [&](Reference reference) {
        return !is_value(reference) || reference >= looked_at.size() || !looked_at[reference];
      });
      const Handler check = draft.own ? hooks.before(*instruction, function_, copies) : nullptr;
      if (check != nullptr) copy(draft, check);
      drafts_.list.push_back(draft);
      if (const Handler after = draft.own ? hooks.after(*instruction, function_) : nullptr; after != nullptr) copy(draft, after);
      for (std::size_t k = 0; k < draft.destinations; ++k) {
        if (!watched(references[k]) || hooks.register_written == nullptr) continue;
        // The guard as it was: an instruction that writes its own guard is marked before.
        Draft& mark = emit(hooks.register_written, instruction, {watch[references[k]]}, 0, draft.guard != kNoGuard);
        mark.destinations = 0;
        if (references[k] == draft.guard) std::swap(drafts_.list.back(), drafts_.list[drafts_.list.size() - 2]);
      }
    }
    drafts_.block_end[b] = static_cast<std::uint32_t>(drafts_.list.size());
  }
}

std::uint64_t FunctionLowering::cost_of_loop(std::uint32_t from, std::uint32_t to) const {
  const auto first = std::find(graph_.order.begin(), graph_.order.end(), to);
  for (auto at = first; at != graph_.order.end(); ++at) {
    for (std::uint32_t i = graph_.blocks[*at].begin; i < graph_.blocks[*at].end; ++i) {
      if (looks_at_others(function_.instructions[i])) return kSpinCost;
    }
    if (*at == from) break;
  }
  return 1;
}

void FunctionLowering::fill_formals(const SlotLayout& layout) {
  const auto slot_of = [&](Reference value) {
    if (!is_value(value)) return value;
    return layout.slots[value];
  };
  for (const PendingFormal& pending : pending_formals_) {
    for (std::size_t k = 0; k < pending.values.size(); ++k) pending.formal->pieces[k].slot = slot_of(pending.values[k]);
  }
  for (const auto& [slot, value] : pending_slots_) *slot = slot_of(value);
}

void FunctionLowering::trace(const Draft& draft, const SlotLayout& layout) {
  code_.traces.push_back(std::make_unique<TraceSite>());
  TraceSite& site = *code_.traces.back();
  for (std::uint32_t k = 0; k < draft.count; ++k) {
    const Reference reference = drafts_.references[draft.first + k];
    if (!is_value(reference)) continue;
    const std::uint8_t width = drafts_.widths[reference];
    site.values.push_back({layout.slots[reference], static_cast<std::uint8_t>(width == 1 ? 0 : width / 8), k < draft.destinations});
  }
  Op op;
  op.run = run_trace;
  op.instruction = draft.instruction;
  op.side = &site;
  op.guard = draft.guard == kNoGuard ? kTrueSlot : layout.slots[draft.guard];
  op.guard_flip = draft.guard_negated ? kAllLanes : 0;
  code_.ops.push_back(op);
}

void FunctionLowering::lay_out() {
  if (all_.options.sanitize) instrument();
  const Liveness live = find_liveness(drafts_, graph_);
  const SlotLayout layout = assign_slots(drafts_, graph_, live, at_start_);
  code_.frame_bytes = layout.frame_bytes;
  code_.cleared_bytes = layout.cleared_bytes;
  code_.live_registers = layout.live_registers;
  if (stack_top_ != kNoSlot) code_.stack_top = layout.slots[stack_top_];
  fill_formals(layout);

  std::vector<std::size_t> start(graph_.blocks.size(), SIZE_MAX);  // a block's first operation
  std::vector<std::uint32_t> place(graph_.blocks.size(), UINT32_MAX);
  for (std::uint32_t i = 0; i < graph_.order.size(); ++i) place[graph_.order[i]] = i;
  std::vector<std::pair<std::size_t, std::uint32_t>> targets;  // operation, block
  struct Table {
    std::size_t op;
    const std::vector<std::uint32_t>* blocks;
  };
  std::vector<Table> tables;
  const auto slot_of = [&](Reference reference) { return is_value(reference) ? layout.slots[reference] : reference; };

  for (std::uint32_t i = 0; i < graph_.order.size(); ++i) {
    const std::uint32_t b = graph_.order[i];
    const FlowBlock& block = graph_.blocks[b];
    const std::uint32_t next = i + 1 < graph_.order.size() ? graph_.order[i + 1] : kNoBlock;
    start[b] = code_.ops.size();
    std::uint32_t goes_on = block.falls_to;
    for (std::uint32_t d = drafts_.block_begin[b]; d < drafts_.block_end[b]; ++d) {
      const Draft& draft = drafts_.list[d];
      const Reference* const references = drafts_.references.data() + draft.first;
      if (draft.run == run_frame_addresses &&
          std::all_of(references, references + 3, [](Reference reference) { return reference == kNoSlot; })) {
        continue;
      }
      if (draft.run == run_jump && draft.target == next) {
        goes_on = next;
        continue;
      }
      const bool leaves = draft.bare || draft.target != UINT32_MAX || draft.run == run_branch_table || draft.run == run_exit;
      const bool traced = all_.options.trace && draft.instruction != nullptr && (draft.own || leaves);
      if (traced && leaves) trace(draft, layout);
      Op op;
      op.run = draft.run;
      op.instruction = draft.instruction;
      op.immediate = draft.immediate;
      op.guard = draft.guard == kNoGuard ? kTrueSlot : layout.slots[draft.guard];
      op.guard_flip = draft.guard_negated ? kAllLanes : 0;
      if (!draft.bare && draft.count > op.operands.size()) {
        code_.slot_lists.push_back(std::make_unique<Slot[]>(draft.count));
        std::transform(references, references + draft.count, code_.slot_lists.back().get(), slot_of);
        op.slots = code_.slot_lists.back().get();
      } else if (!draft.bare) {
        std::transform(references, references + draft.count, op.operands.begin(), slot_of);
      }
      if (draft.target != UINT32_MAX) {
        targets.emplace_back(code_.ops.size(), draft.target);
        if (place[draft.target] <= i) op.immediate = cost_of_loop(b, draft.target);
      } else if (draft.run == run_branch_table) {
        tables.push_back({code_.ops.size(), static_cast<const std::vector<std::uint32_t>*>(draft.side)});
        op.immediate = 1;
        for (const std::uint32_t target : *tables.back().blocks) {
          if (place[target] <= i) op.immediate = std::max(op.immediate, cost_of_loop(b, target));
        }
      } else if (draft.side != nullptr) {
        op.side = draft.side;
      }
      code_.ops.push_back(op);
      if (traced && !leaves) trace(draft, layout);
    }
    if (goes_on == kNoBlock) continue;
    Op join;
    if (goes_on == next) {
      if (graph_.blocks[next].predecessors < 2) continue;
      join.run = run_join;
    } else {
      join.run = run_jump;
      if (place[goes_on] <= i) join.immediate = cost_of_loop(b, goes_on);
      targets.emplace_back(code_.ops.size(), goes_on);
    }
    code_.ops.push_back(join);
  }
  // Addresses are final from here on.
  for (const auto& [op, block] : targets) code_.ops[op].target = &code_.ops[start[block]];
  code_.branch_tables.reserve(tables.size());
  for (const Table& table : tables) {
    auto& list = code_.branch_tables.emplace_back();
    for (const std::uint32_t block : *table.blocks) list.push_back(&code_.ops[start[block]]);
    code_.ops[table.op].side = &list;
  }
}

}  // namespace bascule::simt
