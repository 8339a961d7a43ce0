// From JSON to contracts: package, kernels, parameters, requirements. Variants are read by metadata_variant.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <set>

#include "core/package/json_fields.hpp"
#include "core/package/metadata.hpp"
#include "core/package/metadata_parts.hpp"
#include "core/package/concat.hpp"

namespace bascule::core {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool parse_version(std::string_view version, std::uint32_t& major, std::uint32_t& minor) {
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) return false;
  const auto number = [](std::string_view digits, std::uint32_t& out) {
    if (digits.empty() || digits.size() > 9 || !std::all_of(digits.begin(), digits.end(), is_digit)) return false;
    out = 0;
    for (const char c : digits) out = out * 10 + static_cast<std::uint32_t>(c - '0');
    return true;
  };
  return number(version.substr(0, dot), major) && number(version.substr(dot + 1), minor);
}

void read_type(JsonFields& fields, Parameter& parameter, JsonErrors& errors) {
  const std::string name = fields.required_string("type");
  const auto type = parse_element_type(name);
  if (!type) {
    if (!errors.any()) fields.fail("type", concat("is \"", name, "\", which is no number format"));
    return;
  }
  parameter.type = *type;
  if (parameter.kind == ParameterKind::scalar && scalar_bytes(*type) == 0) {
    fields.fail("type", concat("is \"", name, "\", which exists in buffers only"));
  }
}

Parameter read_parameter(const JsonValue& value, const std::string& path, JsonErrors& errors) {
  JsonFields fields(value, path, errors);
  Parameter parameter;
  parameter.name = fields.required_string("name");
  check_identifier(parameter.name, fields.path("name"), errors);
  parameter.doc = fields.string("doc", "");
  const std::string kind = fields.required_word("kind", {"scalar", "buffer"});
  parameter.kind = kind == "buffer" ? ParameterKind::buffer : ParameterKind::scalar;
  read_type(fields, parameter, errors);
  if (parameter.kind == ParameterKind::buffer) {
    const std::string access = fields.required_word("access", {"in", "out", "inout"});
    parameter.access = access == "in" ? Access::in : access == "out" ? Access::out : Access::inout;
    parameter.has_length = fields.any("length") != nullptr;  // read once all names are known
  }
  parameter.minimum = fields.any_number("minimum");
  parameter.maximum = fields.any_number("maximum");
  if (parameter.minimum && parameter.maximum && *parameter.minimum > *parameter.maximum) {
    fields.fail("minimum", "is above the maximum");
  }
  fields.finish();
  return parameter;
}

void read_parameters(JsonFields& fields, Contract& contract, JsonErrors& errors) {
  const auto& items = fields.array("parameters", kMaxParameters);
  std::set<std::string> names;
  for (std::size_t i = 0; i < items.size(); ++i) {
    contract.parameters.push_back(read_parameter(items[i], concat(fields.path("parameters"), "[", i, "]"), errors));
    if (!names.insert(contract.parameters.back().name).second) {
      errors.add(concat(fields.path("parameters"), "[", i, "].name"),
                 concat("the parameter \"", contract.parameters.back().name, "\" is there twice"));
    }
  }
  // Lengths may name parameters that come later.
  const Scope scope = Scope::of_contract(contract);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!contract.parameters[i].has_length) continue;
    contract.parameters[i].length =
        read_expression(*items[i].find("length"), scope, concat(fields.path("parameters"), "[", i, "].length"), errors);
  }
}

void read_requirements(JsonFields& fields, Contract& contract, JsonErrors& errors) {
  const Scope scope = Scope::of_contract(contract);
  const auto& items = fields.array("requires", kMaxRequirements);
  for (std::size_t i = 0; i < items.size(); ++i) {
    JsonFields item(items[i], concat(fields.path("requires"), "[", i, "]"), errors);
    Requirement requirement;
    if (const JsonValue* expression = item.any("expression")) {
      requirement.expression = read_expression(*expression, scope, item.path("expression"), errors);
      if (requirement.expression.is_constant()) item.fail("expression", "has the same value for all arguments");
    } else {
      item.required_string("expression");
    }
    requirement.message = item.required_string("message");
    item.finish();
    contract.requirements.push_back(std::move(requirement));
  }
}

