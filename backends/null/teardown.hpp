// What `close` does before the instance itself goes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/null/objects.hpp"

namespace bascule::null_backend {

void wait_until_empty(Queue& queue);
void wait_for_all_queues(Instance& instance);
void free_all_children(Instance& instance);

}  // namespace bascule::null_backend
