// The library's version as text, from the numbers in the public header.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bascule/bascule.h"

#define BSC_TEXT_OF_(value) #value
#define BSC_TEXT_OF(value) BSC_TEXT_OF_(value)

namespace bascule::core {

inline constexpr char kVersion[] =
    BSC_TEXT_OF(BASCULE_VERSION_MAJOR) "." BSC_TEXT_OF(BASCULE_VERSION_MINOR) "." BSC_TEXT_OF(BASCULE_VERSION_PATCH);

}  // namespace bascule::core
