// Rules of single instructions that the table of forms does not express.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/verify_rules.hpp"

#include <string_view>

namespace bascule::simt::ptx {
namespace {

using Kind = Operand::Kind;

bool is_float(Type type) {
  const char kind = kind_of(type);
  return kind == 'f' || (kind == 'x' && type != Type::u16x2 && type != Type::s16x2);
}

// ---- comparison ----------------------------------------------------------------------------------------------------

Result verify_comparison(const VerifyInput& input) {
  const Instruction& instruction = input.instruction;
  const Type type = instruction.type(instruction.operation == Operation::set ? 1 : 0);
  const Modifier comparison = instruction.modifiers[0];
  const std::string what =
      "'." + std::string(name_of(comparison)) + "' does not compare ." + std::string(name_of(type));
  switch (comparison) {
    case Modifier::eq:
    case Modifier::ne:
      return std::nullopt;
    case Modifier::lt:
    case Modifier::le:
    case Modifier::gt:
    case Modifier::ge:
      if (kind_of(type) == 'b')
        return problem(what, "untyped bits are compared with eq and ne; name a type to order them");
      return std::nullopt;
    case Modifier::lo:
    case Modifier::ls:
    case Modifier::hi:
    case Modifier::hs:
      if (kind_of(type) != 'u') return problem(what, "lo, ls, hi and hs order unsigned integers");
      return std::nullopt;
    default:
      if (!is_float(type)) return problem(what, "it is for floating point");
      return std::nullopt;
  }
}

// ---- conversion ----------------------------------------------------------------------------------------------------

enum class Rounding { none, to_integer, optional_to_integer, to_float, optional_to_float };

Rounding rounding_of(Type to, Type from) {
  const bool float_to = is_float(to), float_from = is_float(from);
  if (!float_to && !float_from) return Rounding::none;
  if (!float_to) return Rounding::to_integer;
  if (!float_from) return Rounding::to_float;
  if (to == from) return Rounding::optional_to_integer;
  if (bits_of(to) == bits_of(from)) return Rounding::optional_to_float;
  return bits_of(to) < bits_of(from) ? Rounding::to_float : Rounding::none;
}

// The general form between integers and f16, bf16, f32, f64; the forms of narrower types say themselves what they need.
Result verify_cvt(const VerifyInput& input) {
  const Instruction& instruction = input.instruction;
  const Type to = instruction.type(0), from = instruction.type(1);
  const auto general = [](Type type) {
    return kind_of(type) == 'u' || kind_of(type) == 's' || type == Type::f16 || type == Type::bf16 ||
           type == Type::f32 || type == Type::f64;
  };
  if (!general(to) || !general(from)) return std::nullopt;
  const bool integer = has_any(instruction, {Modifier::rni, Modifier::rzi, Modifier::rmi, Modifier::rpi});
  const bool real = has_any(instruction, {Modifier::rn, Modifier::rz, Modifier::rm, Modifier::rp});
  const std::string pair = "from ." + std::string(name_of(from)) + " to ." + std::string(name_of(to));
  switch (rounding_of(to, from)) {
    case Rounding::none:
      if (integer || real) return problem("'cvt' " + pair + " does not round", "leave the rounding out");
      break;
    case Rounding::to_integer:
      if (!integer) return problem("'cvt' " + pair + " needs a rounding to integer", "use .rzi, .rni, .rmi or .rpi");
      break;
    case Rounding::optional_to_integer:
      if (real) return problem("'cvt' " + pair + " rounds to integers only", "use .rzi, .rni, .rmi or .rpi, or none");
      break;
    case Rounding::to_float:
      if (!real) return problem("'cvt' " + pair + " needs a rounding", "use .rn, .rz, .rm or .rp");
      break;
    case Rounding::optional_to_float:
      if (integer) return problem("'cvt' " + pair + " does not round to integers");
      break;
  }
  if (instruction.has(Modifier::ftz) && to != Type::f32 && from != Type::f32) {
    return problem("'.ftz' has no meaning in 'cvt' " + pair, "it is for .f32");
  }
  return std::nullopt;
}

// ---- synchronisation -----------------------------------------------------------------------------------------------

Result verify_barrier(const VerifyInput& input) {
  const std::size_t number = input.instruction.destinations;
  const Operand& barrier = operand(input, number);
  if (barrier.kind == Kind::immediate && barrier.bits > 15) {
    return problem("there are barriers 0 to 15", {}, barrier.location);
  }
  if (operand_count(input) <= number + 1) return std::nullopt;
  const Operand& threads = operand(input, number + 1);
  if (threads.kind == Kind::immediate && (threads.bits % 32 != 0 || threads.bits == 0)) {
    return problem("the number of threads at a barrier is a multiple of 32", {}, threads.location);
  }
  return std::nullopt;
}

Result verify_removed(const VerifyInput& input) {
  if (input.platform.version < 64 || input.platform.target.number < 70) return std::nullopt;
  return problem(
      quoted(input.instruction) + " without .sync does not exist for sm_70 and later from PTX 6.4 on",
      "use " + std::string(name_of(input.instruction.operation)) + ".sync with a mask of the lanes that take part");
}

Result verify_range(const VerifyInput& input, std::uint64_t lowest, std::uint64_t highest, std::uint64_t multiple) {
  const Operand& value = operand(input, 0);
  if (value.kind != Kind::immediate) return std::nullopt;
  if (value.bits >= lowest && value.bits <= highest && value.bits % multiple == 0) return std::nullopt;
  std::string text = "the operand of " + quoted(input.instruction) + " is from " + std::to_string(lowest) + " to " +
                     std::to_string(highest);
  if (multiple != 1) text += " and a multiple of " + std::to_string(multiple);
  return problem(std::move(text), {}, value.location);
}

// ---- matrices and tensors ------------------------------------------------------------------------------------------

// m64nNkK: each of the 128 threads holds N/2 elements of 64 x N; f16 ones two to a register.
Result verify_wgmma(const VerifyInput& input) {
  const Instruction& instruction = input.instruction;
  std::size_t n = 0;
  for (std::size_t i = 0; i < instruction.modifier_count && n == 0; ++i) {
    const std::string_view name = name_of(instruction.modifiers[i]);
    if (!name.starts_with("m64n")) continue;
    for (const char c : name.substr(4)) {
      if (c == 'k') break;
      n = n * 10 + static_cast<std::size_t>(c - '0');
    }
  }
  const Operand& accumulator = operand(input, 0);
  const std::size_t wanted = instruction.type() == Type::f16 ? n / 4 : n / 2;
  if (accumulator.count == wanted) return std::nullopt;
  return problem("the accumulator has " + std::to_string(accumulator.count) + " registers; this shape has " +
                     std::to_string(wanted),
                 {}, accumulator.location);
}

Result verify_tensor(const VerifyInput& input) {
  std::size_t dimensions = 0;
  constexpr Modifier kDimensions[] = {Modifier::dim1, Modifier::dim2, Modifier::dim3, Modifier::dim4, Modifier::dim5};
  for (std::size_t i = 0; i < std::size(kDimensions); ++i) {
    if (input.instruction.has(kDimensions[i])) dimensions = i + 1;
  }
  const bool rows = has_any(input.instruction, {Modifier::tile_gather4, Modifier::tile_scatter4});
  const std::size_t wanted = rows ? 5 : dimensions;
  for (std::size_t i = 0; i < operand_count(input); ++i) {
    const Operand& coordinates = operand(input, i);
    if (coordinates.kind != Kind::vector) continue;
    if (coordinates.count == wanted) return std::nullopt;
    return problem(
        "there are " + std::to_string(coordinates.count) + " coordinates; this form has " + std::to_string(wanted), {},
        coordinates.location);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> verify(const VerifyInput& input) {
  switch (input.instruction.operation) {
    case Operation::set:
    case Operation::setp:
      return verify_comparison(input);
    case Operation::cvt:
      return verify_cvt(input);
    case Operation::ld:
    case Operation::ldu:
      return verify_access(input, 1);
    case Operation::st:
      return verify_access(input, 0);
    case Operation::atom:
      return verify_atomic(input, 1);
    case Operation::red:
      return verify_atomic(input, 0);
    case Operation::mov:
      return verify_symbol(input);
    case Operation::cvta:
      return verify_cvta(input);
    case Operation::mapa:
    case Operation::getctarank:
      return verify_symbol(input);
    case Operation::shfl:
    case Operation::vote:
      return verify_removed(input);
    case Operation::bar_sync:
    case Operation::bar_arrive:
    case Operation::bar_red:
    case Operation::barrier_sync:
    case Operation::barrier_arrive:
    case Operation::barrier_red:
      return verify_barrier(input);
    case Operation::mbarrier_arrive:
    case Operation::mbarrier_arrive_drop:
      return verify_mbarrier_arrive(input);
    case Operation::mbarrier_init:
    case Operation::mbarrier_inval:
      return verify_address(input, operand(input, 0), input.instruction.space(), 8);
    case Operation::mbarrier_test_wait:
    case Operation::mbarrier_try_wait:
      return verify_address(input, operand(input, 1), input.instruction.space(), 8);
    case Operation::cp_async:
      return verify_cp_async(input);
    case Operation::pmevent:
      return input.instruction.has(Modifier::mask) ? std::nullopt : verify_range(input, 0, 15, 1);
    case Operation::setmaxnreg:
      return verify_range(input, 24, 256, 8);
    case Operation::wgmma_mma_async:
    case Operation::wgmma_mma_async_sp:
      return verify_wgmma(input);
    case Operation::cp_async_bulk_tensor:
    case Operation::cp_async_bulk_prefetch_tensor:
    case Operation::cp_reduce_async_bulk_tensor:
      return verify_tensor(input);
    default:
      return std::nullopt;
  }
}

}  // namespace bascule::simt::ptx
