// The report of `bascule ptx check`: what a module contains, as JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

#include "backends/simt/ptx/parser.hpp"

namespace bascule::simt::ptx {

/// Whether the engine runs an instruction.
using IsSupported = std::function<bool(const Instruction&, const Function&)>;

/// {"name", "version", "target", "kernels": [...], "functions": [...], "externs": [...], "variables": [...],
///  "operations": [{"form", "count", "supported"}], "unsupported": [{"form", "function", "line", "column", ...}],
///  "diagnostics": [...]}. `is_supported` may be empty: then every instruction counts as supported. At most 100
///  unsupported
/// instructions are listed; "unsupported_count" has them all. Sizes are in bytes.
[[nodiscard]] std::string describe_json(const Module& module, const std::vector<Diagnostic>& diagnostics,
                                        const IsSupported& is_supported);

/// The report for a text that does not parse: {"name", "diagnostics": [...]}.
[[nodiscard]] std::string describe_failure_json(std::string_view name, const std::vector<Diagnostic>& diagnostics);

/// The name of an instruction in the order of its form: "ld.global.v4.f32",
/// "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32".
[[nodiscard]] std::string form_name(const Instruction& instruction);

/// Static shared memory of a kernel and of all functions that it may call, variables of the module included.
[[nodiscard]] std::uint64_t static_shared_bytes(const Module& module, const Function& kernel);

}  // namespace bascule::simt::ptx
