// A kernel and the functions it can reach; their shared and local memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/lower.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/simt/execute/function_lowering.hpp"
#include "backends/simt/operations/families.hpp"

namespace bascule::simt {
namespace {

using ptx::Operand;

// For functions that call themselves or through pointers, and for alloca, where nobody says how much.
constexpr std::uint64_t kDefaultStackBytes = 8192;

constexpr std::uint32_t kNotPlaced = UINT32_MAX;

template <class F>
void each_operand(const ptx::Function& function, F f) {
  for (const Operand& operand : function.operands) f(operand);
  for (const Operand& operand : function.elements) f(operand);
  for (const ptx::Call& call : function.calls) {
    for (const Operand& operand : call.results) f(operand);
    for (const Operand& operand : call.arguments) f(operand);
  }
}

// Functions whose address is taken may be called through pointers.
std::vector<std::uint32_t> reachable_functions(const ptx::Module& module, std::uint32_t entry) {
  std::vector<bool> seen(module.functions.size(), false);
  std::vector<std::uint32_t> reached, work = {entry};
  seen[entry] = true;
  bool initialisers_seen = false;
  const auto reach = [&](std::uint32_t index) {
    if (seen[index] || !module.functions[index].defined) return;
    seen[index] = true;
    work.push_back(index);
  };
  const auto reach_initialisers = [&](const std::vector<ptx::Variable>& variables) {
    for (const ptx::Variable& variable : variables) {
      for (const ptx::Relocation& relocation : variable.relocations) {
        if (relocation.function) reach(relocation.symbol);
      }
    }
  };
  while (!work.empty()) {
    const std::uint32_t index = work.back();
    work.pop_back();
    reached.push_back(index);
    const ptx::Function& function = module.functions[index];
    each_operand(function, [&](const Operand& operand) {
      if (operand.kind == Operand::Kind::function) reach(operand.index);
    });
    reach_initialisers(function.variables);
    for (const ptx::Call& call : function.calls) {
      if (call.function) {
        reach(*call.function);
        continue;
      }
      for (const std::uint32_t target : call.targets) reach(target);
      if (!initialisers_seen) reach_initialisers(module.variables);
      initialisers_seen = true;
    }
  }
  return reached;
}

// Shared variables that the program's functions name, one after another; arrays without a size share what comes last.
void place_shared(ProgramContext& all, const std::vector<std::uint32_t>& functions) {
  const ptx::Module& module = all.module;
  all.shared_of_module.assign(module.variables.size(), kNotPlaced);
  all.shared_of_function.resize(module.functions.size());
  std::uint64_t end = 0, plain_end = 0, dynamic_alignment = 16;
  const std::uint64_t gap = all.options.sanitize ? kVariableGap : 0;
  const auto round_up = [](std::uint64_t bytes, std::uint64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; };
  std::vector<std::uint32_t*> dynamic;
  const auto place = [&](const ptx::Variable& variable, std::uint32_t& offset) {
    const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, 1);
    if (variable.bytes == 0) {
      dynamic_alignment = std::max(dynamic_alignment, alignment);
      dynamic.push_back(&offset);
      return;
    }
    end = round_up(end == 0 ? 0 : end + gap, alignment);
    offset = static_cast<std::uint32_t>(end);
    end += variable.bytes;
    plain_end = round_up(plain_end, alignment) + variable.bytes;
    all.program.shared_variables.push_back({offset, static_cast<std::uint32_t>(variable.bytes), &variable});
  };
  for (const std::uint32_t index : functions) {
    const ptx::Function& function = module.functions[index];
    auto& offsets = all.shared_of_function[index];
    offsets.assign(function.variables.size(), kNotPlaced);
    for (std::size_t v = 0; v < function.variables.size(); ++v) {
      if (is_shared(function.variables[v].space)) place(function.variables[v], offsets[v]);
    }
    each_operand(function, [&](const Operand& operand) {
      const bool names = operand.kind == Operand::Kind::symbol ||
                         (operand.kind == Operand::Kind::address && operand.base_kind == Operand::Kind::symbol);
      if (!names || operand.local_symbol || !is_shared(module.variables[operand.index].space)) return;
      std::uint32_t& offset = all.shared_of_module[operand.index];
      if (offset != kNotPlaced) return;
      offset = 0;
      place(module.variables[operand.index], offset);
    });
  }
  // Without dynamic memory nothing lies behind the last variable.
  if (!dynamic.empty()) {
    end = round_up(end == 0 ? 0 : end + gap, dynamic_alignment);
    plain_end = round_up(plain_end, dynamic_alignment);
  }
  for (std::uint32_t* const offset : dynamic) *offset = static_cast<std::uint32_t>(end);
  constexpr std::uint64_t kMost = UINT32_MAX / 2;
  all.program.static_shared_bytes = static_cast<std::uint32_t>(std::min(plain_end, kMost));
  all.program.shared_gap_bytes = static_cast<std::uint32_t>(std::min(end - plain_end, kMost));
}

// The most that a chain of direct calls uses. `irregular`: there is recursion, a call through a pointer, or alloca.
class StackDepth {
 public:
  StackDepth(const Program& program, bool& irregular) : program_(program), irregular_(irregular), known_(program.functions.size(), 0), state_(program.functions.size(), 0) {}

