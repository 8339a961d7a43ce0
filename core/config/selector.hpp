// Selector: the one way to name a device, in configuration, on command lines and in the API.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace bascule::core {

inline constexpr std::string_view kSelectorForm =
    "BACKEND, BACKEND:INDEX (0 is the first device), uuid:HEX, pci:ADDRESS or emulated:ARCHITECTURE";

struct Selector {
  enum class Kind {
    kFirst,     // empty text: the first device of the first usable backend
    kBackend,   // "hip": the first device of this backend
    kIndex,     // "hip:1"
    kUuid,      // "uuid:01234567-89ab-cdef-0123-456789abcdef", with or without dashes
    kPci,       // "pci:65:00.0", "pci:0000:65:00.0"
    kEmulated,  // "emulated:sm_90a"
  };
  Kind kind = Kind::kFirst;
  std::string backend;      // kBackend, kIndex
  std::uint64_t index = 0;  // kIndex
  std::string value;        // kUuid: 32 lower-case digits; kPci: "0000:65:00.0"; kEmulated: the architecture
};

// Syntax alone: whether there is such a device is for others to say. INVALID_CONFIG with the column of the fault.
Result<Selector> parse_selector(std::string_view text);

// Whether the text can be the name of a backend: lower-case letters, digits and _.
bool is_backend_name(std::string_view text);

// A UUID's 32 lower-case digits, as far as the text has them: "" if it is none.
std::string normalized_uuid(std::string_view text);
// "0000:65:00.0" from "65:00.0", "65:00" or the long form; "" if it is none.
std::string normalized_pci(std::string_view text);

}  // namespace bascule::core
