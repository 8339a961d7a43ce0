// The metadata of a package: JSON to checked structures and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/package/variant.hpp"

namespace bascule::core {

inline constexpr std::size_t kMaxKernels = 4096;
inline constexpr std::size_t kMaxVariants = 256;
inline constexpr std::size_t kMaxArguments = 128;
inline constexpr std::size_t kMaxConstants = 64;
inline constexpr std::size_t kMaxCapabilities = 64;
inline constexpr std::size_t kMaxRequirements = 64;
inline constexpr std::size_t kMaxNameBytes = 128;

struct Metadata {
  std::string name;
  std::string version;
  std::string doc;
  std::vector<Kernel> kernels;
};

enum class MetadataForm : std::uint8_t {
  source,  // as people write it: "image" is a file name
  packed   // inside a package: "image" is an index below image_count
};

// Reads and checks everything: each name resolves, each launch argument exists, types match, constants are in range.
// Errors (BSC_INVALID_PACKAGE) carry `origin` and the JSON path.
Result<Metadata> read_metadata(std::string_view json, MetadataForm form, std::size_t image_count, std::string_view origin);

// Always in the packed form. Reading the result gives equal structures.
std::string write_metadata(const Metadata& metadata);

// A variant without its hash, as one line of JSON: what the variant's hash covers beside the image.
std::string write_variant(const Contract& contract, const Variant& variant);

}  // namespace bascule::core
