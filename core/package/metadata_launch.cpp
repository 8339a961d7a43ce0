// Reading a plan: its launches and their arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "core/package/metadata.hpp"
#include "core/package/metadata_parts.hpp"
#include "core/package/concat.hpp"

namespace bascule::core {
namespace {

struct LaunchReader {
  const Contract& contract;
  const Variant& variant;
  const Scope& scope;
  JsonErrors& errors;

  Launch read(const JsonValue& value, const std::string& path) {
    JsonFields fields(value, path, errors);
    Launch launch;
    launch.function = fields.required_string("function");
    if (launch.function.size() > kMaxNameBytes) fields.fail("function", concat("is longer than ", kMaxNameBytes, " characters"));
    launch.grid = read_dimensions(fields, "grid", true);
    launch.block = read_dimensions(fields, "block", variant.format != "host");
    launch.cluster = read_dimensions(fields, "cluster", false);
    if (const JsonValue* shared = fields.any("shared")) launch.shared = expression(*shared, fields.path("shared"));
    if (const JsonValue* when = fields.any("when")) {
      launch.has_when = true;
      launch.when = expression(*when, fields.path("when"));
    }
    launch.cooperative = fields.boolean("cooperative", false);
    launch.linear_grid = fields.boolean("linear_grid", false);
    read_arguments(fields, launch);
    if (launch.linear_grid) append_block_offset(fields, launch);
    fields.finish();
    return launch;
  }

 private:
  Expression expression(const JsonValue& value, std::string_view path) { return read_expression(value, scope, path, errors); }

  // One to three expressions; the missing ones are 1.
  std::array<Expression, 3> read_dimensions(JsonFields& fields, std::string_view name, bool required) {
    std::array<Expression, 3> result{Expression::constant(1), Expression::constant(1), Expression::constant(1)};
    const auto& items = fields.array(name, 3, required);
    for (std::size_t d = 0; d < items.size(); ++d) {
      const std::string path = concat(fields.path(name), "[", d, "]");
      result[d] = expression(items[d], path);
      const bool zero = result[d].is_constant() && result[d].constant_value() == 0;
      if (zero && !errors.any()) errors.add(path, "is 0, so the launch would never do anything");
    }
    return result;
  }

  // The host appends the first block's index, so that a kernel can be launched in parts.
  void append_block_offset(JsonFields& fields, Launch& launch) {
    const auto is_one = [](const Expression& e) { return e.is_constant() && e.constant_value() == 1; };
    if (variant.format == "host") fields.fail("linear_grid", "has no meaning for format host: a grid of items has no limit");
    if (!is_one(launch.grid[1]) || !is_one(launch.grid[2])) fields.fail("linear_grid", "needs a grid of one dimension");
    LaunchArgument argument;
    argument.source = ArgumentSource::block_offset;
    launch.arguments.push_back(std::move(argument));
  }

  // Left out: the contract's parameters in their order.
  void read_arguments(JsonFields& fields, Launch& launch) {
    if (fields.any("arguments") == nullptr) {
      for (std::uint32_t i = 0; i < contract.parameters.size(); ++i) {
        LaunchArgument argument;
        argument.parameter = i;
        argument.form = default_form();
        launch.arguments.push_back(std::move(argument));
      }
      return;
    }
    const auto& items = fields.array("arguments", kMaxArguments);
    for (std::size_t i = 0; i < items.size(); ++i) {
      launch.arguments.push_back(read_argument(items[i], concat(fields.path("arguments"), "[", i, "]")));
    }
  }

  LaunchArgument read_argument(const JsonValue& value, const std::string& path) {
    LaunchArgument argument;
    if (value.kind == JsonValue::Kind::string) {
      find_parameter(value.string, path, argument);
      argument.form = default_form();
      return argument;
    }
    JsonFields fields(value, path, errors);
    if (fields.any("parameter") != nullptr) read_parameter(fields, argument);
    else if (const JsonValue* derived = fields.any("value")) read_value(fields, *derived, argument);
    else if (const JsonValue* slice = fields.object("workspace")) read_workspace(fields, *slice, argument);
    else if (const JsonValue* local = fields.any("local")) read_local(fields, *local, argument);
    else errors.add(path, "needs one of the names \"parameter\", \"value\", \"workspace\" and \"local\"");
    fields.finish();
    return argument;
  }

