// One function of a program: instructions become drafts, drafts get slots, and operations are laid out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "backends/simt/execute/draft.hpp"
#include "backends/simt/execute/flow.hpp"
#include "backends/simt/execute/instrument.hpp"
#include "backends/simt/execute/lower.hpp"
#include "backends/simt/execute/parameters.hpp"
#include "backends/simt/execute/select.hpp"
#include "backends/simt/execute/slots.hpp"
#include "backends/simt/operations/move.hpp"

namespace bascule::simt {

/// What all functions of a program have in common while they are lowered.
struct ProgramContext {
  const ptx::Module& module;
  const Addresses& addresses;
  const LoweringOptions& options;
  Program& program;
  std::vector<Select> families;
  MoveHandlers moves;
  std::vector<std::uint32_t> shared_of_module;                 // offsets, by Module::variables
  std::vector<std::vector<std::uint32_t>> shared_of_function;  // by function, Function::variables
  std::vector<ptx::Diagnostic> diagnostics;
};

/// Whether the engine does the operation itself, without a family.
[[nodiscard]] bool is_control(ptx::Operation operation);
/// Whether it is a hint to hardware that there is none of here.
[[nodiscard]] bool is_hint(ptx::Operation operation);

class FunctionLowering {
 public:
  FunctionLowering(ProgramContext& all, std::uint32_t index);
  void run();

 private:
  // function_lowering.cpp
  void place_variables();
  void lower_instruction(const ptx::Instruction& instruction);
  void lower_with_family(const ptx::Instruction& instruction);
  bool collect_operands(const ptx::Instruction& instruction, Layout layout, std::vector<Reference>& references,
                        unsigned& destinations, std::uint64_t& immediate);
  void refuse(const ptx::Instruction& instruction, std::string message, std::string hint = {});

  // function_control.cpp
  bool lower_control(const ptx::Instruction& instruction);
  bool lower_barrier(const ptx::Instruction& instruction);
  bool lower_stack(const ptx::Instruction& instruction);

  // function_aliases.cpp
  bool lower_parameter_access(const ptx::Instruction& instruction);
  bool lower_special_move(const ptx::Instruction& instruction);
  void find_aliases();
  Reference alias_of(const ptx::Instruction& instruction);
  bool launch_parameter(const ptx::Instruction& instruction, unsigned element, unsigned width, Reference& value);

  // function_calls.cpp
  void lower_call(const ptx::Instruction& instruction);
  void lower_device_function(const ptx::Instruction& instruction, const ptx::Call& call, Handler handler);
  Formal actual_of(const ptx::Operand& operand, const ptx::Variable* formal, std::vector<Reference>& values);
  void make_formals();
  void lower_return(const ptx::Instruction* instruction);

  // function_operands.cpp
  std::uint8_t width_of_register(std::uint32_t index) const;
  Reference new_value(unsigned width);
  Reference constant(std::uint64_t bits, unsigned width) { return all_.program.constants.broadcast(bits, width); }
  Reference launch_constant(LaunchConstant wanted);
  /// The value of an operand that is read; may put operations before the instruction.
  Reference source(const ptx::Instruction& instruction, const ptx::Operand& operand, unsigned width);
  Reference special(const ptx::Instruction* instruction, const ptx::Operand& operand, unsigned width, Reference into,
                    bool guarded);
  Reference special_constant(const ptx::Operand& operand, unsigned width);
  /// The address of a variable plus `addend`, as a value of `width` bits.
  Reference address_of(const ptx::Instruction* instruction, const ptx::Operand& operand, std::int64_t addend, unsigned width);
  /// The base of an address, and the offset that is left to add.
  Reference base_of(const ptx::Operand& operand, std::int64_t& offset);
  Reference variable_base(const ptx::Operand& operand, std::int64_t& offset);
  /// Of a variable that variable_base() has no base for.
  Reference fixed_address(const ptx::Operand& operand, std::int64_t at, unsigned width);
  Reference sum(const ptx::Instruction* instruction, Reference base, std::int64_t addend, unsigned width);

  /// One operation. References: destinations first.
  Draft& emit(Handler run, const ptx::Instruction* instruction, const std::vector<Reference>& references, unsigned destinations,
              bool guarded, std::uint64_t immediate = 0);

  // function_layout.cpp
  void instrument();
  void lay_out();
  [[nodiscard]] std::uint64_t cost_of_loop(std::uint32_t from, std::uint32_t to) const;
  void fill_formals(const SlotLayout& layout);
  void trace(const Draft& draft, const SlotLayout& layout);

  ProgramContext& all_;
  const ptx::Function& function_;
  FunctionCode& code_;
  FlowGraph graph_;
  Drafts drafts_;
  std::vector<ParameterPlan> plans_;
  std::vector<std::uint32_t> variable_offsets_;           // .local and .param in memory: from the frame's start
  std::vector<std::vector<Reference>> parameter_values_;  // by variable, part
  std::vector<std::uint32_t> register_values_;            // the value of each register
  Reference parameter_base_ = kNoSlot;  // values that run_frame_addresses gives
  Reference local_base_ = kNoSlot;
  Reference stack_top_ = kNoSlot;
  std::uint32_t local_variable_bytes_ = 0;
  std::uint32_t block_ = 0;
  std::deque<std::vector<std::uint32_t>> branch_blocks_;  // targets of brx.idx
  struct PendingFormal {
    Formal* formal;
    std::vector<Reference> values;  // of its pieces
  };
  std::vector<PendingFormal> pending_formals_;
  std::vector<std::pair<Slot*, Reference>> pending_slots_;
  std::vector<std::uint32_t> at_start_;  // values that the caller gives
};

}  // namespace bascule::simt
