// The plugin's own dispatch table, which every handle carries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

namespace bascule::opencl {

inline constexpr const char* kPluginVersion = "0.1.0";
// Changes with what is cached: bump it when compiled programs of an older build must not be used.
inline constexpr const char* kPluginBuild = "opencl-0.1.0-1";

const bsc_plugin_api* plugin_api();

}  // namespace bascule::opencl
