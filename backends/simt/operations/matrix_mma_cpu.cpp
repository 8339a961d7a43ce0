// mma.sync: products of dense matrices that the lanes of a warp hold in pieces. All types and shapes up to sm_90a.
//
// f16, bf16, tf32, fp8: products exact, summed in f32 along k (multiply_8x8), rounded once where D is f16; NaN is 0x7fffffff
// (0x7fff). Integers: exact, then added to C. f64: fused multiply-adds along k in the asked rounding.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cfenv>

#include "backends/simt/execute/select.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/matrix_fragment.hpp"
#include "backends/simt/operations/matrix_multiply.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Modifier;

constexpr unsigned kMaxDepth = 64;  // of what is multiplied in f32: m16n8k64 of 4-bit integers

unsigned accumulator_registers(Format format, unsigned row_parts) { return (format == Format::f16 ? 1 : 2) * row_parts; }

Operands operands_of(const Op& op, const Product& product) {
  return operand_slots(op, accumulator_registers(product.d, product.row_parts), unsigned{product.row_parts} * product.k_parts,
                     product.k_parts, accumulator_registers(product.c, product.row_parts));
}

// ---- f32 inside ------------------------------------------------------------------------------------------------------

void load_a(const Context& context, const Slot* slots, unsigned warp, const Product& product, float* a) {
  switch (product.a) {
    case Format::f16: return load_a<Format::f16>(context, slots, warp, product, a);
    case Format::bf16: return load_a<Format::bf16>(context, slots, warp, product, a);
    case Format::tf32: return load_a<Format::tf32>(context, slots, warp, product, a);
    case Format::e4m3: return load_a<Format::e4m3>(context, slots, warp, product, a);
    case Format::e5m2: return load_a<Format::e5m2>(context, slots, warp, product, a);
    case Format::s8: return load_a<Format::s8>(context, slots, warp, product, a);
    case Format::u8: return load_a<Format::u8>(context, slots, warp, product, a);
    case Format::s4: return load_a<Format::s4>(context, slots, warp, product, a);
    default: return load_a<Format::u4>(context, slots, warp, product, a);
  }
}

void load_b(const Context& context, const Slot* slots, unsigned warp, const Product& product, float* b) {
  switch (product.b) {
    case Format::f16: return load_b<Format::f16>(context, slots, warp, product, b);
    case Format::bf16: return load_b<Format::bf16>(context, slots, warp, product, b);
    case Format::tf32: return load_b<Format::tf32>(context, slots, warp, product, b);
    case Format::e4m3: return load_b<Format::e4m3>(context, slots, warp, product, b);
    case Format::e5m2: return load_b<Format::e5m2>(context, slots, warp, product, b);
    case Format::s8: return load_b<Format::s8>(context, slots, warp, product, b);
    case Format::u8: return load_b<Format::u8>(context, slots, warp, product, b);
    case Format::s4: return load_b<Format::s4>(context, slots, warp, product, b);
    default: return load_b<Format::u4>(context, slots, warp, product, b);
  }
}

void load_c(const Context& context, const Slot* slots, unsigned warp, const Product& product, float* c) {
  for (unsigned part = 0; part < product.row_parts; ++part) {
    if (product.c == Format::f16) {
      const std::uint32_t* const lanes = register_lanes<std::uint32_t>(context, slots[part], warp);
      for (unsigned g = 0; g < 8; ++g) {
        F32x8 row;
        load_half_row(lanes + 4 * g, row);
        std::memcpy(c + (part * 8 + g) * 8, &row, sizeof row);
      }
    } else {
      const float* const even = register_lanes<float>(context, slots[part * 2], warp);
      const float* const odd = register_lanes<float>(context, slots[part * 2 + 1], warp);
      for (unsigned g = 0; g < 8; ++g) {
        F32x8 row;
        join_fours(even + 4 * g, odd + 4 * g, row);
        std::memcpy(c + (part * 8 + g) * 8, &row, sizeof row);
      }
    }
  }
}

