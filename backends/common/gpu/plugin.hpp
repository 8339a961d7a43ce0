// The plugin's own dispatch table, which every handle carries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

namespace bascule::gpu {

inline constexpr const char* kPluginVersion = "0.1.0";

const bsc_plugin_api* plugin_api();

}  // namespace bascule::gpu
