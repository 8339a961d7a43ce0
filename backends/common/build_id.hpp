// A plugin's build id: the linker's hash of everything in the library, so it changes whenever the code does and is the
// same for the same build.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bascule::backend {

// Lower-case hexadecimal digits; "unknown" in a library that was linked without --build-id. The text lives as long as the
// library that this code is part of.
const char* build_id() noexcept;

}  // namespace bascule::backend
