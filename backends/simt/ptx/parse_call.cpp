// Calls, which have a syntax of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/parse.hpp"

namespace bascule::simt::ptx {

// call (results), function, (arguments);   call (results), pointer, (arguments), prototype or targets;
void Parser::call(Instruction& instruction, const Token& at) {
  Call call;
  call.uniform = instruction.has(Modifier::uni);
  call_constants_.clear();
  if (tokens_.at('(')) {
    const Token at_results = tokens_.current();
    call.results = call_operands();
    if (!call_constants_.empty()) tokens_.fail(at_results, "a constant cannot be the result of a call");
    tokens_.expect(',', "after the results of a call");
  }
  bool indirect = false;
  call_target(call, indirect);
  if (tokens_.at(',') && tokens_.peek().is('(')) {
    tokens_.advance();
    call.arguments = call_operands();
  }
  if (indirect) {
    tokens_.expect(',', "before the prototype or the targets of a call through a pointer");
    const Token name = tokens_.expect_identifier("the label of a .callprototype or .calltargets");
    const Binding* binding = names_.find(name.text);
    if (binding != nullptr && binding->kind == Binding::Kind::prototype)
      call.prototype = binding->index;
    else if (binding != nullptr && binding->kind == Binding::Kind::call_targets)
      call.targets = target_lists_[binding->index];
    else
      tokens_.fail(name, "'" + std::string(name.text) + "' is no label of a .callprototype or .calltargets above");
  }
  if (call.function) {
    const Function& callee = module_->functions[*call.function];
    const bool self = function_->name == callee.name;
    check_call(call, self ? function_->results : callee.results, self ? function_->parameters : callee.parameters, at);
  } else if (call.prototype) {
    const Prototype& prototype = module_->prototypes[*call.prototype];
    check_call(call, prototype.results, prototype.parameters, at);
  } else if (!call.targets.empty()) {
    const Function& callee = module_->functions[call.targets[0]];
    check_call(call, callee.results, callee.parameters, at);
  }
  instruction.side = static_cast<std::uint32_t>(function_->calls.size());
  function_->calls.push_back(std::move(call));
}

void Parser::call_target(Call& call, bool& indirect) {
  const Token name = tokens_.current();
  const RawOperand raw = named_operand();
  if (raw.operand.kind == Operand::Kind::function) {
    if (module_->functions[raw.operand.index].entry)
      tokens_.fail(name, "'" + std::string(name.text) + "' is a kernel, which cannot be called");
    call.function = raw.operand.index;
    return;
  }
  if (raw.operand.kind != Operand::Kind::reg) {
    tokens_.fail(name, "'" + std::string(name.text) + "' is not declared as a function",
                 std::string(spelling_hint(name.text)));
  }
  if (!type_fits(Type::b64, raw.type, false)) {
    tokens_.fail(name, "a function's address is a 64-bit register, not ." + std::string(name_of(raw.type)));
  }
  call.pointer = raw.operand;
  indirect = true;
}

std::vector<Operand> Parser::call_operands() {
  std::vector<Operand> list;
  tokens_.expect('(', "here");
  while (!tokens_.at(')')) {
    elements_.clear();
    const Token at = tokens_.current();
    RawOperand raw = simple_operand();
    switch (raw.operand.kind) {
      case Operand::Kind::reg:
      case Operand::Kind::sink:
        break;
      case Operand::Kind::immediate:
        raw.operand.bits = raw.constant.bits;
        call_constants_.push_back(raw.constant);
        break;
      case Operand::Kind::symbol: {
        const bool param = raw.operand.local_symbol && function_->variables[raw.operand.index].space == Space::param;
        if (!param || raw.operand.offset != 0)
          tokens_.fail(at, "an argument is a register, a constant or a variable in .param");
        break;
      }
      case Operand::Kind::label:
        tokens_.fail(at, "'" + std::string(raw.name) + "' is not declared", std::string(spelling_hint(raw.name)));
      default:
        tokens_.fail(at, "an argument is a register, a constant or a variable in .param");
    }
    list.push_back(raw.operand);
    if (!tokens_.accept(',')) break;
  }
  tokens_.expect(')', "after the arguments of a call");
  return list;
}

void Parser::check_call(Call& call, const std::vector<Variable>& results, const std::vector<Variable>& parameters,
                        const Token& at) {
  std::size_t constants = 0;
  const auto check = [&](std::vector<Operand>& given, const std::vector<Variable>& wanted, std::string_view what) {
    if (given.size() != wanted.size()) {
      tokens_.fail(at, "the call gives " + std::to_string(given.size()) + " " + std::string(what) +
                           "; the function has " + std::to_string(wanted.size()));
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string which = std::string(what) + " " + std::to_string(i + 1);
      if (given[i].kind == Operand::Kind::reg) {
        const Type type = function_->registers[given[i].index].type;
        const Type fits = wanted[i].dimensions.empty() ? wanted[i].type : Type::none;
        if (fits == Type::none || !type_fits(fits, type, bits_of(fits) < 32)) {
          reporter_.error(given[i].location, 1,
                          which + " of the call is a register of type ." + std::string(name_of(type)) +
                              ", which does not fit ." + std::string(name_of(wanted[i].type)));
        }
      } else if (given[i].kind == Operand::Kind::immediate) {
        const Constant& constant = call_constants_[constants++];
        const std::string problem = constant_problem(constant, wanted[i].type);
        if (!problem.empty()) reporter_.error(given[i].location, 1, which + " of the call " + problem);
        given[i].bits = convert_constant(constant, wanted[i].type);
      } else if (given[i].kind == Operand::Kind::symbol && wanted[i].bytes != 0) {
        const Variable& variable = function_->variables[given[i].index];
        if (variable.bytes != wanted[i].bytes) {
          reporter_.error(given[i].location, 1,
                          which + " of the call has " + std::to_string(variable.bytes) + " bytes; the function has " +
                              std::to_string(wanted[i].bytes));
        }
      }
    }
  };
  check(call.results, results, "result(s)");
  check(call.arguments, parameters, "argument(s)");
}

}  // namespace bascule::simt::ptx
