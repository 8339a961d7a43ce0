// Where the arguments of a launch lie in its blob: in order, each at its natural alignment, as the members of a C struct.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "core/package/variant.hpp"

namespace bascule::core {

struct ArgumentPlace {
  std::uint64_t offset = 0;  // in the blob; of a local argument: meaningless
  std::uint64_t bytes = 0;   // 0: takes no room in the blob
};

struct ArgumentLayout {
  std::vector<ArgumentPlace> places;  // one for each argument of the launch
  std::uint64_t bytes = 0;            // of the blob: sizeof the struct
};

ArgumentLayout lay_out_arguments(const Contract& contract, const Launch& launch);

}  // namespace bascule::core
