// From what a child left behind to what the run says about it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "tests/gpu/child.hpp"
#include "tests/gpu/run.hpp"

namespace bascule::gpu_run {

// Fills the step's state, exit code and message from the child's end and its output.
void judge_step(Step& step, const ChildResult& child, const std::string& output, const std::string& errors);

// Keeps what `bascule devices --json` said: card, emulated. False if there is no device in it.
bool take_devices(Run& run, const std::string& output);

// Adds the rows of a report file. A row of the same kernel, case and device is replaced: what was measured in turn with a peer
// counts more than what was measured alone. False, with the reason in *problem, if the file cannot be read.
bool take_report(Run& run, const std::string& file, std::string& problem);

// The whole file, or its last `most` bytes; "" if it cannot be read.
std::string read_end(const std::string& file, std::size_t most = 16u << 20);

}  // namespace bascule::gpu_run
