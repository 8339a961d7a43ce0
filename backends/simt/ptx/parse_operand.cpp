// Operands as they are written; the form of the instruction then says what they mean.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/parse.hpp"
#include "backends/simt/ptx/special.hpp"

namespace bascule::simt::ptx {
namespace {

int component_of(std::string_view word) {
  constexpr std::string_view kNames = "xyzw", kColours = "rgba";
  if (word.size() != 1) return -1;
  if (const auto at = kNames.find(word[0]); at != std::string_view::npos) return static_cast<int>(at);
  if (const auto at = kColours.find(word[0]); at != std::string_view::npos) return static_cast<int>(at);
  return -1;
}

// .b0 ... .b3, .h0, .h1 and their combinations (.b3210, .h10) in video instructions.
bool is_selector(std::string_view word) {
  if (word.size() < 2 || word.size() > 5 || (word[0] != 'b' && word[0] != 'h')) return false;
  for (const char c : word.substr(1)) {
    if (c < '0' || c > '7') return false;
  }
  return true;
}

}  // namespace

void Parser::operands() {
  raw_.clear();
  elements_.clear();
  if (tokens_.at(';')) return;
  bool piped = false;
  for (;;) {
    if (raw_.size() >= kMaxOperands)
      tokens_.fail(tokens_.current(), "an instruction has at most " + std::to_string(kMaxOperands) + " operands");
    operand(piped);
    if (tokens_.accept(','))
      piped = false;
    else if (tokens_.accept('|'))
      piped = true;
    else
      return;
  }
}

void Parser::operand(bool piped) {
  const std::size_t first = raw_.size();
  if (tokens_.at('['))
    address_operand();
  else if (tokens_.at('{'))
    raw_.push_back(vector_operand());
  else
    raw_.push_back(simple_operand());
  raw_[first].piped = piped;
}

RawOperand Parser::simple_operand() {
  const Token at = tokens_.current();
  const bool name_follows = tokens_.peek().kind == TokenKind::identifier && tokens_.peek().text != "WARP_SZ";
  if (name_follows && (at.is('!') || at.is('-'))) {
    tokens_.advance();
    RawOperand raw = named_operand();
    raw.operand.location = at.location();
    if (at.is('!'))
      raw.operand.negated = true;
    else
      raw.minus = true;
    return raw;
  }
  if (begins_constant(at)) return constant_operand();
  if (at.kind == TokenKind::identifier) return named_operand();
  tokens_.fail_expected("an operand", "here");
}

RawOperand Parser::constant_operand() {
  RawOperand raw;
  const Token at = tokens_.current();
  raw.operand.kind = Operand::Kind::immediate;
  raw.operand.location = at.location();
  raw.length = static_cast<std::uint32_t>(at.text.size());
  raw.constant = parse_operand_constant(tokens_);
  return raw;
}

RawOperand Parser::named_operand() {
  const Token name = tokens_.expect_identifier("a name");
  RawOperand raw;
  raw.operand.location = name.location();
  raw.length = static_cast<std::uint32_t>(name.text.size());
  raw.name = name.text;
  if (name.text == "_") {
    raw.operand.kind = Operand::Kind::sink;
    return raw;
  }
  // A range's registers are by far the most frequent operands, so they come first.
  const auto range = names_.find_range(name.text);
  const Binding* binding = names_.find(name.text);
  if (range && (binding == nullptr || binding->depth < range->range->depth)) {
    raw.operand.kind = Operand::Kind::reg;
    raw.operand.index = range_register(*range, name);
    raw.type = range->range->type;
    if (range->range->vector > 1) {
      Binding vector;
      vector.kind = Binding::Kind::vector_register;
      vector.count = range->range->vector;
      vector.index = raw.operand.index;
      return bound_operand(name, vector);
    }
    if (tokens_.current().kind == TokenKind::dot_word && !tokens_.current().spaced) component(raw);
    return raw;
  }
  if (binding != nullptr) return bound_operand(name, *binding);
  if (name.text[0] == '%' && special_register(name, raw)) return raw;
  raw.operand.kind = Operand::Kind::label;  // perhaps of a label further down
  return raw;
}

std::uint32_t Parser::range_register(const FoundRange& found, const Token& name) {
  const auto [entry, inserted] = found.range->used.try_emplace(found.number, 0);
  if (inserted)
    entry->second = add_register(std::string(name.text), found.range->type, found.range->vector, found.range->location);
  return entry->second;
}

RawOperand Parser::bound_operand(const Token& name, const Binding& binding) {
  RawOperand raw;
  raw.operand.location = name.location();
  raw.length = static_cast<std::uint32_t>(name.text.size());
  raw.name = name.text;
  raw.operand.index = binding.index;
  switch (binding.kind) {
    case Binding::Kind::reg:
      raw.operand.kind = Operand::Kind::reg;
      raw.type = function_->registers[binding.index].type;
      if (tokens_.current().kind == TokenKind::dot_word && !tokens_.current().spaced) component(raw);
      return raw;
    case Binding::Kind::vector_register: {
      if (tokens_.current().kind == TokenKind::dot_word && !tokens_.current().spaced) {
        const int which = component_of(tokens_.current().text);
        if (which < 0 || which >= binding.count)
          tokens_.fail(tokens_.current(), "'" + std::string(name.text) + "' has no such component");
        tokens_.advance();
        raw.operand.kind = Operand::Kind::reg;
        raw.operand.index = binding.index + static_cast<std::uint32_t>(which);
        raw.type = function_->registers[raw.operand.index].type;
        return raw;
      }
      raw.operand.kind = Operand::Kind::vector;
      raw.operand.count = binding.count;
      raw.first_element = static_cast<std::uint32_t>(elements_.size());
      RawOperand element = raw;
      element.operand.kind = Operand::Kind::reg;
      element.operand.count = 0;
      for (std::uint32_t i = 0; i < binding.count; ++i) {
        element.operand.index = binding.index + i;
        element.type = function_->registers[element.operand.index].type;
        elements_.push_back(element);
      }
      return raw;
    }
    case Binding::Kind::local_variable:
    case Binding::Kind::variable:
      raw.operand.kind = Operand::Kind::symbol;
      raw.operand.local_symbol = binding.kind == Binding::Kind::local_variable;
      if (tokens_.at('[')) return subscript(raw);
      raw.operand.offset = offset_after_symbol();
      return raw;
    case Binding::Kind::function:
      raw.operand.kind = Operand::Kind::function;
      return raw;
    default:
      raw.operand.kind = Operand::Kind::label;
      return raw;
  }
}

// name+4, name-4
std::int64_t Parser::offset_after_symbol() {
  if (!tokens_.at('+') && !tokens_.at('-')) return 0;
  return static_cast<std::int64_t>(parse_integer_constant(tokens_, "an offset").bits);
}

// array[2] is the address of its third element; in ld and st it stands for [array+8].
RawOperand Parser::subscript(RawOperand array) {
  const Token at = tokens_.take();
  const Variable& variable =
      array.operand.local_symbol ? function_->variables[array.operand.index] : module_->variables[array.operand.index];
  if (!begins_constant(tokens_.current())) {
    tokens_.fail(at, "only a constant may be an index here", "compute the address in a register");
  }
  const std::uint64_t index = parse_integer_constant(tokens_, "an index").bits;
  tokens_.expect(']', "after an index");
  array.operand.offset = static_cast<std::int64_t>(index * element_bytes(variable));
  array.subscripted = true;
  return array;
}

void Parser::component(RawOperand& raw) {
  const Token at = tokens_.current();
  if (!is_selector(at.text)) tokens_.fail(at, "a register has no '." + std::string(at.text) + "'");
  tokens_.advance();
  raw.operand.component = static_cast<std::uint8_t>(at.text[0] == 'b' ? 16 : 32);
  for (const char c : at.text.substr(1))
    raw.operand.component = static_cast<std::uint8_t>(raw.operand.component | (c - '0'));
}

bool Parser::special_register(const Token& name, RawOperand& raw) {
  const SpecialInfo info = find_special(name.text);
  if (info.special == SpecialRegister::none) return false;
  if (!info.requirement.met(platform_)) {
    tokens_.fail(name, "'" + std::string(name.text) + "' " + info.requirement.explain(platform_));
  }
  raw.operand.kind = Operand::Kind::special;
  raw.operand.special = info.special;
  raw.operand.index = info.index;
  raw.type = info.type;
  const bool dotted = tokens_.current().kind == TokenKind::dot_word && !tokens_.current().spaced;
  if (!info.components) {
    if (dotted) tokens_.fail(tokens_.current(), "'" + std::string(name.text) + "' has no components");
    return true;
  }
  const int component = dotted ? component_of(tokens_.current().text) : -1;
  if (component < 0) tokens_.fail(name, "'" + std::string(name.text) + "' needs .x, .y or .z after it");
  tokens_.advance();
  raw.operand.component = static_cast<std::uint8_t>(component);
  return true;
}

RawOperand Parser::vector_operand() {
  const Token open = tokens_.take();
  open_braces_ = 1;
  std::vector<RawOperand> found;
  do {
    if (tokens_.at('}') && found.empty()) break;
    if (found.size() >= kMaxElements)
      tokens_.fail(tokens_.current(), "a vector has at most " + std::to_string(kMaxElements) + " elements");
    if (tokens_.at('{')) tokens_.fail(tokens_.current(), "a vector holds no vectors");
    found.push_back(simple_operand());
    if (found.back().operand.kind == Operand::Kind::vector) tokens_.fail(open, "a vector holds no vectors");
  } while (tokens_.accept(','));
  tokens_.expect('}', "after the elements of a vector");
  open_braces_ = 0;
  RawOperand raw;
  raw.operand.kind = Operand::Kind::vector;
  raw.operand.location = open.location();
  raw.operand.count = static_cast<std::uint16_t>(found.size());
  raw.first_element = static_cast<std::uint32_t>(elements_.size());
  elements_.insert(elements_.end(), found.begin(), found.end());
  return raw;
}

// [a], [map, {x, y}], [texture, sampler, {x, y}]
void Parser::address_operand() {
  raw_.push_back(address());
  while (tokens_.accept(',')) {
    RawOperand more = tokens_.at('{') ? vector_operand() : simple_operand();
    more.continued = true;
    raw_.push_back(more);
  }
  tokens_.expect(']', "after an address");
}

RawOperand Parser::address() {
  const Token open = tokens_.take();
  RawOperand raw;
  if (begins_constant(tokens_.current())) {
    const Token at = tokens_.current();
    raw.operand.offset = static_cast<std::int64_t>(parse_integer_constant(tokens_, "an address").bits);
    raw.operand.location = at.location();
    raw.operand.base_kind = Operand::Kind::immediate;
    raw.operand.kind = Operand::Kind::address;
    return raw;
  }
  raw = named_operand();
  const Token name = open;
  switch (raw.operand.kind) {
    case Operand::Kind::reg:
      raw.operand.offset = offset_after_symbol();
      break;
    case Operand::Kind::symbol:
      break;
    case Operand::Kind::label:
      reporter_.error(raw.operand.location, raw.length, "'" + std::string(raw.name) + "' is not declared",
                      std::string(spelling_hint(raw.name)));
      throw Recover{};
    default:
      tokens_.fail(name, "an address is a register or a variable, and perhaps an offset");
  }
  raw.operand.base_kind = raw.operand.kind;
  raw.operand.kind = Operand::Kind::address;
  return raw;
}

std::string_view Parser::spelling_hint(std::string_view name) {
  const std::string_view best = names_.suggest(name);
  if (best.empty()) return {};
  name_buffer_ = "did you mean '" + std::string(best) + "'?";
  return name_buffer_;
}

}  // namespace bascule::simt::ptx
