// The options of a compilation (CU_JIT_*): buffers that logs go to, and what is checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "backends/emulated/cuda/include/cuda_structs.h"

namespace bascule::emulated {

class JitOptions {
 public:
  JitOptions() = default;
  /// Throws Refusal for what is no option.
  JitOptions(unsigned count, const CUjit_option* options, void** values);

  /// Fills the buffers and tells the program how much of them was used.
  void report(const std::string& information, const std::string& errors) const;

 private:
  struct Buffer {
    char* to = nullptr;
    std::size_t bytes = 0;
    void** used = nullptr;
  };
  static void put(const Buffer& buffer, const std::string& text);

  Buffer information_, errors_;
  void** wall_time_ = nullptr;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace bascule::emulated
