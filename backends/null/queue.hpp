// What queue.cpp offers to graphs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/null/objects.hpp"

namespace bascule::null_backend {

// Puts a checked submission on the queue's timeline and gives it a value. Of its commands only the waits are read.
bsc_status enter_timeline(Queue& queue, const bsc_plugin_submission& submission, std::uint64_t flags, Entry entry,
                          std::uint64_t* out_value, bsc_plugin_error* error);

}  // namespace bascule::null_backend
