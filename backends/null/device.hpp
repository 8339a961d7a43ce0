// The limits of a null device. They are high, but there are some, so that a program that exceeds limits is told so here
// as it would be elsewhere.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "backends/null/objects.hpp"

namespace bascule::null_backend {

inline constexpr std::uint64_t kMaxBlockThreads = 1024;
inline constexpr std::uint64_t kMaxBlock[3] = {1024, 1024, 1024};
inline constexpr std::uint64_t kMaxGrid[3] = {std::uint64_t{1} << 48, std::uint64_t{1} << 16, std::uint64_t{1} << 16};
inline constexpr std::uint64_t kMaxShared = 256 * 1024;
inline constexpr std::uint64_t kMaxArgumentBytes = 32 * 1024;

}  // namespace bascule::null_backend