void store_d(const Context& context, const Slot* slots, unsigned warp, std::uint32_t mask, const Product& product,
             const float* c) {
  for (unsigned part = 0; part < product.row_parts; ++part) {
    alignas(64) std::uint32_t even[kLanes], odd[kLanes];
    for (unsigned g = 0; g < 8; ++g) {
      F32x8 row;
      std::memcpy(&row, c + (part * 8 + g) * 8, sizeof row);
      if (product.d == Format::f16) {
        store_half_row(row, even + 4 * g);
      } else {
        canonical_nan(row);
        split_fours(row, even + 4 * g, odd + 4 * g);
      }
    }
    if (product.d == Format::f16) {
      write_register(context, slots[part], warp, mask, even);
    } else {
      write_register(context, slots[part * 2], warp, mask, even);
      write_register(context, slots[part * 2 + 1], warp, mask, odd);
    }
  }
}

const Op* multiply_floats(const Op* op, Context& context) {
  const Product product = product_of(*op);
  const Operands operands = operands_of(*op, product);
  const unsigned depth = product.k_parts * 4 * elements_per_word(product.a);
  return each_whole_warp(op, context, [&](unsigned warp, std::uint32_t mask) {
    alignas(64) float a[16 * kMaxDepth], b[kMaxDepth * 8], c[16 * 8];
    load_a(context, operands.a, warp, product, a);
    load_b(context, operands.b, warp, product, b);
    load_c(context, operands.c, warp, product, c);
    for (unsigned part = 0; part < product.row_parts; ++part) {
      multiply_8x8(a + part * 8 * depth, depth, b, 8, c + part * 64, 8, depth);
    }
    store_d(context, operands.d, warp, mask, product, c);
  });
}

#if BASCULE_CPU_LEVEL >= 3
/// Eight rows of D = A B + C straight from and to registers, f32.
[[gnu::always_inline]] inline void multiply_rows(const float* a, const float* b, unsigned depth, const float* c_even,
                                                 const float* c_odd, float* d_even, float* d_odd) {
  F32x8 rows[8];
#pragma GCC unroll 8
  for (unsigned g = 0; g < 8; ++g) join_fours(c_even + 4 * g, c_odd + 4 * g, rows[g]);
  __m256 sums[8];
#pragma GCC unroll 8
  for (unsigned g = 0; g < 8; ++g) sums[g] = reinterpret_cast<__m256>(rows[g]);
#pragma GCC unroll 4
  for (unsigned k = 0; k < depth; ++k) {
    const __m256 columns = _mm256_load_ps(b + k * 8);
#pragma GCC unroll 8
    for (unsigned g = 0; g < 8; ++g) add_multiple(sums[g], a + g * depth + k, columns);
  }
#pragma GCC unroll 8
  for (unsigned g = 0; g < 8; ++g) {
    F32x8 row = reinterpret_cast<F32x8>(sums[g]);
    canonical_nan(row);
    split_fours(row, d_even + 4 * g, d_odd + 4 * g);
  }
}

float* result_lanes(const Context& context, Slot slot, unsigned warp) {
  return reinterpret_cast<float*>(context.registers + slot + std::size_t{warp} * context.frame_bytes);
}

/// m16n8k8 and m16n8k16 of f16 and bf16 with f32 accumulators: what most kernels spend their time in. All sizes are constants,
/// and C and D do not pass through memory of their own.
template <Format format, unsigned k_parts>
const Op* multiply_halves(const Op* op, Context& context) {
  static constexpr Product kProduct{format, format, Format::f32, Format::f32, 2, 1, 0, k_parts};
  constexpr unsigned kDepth = 8 * k_parts;
  const Operands operands = operands_of(*op, kProduct);
  // The first half of D is written before the second half of C is read.
  bool overlap = false;
  for (unsigned i = 0; i < 4; ++i) overlap |= operands.d[i] == kNoSlot;
  for (unsigned i = 0; i < 4; ++i) overlap |= operands.d[i / 2] == operands.c[2 + i % 2];
  if (overlap) return multiply_floats(op, context);
  return each_whole_warp(op, context, [&](unsigned warp, std::uint32_t mask) {
    alignas(64) float a[16 * kDepth], b[kDepth * 8], scratch[4][kLanes];
    load_a<format>(context, operands.a, warp, kProduct, a);
    load_b<format>(context, operands.b, warp, kProduct, b);
    for (unsigned part = 0; part < 2; ++part) {
      const bool whole = mask == kAllLanes;
      float* const even = whole ? result_lanes(context, operands.d[part * 2], warp) : scratch[part * 2];
      float* const odd = whole ? result_lanes(context, operands.d[part * 2 + 1], warp) : scratch[part * 2 + 1];
      multiply_rows(a + part * 8 * kDepth, b, kDepth, register_lanes<float>(context, operands.c[part * 2], warp),
                    register_lanes<float>(context, operands.c[part * 2 + 1], warp), even, odd);
    }
    if (mask == kAllLanes) return;
    for (unsigned i = 0; i < 4; ++i) write_register(context, operands.d[i], warp, mask, scratch[i]);
  });
}

