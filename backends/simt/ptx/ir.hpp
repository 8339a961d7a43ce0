// The typed form of a PTX module that everything after the parser reads: modules, functions, instructions, operands.
// Plain data, built by the parser and checked by the verifier; nothing changes it afterwards, so any number of threads may
// read it. An instruction is an operation with its modifiers, types and spaces in the order in which they were written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bascule::simt::ptx {

enum class Type : std::uint8_t {
  none,
#define BSC_PTX_TYPE(name, spelling, bits, kind) name,
#include "backends/simt/ptx/types.inc"
#undef BSC_PTX_TYPE
};
[[nodiscard]] std::string_view name_of(Type type);
[[nodiscard]] unsigned bits_of(Type type);  // of one value; 0 for none
[[nodiscard]] char kind_of(Type type);      // types.inc

enum class Operation : std::uint16_t {
  none,
#define BSC_PTX_OPERATION(name, spelling) name,
#include "backends/simt/ptx/operations.inc"
#undef BSC_PTX_OPERATION
};
[[nodiscard]] std::string_view name_of(Operation operation);

enum class Modifier : std::uint16_t {
  none,
#define BSC_PTX_MODIFIER(name, spelling) name,
#include "backends/simt/ptx/modifiers.inc"
#undef BSC_PTX_MODIFIER
};
[[nodiscard]] std::string_view name_of(Modifier modifier);

/// Where a variable lives, or what an access names. `generic` is an access without a space.
enum class Space : std::uint8_t { generic, reg, constant, global, local, param, shared, shared_cta, shared_cluster };
[[nodiscard]] std::string_view name_of(Space space);
[[nodiscard]] constexpr bool is_shared(Space space) {
  return space == Space::shared || space == Space::shared_cta || space == Space::shared_cluster;
}

/// In the PTX text, from 1. Line 0: nowhere.
struct Location {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// What `.loc` says about the instructions after it: the line of the source that the PTX was compiled from.
struct SourceLine {
  std::uint32_t file = 0;  // index in Module::files; 0: unknown
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// ---- operands ------------------------------------------------------------------------------------------------------

/// Special registers; those with .x .y .z .w carry the component in Operand::component.
enum class SpecialRegister : std::uint8_t {
  none, tid, ntid, laneid, warpid, nwarpid, ctaid, nctaid, smid, nsmid, gridid, is_explicit_cluster, clusterid, nclusterid,
  cluster_ctaid, cluster_nctaid, cluster_ctarank, cluster_nctarank, lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge,
  lanemask_gt, clock, clock_hi, clock64, pm, pm64, envreg, globaltimer, globaltimer_lo, globaltimer_hi,
  reserved_shared_begin, reserved_shared_end, reserved_shared_cap, reserved_shared_offset, total_smem_size, aggr_smem_size,
  dynamic_smem_size, current_graph_exec
};

struct Operand {
  enum class Kind : std::uint8_t {
    none,       // an optional operand that was not written; keeps the positions of the others
    reg,        // index: Function::registers
    immediate,  // bits, already in the type in which the instruction reads it (sign-extended to 64 bits where integer)
    symbol,     // the address of a variable: index in Module::variables, or in Function::variables where `local_symbol`
    function,   // index: Module::functions
    special,    // special, component, index (for envreg, pm)
    address,    // [base + offset]; base_kind says what the base is
    vector,     // {a, b, ...}: count operands from index in Function::elements. A register declared .v4 is four registers
    sink,       // _
    label,      // index: the instruction that it stands before (may be one past the last)
  };
  Kind kind = Kind::none;
  Kind base_kind = Kind::none;  // address: reg, symbol or immediate (then only the offset counts)
  bool negated = false;         // !p
  bool local_symbol = false;    // symbol (also as base): of the function, not of the module
  std::uint8_t component = 0;   // special: 0..3 = x y z w. reg in a video instruction: byte selector. 0 else
  SpecialRegister special = SpecialRegister::none;
  std::uint16_t count = 0;      // vector
  std::uint32_t index = 0;
  std::int64_t offset = 0;      // address; symbol + constant
  std::uint64_t bits = 0;       // immediate
  Location location;
};

// ---- instructions --------------------------------------------------------------------------------------------------

inline constexpr std::size_t kMaxModifiers = 12;
inline constexpr std::size_t kMaxTypes = 6;

struct Instruction {
  Operation operation = Operation::none;
  std::uint8_t modifier_count = 0;
  std::uint8_t type_count = 0;
  std::uint8_t destinations = 0;  // of the operands, the first so many are written
  std::uint8_t vector = 1;        // .v2 .v4 .v8
  std::array<Modifier, kMaxModifiers> modifiers{};  // without types, spaces, vector
  std::array<Type, kMaxTypes> types{};              // in the order written: add.f32 → f32; cvt.rn.f16.f32 → f16, f32
  std::array<Space, 2> spaces{Space::generic, Space::generic};  // in the order written; cvta.to.X → X
  std::uint8_t space_count = 0;
  bool guarded = false;
  bool guard_negated = false;
  std::uint32_t guard = 0;         // register
  std::uint32_t first_operand = 0; // in Function::operands. Positions are those of the form, absent ones Kind::none
  std::uint16_t operand_count = 0;
  std::uint32_t side = 0;          // call: index in Function::calls; brx.idx: in Function::branch_lists
  Location location;
  SourceLine source;

