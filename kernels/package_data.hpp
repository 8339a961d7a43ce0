// The packed contracts and images of this folder.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

namespace bascule::kernels {

std::span<const std::byte> package_data();

}  // namespace bascule::kernels
