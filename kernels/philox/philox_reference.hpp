// Reference of Philox4x32-10, word by word as the paper has it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

namespace bascule::kernels {

// One block of four words.
std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// Element `index` of the contract's output.
std::uint32_t philox_reference(std::uint64_t key, std::uint64_t counter_low, std::uint64_t counter_high,
                               std::uint64_t index);

}  // namespace bascule::kernels
