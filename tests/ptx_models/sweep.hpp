// Runs forms on the engine and compares each result with its model.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/ptx_models/form.hpp"

namespace bascule::ptx_models {

/// A kernel that runs each form's instruction on whole inputs three times: plainly; under a guard that lets about half of the
/// lanes through, onto destinations that hold something; and with a constant for one operand, where it may have one.
struct Kernel {
  std::string text;
  bool guarded = false;
  int constant_input = -1;  // which input is the constant in the third run; -1: there is no third run
};
Kernel kernel_of(const Form& form, const std::string& name, std::uint64_t constant);

/// Version and target, and 64 known bytes in global memory (`known`) and in constant memory (`known_constants`).
std::string module_header(unsigned target);

/// How many items a sweep takes of each form: BASCULE_PTX_MODELS_ITEMS, else 1536.
std::size_t items_per_form();

struct SweepReport {
  std::size_t forms = 0;
  std::vector<std::string> failures;  // at most a few per form
  [[nodiscard]] std::string summary() const;
};

SweepReport sweep(const Forms& forms, std::uint32_t cpu_level);

}  // namespace bascule::ptx_models
