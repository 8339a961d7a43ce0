// From the typed form of a module to operations: one program for each kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/simt/execute/program.hpp"
#include "backends/simt/ptx/diagnostic.hpp"

namespace bascule::simt {

/// Where the module's variables and functions are. Shared, local and parameter variables have no place yet: 0.
struct Addresses {
  std::vector<std::uint64_t> variables;                        // Module::variables
  std::vector<std::vector<std::uint64_t>> function_variables;  // by function, Function::variables
  std::uint64_t functions = 0;                                 // Program::function_addresses
};

struct LoweringOptions {
  unsigned cpu_level = 2;  // 2, 3 or 4: which handlers
  bool sanitize = false;
  bool statistics = false;
  bool trace = false;
  std::uint64_t stack_bytes = 0;  // 0: see simt.h
};

struct Lowered {
  std::unique_ptr<Program> program;            // null where there are errors
  std::vector<ptx::Diagnostic> diagnostics;
};

/// The highest level that this machine has and the library was built for, at most `limit` (0: no limit).
[[nodiscard]] unsigned best_cpu_level(unsigned limit);

/// Whether there is code for an instruction. (What a call calls is another question.)
[[nodiscard]] bool is_executed(const ptx::Instruction& instruction, const ptx::Function& function);

/// `entry`: index in Module::functions. Module and addresses must outlive the program.
[[nodiscard]] Lowered lower(const ptx::Module& module, std::uint32_t entry, const Addresses& addresses,
                            const LoweringOptions& options);

}  // namespace bascule::simt
