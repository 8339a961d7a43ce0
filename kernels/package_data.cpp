// Puts the package that the build has packed (BASCULE_KERNELS_PACKAGE, a path) into the library's read-only data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/package_data.hpp"

asm(".pushsection .rodata, \"a\"\n"
    ".balign 64\n"
    ".globl bascule_kernels_package_begin\n"
    ".hidden bascule_kernels_package_begin\n"
    "bascule_kernels_package_begin:\n"
    ".incbin \"" BASCULE_KERNELS_PACKAGE "\"\n"
    ".globl bascule_kernels_package_end\n"
    ".hidden bascule_kernels_package_end\n"
    "bascule_kernels_package_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const std::byte bascule_kernels_package_begin[] __attribute__((visibility("hidden")));
extern const std::byte bascule_kernels_package_end[] __attribute__((visibility("hidden")));
}

namespace bascule::kernels {

std::span<const std::byte> package_data() { return {bascule_kernels_package_begin, bascule_kernels_package_end}; }

}  // namespace bascule::kernels
