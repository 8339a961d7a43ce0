// The ARG words of `bascule run`: what each one says, read and checked, with input files loaded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "element_type.hpp"

namespace bascule::cli {

// One kernel argument, in order.
struct RunArgument {
  enum class Kind { value, buffer };
  Kind kind = Kind::value;
  ElementType type = ElementType::u8;  // of a buffer's elements; of a value unless it is `bytes:`
  std::vector<std::byte> data;         // the value's bits, or the buffer's initial contents (empty for out:)
  std::uint64_t buffer_bytes = 0;
  std::uint64_t offset_bytes = 0;      // where in the buffer the kernel's view starts
  std::vector<std::uint64_t> shape;    // for the output file
  std::string output;                  // .npy path, "-" to print, "" for none
  bool initialised = true;             // false: out:, filled by the --fill rule
};

// TYPE:VALUE | in:TYPE:PATH.npy[+OFFSET] | in:TYPE:=v,v,... | out:TYPE:COUNT:PATH.npy | inout:TYPE:PATH.npy:OUT.npy |
// bytes:HEX. OFFSET counts elements. Throws Failure (usage) naming the word, what is wrong and the valid form.
RunArgument parse_run_argument(const std::string& word);

// "X[,Y[,Z]]" -> three numbers, missing ones 1. `option` is named in the error.
void parse_dimensions(const std::string& option, const std::string& text, std::uint64_t (&out)[3]);

}  // namespace bascule::cli
