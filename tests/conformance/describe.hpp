// The plugin and its first device as JSON, for the verdict.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "tests/conformance/case.hpp"
#include "tests/conformance/plugin_library.hpp"

namespace bascule::conformance {

// Opens the plugin. A JSON object, or the reason why there is none.
std::string describe_in_this_process(const PluginLocation& location, const OptionList& options);

}  // namespace bascule::conformance
