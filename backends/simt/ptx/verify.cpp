// Rules of single instructions that the table of forms does not express.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/verify.hpp"

namespace bascule::simt::ptx {

std::optional<Problem> verify(const VerifyInput&) { return std::nullopt; }

}  // namespace bascule::simt::ptx
