// Functions: parameters, directives, blocks, labels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "backends/simt/ptx/parse.hpp"

namespace bascule::simt::ptx {
namespace {

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

bool same_parameters(const std::vector<Variable>& a, const std::vector<Variable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Variable& x, const Variable& y) {
    return x.space == y.space && x.bytes == y.bytes && bits_of(x.type) == bits_of(y.type);
  });
}

}  // namespace

// ---- headers -------------------------------------------------------------------------------------------------------

void Parser::function(bool entry, Linkage linkage) {
  Function function;
  function.entry = entry;
  function.linkage = linkage;
  function.source = source_;
  attributes();
  if (!entry && tokens_.at('(')) parameter_list(function.results, false);
  const Token name = tokens_.expect_identifier(entry ? "the name of a kernel" : "the name of a function");
  function.name = std::string(name.text);
  function.location = name.location();
  if (tokens_.at('(')) parameter_list(function.parameters, entry);
  function_directives(function);
  if (tokens_.accept(';')) {
    declare_function(std::move(function), name);
    return;
  }
  if (!tokens_.at('{')) tokens_.fail_expected("'{' or ';'", "after the head of a function");
  if (linkage == Linkage::external) tokens_.fail(name, "an .extern function has no body");
  function.defined = true;
  const std::uint32_t index = declare_function(std::move(function), name);
  Function read = std::move(module_->functions[index]);  // declarations inside may move the list
  module_->functions[index] = Function{};
  module_->functions[index].name = read.name;
  body(read);
  module_->functions[index] = std::move(read);
}

std::uint32_t Parser::declare_function(Function function, const Token& name) {
  const auto found = function_index_.find(name.text);
  if (found != function_index_.end()) {
    Function& before = module_->functions[found->second];
    if (before.defined && function.defined) {
      tokens_.fail(name, "'" + function.name + "' already has a body, in line " + std::to_string(before.location.line));
    }
    check_same(before, function, name);
    function.noreturn = function.noreturn || before.noreturn;
    if (!before.defined) before = std::move(function);
    return found->second;
  }
  Binding binding;
  binding.kind = Binding::Kind::function;
  binding.index = static_cast<std::uint32_t>(module_->functions.size());
  binding.location = name.location();
  const Binding* clash = names_.bind(name.text, binding);
  if (clash != nullptr) {
    tokens_.fail(name, "'" + function.name + "' is already declared in line " + std::to_string(clash->location.line));
  }
  function_index_.emplace(name.text, binding.index);
  module_->functions.push_back(std::move(function));
  return binding.index;
}

void Parser::check_same(const Function& before, const Function& now, const Token& name) {
  if (before.entry != now.entry) {
    tokens_.fail(name, "'" + now.name + "' was declared as " + (before.entry ? "a kernel" : "a function") +
                           " in line " + std::to_string(before.location.line));
  }
  // `.func f;` declares the name of an alias only.
  const bool bare = before.parameters.empty() && before.results.empty();
  if (bare && !before.defined) return;
  if (same_parameters(before.parameters, now.parameters) && same_parameters(before.results, now.results)) return;
  tokens_.fail(name, "'" + now.name + "' has other parameters than in line " + std::to_string(before.location.line));
}

void Parser::parameter_list(std::vector<Variable>& parameters, bool entry) {
  tokens_.expect('(', "before parameters");
  std::uint64_t offset = 0;
  while (!tokens_.at(')')) {
    const Token at = tokens_.current();
    Variable parameter = this->parameter(entry);
    if (parameter.space == Space::param) {
      offset = align_up(offset, parameter.alignment);
      parameter.offset = offset;
      offset += parameter.bytes;
      if (entry && offset > kMaxParameterBytes) {
        tokens_.fail(at, "the parameters have more than " + std::to_string(kMaxParameterBytes) + " bytes");
      }
    }
    parameters.push_back(std::move(parameter));
    if (!tokens_.accept(',')) break;
  }
  tokens_.expect(')', "after parameters");
}

Variable Parser::parameter(bool entry) {
  const Token at = tokens_.current();
  const bool in_register = tokens_.accept_word("reg");
  if (!in_register && !tokens_.accept_word("param"))
    tokens_.fail_expected(entry ? ".param" : ".param or .reg", "before a parameter");
  if (in_register && entry) tokens_.fail(at, "the parameters of a kernel are in .param");
  Variable parameter = variable_type(in_register ? Space::reg : Space::param);
  pointer_attribute(parameter);
  const Token name = tokens_.expect_identifier("the name of a parameter");
  parameter.name = std::string(name.text);
  parameter.location = name.location();
  dimensions(parameter, true);
  finish_size(parameter, name);
  return parameter;
}

