// Reading the compiler's tree. In the signature pass BASCULE_KERNEL and BASCULE_CONTRACT are section attributes, because
// their text is one of the few that the tree shows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/compiler/signature.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "kernels/compiler/failure.hpp"

namespace bascule::compiler {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kKernelSection = "bascule kernel";
constexpr std::string_view kContractSection = "bascule contract ";

struct NumberType {
  const char* spelling;  // as the tree has it
  const char* type;      // of the package
  const char* code;      // in generated code
};
constexpr NumberType kNumberTypes[] = {
    {"float", "f32", "float"},
    {"double", "f64", "double"},
    {"_Float16", "f16", "bsc::f16"},
    {"__bf16", "bf16", "bsc::bf16"},
    {"bsc::bf16", "bf16", "bsc::bf16"},
    {"signed char", "i8", "signed char"},
    {"char", "i8", "char"},
    {"unsigned char", "u8", "unsigned char"},
    {"short", "i16", "short"},
    {"unsigned short", "u16", "unsigned short"},
    {"int", "i32", "int"},
    {"unsigned int", "u32", "unsigned int"},
    {"long", "i64", "long"},
    {"unsigned long", "u64", "unsigned long"},
    {"long long", "i64", "long long"},
    {"unsigned long long", "u64", "unsigned long long"},
};

const NumberType* find_number(std::string_view spelling) {
  for (const NumberType& number : kNumberTypes) {
    if (spelling == number.spelling) return &number;
  }
  return nullptr;
}

std::string_view without_const(std::string_view type, bool* had_const = nullptr) {
  for (const std::string_view qualifier : {std::string_view("const "), std::string_view("volatile ")}) {
    if (!type.starts_with(qualifier)) continue;
    if (had_const != nullptr && qualifier == "const ") *had_const = true;
    type.remove_prefix(qualifier.size());
  }
  return type;
}

std::string text_of(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// In which line the function's name stands. The tree leaves out a line that equals the one before.
unsigned line_of(const Json& node) {
  const auto location = node.find("loc");
  if (location == node.end()) return 0;
  const auto line = location->find("line");
  return line != location->end() && line->is_number_unsigned() ? line->get<unsigned>() : 0;
}

bool read_view(std::string_view type, KernelParameter& parameter) {
  for (const char* access : {"inout", "in", "out"}) {
    const std::string start = "bsc::" + std::string(access) + "<";
    if (!type.starts_with(start) || type.back() != '>') continue;
    const NumberType* number = find_number(type.substr(start.size(), type.size() - start.size() - 1));
    if (number == nullptr) return false;
    parameter.form = KernelParameter::Form::view;
    parameter.access = access;
    parameter.type = number->type;
    parameter.spelling = number->code;
    return true;
  }
  return false;
}

bool read_pointer(std::string_view type, KernelParameter& parameter) {
  const std::size_t star = type.find('*');
  if (star == std::string_view::npos) return false;
  std::string_view element = type.substr(0, star);
  while (!element.empty() && element.back() == ' ') element.remove_suffix(1);
  bool constant = false;
  const NumberType* number = find_number(without_const(element, &constant));
  const std::string_view rest = type.substr(star + 1);
  if (number == nullptr || !(rest.empty() || rest == "__restrict" || rest == "const" || rest == "const __restrict")) return false;
  parameter.form = KernelParameter::Form::pointer;
  parameter.access = constant ? "in" : "inout";
  parameter.type = number->type;
  parameter.spelling = number->code;
  return true;
}

KernelParameter read_parameter(const Json& node, const std::string& kernel) {
  KernelParameter parameter;
  parameter.name = text_of(node, "name");
  const Json& types = node.at("type");
  std::string type = text_of(types, "desugaredQualType");
  if (type.empty()) type = text_of(types, "qualType");
  if (parameter.name.empty()) {
    throw Failure(kernel + ": a parameter of type " + type + " has no name", "name it: the contract and the calls need its name");
  }
  const std::string_view plain = without_const(type);
  if (const NumberType* number = find_number(plain)) {
    parameter.type = number->type;
    parameter.spelling = number->code;
    return parameter;
  }
  if (read_view(plain, parameter) || read_pointer(type, parameter)) return parameter;
  throw Failure(kernel + ": parameter '" + parameter.name + "' has the type " + type,
                plain == "bool" ? "a kernel takes no bool: use bsc::u32"
                                : "a kernel takes numbers (integers, float, double, bsc::f16, bsc::bf16), bsc::in/out/inout of them, or plain "
                                  "pointers to them; pass the members of a structure one by one");
}

class Reader {
 public:
  explicit Reader(std::string source) : source_(std::move(source)) {}

  void read_scope(const Json& node, const std::string& scope) {
    const auto inner = node.find("inner");
    if (inner == node.end()) return;
    for (const Json& child : *inner) {
      const std::string kind = text_of(child, "kind");
      if (kind == "NamespaceDecl") {
        const std::string name = text_of(child, "name");
        read_scope(child, name.empty() ? scope : scope + name + "::");
      } else if (kind == "LinkageSpecDecl") {
        read_scope(child, scope);
      } else if (kind == "FunctionDecl") {
        read_function(child, scope);
      } else if (kind == "FunctionTemplateDecl") {
        refuse_template(child, scope);
      }
    }
  }

  std::vector<KernelSignature> finish() {
    for (auto& [name, items] : contracts_) {
      const auto same = [&name = name](const KernelSignature& kernel) { return kernel.name == name || kernel.scope + kernel.name == name; };
      const auto found = std::find_if(kernels_.begin(), kernels_.end(), same);
      if (found == kernels_.end()) {
        std::string names;
        for (const KernelSignature& kernel : kernels_) names += (names.empty() ? "" : ", ") + kernel.name;
        throw Failure(source_ + ": BASCULE_CONTRACT(" + name + ", ...) names no kernel", names.empty() ? "there is no BASCULE_KERNEL in this file" : "the kernels are " + names);
      }
      found->contract.insert(found->contract.end(), items.begin(), items.end());
    }
    return std::move(kernels_);
  }

 private:
  static std::string section_of(const Json& node) {
    const auto inner = node.find("inner");
    if (inner == node.end()) return {};
    for (const Json& child : *inner) {
      if (text_of(child, "kind") == "SectionAttr") return text_of(child, "section_name");
    }
    return {};
  }

  void refuse_template(const Json& node, const std::string& scope) {
    const auto inner = node.find("inner");
    if (inner == node.end()) return;
    for (const Json& child : *inner) {
      if (section_of(child) != kKernelSection) continue;
      throw Failure(source_ + ": the kernel " + scope + text_of(node, "name") + " is a template",
                    "make the template an inline function, and call it from a BASCULE_KERNEL for each type");
    }
  }

  void read_function(const Json& node, const std::string& scope) {
    const std::string section = section_of(node);
    if (std::string_view(section).starts_with(kContractSection)) {
      const std::string_view text = std::string_view(section).substr(kContractSection.size());
      const std::size_t comma = std::min(text.find(','), text.size());
      std::string name(text.substr(0, comma));
      while (!name.empty() && name.back() == ' ') name.pop_back();
      const auto items = comma == text.size() ? std::vector<ContractItem>() : parse_contract_items(text.substr(comma + 1), source_ + ": kernel " + name);
      contracts_.emplace_back(name, items);
    } else if (section == kKernelSection) {
      KernelSignature kernel;
      kernel.source = source_;
      kernel.line = line_of(node);
      kernel.scope = scope;
      kernel.name = text_of(node, "name");
      const std::string where = source_ + (kernel.line != 0 ? ":" + std::to_string(kernel.line) : "") + ": kernel " + scope + kernel.name;
      if (!text_of(node.at("type"), "qualType").starts_with("void (")) throw Failure(where + " returns a value", "a kernel returns void; write results into a bsc::out");
      for (const Json& child : node.at("inner")) {
        if (text_of(child, "kind") == "ParmVarDecl") kernel.parameters.push_back(read_parameter(child, where));
      }
      kernels_.push_back(std::move(kernel));
    }
  }

  std::string source_;
  std::vector<KernelSignature> kernels_;
  std::vector<std::pair<std::string, std::vector<ContractItem>>> contracts_;
};

}  // namespace

std::vector<KernelSignature> read_signatures(std::string_view tree, const std::string& source) {
  const Json root = Json::parse(tree, nullptr, false);
  if (root.is_discarded()) throw Failure(source + ": the compiler's tree is no JSON", "use clang++ 22");
  Reader reader(source);
  reader.read_scope(root, "");
  return reader.finish();
}

}  // namespace bascule::compiler
