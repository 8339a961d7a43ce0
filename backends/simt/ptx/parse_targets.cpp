// What calls and branches through registers refer to: prototypes and lists of targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/parse.hpp"

namespace bascule::simt::ptx {

// name: .callprototype (.param .b32 _) _ (.param .b64 _);
void Parser::prototype(const Token& name) {
  tokens_.advance();
  Prototype prototype;
  prototype.name = std::string(name.text);
  if (tokens_.at('(')) parameter_list(prototype.results, false);
  static_cast<void>(tokens_.expect_identifier("'_'"));
  if (tokens_.at('(')) parameter_list(prototype.parameters, false);
  while (tokens_.current().kind == TokenKind::dot_word) {
    prototype.noreturn = prototype.noreturn || tokens_.current().text == "noreturn";
    const bool has_number = tokens_.current().text.starts_with("abi_preserve");
    if (!has_number && !tokens_.current().is_word("noreturn")) tokens_.fail_expected("';'", "after a prototype");
    tokens_.advance();
    if (has_number) static_cast<void>(tokens_.expect_integer("a number of registers"));
  }
  tokens_.expect_semicolon("after a prototype");
  Binding binding;
  binding.kind = Binding::Kind::prototype;
  binding.index = static_cast<std::uint32_t>(module_->prototypes.size());
  binding.location = name.location();
  module_->prototypes.push_back(std::move(prototype));
  if (names_.bind(name.text, binding) != nullptr)
    tokens_.fail(name, "'" + std::string(name.text) + "' is already declared");
}

void Parser::call_targets(const Token& name) {
  tokens_.advance();
  std::vector<std::uint32_t> targets;
  do {
    const Token target = tokens_.expect_identifier("the name of a function");
    const auto found = function_index_.find(target.text);
    if (found == function_index_.end())
      tokens_.fail(target, "'" + std::string(target.text) + "' is not declared as a function");
    targets.push_back(found->second);
  } while (tokens_.accept(','));
  tokens_.expect_semicolon("after .calltargets");
  Binding binding;
  binding.kind = Binding::Kind::call_targets;
  binding.index = static_cast<std::uint32_t>(target_lists_.size());
  binding.location = name.location();
  target_lists_.push_back(std::move(targets));
  if (names_.bind(name.text, binding) != nullptr)
    tokens_.fail(name, "'" + std::string(name.text) + "' is already declared");
}

void Parser::branch_targets(const Token& name) {
  tokens_.advance();
  Binding binding;
  binding.kind = Binding::Kind::branch_targets;
  binding.index = static_cast<std::uint32_t>(function_->branch_lists.size());
  binding.location = name.location();
  function_->branch_lists.emplace_back();
  do {
    const Token target = tokens_.expect_identifier("a label");
    auto& list = function_->branch_lists[binding.index];
    pending_.back().push_back(
        {target.text, target.location(), true, binding.index, static_cast<std::uint32_t>(list.size())});
    list.push_back(0);
  } while (tokens_.accept(','));
  tokens_.expect_semicolon("after .branchtargets");
  if (names_.bind(name.text, binding) != nullptr)
    tokens_.fail(name, "'" + std::string(name.text) + "' is already declared");
}

}  // namespace bascule::simt::ptx
