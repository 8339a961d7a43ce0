// ldmatrix, stmatrix, movmatrix: matrices of 8 x 8 elements of 16 bits between shared memory and the lanes of a warp. Lane
// 4 g + t holds the elements 2 t and 2 t + 1 of row g, so the words of a register in the order of lanes are the matrix by rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/select.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/matrix_operation.hpp"
#include "backends/simt/operations/memory_lanes.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Modifier;
using ptx::Operation;

constexpr unsigned kRowBytes = 16;

/// words[32] is a matrix of 8 x 8 halves by rows; so is its transpose afterwards.
void transpose_halves(std::uint32_t* words) {
  __m128i rows[8], pairs[8], fours[8];
  for (unsigned i = 0; i < 8; ++i) rows[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(words + 4 * i));
  for (unsigned i = 0; i < 4; ++i) {
    pairs[i] = _mm_unpacklo_epi16(rows[i], rows[i + 4]);
    pairs[i + 4] = _mm_unpackhi_epi16(rows[i], rows[i + 4]);
  }
  for (unsigned half = 0; half < 8; half += 4) {
    for (unsigned i = 0; i < 2; ++i) {
      fours[half + i] = _mm_unpacklo_epi16(pairs[half + i], pairs[half + i + 2]);
      fours[half + i + 2] = _mm_unpackhi_epi16(pairs[half + i], pairs[half + i + 2]);
    }
  }
  for (unsigned i = 0; i < 8; i += 2) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(words + 4 * i), _mm_unpacklo_epi16(fours[i], fours[i + 1]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(words + 4 * i + 4), _mm_unpackhi_epi16(fours[i], fours[i + 1]));
  }
}

using Rows = std::array<std::byte*, kLanes>;

/// The host addresses of the rows that the first lanes name. A lane that does not take part leaves its row out (nullptr).
template <class A, Where where>
bool find_rows(const Op* op, Context& context, unsigned warp, std::uint32_t lanes, Slot address, Rows& rows) {
  const A* const base = register_lanes<A>(context, address, warp);
  rows.fill(nullptr);
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const auto row = static_cast<A>(base[lane] + static_cast<A>(op->immediate));
    rows[lane] = reach_one<where>(context, row, kRowBytes, kRowBytes);
    if (rows[lane] == nullptr) [[unlikely]] {
      return reach(op, context, warp, lanes, address_lanes(base, *op), Access{where, kRowBytes, kRowBytes}, rows);
    }
  }
  return true;
}

template <unsigned matrices>
constexpr std::uint32_t kRowLanes = matrices == 4 ? kAllLanes : (1u << (8 * matrices)) - 1;

template <class A, Where where, unsigned matrices, bool transposed>
const Op* load_matrices(const Op* op, Context& context) {
  if (!whole_warps_have_come(op, context)) [[unlikely]] return await_whole_warps(op, context);
  Mask mask(*op, context);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) {
    const std::uint32_t lanes = mask.lanes();
    if (lanes == 0) continue;
    Rows rows;
    if (!find_rows<A, where>(op, context, warp, lanes & kRowLanes<matrices>, op->operands[matrices], rows)) return nullptr;
    for (unsigned matrix = 0; matrix < matrices; ++matrix) {
      alignas(64) std::uint32_t words[kLanes]{};
      for (unsigned row = 0; row < 8; ++row) {
        if (rows[matrix * 8 + row] != nullptr) guest_load_many(words + 4 * row, rows[matrix * 8 + row], 4);
      }
      if constexpr (transposed) transpose_halves(words);
      write_register(context, op->operands[matrix], warp, lanes, words);
    }
  }
  return op + 1;
}

template <class A, Where where, unsigned matrices, bool transposed>
const Op* store_matrices(const Op* op, Context& context) {
  if (!whole_warps_have_come(op, context)) [[unlikely]] return await_whole_warps(op, context);
  Mask mask(*op, context);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) {
    if (mask.lanes() == 0) continue;
    Rows rows;
    if (!find_rows<A, where>(op, context, warp, mask.lanes() & kRowLanes<matrices>, op->operands[0], rows)) return nullptr;
    for (unsigned matrix = 0; matrix < matrices; ++matrix) {
      alignas(64) std::uint32_t words[kLanes];
      std::memcpy(words, register_lanes<std::uint32_t>(context, op->operands[1 + matrix], warp), sizeof words);
      if constexpr (transposed) transpose_halves(words);
      for (unsigned row = 0; row < 8; ++row) {
        if (rows[matrix * 8 + row] != nullptr) guest_store_many(rows[matrix * 8 + row], words + 4 * row, 4);
      }
    }
  }
  return op + 1;
}

const Op* move_matrix(const Op* op, Context& context) {
  if (!whole_warps_have_come(op, context)) [[unlikely]] return await_whole_warps(op, context);
  Mask mask(*op, context);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) {
    if (mask.lanes() == 0) continue;
    alignas(64) std::uint32_t words[kLanes];
    std::memcpy(words, register_lanes<std::uint32_t>(context, op->operands[1], warp), sizeof words);
    transpose_halves(words);
    write_register(context, op->operands[0], warp, mask.lanes(), words);
  }
  return op + 1;
}

// ---- selection -------------------------------------------------------------------------------------------------------

template <class A, Where where, unsigned matrices>
Handler memory_handler(bool load, bool transposed) {
  if (load) return transposed ? load_matrices<A, where, matrices, true> : load_matrices<A, where, matrices, false>;
  return transposed ? store_matrices<A, where, matrices, true> : store_matrices<A, where, matrices, false>;
}

template <class A, Where where>
Handler memory_handler(const ptx::Instruction& instruction) {
  const bool load = instruction.operation == Operation::ldmatrix, transposed = instruction.has(Modifier::trans);
  if (instruction.has(Modifier::x1)) return memory_handler<A, where, 1>(load, transposed);
  if (instruction.has(Modifier::x2)) return memory_handler<A, where, 2>(load, transposed);
  if (instruction.has(Modifier::x4)) return memory_handler<A, where, 4>(load, transposed);
  return nullptr;
}

template <class A>
Handler memory_handler(const ptx::Instruction& instruction, Where where) {
  return where == Where::shared ? memory_handler<A, Where::shared>(instruction) : memory_handler<A, Where::host>(instruction);
}

}  // namespace

Selected select_matrix_move(const ptx::Instruction& instruction, const ptx::Function& function) {
  // The forms with elements of 8 bits and less belong to later targets.
  if (!instruction.has(Modifier::m8n8) || instruction.type() != ptx::Type::b16) return {};
  if (instruction.operation == Operation::movmatrix) return {move_matrix};
  const bool load = instruction.operation == Operation::ldmatrix;
  if (!load && instruction.operation != Operation::stmatrix) return {};
  const std::size_t position = load ? 1 : 0;
  const Where where = where_of(instruction, function, position, instruction.space());
  if (where != Where::shared && where != Where::host) return {};
  const bool wide = is_wide(function, function.operand(instruction, position));
  return {wide ? memory_handler<std::uint64_t>(instruction, where) : memory_handler<std::uint32_t>(instruction, where), 0,
          Layout::memory};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