// .ptr .global .align 16
void Parser::pointer_attribute(Variable& parameter) {
  if (!tokens_.accept_word("ptr")) return;
  while (tokens_.current().kind == TokenKind::dot_word) {
    const Token at = tokens_.current();
    if (tokens_.accept_word("align")) {
      Variable aligned;
      alignment(aligned);
      parameter.pointer_alignment = aligned.alignment;
      continue;
    }
    if (tokens_.accept_word("global"))
      parameter.pointer_space = Space::global;
    else if (tokens_.accept_word("shared"))
      parameter.pointer_space = Space::shared;
    else if (tokens_.accept_word("const"))
      parameter.pointer_space = Space::constant;
    else if (tokens_.accept_word("local"))
      parameter.pointer_space = Space::local;
    else if (tokens_.accept_word("generic"))
      parameter.pointer_space = Space::generic;
    else
      tokens_.fail(at, "a pointer points to .global, .shared, .const, .local or .generic");
  }
}

// ---- bodies --------------------------------------------------------------------------------------------------------

void Parser::body(Function& function) {
  function_ = &function;
  source_ = {};
  names_.enter();
  pending_.emplace_back();
  try {
    declare_parameters(function);
    block();
  } catch (const Recover&) {
    tokens_.skip_statement();
  }
  leave_block();
  std::sort(function.labels.begin(), function.labels.end());
  function.labels.erase(std::unique(function.labels.begin(), function.labels.end()), function.labels.end());
  function_ = nullptr;
  source_ = {};
}

void Parser::declare_parameters(Function& function) {
  const auto declare = [&](const std::vector<Variable>& list, std::vector<std::uint32_t>& registers) {
    for (const Variable& parameter : list) {
      joined_names_.push_back(std::make_unique<std::string>(parameter.name));
      const std::string_view name = *joined_names_.back();
      Binding binding;
      binding.location = parameter.location;
      if (parameter.space == Space::reg) {
        binding.kind = parameter.vector > 1 ? Binding::Kind::vector_register : Binding::Kind::reg;
        binding.count = parameter.vector;
        binding.index = add_register(parameter.name, parameter.type, parameter.vector, parameter.location);
        registers.push_back(binding.index);
      } else {
        binding.kind = Binding::Kind::local_variable;
        binding.index = static_cast<std::uint32_t>(function.variables.size());
      }
      function.variables.push_back(parameter);
      if (name != "_" && names_.bind(name, binding) != nullptr) {
        reporter_.error(parameter.location, static_cast<std::uint32_t>(name.size()),
                        "there are two parameters '" + parameter.name + "'");
      }
    }
  };
  declare(function.results, function.result_registers);
  declare(function.parameters, function.parameter_registers);
}

void Parser::block() {
  const Token open = tokens_.current();
  tokens_.expect('{', "before the statements of a function");
  std::vector<Token> opens{open};
  while (!opens.empty() && !reporter_.full()) {
    const Token at = tokens_.current();
    if (tokens_.at_end()) {
      reporter_.error(opens.back().location(), 1, "this '{' is never closed");
      break;
    }
    if (at.is('{')) {
      if (opens.size() >= kMaxNesting) {
        reporter_.error(at.location(), 1, "blocks are nested more than " + std::to_string(kMaxNesting) + " deep");
        tokens_.advance();
        skip_to_end_of_function(opens.size());
        break;
      }
      opens.push_back(tokens_.take());
      names_.enter();
      pending_.emplace_back();
    } else if (at.is('}')) {
      tokens_.advance();
      opens.pop_back();
      if (!opens.empty()) leave_block();  // the function's own is left by its reader
    } else {
      try {
        statement();
      } catch (const Recover&) {
        tokens_.skip_statement(open_braces_);
        open_braces_ = 0;
      }
    }
  }
  while (opens.size() > 1) {  // an error: leave what is open
    opens.pop_back();
    leave_block();
  }
}

// Past the } that closes the `open` blocks which are open.
void Parser::skip_to_end_of_function(std::size_t open) {
  for (++open; !tokens_.at_end() && open > 0; tokens_.advance()) {
    if (tokens_.at('{')) ++open;
    if (tokens_.at('}')) --open;
  }
}

