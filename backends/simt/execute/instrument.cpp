// The hooks of an engine that is built without the sanitizer: none. sanitizer/ has the real ones, which take the place of this.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/instrument.hpp"

namespace bascule::simt {
namespace {

Handler nothing(const ptx::Instruction&, const ptx::Function&) { return nullptr; }

}  // namespace

[[gnu::weak]] const Instrumentation& instrumentation() {
  static const Instrumentation none = {nothing, nothing, nullptr, nullptr, nullptr};
  return none;
}

}  // namespace bascule::simt
