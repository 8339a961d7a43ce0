// One instruction: guard, name, operands, form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/parse.hpp"
#include "backends/simt/ptx/verify.hpp"

namespace bascule::simt::ptx {

void Parser::instruction() {
  Instruction guarded;
  if (tokens_.at('@')) guard(guarded);
  Token at = tokens_.current();
  if (at.kind != TokenKind::identifier) tokens_.fail_expected("an instruction", "here");
  const Opcode& opcode = this->opcode(at);
  if (!opcode.problem.empty()) {
    // Underline the part of the name that is wrong.
    std::size_t start = 0;
    for (std::size_t part = 0; part < opcode.problem_part && start != std::string_view::npos; ++part)
      start = at.text.find('.', start) + 1;
    Location location = at.location();
    location.column += static_cast<std::uint32_t>(start);
    const std::size_t end =
        opcode.problem_part == 0 ? at.text.size() : std::min(at.text.find('.', start), at.text.size());
    reporter_.error(location, static_cast<std::uint32_t>(end - start), opcode.problem, opcode.hint);
    throw Recover{};
  }
  Instruction instruction = opcode.instruction;
  instruction.guarded = guarded.guarded;
  instruction.guard_negated = guarded.guard_negated;
  instruction.guard = guarded.guard;
  instruction.location = at.location();
  instruction.source = source_;
  instruction.first_operand = static_cast<std::uint32_t>(function_->operands.size());
  if (instruction.operation == Operation::call) {
    call(instruction, at);
  } else {
    operands();
    if (tokens_.accept_word("unified") && instruction.modifier_count < kMaxModifiers) {
      instruction.modifiers[instruction.modifier_count++] = Modifier::unified;
    }
    if (instruction.operation == Operation::brx_idx)
      branch_by_index(instruction, at);
    else
      match_operands(instruction, opcode, at);
  }
  if (!tokens_.at(';') && tokens_.current().line == tokens_.previous_line())
    tokens_.expect_semicolon("after an instruction");
  instruction.operand_count = static_cast<std::uint16_t>(function_->operands.size() - instruction.first_operand);
  function_->instructions.push_back(instruction);
  tokens_.expect_semicolon("after an instruction");
}

void Parser::guard(Instruction& instruction) {
  tokens_.advance();
  instruction.guarded = true;
  instruction.guard_negated = tokens_.accept('!');
  instruction.guard = plain_register("the predicate of a guard", Type::pred).index;
}

Operand Parser::plain_register(std::string_view what, Type type) {
  const Token at = tokens_.current();
  if (at.kind != TokenKind::identifier) tokens_.fail_expected("a register", "as " + std::string(what));
  const RawOperand raw = named_operand();
  if (raw.operand.kind == Operand::Kind::label) {
    tokens_.fail(at, "'" + std::string(raw.name) + "' is not declared", std::string(spelling_hint(raw.name)));
  }
  if (raw.operand.kind != Operand::Kind::reg || !type_fits(type, raw.type, false)) {
    tokens_.fail(at, std::string(what) + " must be a register of type ." + std::string(name_of(type)));
  }
  return raw.operand;
}

// Reads the dotted name. `first` becomes a token for all of it.
const Opcode& Parser::opcode(Token& first) {
  tokens_.advance();
  bool contiguous = true;
  std::size_t end = first.offset + first.text.size();
  std::string joined;
  while (tokens_.current().kind == TokenKind::dot_word) {
    const Token part = tokens_.take();
    if (contiguous && part.offset != end) {
      contiguous = false;
      joined = std::string(tokens_.text().substr(first.offset, end - first.offset));
    }
    if (!contiguous) joined += "." + std::string(part.text);
    end = part.offset + 1 + part.text.size();
  }
  if (end - first.offset > kMaxTokenBytes) tokens_.fail(first, "the name of an instruction is too long");
  if (contiguous) {
    first.text = tokens_.text().substr(first.offset, end - first.offset);
  } else {
    joined_names_.push_back(std::make_unique<std::string>(std::move(joined)));
    first.text = *joined_names_.back();
  }
  return opcodes_->find(first.text);
}

void Parser::match_operands(Instruction& instruction, const Opcode& opcode, const Token& at) {
  const MatchInput input{instruction, raw_, elements_, platform_};
  Match match;
  Mismatch mismatch;
  if (!ptx::match_operands(input, opcode.forms, match, mismatch)) {
    const Location where = mismatch.location.line == 0 ? at.location() : mismatch.location;
    const auto length = mismatch.location.line == 0 ? static_cast<std::uint32_t>(at.text.size()) : mismatch.length;
    if (!mismatch.unknown.empty()) mismatch.hint = std::string(spelling_hint(mismatch.unknown));
    reporter_.error(where, length, std::move(mismatch.message), std::move(mismatch.hint));
    throw Recover{};
  }
  const auto specs = form_table().operands(*match.form);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const OperandSpec& spec = specs[i];
    if (spec.destination) instruction.destinations = static_cast<std::uint8_t>(i + 1);
    if (match.positions[i] < 0) {
      function_->operands.emplace_back();
      continue;
    }
    RawOperand& raw = raw_[static_cast<std::size_t>(match.positions[i])];
    const std::size_t count = raw.operand.kind == Operand::Kind::vector ? raw.operand.count : 1;
    const Type type = operand_type(spec, instruction, count);
    if (raw.operand.kind == Operand::Kind::vector) {
      Operand vector = raw.operand;
      vector.kind = Operand::Kind::vector;
      vector.index = static_cast<std::uint32_t>(function_->elements.size());
      vector.count = static_cast<std::uint16_t>(count);
      for (std::size_t e = 0; e < count; ++e) {
        RawOperand& element = elements_[raw.first_element + e];
        if (element.operand.kind == Operand::Kind::immediate)
          element.operand.bits = convert_constant(element.constant, type);
        function_->elements.push_back(element.operand);
      }
      function_->operands.push_back(vector);
      continue;
    }
    if (raw.operand.kind == Operand::Kind::immediate) raw.operand.bits = convert_constant(raw.constant, type);
    if (spec.opens && raw.subscripted) {
      raw.operand.base_kind = Operand::Kind::symbol;
      raw.operand.kind = Operand::Kind::address;
    }
    if (raw.operand.kind == Operand::Kind::label) {
      pending_.back().push_back(
          {raw.name, raw.operand.location, false, static_cast<std::uint32_t>(function_->operands.size()), 0});
    }
    function_->operands.push_back(raw.operand);
  }
  const VerifyInput verified{instruction, *function_, *module_, platform_, opcode.param_entry, opcode.param_func};
  if (const auto problem = verify(verified)) {
    reporter_.error(problem->location.line == 0 ? at.location() : problem->location,
                    static_cast<std::uint32_t>(problem->location.line == 0 ? at.text.size() : 1), problem->message,
                    problem->hint);
  }
}

// brx.idx index, list;
void Parser::branch_by_index(Instruction& instruction, const Token& at) {
  if (raw_.size() != 2) tokens_.fail(at, "'brx.idx' takes an index and the label of a .branchtargets list");
  RawOperand& index = raw_[0];
  if (index.operand.kind == Operand::Kind::immediate)
    index.operand.bits = convert_constant(index.constant, Type::u32);
  else if (index.operand.kind != Operand::Kind::reg || !type_fits(Type::u32, index.type, false)) {
    tokens_.fail(at, "the index of 'brx.idx' must be a register of type .u32");
  }
  const Binding* binding = names_.find(raw_[1].name);
  if (binding == nullptr || binding->kind != Binding::Kind::branch_targets) {
    tokens_.fail(at, "'" + std::string(raw_[1].name) + "' is no label of a .branchtargets list above");
  }
  instruction.side = binding->index;
  function_->operands.push_back(index.operand);
}

}  // namespace bascule::simt::ptx
