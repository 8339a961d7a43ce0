// Where things are: our own library, and the user's directories by the XDG rules.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "core/platform/environment.hpp"

namespace bascule::core {

// Of the file that this code was loaded from (libbascule.so, or a program that contains it), links resolved. "" if
// unknown.
std::string own_library_directory();

// The user's directories for Bascule: "$XDG_CONFIG_HOME/bascule" or "$HOME/.config/bascule", and so on. Nothing where
// both variables are unset, empty or relative: a service without a home must not end up writing to "/.cache".
std::optional<std::string> config_directory(const Environment& environment);
std::optional<std::string> cache_directory(const Environment& environment);
std::optional<std::string> data_directory(const Environment& environment);

// Differ after a restart and after a kernel update; "" where /proc does not tell.
std::string boot_id();
std::string kernel_release();

}  // namespace bascule::core
