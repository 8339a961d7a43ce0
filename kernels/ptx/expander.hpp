// The expander: plain PTX plus loops, compile-time integers, register arrays and macros to PTX with one statement per line.
// docs/ptx-expander.md is the language's page.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "kernels/ptx/node.hpp"

namespace bascule::ptx {

struct ExpandOptions {
  std::vector<std::string> without;               // marks whose statement, or guard, is left out
  std::vector<std::pair<std::string, long long>> integers;  // .let of the file that these replace
  bool markers = true;                            // .loc and # lines
  std::vector<std::string> roots;                 // files below one of these are shown with the path from there
};

struct Mark {
  std::string name;
  std::string place;  // file:line:column
};

struct Expansion {
  std::string text;
  std::vector<Mark> marks;     // of .needed, each once, in the order of the source
  std::set<std::string> files;  // all that were read
};

/// The text of a file; throws compiler::Failure where there is none.
using ReadFile = std::function<std::string(const std::string& path)>;

Expansion expand(const std::string& path, const ExpandOptions& options, const ReadFile& read);
/// From the disk.
Expansion expand_file(const std::string& path, const ExpandOptions& options);

/// By which docs/nvidia-kernels.md and amd-kernels.md say which kernel they are about: of the expansion without markers, so that
/// comments and line numbers do not count; of a file that is not expanded, of its bytes. 32 hexadecimal digits.
std::string evidence_hash(const std::string& path);

}  // namespace bascule::ptx
