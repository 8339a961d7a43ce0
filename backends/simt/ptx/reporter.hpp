// Collects diagnostics up to kMaxDiagnostics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "backends/simt/ptx/diagnostic.hpp"

namespace bascule::simt::ptx {

class Reporter {
 public:
  void error(Location location, std::uint32_t length, std::string message, std::string hint = {}) {
    add(Severity::error, location, length, std::move(message), std::move(hint));
    failed_ = true;
  }
  void warning(Location location, std::uint32_t length, std::string message, std::string hint = {}) {
    add(Severity::warning, location, length, std::move(message), std::move(hint));
  }
  [[nodiscard]] bool failed() const { return failed_; }
  /// No further error would be kept.
  [[nodiscard]] bool full() const;
  /// Those that were kept, in the order of the text.
  [[nodiscard]] std::vector<Diagnostic> take() { return std::move(diagnostics_); }

 private:
  void add(Severity severity, Location location, std::uint32_t length, std::string message, std::string hint);

  std::vector<Diagnostic> diagnostics_;
  std::size_t errors_ = 0;
  bool failed_ = false;
};

}  // namespace bascule::simt::ptx