template <Format format>
Handler halves_handler(const Product& product) {
  return product.k_parts == 1 ? multiply_halves<format, 1> : multiply_halves<format, 2>;
}
#endif

const Op* multiply_integers(const Op* op, Context& context) {
  const Product product = product_of(*op);
  const Operands operands = operands_of(*op, product);
  const unsigned depth = product.k_parts * 4 * elements_per_word(product.a);
  return each_whole_warp(op, context, [&](unsigned warp, std::uint32_t mask) {
    alignas(64) float a[16 * kMaxDepth], b[kMaxDepth * 8], c[16 * 8]{};
    alignas(64) std::int32_t results[4][kLanes];  // all of C is read before D, which may lie on it, is written
    load_a(context, operands.a, warp, product, a);
    load_b(context, operands.b, warp, product, b);
    for (unsigned part = 0; part < product.row_parts; ++part) {
      multiply_8x8(a + part * 8 * depth, depth, b, 8, c + part * 64, 8, depth);
      const std::int32_t* const c_even = register_lanes<std::int32_t>(context, operands.c[part * 2], warp);
      const std::int32_t* const c_odd = register_lanes<std::int32_t>(context, operands.c[part * 2 + 1], warp);
      for (unsigned g = 0; g < 8; ++g) {
        S32x8 row;
        F32x8 sums;
        join_fours(c_even + 4 * g, c_odd + 4 * g, row);
        std::memcpy(&sums, c + part * 64 + g * 8, sizeof sums);
        add_product(row, sums, (product.flags & kSaturate) != 0);
        split_fours(row, results[part * 2] + 4 * g, results[part * 2 + 1] + 4 * g);
      }
    }
    for (unsigned i = 0; i < 2u * product.row_parts; ++i) write_register(context, operands.d[i], warp, mask, results[i]);
  });
}

// ---- bits ------------------------------------------------------------------------------------------------------------

/// Word (k_part, t) of a row of A against that of a column of B.
template <bool conjunction>
const Op* multiply_bits(const Op* op, Context& context) {
  const Product product = product_of(*op);
  const Operands operands = operands_of(*op, product);
  return each_whole_warp(op, context, [&](unsigned warp, std::uint32_t mask) {
    alignas(64) std::uint32_t results[4][kLanes];
    for (unsigned part = 0; part < product.row_parts; ++part) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const unsigned g = lane / 4;
        for (unsigned odd = 0; odd < 2; ++odd) {
          const unsigned column = lane % 4 * 2 + odd;
          std::uint32_t sum = register_lanes<std::uint32_t>(context, operands.c[part * 2 + odd], warp)[lane];
          for (unsigned k_part = 0; k_part < product.k_parts; ++k_part) {
            const Slot a_slot = operands.a[k_part * product.row_parts + part];
            const std::uint32_t* const a = register_lanes<std::uint32_t>(context, a_slot, warp) + 4 * g;
            const std::uint32_t* const b = register_lanes<std::uint32_t>(context, operands.b[k_part], warp) + 4 * column;
            for (unsigned t = 0; t < 4; ++t) {
              sum += static_cast<std::uint32_t>(__builtin_popcount(conjunction ? a[t] & b[t] : a[t] ^ b[t]));
            }
          }
          results[part * 2 + odd][lane] = sum;
        }
      }
    }
    for (unsigned i = 0; i < 2u * product.row_parts; ++i) write_register(context, operands.d[i], warp, mask, results[i]);
  });
}

// ---- f64 -------------------------------------------------------------------------------------------------------------

constexpr unsigned kMaxDepthF64 = 16;

