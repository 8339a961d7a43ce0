// Short ways to parse a few statements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/test_parsing.hpp"

#include <stdexcept>

namespace bascule::simt::ptx {

std::string kernel_text(std::string_view statements, std::string_view version, std::string_view target) {
  std::string text = ".version " + std::string(version) + "\n.target " + std::string(target) + "\n.address_size 64\n";
  text += ".global .align 16 .b32 gv[64];\n.const .align 16 .b32 cv[64];\n.shared .align 16 .b8 sv[1024];\n";
  text += ".visible .entry k(.param .u64 p, .param .u32 q)\n{\n.local .align 16 .b8 lv[64];\n";
  text +=
      ".reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<16>; .reg .u32 %u<16>; .reg .s32 %s<16>; .reg .f32 %f<16>;\n";
  text += ".reg .f64 %d<16>; .reg .b64 %rd<16>; .reg .b8 %c<16>;\n";
  if (statements.find("%q") != std::string_view::npos) text += ".reg .b128 %q<16>;\n";
  return text + std::string(statements) + "\nret;\n}\n";
}

Parsed parse_statements(std::string_view statements, std::string_view version, std::string_view target) {
  return parse(kernel_text(statements, version, target), "test.ptx");
}

std::string errors_of(const Parsed& parsed) {
  std::string text;
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    if (diagnostic.severity == Severity::error)
      text += diagnostic.message + (diagnostic.hint.empty() ? "" : " (" + diagnostic.hint + ")") + "\n";
  }
  return text;
}

std::string errors_in(std::string_view statements, std::string_view version, std::string_view target) {
  return errors_of(parse_statements(statements, version, target));
}

const Function& kernel_of(const Parsed& parsed) {
  if (parsed.module == nullptr) throw std::runtime_error(errors_of(parsed));
  for (const Function& function : parsed.module->functions) {
    if (function.entry) return function;
  }
  throw std::runtime_error("there is no kernel");
}

}  // namespace bascule::simt::ptx
