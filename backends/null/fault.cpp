// The names of the planted faults.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/null/fault.hpp"

#include <array>

namespace bascule::null_backend {
namespace {

constexpr std::array kNames = {
#define BSC_NULL_NAME(name) std::string_view(#name),
    BSC_NULL_FAULTS(BSC_NULL_NAME)
#undef BSC_NULL_NAME
};

}  // namespace

std::optional<Fault> find_fault(std::string_view name) {
  if (name.empty()) return Fault::none;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Fault>(i + 1);
  }
  return std::nullopt;
}

std::string all_fault_names() {
  std::string text;
  for (const std::string_view name : kNames) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

}  // namespace bascule::null_backend
