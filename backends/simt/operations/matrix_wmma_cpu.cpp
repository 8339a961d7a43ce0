// wmma.load, wmma.mma, wmma.store. PTX leaves open where a fragment keeps which element; here the registers of a fragment, one
// after the other and each in the order of lanes, are the matrix by rows (B of 4-bit and 1-bit elements: by columns). Fragments
// of f16 multiplicands have eight registers whatever their shape; where these are more than the matrix needs, it is repeated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cfenv>

#include "backends/simt/execute/select.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/matrix_in_memory.hpp"
#include "backends/simt/operations/matrix_multiply.hpp"
#include "backends/simt/operations/matrix_operation.hpp"
#include "backends/simt/operations/memory_lanes.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

constexpr unsigned kMaxFragmentBytes = 1024;

/// Host addresses of a matrix's lines (rows or columns, as memory has them).
struct Lines {
  std::byte* at[32];  // the longest side
  unsigned count = 0, bytes = 0;
};

template <class A, Where where>
bool find_lines(const Op* op, Context& context, unsigned warp, unsigned lane, Slot address, Slot stride_slot,
                const MatrixInMemory& fragment, Lines& lines) {
  lines.count = fragment.lines;
  lines.bytes = fragment.line_bytes;
  const std::uint64_t stride =
      stride_slot == kNoSlot ? fragment.line_elements : register_lanes<std::uint32_t>(context, stride_slot, warp)[lane];
  const unsigned alignment = fragment.alignment;
  const A* const base = register_lanes<A>(context, address, warp);
  AddressLanes addresses = address_lanes(base, *op);
  for (unsigned i = 0; i < lines.count; ++i) {
    lines.at[i] = reach_one<where>(context, addresses[lane], lines.bytes, alignment);
    if (lines.at[i] == nullptr) [[unlikely]] {
      std::array<std::byte*, kLanes> out;
      return reach(op, context, warp, 1u << lane, addresses, Access{where, lines.bytes, alignment}, out);
    }
    addresses.offset += stride * fragment.bits / 8;
  }
  return true;
}

/// Moves between the lines of a matrix in memory and `image`, its elements by rows.
template <class T>
void move_across(const Lines& lines, const MatrixInMemory& fragment, std::byte* image, bool store) {
  for (unsigned column = 0; column < fragment.columns; ++column) {
    for (unsigned row = 0; row < fragment.rows; ++row) {
      std::byte* const memory = lines.at[column] + row * sizeof(T);
      std::byte* const element = image + (row * fragment.columns + column) * sizeof(T);
      T value;
      if (store) {
        std::memcpy(&value, element, sizeof value);
        guest_store(memory, value);
      } else {
        value = guest_load<T>(memory);
        std::memcpy(element, &value, sizeof value);
      }
    }
  }
}

void move_matrix(const Lines& lines, const MatrixInMemory& fragment, std::byte* image, bool store) {
  if (fragment.lines_are_rows) {
    for (unsigned i = 0; i < lines.count; ++i) {
      if (store) guest_write(lines.at[i], image + i * lines.bytes, lines.bytes);
      if (!store) guest_read(image + i * lines.bytes, lines.at[i], lines.bytes);
    }
    return;
  }
  switch (fragment.bits) {
    case 8: return move_across<std::uint8_t>(lines, fragment, image, store);
    case 16: return move_across<std::uint16_t>(lines, fragment, image, store);
    case 32: return move_across<std::uint32_t>(lines, fragment, image, store);
    default: return move_across<std::uint64_t>(lines, fragment, image, store);
  }
}

void write_fragment(const Context& context, const Slot* slots, unsigned warp, std::uint32_t mask, const MatrixInMemory& fragment,
                    std::byte* image) {
  const unsigned bytes = fragment.matrix_bytes, whole = fragment.registers * fragment.register_bytes;
  for (unsigned filled = bytes; filled < whole; filled += bytes) std::memcpy(image + filled, image, bytes);
  for (unsigned i = 0; i < fragment.registers; ++i) {
    const std::byte* const part = image + i * fragment.register_bytes;
    if (fragment.bits == 64) {
      write_register(context, slots[i], warp, mask, reinterpret_cast<const std::uint64_t*>(part));
    } else {
      write_register(context, slots[i], warp, mask, reinterpret_cast<const std::uint32_t*>(part));
    }
  }
}

