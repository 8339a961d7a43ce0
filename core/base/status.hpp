// Names of status codes, in both directions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "bascule/status.h"

namespace bascule::core {

// "INVALID_ARGUMENT"; "UNKNOWN_STATUS" for a number that is none.
const char* status_name(bsc_status status);

// False, and *out_status untouched, for a name that is none.
bool status_from_name(std::string_view name, bsc_status* out_status);

}  // namespace bascule::core
