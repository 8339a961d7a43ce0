// What a module's kernels did, as JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nlohmann/json.hpp>

#include "backends/simt/execute/module.hpp"

namespace bascule::simt {

std::string report_of(bsc_simt_module& module) {
  const std::lock_guard lock(module.mutex);
  nlohmann::json report;
  report["module"] = module.name;
  report["sanitize"] = module.options.sanitize != 0;
  report["kernels"] = nlohmann::json::array();
  for (const Kernel& kernel : module.kernels) {
    nlohmann::json entry;
    entry["name"] = module.module->functions[kernel.function].name;
    entry["launches"] = kernel.launches;
    if (module.options.statistics != 0) {
      entry["executed_operations"] = kernel.executed_operations;
      entry["executed_lanes"] = kernel.executed_lanes;
    }
    report["kernels"].push_back(std::move(entry));
  }
  report["findings"] = nlohmann::json::array();
  for (const Finding& finding : module.findings) {
    nlohmann::json entry;
    entry["kind"] = finding.kind;
    entry["message"] = finding.message;
    entry["function"] = finding.function;
    entry["line"] = finding.location.line;
    entry["column"] = finding.location.column;
    entry["source_file"] = finding.source_file;
    entry["source_line"] = finding.source_line;
    if (finding.other_location.line != 0) {
      entry["other_line"] = finding.other_location.line;
      entry["other_source_line"] = finding.other_source_line;
    }
    entry["block"] = finding.block;
    entry["thread"] = finding.thread;
    report["findings"].push_back(std::move(entry));
  }
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace bascule::simt
