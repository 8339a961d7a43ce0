// Checks of what a plugin's query answers. Nothing here calls into the plugin.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "bascule/plugin.h"
#include "core/base/error.hpp"

namespace bascule::core {

// BROKEN naming the first table or required entry that is missing. `who` stands before the message.
Status check_plugin_tables(const bsc_plugin_api* api, const std::string& who);

// ABI_MISMATCH with both versions and which side to upgrade.
Status check_plugin_abi(const bsc_plugin_info& info, const std::string& who);

}  // namespace bascule::core
