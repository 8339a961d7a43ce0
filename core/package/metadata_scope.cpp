// Names in scope, and expressions as JSON values.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/metadata_parts.hpp"
#include "core/package/concat.hpp"

namespace bascule::core {

void Scope::add(std::string name, Symbol symbol) {
  listing_ += concat(listing_.empty() ? "" : ", ", name);
  symbols_.emplace(std::move(name), symbol);
}

Scope Scope::of_contract(const Contract& contract) {
  Scope scope;
  for (std::size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    const Symbol symbol{false, 0, kFirstParameterSlot + static_cast<std::uint32_t>(i)};
    if (parameter.kind == ParameterKind::buffer) scope.add(parameter.name + ".length", symbol);
    else if (is_integer(parameter.type)) scope.add(parameter.name, symbol);
  }
  return scope;
}

Scope Scope::of_variant(const Contract& contract, const Variant& variant) {
  Scope scope = of_contract(contract);
  for (const Constant& constant : variant.constants) scope.add(constant.name, {true, constant.value, 0});
  scope.add("work_items", {false, 0, kSlotWorkItems});
  scope.add("device.compute_units", {false, 0, kSlotComputeUnits});
  scope.add("device.max_block_threads", {false, 0, kSlotMaxBlockThreads});
  scope.add("device.sub_group", {false, 0, kSlotSubGroup});
  return scope;
}

std::optional<Symbol> Scope::find(std::string_view name) const {
  const auto found = symbols_.find(name);
  if (found == symbols_.end()) return std::nullopt;
  return found->second;
}

Expression read_expression(const JsonValue& value, const Scope& scope, std::string_view path, JsonErrors& errors) {
  if (value.kind == JsonValue::Kind::unsigned_integer) return Expression::constant(value.unsigned_integer);
  if (value.kind != JsonValue::Kind::string) {
    errors.add(path, concat("must be an expression: a string or an integer of at least 0, not ", value.kind_name()));
    return {};
  }
  auto expression = Expression::parse(value.string, [&scope](std::string_view name) { return scope.find(name); }, scope.listing());
  if (!expression) {
    errors.add(path, expression.take_error());
    return {};
  }
  return std::move(*expression);
}

}  // namespace bascule::core
