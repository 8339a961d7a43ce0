// The parser's inside: one class, its functions in parse_module.cpp, parse_variable.cpp, parse_function.cpp,
// parse_instruction.cpp, parse_operand.cpp, parse_call.cpp and parse_targets.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/simt/ptx/constant.hpp"
#include "backends/simt/ptx/match.hpp"
#include "backends/simt/ptx/opcode.hpp"
#include "backends/simt/ptx/parser.hpp"
#include "backends/simt/ptx/scope.hpp"
#include "backends/simt/ptx/tokens.hpp"

namespace bascule::simt::ptx {

inline constexpr std::uint32_t kNewestVersion = 91;
inline constexpr std::size_t kMaxNesting = 64;    // of blocks in a function
inline constexpr std::size_t kMaxOperands = 64;   // of an instruction, vectors counting once
inline constexpr std::size_t kMaxElements = 256;  // of a vector operand
inline constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxInitialBytes = std::uint64_t{256}
                                                  << 20;    // of a module, up to the last that is not zero
inline constexpr std::uint64_t kMaxParameterBytes = 32764;  // of a kernel, as the ISA has it from 8.1 on
inline constexpr std::uint32_t kMaxFileNumber = 65535;      // of .file

/// Whether a variable of the type has no bytes that a program could read.
[[nodiscard]] constexpr bool is_opaque(Type type) {
  return type == Type::texref || type == Type::samplerref || type == Type::surfref;
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view name, Reporter& reporter);
  /// The module, as far as it could be read. It is to be thrown away where the reporter has an error.
  std::unique_ptr<Module> run();

 private:
  // ---- modules (parse_module.cpp)
  void header();
  void version();
  void target();
  void address_size();
  void module_statement();
  void skip_to_directive();
  void file_directive();
  void section_directive();
  void alias_directive();
  void pragma_directive();
  void skip_braces();
  void resolve_aliases();
  void forget_unknown_files();

  // ---- variables (parse_variable.cpp)
  struct Declared {
    Variable variable;
    Token name;
    std::uint32_t range = 0;  // name<range>
  };
  [[nodiscard]] bool at_space() const;
  void variable_statement(Linkage linkage);
  Variable variable_type(Space space);  // .align .v4 .f32 ...
  void alignment(Variable& variable);
  void dimensions(Variable& variable, bool unsized_allowed);
  void attributes();
  void declare_variable(Variable variable, const Token& name);
  [[nodiscard]] static std::uint64_t element_bytes(const Variable& variable);
  void finish_size(Variable& variable, const Token& name);

  // ---- their initial values (parse_initial.cpp)
  void initializer(Variable& variable);
  void initializer_list(Variable& variable, std::size_t level, std::uint64_t& at, std::uint64_t end);
  void initializer_value(Variable& variable, std::uint64_t at);
  bool initializer_address(Variable& variable, std::uint64_t at);
  void store_initial(Variable& variable, std::uint64_t at, std::uint64_t bits, unsigned bytes);
  void opaque_initializer();

  // ---- registers (parse_register.cpp)
  void register_statement();
  void declare_registers(const Token& name, Type type, std::uint8_t vector, std::uint32_t range);
  std::uint32_t add_register(std::string name, Type type, std::uint8_t vector, Location location);

  // ---- functions (parse_function.cpp)
  void function(bool entry, Linkage linkage);
  void parameter_list(std::vector<Variable>& parameters, bool entry);
  Variable parameter(bool entry);
  void pointer_attribute(Variable& parameter);
  void body(Function& function);
  void declare_parameters(Function& function);
  void block();
  void skip_to_end_of_function(std::size_t open);
  void statement();
  bool directive_statement();
  void label(const Token& name);
  void loc_directive();
  void leave_block();
  void prototype(const Token& name);
  void call_targets(const Token& name);
  void branch_targets(const Token& name);
  std::uint32_t declare_function(Function function, const Token& name);
  void check_same(const Function& before, const Function& now, const Token& name);

  // ---- directives of functions (parse_directives.cpp)
  void function_directives(Function& function);
  void check_directive(const Function& function, const Token& at);
  void check_cluster_directives(const Function& function, const Token& at);
  std::uint32_t directive_number(std::string_view what);
  Dimensions read_dimensions();

  // ---- instructions (parse_instruction.cpp, parse_operand.cpp, parse_call.cpp)
  void instruction();
  void guard(Instruction& instruction);
  const Opcode& opcode(Token& first);
  void operands();
  void operand(bool piped);
  RawOperand simple_operand();
  RawOperand named_operand();
  RawOperand vector_operand();
  void address_operand();
  RawOperand address();
  RawOperand subscript(RawOperand array);
  RawOperand constant_operand();
  bool special_register(const Token& name, RawOperand& raw);
  void component(RawOperand& raw);
  RawOperand bound_operand(const Token& name, const Binding& binding);
  std::uint32_t range_register(const FoundRange& found, const Token& name);
  std::int64_t offset_after_symbol();
  void match_operands(Instruction& instruction, const Opcode& opcode, const Token& at);
  void call(Instruction& instruction, const Token& at);
  std::vector<Operand> call_operands();
  void call_target(Call& call, bool& indirect);
  void check_call(Call& call, const std::vector<Variable>& results, const std::vector<Variable>& parameters,
                  const Token& at);
  void branch_by_index(Instruction& instruction, const Token& at);
  Operand plain_register(std::string_view what, Type type);

  std::string_view spelling_hint(std::string_view name);

  struct PendingLabel {
    std::string_view name;
    Location location;
    bool in_list = false;
    std::uint32_t index = 0;     // in Function::operands, or of the branch list
    std::uint32_t position = 0;  // in the list
  };

  Reporter& reporter_;
  Tokens tokens_;
  std::unique_ptr<Module> module_;
  Platform platform_;
  std::unique_ptr<OpcodeCache> opcodes_;
  Names names_;
  std::unordered_map<std::string_view, std::uint32_t> function_index_;
  std::vector<std::pair<std::uint32_t, Token>> aliases_;  // function, the name of what it stands for
  std::vector<std::vector<std::uint32_t>> target_lists_;  // .calltargets

  Function* function_ = nullptr;  // whose body is read
  SourceLine source_;
  std::vector<std::vector<PendingLabel>> pending_;  // per open block
  std::vector<RawOperand> raw_;
  std::vector<Constant> call_constants_;  // of a call's immediate arguments, in order
  std::vector<RawOperand> elements_;
  std::uint64_t initial_bytes_ = 0;
  unsigned open_braces_ = 0;  // of a vector that is being read
  std::string name_buffer_;
  std::vector<std::unique_ptr<std::string>> joined_names_;  // of instructions whose names are written with spaces
};

}  // namespace bascule::simt::ptx
