// NumPy's .npy files, format versions 1 to 3, little-endian C-ordered arrays of the element types that `bascule run` takes.
//
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "element_type.hpp"

namespace bascule::cli {

struct NpyArray {
  ElementType type = ElementType::f32;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> data;  // shape's product times the element size
};

// Reads a whole array and checks that its type is `expected`. NumPy has no bfloat16: bf16 is read from 2-byte unsigned
// or void elements ('<u2', '|V2'). Throws Failure (usage) naming the file, what is wrong and how to write it.
NpyArray read_npy(const std::string& path, ElementType expected);

// Writes through a temporary file and a rename, so that a failure leaves no half-written file. Throws Failure (failed).
void write_npy(const std::string& path, const NpyArray& array);

}  // namespace bascule::cli
