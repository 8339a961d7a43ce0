// A run for machines and for people.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "tests/gpu/run.hpp"

namespace bascule::gpu_run {

std::string to_json(const Run& run);     // schema "bascule-gpu-run-1"
std::string to_html(const Run& run);
std::string to_summary(const Run& run);  // tables for a terminal

// "run complete on NVIDIA H200, ...: 40 passed, 1 WRONG", with EMULATED in front where it is.
std::string headline(const Run& run);

}  // namespace bascule::gpu_run
