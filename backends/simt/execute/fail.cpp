// How an operation ends its launch. The report itself is the launch's, which is told by Context::event.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/group.hpp"

namespace bascule::simt {

const Op* fail(const Op* op, Context& context, unsigned, unsigned, std::string, std::string) {
  return leave(op, context, Event::fault);
}

}  // namespace bascule::simt
