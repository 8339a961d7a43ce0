// Compile-time expressions of the expander: 64-bit integers, and texts that are compared.
//
//   c ? a : b   ||   &&   |   ^   &   == !=   < <= > >=   << >>   + -   * / %   - ! ~   min max log2 ceildiv
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/ptx/source.hpp"

namespace bascule::ptx {

/// The value of a name, or nothing where there is none.
using NameValue = std::function<std::optional<std::int64_t>(std::string_view name)>;

/// `text` stands at `place`; what is wrong in it is reported there. Overflow, division by zero and shifts by more than 63 are errors.
std::int64_t evaluate(std::string_view text, const Place& place, const NameValue& names);

}  // namespace bascule::ptx
