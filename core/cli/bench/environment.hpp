// What a benchmark report says about the machine and the program: everything that could explain a difference.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>

namespace bascule::cli {

// processor, logical processors usable, memory, kernel, frequency governor, load average, Bascule's version, command line.
// An item that this system does not tell is "unknown".
std::map<std::string, std::string> describe_environment(const std::string& command_line);

// "2026-01-31T12:00:00Z"
std::string utc_now();

}  // namespace bascule::cli
