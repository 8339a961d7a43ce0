// A look at an ELF file's header, so that a library for another machine is refused with words and before dlopen.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "core/base/error.hpp"

namespace bascule::core {

// Whether the file is a shared object for the machine that this library was built for. BROKEN with what it is instead;
// NOT_FOUND or IO_ERROR if it cannot be read.
Status check_shared_object(const std::string& path);

}  // namespace bascule::core