const Op* multiply_doubles(const Op* op, Context& context) {
  const Product product = product_of(*op);
  const Operands operands = operands_of(*op, product);
  const unsigned depth = product.k_parts * 4u;
  constexpr int kRounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const int rounding = kRounding[product.flags >> kRoundingShift & 3];
  return each_whole_warp(op, context, [&](unsigned warp, std::uint32_t mask) {
    alignas(64) double a[16 * kMaxDepthF64], b[kMaxDepthF64 * 8], c[16 * 8];
    for (unsigned k_part = 0; k_part < product.k_parts; ++k_part) {
      for (unsigned part = 0; part < product.row_parts; ++part) {
        const double* const lanes = register_lanes<double>(context, operands.a[k_part * product.row_parts + part], warp);
        for (unsigned g = 0; g < 8; ++g) std::memcpy(a + (part * 8 + g) * depth + k_part * 4, lanes + 4 * g, 4 * sizeof(double));
      }
      const double* const lanes = register_lanes<double>(context, operands.b[k_part], warp);
      for (unsigned lane = 0; lane < kLanes; ++lane) b[(k_part * 4 + lane % 4) * 8 + lane / 4] = lanes[lane];
    }
    for (unsigned i = 0; i < 2u * product.row_parts; ++i) {
      const double* const lanes = register_lanes<double>(context, operands.c[i], warp);
      for (unsigned lane = 0; lane < kLanes; ++lane) c[(i / 2 * 8 + lane / 4) * 8 + lane % 4 * 2 + i % 2] = lanes[lane];
    }
    if (rounding != FE_TONEAREST) std::fesetround(rounding);
    multiply_f64(a, depth, b, c, product.row_parts * 8u, depth);
    if (rounding != FE_TONEAREST) std::fesetround(FE_TONEAREST);
    for (unsigned i = 0; i < 2u * product.row_parts; ++i) {
      alignas(64) double result[kLanes];
      for (unsigned lane = 0; lane < kLanes; ++lane) result[lane] = c[(i / 2 * 8 + lane / 4) * 8 + lane % 4 * 2 + i % 2];
      write_register(context, operands.d[i], warp, mask, result);
    }
  });
}

// ---- m8n8k4 of f16: four products, of lanes 4 q ... 4 q + 3 and 16 + 4 q ... 16 + 4 q + 3 each ---------------------------

float half_in(const std::uint32_t* lanes, unsigned lane, unsigned high) {
  F32x8 value;
  halves_to_float(U32x8{} + (lanes[lane] >> (16 * high) & 0xffffu), value);
  return value[0];
}

struct Place {
  unsigned row, column;
};

/// Where element i of the accumulator in a lane is.
Place quad_accumulator_place(Format format, unsigned lane, unsigned i) {
  const unsigned below = lane < 16 ? 0 : 4;
  if (format == Format::f16) return {lane % 4 + below, i};
  return {(lane & 1) + (i & 2) + below, (i & 4) + (lane & 2) + (i & 1)};
}

const Op* multiply_quads(const Op* op, Context& context) {
  const Product product = product_of(*op);
  const unsigned d_registers = product.d == Format::f16 ? 4 : 8, c_registers = product.c == Format::f16 ? 4 : 8;
  const Operands operands = operand_slots(*op, d_registers, 2, 2, c_registers);
  return each_whole_warp(op, context, [&](unsigned warp, std::uint32_t mask) {
    alignas(64) float a[4][8 * 4], b[4][4 * 8], c[4][8 * 8];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned quad = lane % 16 / 4, below = lane < 16 ? 0 : 4, own = lane % 4;
      for (unsigned i = 0; i < 4; ++i) {
        const float a_value = half_in(register_lanes<std::uint32_t>(context, operands.a[i / 2], warp), lane, i % 2);
        const float b_value = half_in(register_lanes<std::uint32_t>(context, operands.b[i / 2], warp), lane, i % 2);
        const bool a_by_column = (product.flags & kColumnMajorA) != 0, b_by_column = (product.flags & kColumnMajorB) != 0;
        a[quad][(a_by_column ? i + below : own + below) * 4 + (a_by_column ? own : i)] = a_value;
        b[quad][(b_by_column ? i : own) * 8 + (b_by_column ? own + below : i + below)] = b_value;
      }
      for (unsigned i = 0; i < 8; ++i) {
        const Place place = quad_accumulator_place(product.c, lane, i);
        c[quad][place.row * 8 + place.column] =
            product.c == Format::f16 ? half_in(register_lanes<std::uint32_t>(context, operands.c[i / 2], warp), lane, i % 2)
                                     : register_lanes<float>(context, operands.c[i], warp)[lane];
      }
    }
    for (unsigned quad = 0; quad < 4; ++quad) multiply_8x8(a[quad], 4, b[quad], 8, c[quad], 8, 4);
    alignas(64) std::uint32_t results[8][kLanes]{};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      F32x8 values;
      for (unsigned i = 0; i < 8; ++i) {
        const Place place = quad_accumulator_place(product.d, lane, i);
        values[i] = c[lane % 16 / 4][place.row * 8 + place.column];
      }
      U32x8 bits;
      if (product.d == Format::f16) {
        float_to_halves(values, bits);
        for (unsigned i = 0; i < 8; ++i) results[i / 2][lane] |= bits[i] << (16 * (i % 2));
      } else {
        canonical_nan(values);
        std::memcpy(&bits, &values, sizeof bits);
        for (unsigned i = 0; i < 8; ++i) results[i][lane] = bits[i];
      }
    }
    for (unsigned i = 0; i < d_registers; ++i) write_register(context, operands.d[i], warp, mask, results[i]);
  });
}