/// The first `bytes` bytes of a fragment's image.
void read_fragment(const Context& context, const Slot* slots, unsigned warp, unsigned register_bytes, unsigned bytes,
                   std::byte* image) {
  for (unsigned done = 0; done < bytes; done += register_bytes) {
    std::memcpy(image + done, register_lanes<std::byte>(context, *slots++, warp), register_bytes);
  }
}

/// d..., address, stride
template <class A, Where where>
const Op* load(const Op* op, Context& context) {
  if (!whole_warps_have_come(op, context)) [[unlikely]] return await_whole_warps(op, context);
  const MatrixInMemory fragment = matrix_in_memory(*op->instruction);
  const Slot* const slots = slots_of(*op, fragment.registers + 2);
  Mask mask(*op, context);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) {
    const std::uint32_t lanes = mask.lanes();
    if (lanes == 0) continue;
    Lines lines;
    if (!find_lines<A, where>(op, context, warp, static_cast<unsigned>(__builtin_ctz(lanes)), slots[fragment.registers],
                              slots[fragment.registers + 1], fragment, lines)) {
      return nullptr;
    }
    alignas(64) std::byte image[kMaxFragmentBytes];
    move_matrix(lines, fragment, image, false);
    write_fragment(context, slots, warp, lanes, fragment, image);
  }
  return op + 1;
}

/// address, d..., stride
template <class A, Where where>
const Op* store(const Op* op, Context& context) {
  if (!whole_warps_have_come(op, context)) [[unlikely]] return await_whole_warps(op, context);
  const MatrixInMemory fragment = matrix_in_memory(*op->instruction);
  const Slot* const slots = slots_of(*op, fragment.registers + 2);
  Mask mask(*op, context);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) {
    const std::uint32_t lanes = mask.lanes();
    if (lanes == 0) continue;
    Lines lines;
    if (!find_lines<A, where>(op, context, warp, static_cast<unsigned>(__builtin_ctz(lanes)), slots[0],
                              slots[fragment.registers + 1], fragment, lines)) {
      return nullptr;
    }
    alignas(64) std::byte image[kMaxFragmentBytes];
    read_fragment(context, slots + 1, warp, fragment.register_bytes, fragment.matrix_bytes, image);
    move_matrix(lines, fragment, image, true);
  }
  return op + 1;
}

// ---- products --------------------------------------------------------------------------------------------------------

struct Sizes {
  unsigned m, n, k;
};
Sizes sizes_of(const Product& product) { return {product.row_parts * 8u, product.column_parts * 8u, product.k_parts}; }

unsigned registers_of(Format format, unsigned elements, bool multiplicand) {
  if (format == Format::f64) return elements / kLanes;
  if (multiplicand && format == Format::f16) return 8;
  return elements / elements_per_word(format) / kLanes;
}

Operands operands_of(const Op& op, const Product& product) {
  const Sizes sizes = sizes_of(product);
  return operand_slots(op, registers_of(product.d, sizes.m * sizes.n, false), registers_of(product.a, sizes.m * sizes.k, true),
                     registers_of(product.b, sizes.k * sizes.n, true), registers_of(product.c, sizes.m * sizes.n, false));
}

constexpr unsigned kMaxElements = 512;

void widen_fragment(const Context& context, const Slot* slots, unsigned warp, Format format, unsigned elements, float* to) {
  const unsigned words = elements / elements_per_word(format);
  alignas(64) std::uint32_t image[kMaxFragmentBytes / 4];
  read_fragment(context, slots, warp, kLanes * 4, words * 4, reinterpret_cast<std::byte*>(image));
  switch (format) {
    case Format::f16: return widen<Format::f16>(image, words, to);
    case Format::bf16: return widen<Format::bf16>(image, words, to);
    case Format::tf32: return widen<Format::tf32>(image, words, to);
    case Format::s8: return widen<Format::s8>(image, words, to);
    case Format::u8: return widen<Format::u8>(image, words, to);
    case Format::s4: return widen<Format::s4>(image, words, to);
    case Format::u4: return widen<Format::u4>(image, words, to);
    default: std::memcpy(to, image, words * 4);
  }
}