void read_quality(JsonFields& fields, Contract& contract, JsonErrors& errors) {
  contract.nan = fields.word("nan", {"propagate", "blas", "none", "unspecified"}, "unspecified");
  contract.determinism = fields.word("determinism", {"none", "run", "threads"}, "none");
  if (const JsonValue* value = fields.object("math")) {
    JsonFields math(*value, fields.path("math"), errors);
    contract.math.precision = math.word("precision", {"f16", "bf16", "f32", "f64", "integer"}, "f32");
    contract.math.contraction = math.word("contraction", {"off", "on"}, "off");
    contract.math.denormals = math.word("denormals", {"keep", "flush"}, "keep");
    math.finish();
  }
  if (const JsonValue* value = fields.object("tolerance")) {
    JsonFields tolerance(*value, fields.path("tolerance"), errors);
    contract.tolerance.rule = tolerance.required_word("rule", {"R1", "R2", "R3", "R4", "R5"});
    contract.tolerance.ulps = tolerance.number("ulps", 0);
    contract.tolerance.absolute = tolerance.number("absolute", 0);
    contract.tolerance.relative = tolerance.number("relative", 0);
    tolerance.finish();
  }
}

void read_variants(JsonFields& fields, Kernel& kernel, const ImageRules& images, JsonErrors& errors) {
  const auto& items = fields.array("variants", kMaxVariants, true);
  std::set<std::string> names;
  for (std::size_t i = 0; i < items.size() && !errors.any(); ++i) {
    const std::string path = concat(fields.path("variants"), "[", i, "]");
    kernel.variants.push_back(read_variant(items[i], kernel.contract, images, path, errors));
    if (!names.insert(kernel.variants.back().name).second) {
      errors.add(concat(path, ".name"), concat("the variant \"", kernel.variants.back().name, "\" is there twice"));
    }
  }
}

Kernel read_kernel(const JsonValue& value, const std::string& path, const ImageRules& images, JsonErrors& errors) {
  JsonFields fields(value, path, errors);
  Kernel kernel;
  Contract& contract = kernel.contract;
  contract.name = fields.required_string("name");
  check_label(contract.name, fields.path("name"), errors);
  const std::string version = fields.string("version", "1.0");
  if (!parse_version(version, contract.version_major, contract.version_minor)) {
    fields.fail("version", concat("is \"", version, "\", it must be MAJOR.MINOR"));
  }
  contract.doc = fields.string("doc", "");
  read_parameters(fields, contract, errors);
  read_requirements(fields, contract, errors);
  read_quality(fields, contract, errors);
  read_variants(fields, kernel, images, errors);
  fields.finish();
  return kernel;
}

}  // namespace

void check_identifier(std::string_view name, std::string_view path, JsonErrors& errors) {
  static constexpr std::string_view kReserved[] = {"work_items", "device", "min", "max", "ceildiv", "align", "block_offset"};
  const bool well_formed = !name.empty() && name.size() <= kMaxNameBytes && is_letter(name[0]) &&
                           std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
  if (!well_formed) errors.add(path, concat("is \"", name, "\"; a name is a letter or _, then letters, digits and _"));
  if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved)) {
    errors.add(path, concat("\"", name, "\" has a meaning of its own in expressions"), "choose another name");
  }
}

void check_label(std::string_view name, std::string_view path, JsonErrors& errors) {
  const auto allowed = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '+'; };
  if (name.empty() || name.size() > kMaxNameBytes || !std::all_of(name.begin(), name.end(), allowed)) {
    errors.add(path, concat("is \"", name, "\"; it must consist of 1 to ", kMaxNameBytes, " letters, digits and _ - . +"));
  }
}

Result<Metadata> read_metadata(std::string_view json, MetadataForm form, std::size_t image_count, std::string_view origin) {
  auto document = parse_json(json, origin);
  if (!document) return document.take_error();
  JsonErrors errors(origin);
  JsonFields fields(*document, "", errors);
  Metadata metadata;
  if (const JsonValue* value = fields.object("package")) {
    JsonFields package(*value, "package", errors);
    metadata.name = package.required_string("name");
    check_label(metadata.name, "package.name", errors);
    metadata.version = package.string("version", "");
    metadata.doc = package.string("doc", "");
    package.finish();
  } else {
    fields.required_string("package");
  }
  const ImageRules images{form == MetadataForm::source, image_count};
  const auto& items = fields.array("kernels", kMaxKernels, true);
  std::set<std::string> names;
  for (std::size_t i = 0; i < items.size() && !errors.any(); ++i) {
    metadata.kernels.push_back(read_kernel(items[i], concat("kernels[", i, "]"), images, errors));
    const std::string& name = metadata.kernels.back().contract.name;
    if (!names.insert(name).second) errors.add(concat("kernels[", i, "].name"), concat("the kernel \"", name, "\" is there twice"));
  }
  fields.finish();
  if (errors.any()) return errors.take();
  return metadata;
}

}  // namespace bascule::core