// ---- selection -------------------------------------------------------------------------------------------------------

struct Shape {
  Modifier modifier;
  std::uint8_t rows;
  std::uint16_t depth;
};
constexpr Shape kShapes[] = {
    {Modifier::m8n8k4, 8, 4},      {Modifier::m8n8k16, 8, 16},    {Modifier::m8n8k32, 8, 32},    {Modifier::m8n8k128, 8, 128},
    {Modifier::m16n8k4, 16, 4},    {Modifier::m16n8k8, 16, 8},    {Modifier::m16n8k16, 16, 16},  {Modifier::m16n8k32, 16, 32},
    {Modifier::m16n8k64, 16, 64},  {Modifier::m16n8k128, 16, 128}, {Modifier::m16n8k256, 16, 256},
};

const Shape* shape_of(const ptx::Instruction& instruction) {
  for (const Shape& shape : kShapes) {
    if (instruction.has(shape.modifier)) return &shape;
  }
  return nullptr;
}

Handler handler_of(const ptx::Instruction& instruction, Format a) {
  switch (a) {
    case Format::f64: return multiply_doubles;
    case Format::b1: return instruction.has(Modifier::and_) ? multiply_bits<true> : multiply_bits<false>;
    case Format::s8:
    case Format::u8:
    case Format::s4:
    case Format::u4: return multiply_integers;
    case Format::f32:
    case Format::s32: return nullptr;
    default: return multiply_floats;
  }
}

}  // namespace

Selected select_matrix_mma(const ptx::Instruction& instruction, const ptx::Function&) {
  if (instruction.operation != ptx::Operation::mma) return {};
  const Shape* const shape = shape_of(instruction);
  // Block scaling and the formats of 4 and 6 bits belong to later targets.
  if (shape == nullptr || instruction.type_count != 4 || instruction.has(Modifier::block_scale)) return {};
  Product product{};
  product.d = format_of(instruction.type(0));
  product.a = format_of(instruction.type(1));
  product.b = format_of(instruction.type(2));
  product.c = format_of(instruction.type(3));
  product.flags = flags_of(instruction);
  product.row_parts = static_cast<std::uint8_t>(shape->rows / 8);
  product.column_parts = 1;
  const unsigned width = 4 * elements_per_word(product.a);
  if (elements_per_word(product.b) * 4 != width) return {};
  const bool quads = product.a == Format::f16 && shape->modifier == Modifier::m8n8k4;
  if (!quads && (shape->depth % width != 0 || shape->depth > 4 * width)) return {};
  product.k_parts = static_cast<std::uint8_t>(shape->depth / width);
  Selected selected;
  selected.run = quads ? multiply_quads : handler_of(instruction, product.a);
#if BASCULE_CPU_LEVEL >= 3
  if (!quads && product.c == Format::f32 && product.d == Format::f32) {
    if (product.a == Format::f16) selected.run = halves_handler<Format::f16>(product);
    if (product.a == Format::bf16) selected.run = halves_handler<Format::bf16>(product);
  }
#endif
  std::memcpy(&selected.immediate, &product, sizeof product);
  return selected;
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
