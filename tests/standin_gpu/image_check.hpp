// What the stand-in's driver wants of machine code.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "tests/standin_gpu/machine.hpp"

namespace bascule::standin {

// 0, or the code with which a driver refuses it: no ELF file is an invalid image, one for another processor no binary.
int check_image(const void* image, const std::string& architecture);

}  // namespace bascule::standin
