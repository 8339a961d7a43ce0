// Parsers for the types of configured values. Each refuses with the valid form; the caller adds position and key.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/log.hpp"

namespace bascule::core {

// 1/0, true/false, yes/no, on/off in any case.
Result<bool> parse_boolean(std::string_view text);
Result<LogLevel> parse_log_level(std::string_view text);

// Names of backends; empty for "auto" and for no names at all. Refuses a name given twice and "auto" among others.
Result<std::vector<std::string>> parse_backend_list(const std::vector<std::string>& items);

// An absolute path; a relative one is anchored to `directory`, or refused where that is "".
Result<std::string> parse_path(std::string_view text, const std::string& directory);

}  // namespace bascule::core
