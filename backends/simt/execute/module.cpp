// Loading: parse, place, lower; every reason for a refusal at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/module.hpp"

#include "backends/common/error.hpp"
#include "backends/simt/ptx/parser.hpp"

namespace bascule::simt {
namespace {

using backend::fill_error;

// Errors first, as far as they fit the error's text; the log has all.
bsc_status refuse(const bsc_simt_module& module, bsc_status status, const std::vector<ptx::Diagnostic>& diagnostics,
                  std::string_view text, bsc_plugin_error* error) {
  std::string message;
  std::size_t errors = 0;
  for (const ptx::Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != ptx::Severity::error) continue;
    ++errors;
    if (!message.empty()) message += '\n';
    message += ptx::render(diagnostic, module.name, text);
  }
  module.services.log(BSC_LOG_ERROR, "{}", message);
  return fill_error(error, status, "ptx", "{} error{} in {}:\n{}", errors, errors == 1 ? "" : "s", module.name, message);
}

void log_warnings(const bsc_simt_module& module, const std::vector<ptx::Diagnostic>& diagnostics, std::string_view text) {
  for (const ptx::Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == ptx::Severity::warning) {
      module.services.log(BSC_LOG_WARNING, "{}", ptx::render(diagnostic, module.name, text));
    }
  }
}

// Variables that another module would have to define.
std::vector<ptx::Diagnostic> undefined_variables(const ptx::Module& module) {
  std::vector<ptx::Diagnostic> found;
  for (const ptx::Variable& variable : module.variables) {
    const bool dynamic_shared = variable.space == ptx::Space::shared && variable.bytes == 0;
    if (variable.linkage != ptx::Linkage::external || dynamic_shared) continue;
    if (variable.space == ptx::Space::shared) continue;  // shared memory has no initial value: a declaration will do
    ptx::Diagnostic diagnostic;
    diagnostic.location = variable.location;
    diagnostic.message = "the variable " + variable.name + " is declared .extern and not defined";
    diagnostic.hint = "link the PTX that defines it into this module";
    found.push_back(std::move(diagnostic));
  }
  return found;
}

}  // namespace

bsc_status load_module(std::string_view text, std::string_view name, const bsc_simt_options& options,
                       const bsc_host_services* services, std::unique_ptr<bsc_simt_module>& out, bsc_plugin_error* error) {
  auto module = std::make_unique<bsc_simt_module>();
  module->name = name;
  module->services = backend::HostServices(services);
  module->options = options;
  ptx::Parsed parsed = ptx::parse(text, name);
  if (parsed.module == nullptr) return refuse(*module, BSC_INVALID_IMAGE, parsed.diagnostics, text, error);
  log_warnings(*module, parsed.diagnostics, text);
  module->module = std::move(parsed.module);
  if (const auto undefined = undefined_variables(*module->module); !undefined.empty()) {
    return refuse(*module, BSC_INVALID_IMAGE, undefined, text, error);
  }
  module->memory = std::make_unique<ModuleMemory>(*module->module);
  constexpr std::uint64_t kDefaultHeapBytes = std::uint64_t{8} << 20;
  module->heap = std::make_unique<DeviceHeap>(options.heap_bytes != 0 ? options.heap_bytes : kDefaultHeapBytes);

  LoweringOptions lowering;
  lowering.cpu_level = best_cpu_level(options.cpu_level);
  lowering.sanitize = options.sanitize != 0;
  lowering.statistics = options.statistics != 0;
  lowering.trace = options.trace != 0;
  lowering.stack_bytes = options.stack_bytes;
  std::vector<ptx::Diagnostic> refused;
  for (std::uint32_t f = 0; f < module->module->functions.size(); ++f) {
    const ptx::Function& function = module->module->functions[f];
    if (!function.entry || !function.defined) continue;
    Lowered lowered = lower(*module->module, f, module->memory->addresses(), lowering);
    refused.insert(refused.end(), lowered.diagnostics.begin(), lowered.diagnostics.end());
    Kernel kernel;
    kernel.function = f;
    kernel.program = std::move(lowered.program);
    kernel.argument_bytes = argument_bytes_of(function);
    module->kernels.push_back(std::move(kernel));
  }
  if (!refused.empty()) return refuse(*module, BSC_UNSUPPORTED, refused, text, error);
  out = std::move(module);
  return BSC_OK;
}

}  // namespace bascule::simt
