// Reading variants: what they need, their constants and their image.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <set>

#include "core/package/metadata.hpp"
#include "core/package/metadata_parts.hpp"
#include "core/package/concat.hpp"

namespace bascule::core {
namespace {

void read_capabilities(JsonFields& fields, Variant& variant, JsonErrors& errors) {
  const auto& items = fields.array("capabilities", kMaxCapabilities);
  for (std::size_t i = 0; i < items.size(); ++i) {
    JsonFields item(items[i], concat(fields.path("capabilities"), "[", i, "]"), errors);
    CapabilityNeed need;
    need.name = item.required_string("name");
    check_label(need.name, item.path("name"), errors);
    if (item.any("at_least") != nullptr) need.at_least = item.signed_integer("at_least", 0);
    if (item.any("at_most") != nullptr) need.at_most = item.signed_integer("at_most", 0);
    if (!need.at_least && !need.at_most) need.at_least = 1;
    item.finish();
    variant.capabilities.push_back(std::move(need));
  }
}

bool is_parameter(const Contract& contract, std::string_view name) {
  return std::any_of(contract.parameters.begin(), contract.parameters.end(), [name](const Parameter& p) { return p.name == name; });
}

void read_constants(JsonFields& fields, const Contract& contract, Variant& variant, JsonErrors& errors) {
  const JsonValue* value = fields.object("constants");
  if (value == nullptr) return;
  JsonFields constants(*value, fields.path("constants"), errors);
  if (value->members.size() > kMaxConstants) {
    fields.fail("constants", concat("has ", value->members.size(), " names, the limit is ", kMaxConstants));
    return;
  }
  for (const auto& member : value->members) {
    const std::string& name = member.first;
    check_identifier(name, constants.path(name), errors);
    if (is_parameter(contract, name)) constants.fail(name, "has the name of a parameter");
    variant.constants.push_back({name, constants.unsigned_integer(name, 0)});
  }
}

// A file name is kept as written; `pack` looks it up beside the source file and refuses to leave that folder.
void read_image(JsonFields& fields, const ImageRules& images, Variant& variant) {
  const JsonValue* value = fields.any("image");
  const bool absent = value == nullptr || value->kind == JsonValue::Kind::null;
  if (absent) {
    if (variant.format != "host") {
      fields.fail("image", "is missing; only variants of format host do without, they name functions of a host table");
    }
    return;
  }
  if (images.by_file) {
    variant.image_file = fields.required_string("image");
    return;
  }
  const std::uint64_t index = fields.unsigned_integer("image", 0);
  if (index >= images.count) fields.fail("image", concat("is ", index, ", the package has ", images.count, " images"));
  else variant.image = static_cast<std::uint32_t>(index);
}

void read_workspace(JsonFields& fields, const Contract& contract, Variant& variant, JsonErrors& errors) {
  if (const JsonValue* value = fields.any("workspace")) {
    variant.workspace = read_expression(*value, Scope::of_variant(contract, variant), fields.path("workspace"), errors);
  }
  variant.clear_workspace = fields.word("workspace_init", {"none", "zero"}, "none") == "zero";
}

}  // namespace

std::string Variant::compiler_options() const {
  std::string result = options;
  if (!bind_by_define) return result;
  for (const Constant& constant : constants) {
    result += concat(result.empty() ? "-D" : " -D", constant.name, "=", constant.value);
  }
  return result;
}

Variant read_variant(const JsonValue& value, const Contract& contract, const ImageRules& images, const std::string& path,
                     JsonErrors& errors) {
  JsonFields fields(value, path, errors);
  Variant variant;
  variant.name = fields.required_string("name");
  check_label(variant.name, fields.path("name"), errors);
  variant.doc = fields.string("doc", "");
  variant.format = fields.required_string("format");
  check_label(variant.format, fields.path("format"), errors);
  variant.target = fields.string("target", "");
  if (!variant.target.empty()) check_label(variant.target, fields.path("target"), errors);
  variant.variant_class = fields.word("class", {"portable", "tuned", "vendor-library", "reference"}, "portable");
  variant.minimum_driver = fields.string("minimum_driver", "");
  variant.sub_group = fields.unsigned_integer("sub_group", 0);
  read_capabilities(fields, variant, errors);
  read_constants(fields, contract, variant, errors);
  variant.bind_by_define = fields.word("binding", {"none", "define"}, "none") == "define";
  variant.options = fields.string("options", "");
  read_image(fields, images, variant);
  read_workspace(fields, contract, variant, errors);
  read_launches(fields, contract, variant, errors);
  fields.finish();
  return variant;
}

}  // namespace bascule::core
