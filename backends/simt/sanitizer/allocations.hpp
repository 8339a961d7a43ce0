// All memory that a launch may use, to tell what lies inside and to name the nearest to what does not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/simt/execute/services.hpp"

namespace bascule::simt {

class Allocations {
 public:
  explicit Allocations(const LaunchServices& services);

  /// The range that holds all the bytes; null: none.
  [[nodiscard]] const MemoryRange* find(std::uint64_t address, std::uint64_t bytes) const;
  /// "40 bytes behind the buffer of 4096 bytes at 0x7f..."
  [[nodiscard]] std::string nearest(std::uint64_t address) const;

 private:
  std::vector<MemoryRange> ranges_;  // by address
};

}  // namespace bascule::simt