  [[nodiscard]] bool has(Modifier modifier) const {
    for (std::size_t i = 0; i < modifier_count; ++i) {
      if (modifiers[i] == modifier) return true;
    }
    return false;
  }
  [[nodiscard]] Type type(std::size_t index = 0) const { return index < type_count ? types[index] : Type::none; }
  [[nodiscard]] Space space(std::size_t index = 0) const { return index < space_count ? spaces[index] : Space::generic; }
};

// ---- variables and functions ---------------------------------------------------------------------------------------

/// A part of an initialiser that is an address rather than a number.
struct Relocation {
  std::uint64_t offset = 0;      // in the variable
  std::uint8_t bytes = 8;        // of the slot; 0xFF00 & co. masks: see shift
  std::uint8_t shift = 0;        // mask(variable): the slot holds (address >> shift)
  bool generic = false;          // generic(variable)
  bool function = false;         // symbol is in Module::functions, else in Module::variables
  std::uint32_t symbol = 0;
  std::int64_t addend = 0;
};

enum class Linkage : std::uint8_t { internal, visible, external, weak, common };

struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::none;
  Linkage linkage = Linkage::internal;
  std::uint64_t alignment = 1;  // bytes; what was written, at least the type's own
  std::uint64_t bytes = 0;      // of all elements; 0: an array without a size (dynamic shared memory, extern)
  std::vector<std::uint64_t> dimensions;  // empty: a scalar
  std::uint8_t vector = 1;
  std::uint64_t offset = 0;     // parameters: in the argument blob. Others: not yet placed
  Space pointer_space = Space::generic;  // parameters: .ptr .global ...
  std::uint64_t pointer_alignment = 0;   // parameters: .ptr .align; 0: not said
  std::vector<std::byte> initial;        // may be shorter than `bytes`: zeros follow (global, const); undefined (shared, local)
  std::vector<Relocation> relocations;
  Location location;
};

struct Register {
  std::string name;
  Type type = Type::none;
  std::uint8_t vector = 1;
  Location location;
};

struct Prototype {
  std::string name;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  bool noreturn = false;
};

struct Call {
  bool uniform = false;                 // call.uni
  std::optional<std::uint32_t> function;  // direct: Module::functions
  Operand pointer;                      // indirect: the register that holds the function's address
  std::optional<std::uint32_t> prototype;  // indirect: Module::prototypes
  std::vector<std::uint32_t> targets;   // indirect with .calltargets: Module::functions
  std::vector<Operand> results;         // registers or .param variables of the caller
  std::vector<Operand> arguments;       // likewise, or immediates
};

struct Dimensions {
  std::uint32_t x = 0, y = 0, z = 0;  // 0: not said
};

struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;       // has a body
  bool noreturn = false;
  Linkage linkage = Linkage::internal;
  std::vector<Variable> results;     // .func only: .reg or .param
  std::vector<Variable> parameters;  // entry: .param, offsets are those in the argument blob
  std::vector<std::uint32_t> result_registers;     // for .reg results: in registers
  std::vector<std::uint32_t> parameter_registers;  // for .reg parameters
  std::vector<Register> registers;   // all scopes of the body
  // First a copy of each result, then of each parameter (those in .reg too, which no symbol names), so that `[p]` is
  // local_symbol index results.size() + i; then .local .shared .param (and static .global .const) of the body, all scopes.
  std::vector<Variable> variables;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<Operand> elements;     // of vector operands
  std::vector<Call> calls;
  std::vector<std::vector<std::uint32_t>> branch_lists;  // of instruction indices
  std::vector<std::uint32_t> labels;  // every instruction index that a label stands before, ascending
  Dimensions max_threads;             // .maxntid
  Dimensions required_threads;        // .reqntid
  Dimensions required_cluster;        // .reqnctapercluster
  bool explicit_cluster = false;      // .explicitcluster
  bool blocks_are_clusters = false;   // .blocksareclusters: a launch's grid counts clusters
  std::uint32_t max_cluster_rank = 0;  // .maxclusterrank; 0: not said
  std::uint32_t min_blocks = 0;       // .minnctapersm
  std::uint32_t max_registers = 0;    // .maxnreg
  Location location;
  SourceLine source;

  [[nodiscard]] const Operand& operand(const Instruction& instruction, std::size_t position) const {
    return operands[instruction.first_operand + position];
  }
};

struct Module {
  std::string name;          // of the file, for messages
  std::uint32_t version = 0; // 10 * major + minor: 8.8 → 88
  std::string target;        // "sm_90a"
  std::uint32_t target_number = 0;  // 90
  char target_suffix = 0;    // 'a', 'f' or 0
  bool target_debug = false;
  std::vector<Variable> variables;  // of module scope: .global .const .shared
  std::vector<Function> functions;  // vprintf, malloc, free, __assertfail are declarations without a body
  std::vector<Prototype> prototypes;
  std::vector<std::string> files;   // .file; [0] is empty
};

}  // namespace bascule::simt::ptx
