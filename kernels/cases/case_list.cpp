// Helpers of cases: see case_list.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case_list.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace bascule::kernels {

void fill_verdict(bsc_case_verdict& verdict, const comparison& result, std::uint64_t checked, std::uint64_t total) {
  verdict.pass = result.passed() ? 1 : 0;
  verdict.worst_ratio = result.worst_ratio;
  verdict.worst_index = total == 0 ? UINT64_MAX : result.index;
  verdict.checked = checked;
  verdict.total = total;
  verdict.message[0] = '\0';
  if (!result.passed()) std::snprintf(verdict.message, sizeof verdict.message, "%s", result.describe().c_str());
}

void fill_exact_verdict(bsc_case_verdict& verdict, std::uint64_t total, std::uint64_t wrong_index, const std::string& message) {
  verdict.pass = wrong_index == kNothingWrong ? 1 : 0;
  verdict.worst_ratio = verdict.pass ? 0 : HUGE_VAL;
  verdict.worst_index = wrong_index;
  verdict.checked = verdict.total = total;
  std::snprintf(verdict.message, sizeof verdict.message, "%s", verdict.pass ? "" : message.c_str());
}

std::uint64_t find_poison(const float* values, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, values + i, sizeof bits);
    if (bits == 0xffffffffu) return i;
  }
  return kNothingWrong;
}

std::vector<float> random_floats(std::uint64_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  RandomData(seed).fill(values);
  return values;
}

std::string dimensions_text(std::initializer_list<std::pair<const char*, std::uint64_t>> dimensions) {
  std::string text;
  for (const auto& [name, value] : dimensions) text += (text.empty() ? "" : " ") + std::string(name) + "=" + std::to_string(value);
  return text;
}

}  // namespace bascule::kernels
