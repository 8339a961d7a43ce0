// What this machine's processor can do.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace bascule::core {

// The highest x86-64 micro-architecture level of the processor that the operating system lets us use: 1 to 4.
int x86_64_level();

// Names of the instruction-set extensions from a fixed list that are usable, in a fixed order ("avx2", "fma", ...).
std::vector<std::string> cpu_features();

// Model name ("AMD EPYC 9B14"), level and features in one line: part of the key of everything compiled for this
// processor.
std::string cpu_description();

}  // namespace bascule::core
