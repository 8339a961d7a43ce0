// What tests have executed, by the files that they left (backends/simt/execute/coverage.hpp).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "backends/simt/ptx/forms.hpp"

namespace bascule::ptx_coverage {

/// By the text of a form: for each of its groups the words that were executed, "-" for none.
using Executed = std::map<std::string, std::vector<std::set<std::string>>, std::less<>>;

/// From all files of the folder that are not older than `since`.
[[nodiscard]] Executed read_folder(const std::filesystem::path& folder, std::filesystem::file_time_type since);

/// For each group of the form the words that were executed, of it or of a form that gives the same instruction (the rounding of
/// mma of f64 may stand at two places); empty where it was not executed at all.
[[nodiscard]] std::vector<std::set<std::string>> executed_words(const simt::ptx::Form& form, const Executed& executed);

}  // namespace bascule::ptx_coverage
