// Memory of the cpu device: ordinary memory, of both types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/common/object.hpp"
#include "backends/cpu/device.hpp"

namespace bascule::cpu {

struct Memory : backend::Object<Memory, BSC_OBJECT_MEMORY> {
  Memory(Device& owner, std::byte* storage, std::uint64_t size);
  ~Memory();

  Device& device;
  std::byte* const data;  // nullptr for 0 bytes
  const std::uint64_t bytes;
};

}  // namespace bascule::cpu