  void read_parameter(JsonFields& fields, LaunchArgument& argument) {
    const std::string name = fields.required_string("parameter");
    const Parameter* found = find_parameter(name, fields.path("parameter"), argument);
    if (found != nullptr && found->kind == ParameterKind::buffer) argument.form = read_form(fields);
  }

  const Parameter* find_parameter(std::string_view name, std::string_view path, LaunchArgument& argument) {
    const auto& parameters = contract.parameters;
    const auto found = std::find_if(parameters.begin(), parameters.end(), [name](const Parameter& p) { return p.name == name; });
    if (found == parameters.end()) {
      std::string known;
      for (const Parameter& parameter : parameters) known += concat(known.empty() ? "" : ", ", parameter.name);
      errors.add(path, concat("the contract has no parameter \"", name, "\"", known.empty() ? "" : "; it has ", known));
      return nullptr;
    }
    argument.parameter = static_cast<std::uint32_t>(found - parameters.begin());
    return &*found;
  }

  BufferForm default_form() const {
    if (variant.format == "host") return BufferForm::span;
    return variant.format == "opencl-c" || variant.format == "spirv" ? BufferForm::split : BufferForm::address;
  }

  BufferForm read_form(JsonFields& fields) {
    const std::string form = fields.word("as", {"span", "split", "address"}, "");
    if (form.empty()) return default_form();
    if ((variant.format == "host") != (form == "span")) {
      fields.fail("as", concat("\"", form, "\" is not what format ", variant.format, " takes"));
    }
    return form == "span" ? BufferForm::span : form == "split" ? BufferForm::split : BufferForm::address;
  }

  void read_value(JsonFields& fields, const JsonValue& derived, LaunchArgument& argument) {
    argument.source = ArgumentSource::value;
    argument.expression = expression(derived, fields.path("value"));
    const std::string name = fields.required_string("type");
    const auto type = parse_element_type(name);
    if (!type || !is_integer(*type)) {
      if (!errors.any()) fields.fail("type", concat("is \"", name, "\"; a derived value has an integer type"));
      return;
    }
    argument.type = *type;
    const bool known = argument.expression.is_constant();
    if (known && argument.expression.constant_value() > integer_maximum(*type)) {
      fields.fail("value", concat("is ", argument.expression.constant_value(), ", which ", name, " cannot hold"));
    }
  }

  void read_workspace(JsonFields& fields, const JsonValue& value, LaunchArgument& argument) {
    argument.source = ArgumentSource::workspace;
    argument.form = read_form(fields);
    JsonFields slice(value, fields.path("workspace"), errors);
    if (const JsonValue* offset = slice.any("offset")) argument.expression = expression(*offset, slice.path("offset"));
    if (const JsonValue* bytes = slice.any("bytes")) argument.bytes = expression(*bytes, slice.path("bytes"));
    else slice.required_string("bytes");
    const auto type = parse_element_type(slice.string("type", "b8"));
    if (!type) slice.fail("type", "is no number format");
    argument.type = type.value_or(ElementType::b8);
    slice.finish();
    if (variant.workspace.is_constant() && variant.workspace.constant_value() == 0) {
      fields.fail("workspace", "takes a part of the workspace, but the variant has none", "give the variant a \"workspace\" size");
    }
  }

  void read_local(JsonFields& fields, const JsonValue& value, LaunchArgument& argument) {
    argument.source = ArgumentSource::local;
    argument.expression = expression(value, fields.path("local"));
    if (variant.format == "host") fields.fail("local", "has no meaning for format host");
  }
};

}  // namespace

void read_launches(JsonFields& fields, const Contract& contract, Variant& variant, JsonErrors& errors) {
  const Scope scope = Scope::of_variant(contract, variant);
  LaunchReader reader{contract, variant, scope, errors};
  const auto& items = fields.array("launches", kMaxLaunches, true);
  for (std::size_t i = 0; i < items.size() && !errors.any(); ++i) {
    variant.launches.push_back(reader.read(items[i], concat(fields.path("launches"), "[", i, "]")));
  }
}

}  // namespace bascule::core
