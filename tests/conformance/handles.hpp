// Handles that are none of the wanted kind, for the checks of every entry that takes one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <string_view>
#include <vector>

#include "tests/conformance/session.hpp"

namespace bascule::conformance {

struct BadHandle {
  bsc_plugin_object* handle;
  std::string_view what;
};

// A null handle, one without magic, and a good one of another kind.
std::vector<BadHandle> bad_handles(Session& session, std::uint32_t wanted_kind);

}  // namespace bascule::conformance
