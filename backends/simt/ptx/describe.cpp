// The report of `bascule ptx check`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/describe.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace bascule::simt::ptx {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxListed = 100;

// Names come from the text, which may hold any bytes.
std::string text_of(std::string_view text) {
  std::string clean;
  for (const char c : text) clean += c >= ' ' && c < 127 ? c : '?';
  return clean;
}

std::string type_text(const Variable& variable) {
  std::string text = "." + std::string(name_of(variable.type));
  if (variable.vector > 1) text = ".v" + std::to_string(variable.vector) + text;
  for (const std::uint64_t size : variable.dimensions)
    text += "[" + (size == 0 ? std::string() : std::to_string(size)) + "]";
  return text;
}

Json parameter_json(const Variable& parameter) {
  Json json = {{"name", text_of(parameter.name)},  {"type", type_text(parameter)},
               {"offset", parameter.offset},       {"bytes", parameter.bytes},
               {"alignment", parameter.alignment}, {"space", name_of(parameter.space)}};
  if (parameter.pointer_space != Space::generic) json["pointer_space"] = name_of(parameter.pointer_space);
  if (parameter.pointer_alignment != 0) json["pointer_alignment"] = parameter.pointer_alignment;
  return json;
}

Json parameters_json(const std::vector<Variable>& parameters) {
  Json json = Json::array();
  for (const Variable& parameter : parameters) json.push_back(parameter_json(parameter));
  return json;
}

Json directives_json(const Function& function) {
  Json json = Json::object();
  const auto dimensions = [&](const char* name, const Dimensions& value) {
    if (value.x != 0) json[name] = {value.x, value.y, value.z};
  };
  const auto number = [&](const char* name, std::uint32_t value) {
    if (value != 0) json[name] = value;
  };
  dimensions("maxntid", function.max_threads);
  dimensions("reqntid", function.required_threads);
  dimensions("reqnctapercluster", function.required_cluster);
  if (function.explicit_cluster) json["explicitcluster"] = true;
  if (function.blocks_are_clusters) json["blocksareclusters"] = true;
  number("maxclusterrank", function.max_cluster_rank);
  number("minnctapersm", function.min_blocks);
  number("maxnreg", function.max_registers);
  return json;
}

std::uint64_t local_bytes(const Function& function) {
  std::uint64_t bytes = 0;
  for (const Variable& variable : function.variables) {
    if (variable.space == Space::local) bytes += variable.bytes;
  }
  return bytes;
}

Json function_json(const Module& module, const Function& function) {
  Json json = {{"name", text_of(function.name)}, {"line", function.location.line}};
  if (!function.entry) json["results"] = parameters_json(function.results);
  json["parameters"] = parameters_json(function.parameters);
  if (function.entry) {
    std::uint64_t bytes = 0;
    for (const Variable& parameter : function.parameters) bytes = parameter.offset + parameter.bytes;
    json["parameter_bytes"] = bytes;
    json["static_shared_bytes"] = static_shared_bytes(module, function);
    json["directives"] = directives_json(function);
  }
  json["local_bytes"] = local_bytes(function);
  json["instructions"] = function.instructions.size();
  return json;
}

Json diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
  constexpr const char* kNames[] = {"note", "warning", "error"};
  Json json = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    json.push_back({{"severity", kNames[static_cast<std::size_t>(diagnostic.severity)]},
                    {"line", diagnostic.location.line},
                    {"column", diagnostic.location.column},
                    {"message", text_of(diagnostic.message)},
                    {"hint", text_of(diagnostic.hint)}});
  }
  return json;
}

struct Count {
  std::uint64_t count = 0;
  bool supported = true;
};

Json unsupported_json(const Module& module, const Function& function, const Instruction& instruction) {
  Json json = {{"form", form_name(instruction)},
               {"function", text_of(function.name)},
               {"line", instruction.location.line},
               {"column", instruction.location.column}};
  if (instruction.source.line != 0 && instruction.source.file < module.files.size()) {
    json["source_file"] = text_of(module.files[instruction.source.file]);
    json["source_line"] = instruction.source.line;
  }
  return json;
}

