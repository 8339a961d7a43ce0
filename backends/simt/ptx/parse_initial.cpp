// Initial values of variables: numbers, addresses, lists within lists.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/parse.hpp"

namespace bascule::simt::ptx {

void Parser::initializer(Variable& variable) {
  const Token at = tokens_.take();
  if (is_opaque(variable.type)) return opaque_initializer();
  const std::uint64_t unit = element_bytes(variable);
  if (variable.bytes == 0) {  // the size is what is there
    std::uint64_t row = unit;
    for (std::size_t i = 1; i < variable.dimensions.size(); ++i) row *= variable.dimensions[i];
    std::uint64_t end = 0;
    initializer_list(variable, 0, end, kMaxVariableBytes);
    variable.bytes = (end + row - 1) / row * row;
    variable.dimensions[0] = variable.bytes / row;
    if (variable.bytes == 0) tokens_.fail(at, "the array has neither a size nor initial values");
    return;
  }
  std::uint64_t position = 0;
  if (tokens_.at('{'))
    initializer_list(variable, 0, position, variable.bytes);
  else
    initializer_value(variable, 0);
}

// { a, b, {c, d} }: an inner list fills one element of its level, the rest of which is zero.
void Parser::initializer_list(Variable& variable, std::size_t level, std::uint64_t& at, std::uint64_t end) {
  const Token open = tokens_.current();
  tokens_.expect('{', "before a list of initial values");
  const std::uint64_t scalar = std::uint64_t{bits_of(variable.type)} / 8;
  if (level > variable.dimensions.size() + 1)
    tokens_.fail(open, "the initial values are nested more deeply than the array");
  std::uint64_t inner = scalar;  // bytes of what an inner list stands for
  if (level < variable.dimensions.size()) {
    inner = element_bytes(variable);
    for (std::size_t i = level + 1; i < variable.dimensions.size(); ++i) inner *= variable.dimensions[i];
  }
  while (!tokens_.at('}')) {
    if (tokens_.at('{')) {
      if (at + inner > end) tokens_.fail(tokens_.current(), "there are more initial values than elements");
      std::uint64_t inner_at = at;
      initializer_list(variable, level + 1, inner_at, at + inner);
      at += inner;
    } else {
      if (at + scalar > end) tokens_.fail(tokens_.current(), "there are more initial values than elements");
      initializer_value(variable, at);
      at += scalar;
    }
    if (!tokens_.accept(',')) break;
  }
  tokens_.expect('}', "after initial values");
}

void Parser::initializer_value(Variable& variable, std::uint64_t at) {
  if (initializer_address(variable, at)) return;
  const Token token = tokens_.current();
  const Constant constant = parse_constant(tokens_);
  Type type = variable.type;
  if (type == Type::f16 || type == Type::bf16 || type == Type::f16x2 || type == Type::bf16x2) {  // their bits
    type = bits_of(type) == 16 ? Type::b16 : Type::b32;
  }
  const std::string problem = constant_problem(constant, type);
  if (!problem.empty()) tokens_.fail(token, "the initial value " + problem);
  store_initial(variable, at, convert_constant(constant, type), bits_of(type) / 8);
}

void Parser::store_initial(Variable& variable, std::uint64_t at, std::uint64_t bits, unsigned bytes) {
  if (bits == 0) return;
  if (variable.initial.size() < at + bytes) {
    initial_bytes_ += at + bytes - variable.initial.size();
    if (initial_bytes_ > kMaxInitialBytes) {
      tokens_.fail(tokens_.current(),
                   "a module's initial values, up to the last that is not zero, have at most 256 MiB");
    }
    variable.initial.resize(at + bytes);
  }
  for (unsigned i = 0; i < bytes && i < 8; ++i)
    variable.initial[at + i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
}

// name, name+4, generic(name)+4, mask(name), mask(generic(name)): false where a constant stands here.
bool Parser::initializer_address(Variable& variable, std::uint64_t at) {
  const Token start = tokens_.current();
  Relocation relocation;
  relocation.offset = at;
  relocation.bytes = static_cast<std::uint8_t>(bits_of(variable.type) / 8);
  unsigned parentheses = 0;
  const auto call = [&](std::string_view name) {
    if (tokens_.current().kind != TokenKind::identifier || tokens_.current().text != name || !tokens_.peek().is('('))
      return false;
    tokens_.advance();
    tokens_.advance();
    ++parentheses;
    return true;
  };
  if (start.kind == TokenKind::integer && tokens_.peek().is('(')) {  // 0xFF00(address): the byte that the mask selects
    const std::uint64_t mask = tokens_.take().bits;
    const int shift = mask == 0 ? -1 : std::countr_zero(mask);
    if (shift < 0 || shift % 8 != 0 || mask != std::uint64_t{0xff} << shift) {
      tokens_.fail(start, "a mask selects one byte of an address: 0xFF, 0xFF00, ...");
    }
    relocation.shift = static_cast<std::uint8_t>(shift);
    relocation.bytes = 1;
    tokens_.advance();
    ++parentheses;
  }
  relocation.generic = call("generic");
  const Token name = tokens_.current();
  if (name.kind != TokenKind::identifier || name.text == "WARP_SZ") {
    if (parentheses != 0) tokens_.fail_expected("the name of a variable or function", "here");
    return false;
  }
  tokens_.advance();
  const Binding* binding = names_.find(name.text);
  if (binding == nullptr || (binding->kind != Binding::Kind::variable && binding->kind != Binding::Kind::function)) {
    tokens_.fail(name, "'" + std::string(name.text) + "' is not the name of a variable or function of the module");
  }
  relocation.function = binding->kind == Binding::Kind::function;
  relocation.symbol = binding->index;
  const auto read_addend = [&] {
    if (tokens_.at('+') || tokens_.at('-'))
      relocation.addend += static_cast<std::int64_t>(parse_integer_constant(tokens_, "an offset").bits);
  };
  read_addend();
  for (; parentheses > 0; --parentheses) {
    tokens_.expect(')', "after an address");
    read_addend();
  }
  if (relocation.shift == 0 && relocation.bytes != 8 && relocation.bytes != 4 && relocation.bytes != 1) {
    tokens_.fail(name, "an address does not fit ." + std::string(name_of(variable.type)));
  }
  variable.relocations.push_back(relocation);
  return true;
}

// Textures and samplers are configured with name = value; they are not supported, so nothing of it is kept.
void Parser::opaque_initializer() { skip_braces(); }

}  // namespace bascule::simt::ptx
