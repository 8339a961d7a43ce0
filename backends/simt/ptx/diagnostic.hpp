// What is wrong with a PTX text, where, and what to do about it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt::ptx {

enum class Severity { note, warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  Location location;
  std::uint32_t length = 1;  // columns to underline
  std::string message;       // "unknown operation 'fmaa'"
  std::string hint;          // "did you mean 'fma'?"; may be empty
};

/// "FILE:LINE:COLUMN: error: MESSAGE", the line itself, a caret under the place, the hint.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, std::string_view file, std::string_view text);

}  // namespace bascule::simt::ptx
