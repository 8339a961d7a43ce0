// See jit_options.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/jit_options.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backends/emulated/cuda/call.hpp"

namespace bascule::emulated {

JitOptions::JitOptions(unsigned count, const CUjit_option* options, void** values) {
  if (count != 0) {
    need(options, "the options");
    need(values, "the options' values");
  }
  for (unsigned i = 0; i < count; ++i) {
    const auto number = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(values[i]) & 0xffffffffu);
    switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER: information_.to = static_cast<char*>(values[i]); break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        information_.bytes = number;
        information_.used = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER: errors_.to = static_cast<char*>(values[i]); break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        errors_.bytes = number;
        errors_.used = &values[i];
        break;
      case CU_JIT_WALL_TIME: wall_time_ = &values[i]; break;
      case CU_JIT_GLOBAL_SYMBOL_NAMES:
      case CU_JIT_GLOBAL_SYMBOL_ADDRESSES:
      case CU_JIT_GLOBAL_SYMBOL_COUNT: refuse(CUDA_ERROR_NOT_SUPPORTED, "symbols of the program cannot be given to a module here");
      default:
        // How machine code would be optimised: there is none.
        if (options[i] < 0 || options[i] >= CU_JIT_NUM_OPTIONS) refuse(CUDA_ERROR_INVALID_VALUE, "{} is no option of a compilation", static_cast<int>(options[i]));
    }
  }
}

void JitOptions::put(const Buffer& buffer, const std::string& text) {
  std::size_t used = 0;
  if (buffer.to != nullptr && buffer.bytes != 0) {
    used = std::min(text.size(), buffer.bytes - 1);
    std::memcpy(buffer.to, text.data(), used);
    buffer.to[used] = '\0';
  }
  if (buffer.used != nullptr) *buffer.used = reinterpret_cast<void*>(static_cast<std::uintptr_t>(used));
}

void JitOptions::report(const std::string& information, const std::string& errors) const {
  put(information_, information);
  put(errors_, errors);
  if (wall_time_ == nullptr) return;
  const float milliseconds = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start_).count();
  std::memcpy(wall_time_, &milliseconds, sizeof milliseconds);
}

}  // namespace bascule::emulated