/// c = a b + c, by rows.
void multiply_fragments(const Context& context, const Operands& operands, unsigned warp, const Product& product, float* c) {
  const Sizes sizes = sizes_of(product);
  alignas(64) float a[kMaxElements], b[kMaxElements];
  widen_fragment(context, operands.a, warp, product.a, sizes.m * sizes.k, a);
  widen_fragment(context, operands.b, warp, product.b, sizes.k * sizes.n, b);
  if (product.b == Format::s4 || product.b == Format::u4) {
    alignas(64) float by_columns[kMaxElements];
    std::memcpy(by_columns, b, sizeof b);
    for (unsigned k = 0; k < sizes.k; ++k) {
      for (unsigned column = 0; column < sizes.n; ++column) b[k * sizes.n + column] = by_columns[column * sizes.k + k];
    }
  }
  for (unsigned row = 0; row < sizes.m; row += 8) {
    for (unsigned column = 0; column < sizes.n; column += 8) {
      multiply_8x8(a + row * sizes.k, sizes.k, b + column, sizes.n, c + row * sizes.n + column, sizes.n, sizes.k);
    }
  }
}

void write_floats(const Context& context, const Slot* slots, unsigned warp, std::uint32_t mask, Format format, unsigned elements,
                  const float* from) {
  alignas(64) std::uint32_t image[kMaxFragmentBytes / 4];
  for (unsigned i = 0; i < elements; i += 8) {
    F32x8 values;
    std::memcpy(&values, from + i, sizeof values);
    if (format == Format::f16) {
      U32x8 halves;
      float_to_halves(values, halves);
      const U16x8 packed = __builtin_convertvector(halves, U16x8);
      std::memcpy(image + i / 2, &packed, sizeof packed);
    } else {
      canonical_nan(values);
      std::memcpy(image + i, &values, sizeof values);
    }
  }
  const unsigned words = format == Format::f16 ? elements / 2 : elements;
  for (unsigned i = 0; i < words; i += kLanes) write_register(context, *slots++, warp, mask, image + i);
}

const Op* multiply_floats(const Op* op, Context& context) {
  const Product product = product_of(*op);
  const Operands operands = operands_of(*op, product);
  const Sizes sizes = sizes_of(product);
  return each_whole_warp(op, context, [&](unsigned warp, std::uint32_t mask) {
    alignas(64) float c[kMaxElements];
    widen_fragment(context, operands.c, warp, product.c, sizes.m * sizes.n, c);
    multiply_fragments(context, operands, warp, product, c);
    write_floats(context, operands.d, warp, mask, product.d, sizes.m * sizes.n, c);
  });
}

const Op* multiply_integers(const Op* op, Context& context) {
  const Product product = product_of(*op);
  const Operands operands = operands_of(*op, product);
  const Sizes sizes = sizes_of(product);
  return each_whole_warp(op, context, [&](unsigned warp, std::uint32_t mask) {
    alignas(64) float sums[kMaxElements]{};
    multiply_fragments(context, operands, warp, product, sums);
    alignas(64) std::int32_t c[kMaxElements];
    read_fragment(context, operands.c, warp, kLanes * 4, sizes.m * sizes.n * 4, reinterpret_cast<std::byte*>(c));
    for (unsigned i = 0; i < sizes.m * sizes.n; i += 8) {
      S32x8 accumulator;
      F32x8 sum;
      std::memcpy(&accumulator, c + i, sizeof accumulator);
      std::memcpy(&sum, sums + i, sizeof sum);
      add_product(accumulator, sum, (product.flags & kSaturate) != 0);
      std::memcpy(c + i, &accumulator, sizeof accumulator);
    }
    for (unsigned i = 0; i < sizes.m * sizes.n; i += kLanes) write_register(context, operands.d[i / kLanes], warp, mask, c + i);
  });
}