  std::uint64_t of(std::uint32_t root) {
    // Without recursion of the host: hostile modules have long chains.
    std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{root, 0}};
    state_[root] = 1;
    while (!stack.empty()) {
      auto& [index, next] = stack.back();
      const FunctionCode& code = *program_.functions[index];
      if (code.stack_top != kNoSlot) irregular_ = true;
      bool descended = false;
      while (next < code.calls.size()) {
        const auto& callee = code.calls[next++]->callee;
        if (!callee) {
          irregular_ = true;
          continue;
        }
        if (state_[*callee] == 1) irregular_ = true;
        if (state_[*callee] != 0) continue;
        state_[*callee] = 1;
        stack.emplace_back(*callee, 0);
        descended = true;
        break;
      }
      if (descended) continue;
      std::uint64_t deepest = 0;
      for (const auto& call : code.calls) {
        if (call->callee && state_[*call->callee] == 2) deepest = std::max(deepest, known_[*call->callee]);
      }
      known_[index] = code.local_bytes + deepest;
      state_[index] = 2;
      stack.pop_back();
    }
    return known_[root];
  }

 private:
  const Program& program_;
  bool& irregular_;
  std::vector<std::uint64_t> known_;
  std::vector<std::uint8_t> state_;  // 0 not seen, 1 on the way, 2 known
};

void place_local(ProgramContext& all) {
  Program& program = all.program;
  const std::uint32_t alignment = program.local_alignment;
  const auto round_up = [alignment](std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  for (const auto& code : program.functions) {
    if (code) code->local_bytes = static_cast<std::uint32_t>(round_up(code->local_bytes));
  }
  bool irregular = false;
  std::uint64_t bytes = StackDepth(program, irregular).of(program.entry);
  if (irregular) bytes += all.options.stack_bytes != 0 ? all.options.stack_bytes : kDefaultStackBytes;
  constexpr std::uint64_t kMost = 1u << 24;
  if (bytes > kMost) {
    ptx::Diagnostic diagnostic;
    diagnostic.location = all.module.functions[program.entry].location;
    diagnostic.message = fmt::format("a thread of {} needs {} bytes of local memory; at most {} are given",
                                     all.module.functions[program.entry].name, bytes, kMost);
    all.diagnostics.push_back(std::move(diagnostic));
    return;
  }
  program.local_bytes = static_cast<std::uint32_t>(round_up(bytes));
}

struct Handlers {
  std::vector<Select> families;
  MoveHandlers moves{};
};

Handlers handlers_of(unsigned cpu_level) {
#define BSC_SIMT_FAMILY(name) level::select_##name,
  if (cpu_level == 4) {
    namespace level = x86_64_v4;
    return {{
#include "backends/simt/operations/families.inc"
            },
            level::move_handlers()};
  }
  if (cpu_level == 3) {
    namespace level = x86_64_v3;
    return {{
#include "backends/simt/operations/families.inc"
            },
            level::move_handlers()};
  }
  namespace level = x86_64_v2;
  return {{
#include "backends/simt/operations/families.inc"
          },
          level::move_handlers()};
#undef BSC_SIMT_FAMILY
}

}  // namespace

unsigned best_cpu_level(unsigned limit) {
  unsigned level = 2;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3")) level = 3;
  if (__builtin_cpu_supports("x86-64-v4")) level = 4;
#endif
  return limit >= 2 ? std::min(level, limit) : level;
}

bool is_executed(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (is_control(instruction.operation)) return true;
  static const Handlers handlers = handlers_of(2);
  return std::any_of(handlers.families.begin(), handlers.families.end(),
                     [&](Select family) { return family(instruction, function).run != nullptr; });
}

Lowered lower(const ptx::Module& module, std::uint32_t entry, const Addresses& addresses, const LoweringOptions& options) {
  Lowered lowered;
  lowered.program = std::make_unique<Program>();
  Program& program = *lowered.program;
  program.module = &module;
  program.entry = entry;
  program.function_addresses = addresses.functions;
  program.functions.resize(module.functions.size());
  ProgramContext all{module, addresses, options, program, {}, {}, {}, {}, {}};
  Handlers handlers = handlers_of(options.cpu_level);
  all.families = std::move(handlers.families);
  all.moves = handlers.moves;
  const std::vector<std::uint32_t> functions = reachable_functions(module, entry);
  for (const std::uint32_t index : functions) program.functions[index] = std::make_unique<FunctionCode>();
  place_shared(all, functions);
  for (const std::uint32_t index : functions) FunctionLowering(all, index).run();
  if (all.diagnostics.empty()) place_local(all);
  if (!all.diagnostics.empty()) lowered.program.reset();
  lowered.diagnostics = std::move(all.diagnostics);
  return lowered;
}

}  // namespace bascule::simt
