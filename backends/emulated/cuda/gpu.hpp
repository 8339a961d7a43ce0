// A GPU as a file describes it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace bascule::emulated {

struct Gpu {
  std::string name;          // says "emulated"
  std::string architecture;  // "sm_80"
  std::uint64_t memory_bytes = 0;
  int driver_version = 0;    // 13000
  int ptx_version = 0;       // the newest PTX ISA taken: 10 * major + minor
  int count = 1;             // that many devices of the kind
  std::uint64_t kernel_time_limit_ms = 0;
  std::unordered_map<int, int> attributes;  // CU_DEVICE_ATTRIBUTE_*; what is absent is 0

  [[nodiscard]] int attribute(int which) const {
    const auto found = attributes.find(which);
    return found == attributes.end() ? 0 : found->second;
  }
  [[nodiscard]] int compute_capability() const;  // 80
};

/// From the text of a file; throws Refusal (CUDA_ERROR_INVALID_VALUE) with what is wrong where.
Gpu parse_gpu(std::string_view text, std::string_view file);

/// The one that BASCULE_EMULATED_GPU asks for: a file's path (with a slash or ending in .toml), or the name of a file NAME.toml in
/// `directory`; sm_80 unless set. Throws Refusal.
Gpu chosen_gpu(const std::string& directory);

}  // namespace bascule::emulated
