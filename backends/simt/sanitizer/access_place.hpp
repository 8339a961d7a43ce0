// Where one lane's access leads: whose memory, and where in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "backends/simt/sanitizer/access_check.hpp"

namespace bascule::simt {

class BlockSanitizer;

/// Which memory one lane's bytes are in.
struct Place {
  enum class Region : std::uint8_t { unchecked, shared, local, global, heap };
  Region region = Region::unchecked;
  std::uint64_t at = 0;    // shared, local: offset. Else the host's address
  BlockSanitizer* owner = nullptr;  // shared: whose
  std::uint64_t heap = 0;  // the block's address
};
[[nodiscard]] std::string_view region_name(Place::Region region);

/// "read", "write", ...: for messages.
[[nodiscard]] std::string_view verb(AccessForm::Kind kind);

/// None: the bytes lie outside of what the access may reach; the finding is reported, the launch has ended.
[[nodiscard]] std::optional<Place> find_place(const Op* op, Context& context, const AccessForm& form, unsigned warp, unsigned lane,
                                              std::uint64_t address);

}  // namespace bascule::simt
