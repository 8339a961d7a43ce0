// The binary container of a package: header, section table, sections. Layout: docs/package-format.md.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace bascule::core {

inline constexpr std::uint32_t kContainerVersion = 1;
inline constexpr std::uint64_t kContainerAlignment = 64;
inline constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{1} << 27;  // 2^31 / 16
inline constexpr std::uint64_t kMaxSections = 65'536;

// Views into the bytes that were given.
struct Container {
  std::string_view metadata;
  std::vector<std::span<const std::byte>> images;
};

// Checks every bound and hash. Errors: BSC_INVALID_PACKAGE with `origin`, the place and the values found.
Result<Container> read_container(std::span<const std::byte> data, std::string_view origin);

Result<std::vector<std::byte>> write_container(std::string_view metadata, const std::vector<std::span<const std::byte>>& images);

}  // namespace bascule::core
