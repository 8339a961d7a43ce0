// A plugin that throws where a C ABI forbids it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>

#include "bascule/plugin.h"

extern "C" bsc_status bascule_plugin_query(const bsc_plugin_host_info*, bsc_plugin_info*) {
  throw std::runtime_error("from the plugin");
}