void add_operations(Json& report, const Module& module, const IsSupported& is_supported) {
  std::map<std::string, Count> forms;
  Json unsupported = Json::array();
  std::uint64_t unsupported_count = 0;
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      Count& count = forms[form_name(instruction)];
      ++count.count;
      if (!is_supported || is_supported(instruction, function)) continue;
      count.supported = false;
      if (unsupported_count++ < kMaxListed) unsupported.push_back(unsupported_json(module, function, instruction));
    }
  }
  Json operations = Json::array();
  for (const auto& [form, count] : forms) {
    operations.push_back({{"form", form}, {"count", count.count}, {"supported", count.supported}});
  }
  report["operations"] = std::move(operations);
  report["unsupported_count"] = unsupported_count;
  report["unsupported"] = std::move(unsupported);
}

Json variable_json(const Variable& variable) {
  return {{"name", text_of(variable.name)},  {"space", name_of(variable.space)},
          {"type", type_text(variable)},     {"bytes", variable.bytes},
          {"alignment", variable.alignment}, {"external", variable.linkage == Linkage::external}};
}

// Variables of the module that operands name.
void collect(const std::vector<Operand>& operands, std::set<std::uint32_t>& variables) {
  for (const Operand& operand : operands) {
    const bool symbol = operand.kind == Operand::Kind::symbol ||
                        (operand.kind == Operand::Kind::address && operand.base_kind == Operand::Kind::symbol);
    if (symbol && !operand.local_symbol) variables.insert(operand.index);
  }
}

}  // namespace

std::string form_name(const Instruction& instruction) {
  std::string name(name_of(instruction.operation));
  for (std::size_t i = 0; i < instruction.modifier_count; ++i)
    name += "." + std::string(name_of(instruction.modifiers[i]));
  for (std::size_t i = 0; i < instruction.space_count; ++i) name += "." + std::string(name_of(instruction.spaces[i]));
  if (instruction.vector > 1) name += ".v" + std::to_string(instruction.vector);
  for (std::size_t i = 0; i < instruction.type_count; ++i) name += "." + std::string(name_of(instruction.types[i]));
  return name;
}

std::uint64_t static_shared_bytes(const Module& module, const Function& kernel) {
  std::set<const Function*> seen{&kernel};
  std::vector<const Function*> open{&kernel};
  std::set<std::uint32_t> variables;
  std::uint64_t bytes = 0;
  const auto add = [&](const Variable& variable) {
    if (variable.space != Space::shared || variable.linkage == Linkage::external) return;
    bytes = (bytes + variable.alignment - 1) / variable.alignment * variable.alignment + variable.bytes;
  };
  while (!open.empty()) {
    const Function& function = *open.back();
    open.pop_back();
    collect(function.operands, variables);
    collect(function.elements, variables);
    for (const Variable& variable : function.variables) add(variable);
    for (const Call& call : function.calls) {
      std::vector<std::uint32_t> callees = call.targets;
      if (call.function) callees.push_back(*call.function);
      for (const std::uint32_t callee : callees) {
        if (seen.insert(&module.functions[callee]).second) open.push_back(&module.functions[callee]);
      }
    }
  }
  for (const std::uint32_t index : variables) add(module.variables[index]);
  return bytes;
}

std::string describe_json(const Module& module, const std::vector<Diagnostic>& diagnostics,
                          const IsSupported& is_supported) {
  Json report = {{"name", text_of(module.name)},
                 {"version", std::to_string(module.version / 10) + "." + std::to_string(module.version % 10)},
                 {"target", module.target}};
  Json kernels = Json::array(), functions = Json::array(), externs = Json::array(), variables = Json::array();
  for (const Function& function : module.functions) {
    if (!function.defined)
      externs.push_back(text_of(function.name));
    else
      (function.entry ? kernels : functions).push_back(function_json(module, function));
  }
  for (const Variable& variable : module.variables) variables.push_back(variable_json(variable));
  report["kernels"] = std::move(kernels);
  report["functions"] = std::move(functions);
  report["externs"] = std::move(externs);
  report["variables"] = std::move(variables);
  add_operations(report, module, is_supported);
  report["diagnostics"] = diagnostics_json(diagnostics);
  return report.dump(2);
}

std::string describe_failure_json(std::string_view name, const std::vector<Diagnostic>& diagnostics) {
  const Json report = {{"name", text_of(name)}, {"diagnostics", diagnostics_json(diagnostics)}};
  return report.dump(2);
}

}  // namespace bascule::simt::ptx