void Parser::leave_block() {
  std::vector<PendingLabel> pending = std::move(pending_.back());
  pending_.pop_back();
  for (const PendingLabel& use : pending) {
    const Binding* binding = names_.find(use.name);
    const bool here = binding != nullptr && binding->kind == Binding::Kind::label && binding->depth == names_.depth();
    if (here) {
      if (use.in_list)
        function_->branch_lists[use.index][use.position] = binding->index;
      else
        function_->operands[use.index].index = binding->index;
    } else if (!pending_.empty()) {
      pending_.back().push_back(use);
    } else {
      const std::string_view best = names_.suggest(use.name);
      reporter_.error(use.location, static_cast<std::uint32_t>(use.name.size()),
                      "there is no label '" + std::string(use.name) + "' in '" + function_->name + "'",
                      best.empty() ? "" : "did you mean '" + std::string(best) + "'?");
    }
  }
  names_.leave();
}

void Parser::statement() {
  const Token at = tokens_.current();
  if (at.is(';')) return tokens_.advance();
  if (at.is('@')) return instruction();
  if (at.kind == TokenKind::dot_word) {
    if (directive_statement()) return;
    static const std::vector<std::string_view> known = {"reg",    "local", "shared", "param",
                                                        "global", "const", "loc",    "pragma"};
    const std::string_view best = nearest(at.text, known);
    tokens_.fail(at, "unknown directive '." + std::string(at.text) + "'",
                 best.empty() ? "" : "did you mean '." + std::string(best) + "'?");
  }
  if (at.kind != TokenKind::identifier) tokens_.fail_expected("an instruction, a directive or a label", "here");
  if (tokens_.peek().is(':')) return label(tokens_.take());
  instruction();
}

bool Parser::directive_statement() {
  const Token at = tokens_.current();
  if (at_space()) {
    variable_statement(Linkage::internal);
  } else if (at.text == "loc") {
    loc_directive();
  } else if (at.text == "pragma") {
    pragma_directive();
  } else if (at.text == "file") {
    file_directive();
  } else if (at.text == "section") {
    section_directive();
  } else if (at.text == "extern" || at.text == "visible" || at.text == "weak") {
    tokens_.advance();
    if (!at_space()) tokens_.fail_expected("a variable", "here");
    variable_statement(at.text == "extern" ? Linkage::external : Linkage::internal);
  } else {
    return false;
  }
  return true;
}

void Parser::label(const Token& name) {
  tokens_.expect(':', "after a label");
  if (tokens_.current().is_word("callprototype")) return prototype(name);
  if (tokens_.current().is_word("calltargets")) return call_targets(name);
  if (tokens_.current().is_word("branchtargets")) return branch_targets(name);
  Binding binding;
  binding.kind = Binding::Kind::label;
  binding.index = static_cast<std::uint32_t>(function_->instructions.size());
  binding.location = name.location();
  const Binding* before = names_.bind(name.text, binding);
  if (before != nullptr) {
    reporter_.error(
        name.location(), static_cast<std::uint32_t>(name.text.size()),
        "'" + std::string(name.text) + "' is already declared in line " + std::to_string(before->location.line),
        "labels of different blocks { } may have the same name");
    return;
  }
  function_->labels.push_back(binding.index);
}

// .loc file line column {, function_name label {+ n}, inlined_at file line column}
void Parser::loc_directive() {
  tokens_.advance();
  const std::uint64_t file = tokens_.expect_integer("the number of a file");
  const std::uint64_t line = tokens_.expect_integer("the number of a line");
  std::uint64_t column = 0;
  if (tokens_.current().kind == TokenKind::integer) column = tokens_.take().bits;
  while (tokens_.at(',')) {
    tokens_.advance();
    const Token what = tokens_.expect_identifier("function_name or inlined_at");
    if (what.text == "function_name") {
      tokens_.advance();
      if (tokens_.accept('+')) static_cast<void>(tokens_.expect_integer("an offset"));
    } else if (what.text == "inlined_at") {
      for (int i = 0; i < 3 && tokens_.current().kind == TokenKind::integer; ++i) tokens_.advance();
    } else {
      tokens_.fail(what, "function_name or inlined_at was expected, not '" + std::string(what.text) + "'");
    }
  }
  const auto narrow = [](std::uint64_t value) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xffffffffu));
  };
  source_ = {file <= kMaxFileNumber ? narrow(file) : 0, narrow(line), narrow(column)};
}

}  // namespace bascule::simt::ptx
