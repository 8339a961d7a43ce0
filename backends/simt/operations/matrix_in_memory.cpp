// See matrix_in_memory.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/matrix_in_memory.hpp"

#include <utility>

#include "backends/simt/execute/op.hpp"

namespace bascule::simt {

using ptx::Modifier;

const WmmaShape* wmma_shape(const ptx::Instruction& instruction) {
  static constexpr WmmaShape kShapes[] = {{Modifier::m16n16k16, 16, 16, 16}, {Modifier::m8n32k16, 8, 32, 16},
                                          {Modifier::m32n8k16, 32, 8, 16},   {Modifier::m16n16k8, 16, 16, 8},
                                          {Modifier::m8n8k4, 8, 8, 4},       {Modifier::m8n8k32, 8, 8, 32},
                                          {Modifier::m8n8k128, 8, 8, 128}};
  for (const WmmaShape& shape : kShapes) {
    if (instruction.has(shape.modifier)) return &shape;
  }
  return nullptr;
}

MatrixInMemory matrix_in_memory(const ptx::Instruction& instruction) {
  const WmmaShape& shape = *wmma_shape(instruction);
  MatrixInMemory matrix;
  matrix.bits = ptx::bits_of(instruction.type());
  matrix.lines_are_rows = instruction.has(Modifier::row);
  const bool a = instruction.has(Modifier::a), b = instruction.has(Modifier::b);
  matrix.rows = b ? shape.k : shape.m;
  matrix.columns = a ? shape.k : shape.n;
  if (b && matrix.bits < 8) {
    std::swap(matrix.rows, matrix.columns);
    matrix.lines_are_rows = !matrix.lines_are_rows;
  }
  matrix.matrix_bytes = matrix.rows * matrix.columns * matrix.bits / 8;
  matrix.register_bytes = kLanes * (matrix.bits == 64 ? 8 : 4);
  const bool repeated = (a || b) && instruction.type() == ptx::Type::f16;
  matrix.registers = repeated ? 8 : matrix.matrix_bytes / matrix.register_bytes;
  matrix.lines = matrix.lines_are_rows ? matrix.rows : matrix.columns;
  matrix.line_elements = matrix.lines_are_rows ? matrix.columns : matrix.rows;
  matrix.line_bytes = matrix.line_elements * matrix.bits / 8;
  matrix.alignment = matrix.bits < 8 ? 1 : matrix.bits / 8;
  return matrix;
}

}  // namespace bascule::simt
