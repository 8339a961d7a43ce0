// From structures to the packed form of the metadata.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/base/json_writer.hpp"
#include "core/package/metadata.hpp"
#include "core/package/metadata_json.hpp"
#include "core/package/concat.hpp"

namespace bascule::core {
namespace {

void write_dimensions(JsonWriter& json, std::string_view name, const std::array<Expression, 3>& dimensions) {
  json.key(name).begin_array();
  for (const Expression& dimension : dimensions) json.value(dimension.text());
  json.end_array();
}

std::string_view form_name(BufferForm form) {
  return form == BufferForm::span ? "span" : form == BufferForm::split ? "split" : "address";
}

void write_argument(JsonWriter& json, const Contract& contract, const LaunchArgument& argument) {
  json.begin_object();
  switch (argument.source) {
    case ArgumentSource::parameter: {
      const Parameter& parameter = contract.parameters[argument.parameter];
      json.member("parameter", parameter.name);
      if (parameter.kind == ParameterKind::buffer) json.member("as", form_name(argument.form));
      break;
    }
    case ArgumentSource::value:
      json.member("value", argument.expression.text()).member("type", element_type_name(argument.type));
      break;
    case ArgumentSource::workspace:
      json.key("workspace").begin_object();
      json.member("offset", argument.expression.text()).member("bytes", argument.bytes.text());
      json.member("type", element_type_name(argument.type)).end_object();
      json.member("as", form_name(argument.form));
      break;
    case ArgumentSource::local:
      json.member("local", argument.expression.text());
      break;
    case ArgumentSource::block_offset: break;
  }
  json.end_object();
}

void write_launch(JsonWriter& json, const Contract& contract, const Launch& launch) {
  json.begin_object().member("function", launch.function);
  write_dimensions(json, "grid", launch.grid);
  write_dimensions(json, "block", launch.block);
  write_dimensions(json, "cluster", launch.cluster);
  json.member("shared", launch.shared.text());
  if (launch.has_when) json.member("when", launch.when.text());
  json.member("linear_grid", launch.linear_grid).member("cooperative", launch.cooperative);
  json.key("arguments").begin_array();
  for (const LaunchArgument& argument : launch.arguments) {
    // The reader appends the block offset of a linear grid by itself.
    if (argument.source != ArgumentSource::block_offset) write_argument(json, contract, argument);
  }
  json.end_array().end_object();
}

void write_parameter(JsonWriter& json, const Parameter& parameter) {
  const bool buffer = parameter.kind == ParameterKind::buffer;
  json.begin_object().member("name", parameter.name).member("kind", buffer ? "buffer" : "scalar");
  json.member("type", element_type_name(parameter.type));
  if (buffer) {
    json.member("access", parameter.access == Access::in ? "in" : parameter.access == Access::out ? "out" : "inout");
    if (parameter.has_length) json.member("length", parameter.length.text());
  }
  if (parameter.minimum) json.member("minimum", *parameter.minimum);
  if (parameter.maximum) json.member("maximum", *parameter.maximum);
  if (!parameter.doc.empty()) json.member("doc", parameter.doc);
  json.end_object();
}

void write_quality(JsonWriter& json, const Contract& contract) {
  json.member("nan", contract.nan).member("determinism", contract.determinism);
  if (!contract.math.precision.empty()) {
    json.key("math").begin_object().member("precision", contract.math.precision);
    json.member("contraction", contract.math.contraction).member("denormals", contract.math.denormals).end_object();
  }
  if (!contract.tolerance.rule.empty()) {
    json.key("tolerance").begin_object().member("rule", contract.tolerance.rule);
    json.member("ulps", contract.tolerance.ulps).member("absolute", contract.tolerance.absolute);
    json.member("relative", contract.tolerance.relative).end_object();
  }
}

}  // namespace

void write_contract_members(JsonWriter& json, const Contract& contract) {
  json.member("name", contract.name).member("version", concat(contract.version_major, ".", contract.version_minor));
  if (!contract.doc.empty()) json.member("doc", contract.doc);
  json.key("parameters").begin_array();
  for (const Parameter& parameter : contract.parameters) write_parameter(json, parameter);
  json.end_array().key("requires").begin_array();
  for (const Requirement& requirement : contract.requirements) {
    json.begin_object().member("expression", requirement.expression.text()).member("message", requirement.message).end_object();
  }
  json.end_array();
  write_quality(json, contract);
}

void write_variant_members(JsonWriter& json, const Contract& contract, const Variant& variant) {
  json.member("name", variant.name);
  if (!variant.doc.empty()) json.member("doc", variant.doc);
  json.member("format", variant.format).member("target", variant.target).member("class", variant.variant_class);
  if (!variant.minimum_driver.empty()) json.member("minimum_driver", variant.minimum_driver);
  json.member("sub_group", variant.sub_group).key("capabilities").begin_array();
  for (const CapabilityNeed& need : variant.capabilities) {
    json.begin_object().member("name", need.name);
    if (need.at_least) json.member("at_least", *need.at_least);
    if (need.at_most) json.member("at_most", *need.at_most);
    json.end_object();
  }
  json.end_array().key("constants").begin_object();
  for (const Constant& constant : variant.constants) json.member(constant.name, constant.value);
  json.end_object().member("binding", variant.bind_by_define ? "define" : "none").member("options", variant.options);
  json.key("image");
  if (variant.image) json.value(*variant.image);
  else json.null();
  json.member("workspace", variant.workspace.text()).member("workspace_init", variant.clear_workspace ? "zero" : "none");
  json.key("launches").begin_array();
  for (const Launch& launch : variant.launches) write_launch(json, contract, launch);
  json.end_array();
}

std::string write_variant(const Contract& contract, const Variant& variant) {
  JsonWriter json(0);
  json.begin_object();
  write_variant_members(json, contract, variant);
  json.end_object();
  return json.take();
}

std::string write_metadata(const Metadata& metadata) {
  JsonWriter json(0);
  json.begin_object().key("package").begin_object().member("name", metadata.name).member("version", metadata.version);
  if (!metadata.doc.empty()) json.member("doc", metadata.doc);
  json.end_object().key("kernels").begin_array();
  for (const Kernel& kernel : metadata.kernels) {
    json.begin_object();
    write_contract_members(json, kernel.contract);
    json.key("variants").begin_array();
    for (const Variant& variant : kernel.variants) {
      json.begin_object();
      write_variant_members(json, kernel.contract, variant);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace bascule::core
