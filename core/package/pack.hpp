// Making a package from a source file (JSON with image file names) and the files it names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace bascule::core {

// Reads one or more source files; several are merged into one package, which takes name and version from the first.
// Images are looked up relative to the source file that names them; a name that is absolute or leaves that folder is
// refused. Equal images are stored once. The result depends on the files' contents only.
// Errors name the file and the JSON path.
Result<std::vector<std::byte>> pack_files(const std::vector<std::string>& source_files);

// The same, written to a file that appears whole or not at all.
Status pack_to_file(const std::vector<std::string>& source_files, const std::string& output);

}  // namespace bascule::core