template <bool conjunction>
const Op* multiply_bits(const Op* op, Context& context) {
  const Operands operands = operands_of(*op, product_of(*op));
  return each_whole_warp(op, context, [&](unsigned warp, std::uint32_t mask) {
    const std::uint32_t* const a = register_lanes<std::uint32_t>(context, operands.a[0], warp);
    const std::uint32_t* const b = register_lanes<std::uint32_t>(context, operands.b[0], warp);
    alignas(64) std::uint32_t c[2 * kLanes];
    read_fragment(context, operands.c, warp, kLanes * 4, sizeof c, reinterpret_cast<std::byte*>(c));
    for (unsigned i = 0; i < 2 * kLanes; ++i) {
      for (unsigned word = 0; word < 4; ++word) {
        const std::uint32_t row = a[i / 8 * 4 + word], column = b[i % 8 * 4 + word];
        c[i] += static_cast<std::uint32_t>(__builtin_popcount(conjunction ? row & column : row ^ column));
      }
    }
    for (unsigned i = 0; i < 2; ++i) write_register(context, operands.d[i], warp, mask, c + i * kLanes);
  });
}

const Op* multiply_doubles(const Op* op, Context& context) {
  const Product product = product_of(*op);
  const Operands operands = operands_of(*op, product);
  constexpr int kRounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const int rounding = kRounding[product.flags >> kRoundingShift & 3];
  return each_whole_warp(op, context, [&](unsigned warp, std::uint32_t mask) {
    alignas(64) double c[2 * kLanes];
    read_fragment(context, operands.c, warp, kLanes * 8, sizeof c, reinterpret_cast<std::byte*>(c));
    if (rounding != FE_TONEAREST) std::fesetround(rounding);
    multiply_f64(register_lanes<double>(context, operands.a[0], warp), 4, register_lanes<double>(context, operands.b[0], warp), c,
                 8, 4);
    if (rounding != FE_TONEAREST) std::fesetround(FE_TONEAREST);
    for (unsigned i = 0; i < 2; ++i) write_register(context, operands.d[i], warp, mask, c + i * kLanes);
  });
}

// ---- selection -------------------------------------------------------------------------------------------------------

Handler product_handler(const ptx::Instruction& instruction, Format a) {
  switch (a) {
    case Format::f64: return multiply_doubles;
    case Format::b1: return instruction.has(Modifier::and_) ? multiply_bits<true> : multiply_bits<false>;
    case Format::s8:
    case Format::u8:
    case Format::s4:
    case Format::u4: return multiply_integers;
    // Clamping of results went with PTX 6.5, and nothing else of it is written down.
    default: return instruction.has(Modifier::satfinite) ? nullptr : multiply_floats;
  }
}

Selected select_product(const ptx::Instruction& instruction, const WmmaShape& shape) {
  Product product{};
  const bool short_form = instruction.type_count == 2;  // of f16 multiplicands: d and c
  if (!short_form && instruction.type_count != 4) return {};
  product.d = format_of(instruction.type(0));
  product.a = short_form ? Format::f16 : format_of(instruction.type(1));
  product.b = short_form ? Format::f16 : format_of(instruction.type(2));
  product.c = format_of(instruction.type(short_form ? 1 : 3));
  product.flags = flags_of(instruction);
  product.row_parts = static_cast<std::uint8_t>(shape.m / 8);
  product.column_parts = static_cast<std::uint8_t>(shape.n / 8);
  product.k_parts = shape.k;
  Selected selected;
  selected.run = product_handler(instruction, product.a);
  std::memcpy(&selected.immediate, &product, sizeof product);
  return selected;
}

template <class A>
Handler memory_handler(bool is_load, Where where) {
  if (where == Where::shared) return is_load ? load<A, Where::shared> : store<A, Where::shared>;
  return is_load ? load<A, Where::host> : store<A, Where::host>;
}

}  // namespace

Selected select_matrix_wmma(const ptx::Instruction& instruction, const ptx::Function& function) {
  const bool is_load = instruction.operation == Operation::wmma_load;
  if (!is_load && instruction.operation != Operation::wmma_store && instruction.operation != Operation::wmma_mma) return {};
  const WmmaShape* const shape = wmma_shape(instruction);
  if (shape == nullptr) return {};
  if (instruction.operation == Operation::wmma_mma) return select_product(instruction, *shape);
  const std::size_t position = is_load ? 1 : 0;
  const Where where = where_of(instruction, function, position, instruction.space());
  if (where != Where::shared && where != Where::host) return {};
  const bool wide = is_wide(function, function.operand(instruction, position));
  return {wide ? memory_handler<std::uint64_t>(is_load, where) : memory_handler<std::uint32_t>(is_load, where), 0, Layout::memory};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
