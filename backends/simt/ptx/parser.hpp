// From PTX text to the typed form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backends/simt/ptx/diagnostic.hpp"
#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt::ptx {

struct Parsed {
  std::unique_ptr<Module> module;       // null where there is an error
  std::vector<Diagnostic> diagnostics;  // in the order of the text; at most kMaxDiagnostics
};
inline constexpr std::size_t kMaxDiagnostics = 50;

/// Parses and verifies a whole module. `text` may end in a NUL byte, as images made for the CUDA driver do. Any bytes at
/// all may be given: what is not PTX is a diagnostic. Thread-safe.
[[nodiscard]] Parsed parse(std::string_view text, std::string_view name);

}  // namespace bascule::simt::ptx
