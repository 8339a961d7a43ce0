// The matrices that wmma.load and wmma.store move: their shape, and how they lie in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt {

struct WmmaShape {
  ptx::Modifier modifier;
  std::uint8_t m, n, k;
};
/// Null: none that is executed.
[[nodiscard]] const WmmaShape* wmma_shape(const ptx::Instruction& instruction);

/// A matrix in the order in which its fragment keeps it. No member functions: this is read by files for several x86-64 levels.
struct MatrixInMemory {
  unsigned rows = 0, columns = 0;
  unsigned bits = 0;            // of an element
  unsigned registers = 0;       // of the fragment
  unsigned matrix_bytes = 0;
  unsigned register_bytes = 0;  // of all lanes
  bool lines_are_rows = false;  // in memory, elements of a row are neighbours; else elements of a column
  unsigned lines = 0;           // a stride apart from each other
  unsigned line_elements = 0;
  unsigned line_bytes = 0;
  unsigned alignment = 0;
};
/// Of a wmma.load or wmma.store whose shape is known.
[[nodiscard]] MatrixInMemory matrix_in_memory(const ptx::Instruction& instruction);

}  // namespace bascule::simt
