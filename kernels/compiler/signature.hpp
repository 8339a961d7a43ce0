// What a source's kernels look like from outside: names, parameters, and what BASCULE_CONTRACT says beside them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bascule::compiler {

struct KernelParameter {
  enum class Form { scalar, view, pointer };
  std::string name;
  Form form = Form::scalar;
  std::string access;   // views and pointers: "in", "out", "inout"
  std::string type;     // of the package: "f32"
  std::string spelling; // in C++, of the element: "float", "bsc::f16"
};

// One item of BASCULE_CONTRACT: length(x, y.length) is {"length", {"x", "y.length"}}.
struct ContractItem {
  std::string key;
  std::vector<std::string> arguments;  // string literals without their quotes
};

struct KernelSignature {
  std::string source;         // the file
  unsigned line = 0;          // 0: not known
  std::string scope;          // "demo::", or ""
  std::string name;
  std::vector<KernelParameter> parameters;
  std::vector<ContractItem> contract;
};

// From the tree that `clang++ -Xclang -ast-dump=json` prints.
std::vector<KernelSignature> read_signatures(std::string_view tree, const std::string& source);

// The items of "doc(\"...\"), length(x, n)". Exported for its tests.
std::vector<ContractItem> parse_contract_items(std::string_view text, const std::string& where);

}  // namespace bascule::compiler
