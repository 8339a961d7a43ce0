// Registers: single ones, vectors, and numbered ones by the thousand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/parse.hpp"

namespace bascule::simt::ptx {

void Parser::register_statement() {
  const Variable type = variable_type(Space::reg);
  do {
    const Token name = tokens_.expect_identifier("the name of a register");
    std::uint32_t range = 0;
    if (tokens_.accept('<')) {
      const Token at = tokens_.current();
      const std::uint64_t count = tokens_.expect_integer("a number of registers");
      tokens_.expect('>', "after a number of registers");
      if (count == 0 || count > 0xffffffffu)
        tokens_.fail(at, "the number of registers must be between 1 and 4294967295");
      range = static_cast<std::uint32_t>(count);
    }
    declare_registers(name, type.type, type.vector, range);
  } while (tokens_.accept(','));
  tokens_.expect_semicolon("after a declaration of registers");
}

void Parser::declare_registers(const Token& name, Type type, std::uint8_t vector, std::uint32_t range) {
  const Binding* clash = nullptr;
  if (range != 0) {
    RegisterRange declared;
    declared.count = range;
    declared.type = type;
    declared.vector = vector;
    declared.location = name.location();
    const RegisterRange* before = names_.bind_range(name.text, std::move(declared));
    if (before == nullptr) return;
    tokens_.fail(name, "'" + std::string(name.text) + "<" + std::to_string(range) + ">' is already declared in line " +
                           std::to_string(before->location.line));
  }
  Binding binding;
  binding.kind = vector > 1 ? Binding::Kind::vector_register : Binding::Kind::reg;
  binding.count = vector;
  binding.index = static_cast<std::uint32_t>(function_->registers.size());
  binding.location = name.location();
  clash = names_.bind(name.text, binding);
  if (clash != nullptr) {
    tokens_.fail(
        name, "'" + std::string(name.text) + "' is already declared in line " + std::to_string(clash->location.line));
  }
  add_register(std::string(name.text), type, vector, name.location());
}

// Vector registers are as many plain ones: v.x, v.y, ...
std::uint32_t Parser::add_register(std::string name, Type type, std::uint8_t vector, Location location) {
  constexpr std::string_view kComponents[] = {".x", ".y", ".z", ".w", ".4", ".5", ".6", ".7"};
  const auto first = static_cast<std::uint32_t>(function_->registers.size());
  for (std::size_t i = 0; i < vector; ++i) {
    Register added;
    added.name = vector > 1 ? name + std::string(kComponents[i]) : name;
    added.type = type;
    added.location = location;
    function_->registers.push_back(std::move(added));
  }
  return first;
}

}  // namespace bascule::simt::ptx
