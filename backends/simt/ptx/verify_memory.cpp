// Rules of instructions that access memory or take addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/verify_rules.hpp"

namespace bascule::simt::ptx {
namespace {

using Kind = Operand::Kind;

Space family(Space space) {
  return is_shared(space) ? Space::shared : space;
}

const Variable& variable_of(const VerifyInput& input, const Operand& operand) {
  return operand.local_symbol ? input.function.variables[operand.index] : input.module.variables[operand.index];
}

bool is_parameter(const VerifyInput& input, const Operand& operand) {
  const std::size_t results = input.function.results.size();
  return operand.local_symbol && operand.index >= results && operand.index < results + input.function.parameters.size();
}

Result verify_caching(const VerifyInput& input) {
  const Space space = input.instruction.space();
  const bool hints =
      has_any(input.instruction, {Modifier::L2_cache_hint, Modifier::L2_64B, Modifier::L2_128B, Modifier::L2_256B});
  if (space == Space::generic || space == Space::global) return std::nullopt;
  if (hints) return problem("hints for the L2 cache are for .global, not for ." + std::string(name_of(space)));
  const bool priority = has_any(input.instruction, {Modifier::L1_evict_normal, Modifier::L1_evict_unchanged, Modifier::L1_evict_first,
                                                    Modifier::L1_evict_last, Modifier::L1_no_allocate});
  if (priority) return problem("eviction priorities are for .global, not for ." + std::string(name_of(space)));
  return std::nullopt;
}

}  // namespace

Result verify_address(const VerifyInput& input, const Operand& address, Space space, std::uint64_t bytes) {
  if (address.base_kind == Kind::reg) {
    const bool narrow = bits_of(input.function.registers[address.index].type) == 32;
    if (narrow && (space == Space::generic || space == Space::global)) {
      return problem("an address in " + (space == Space::generic ? std::string("no named space") : ".global") +
                         " is 64 bits wide, the register 32",
                     "use a 64-bit register", address.location);
    }
    return std::nullopt;
  }
  if (address.base_kind != Kind::symbol) return std::nullopt;
  const Variable& variable = variable_of(input, address);
  if (space != Space::generic && family(space) != family(variable.space)) {
    return problem("'" + variable.name + "' is in ." + std::string(name_of(variable.space)) + ", not in ." +
                       std::string(name_of(space)),
                   {}, address.location);
  }
  if (bytes != 0 && variable.space == Space::param && input.function.entry && is_parameter(input, address)) {
    const Variable& last = input.function.parameters.back();
    const auto begin = static_cast<std::int64_t>(variable.offset) + address.offset;
    if (begin < 0 || static_cast<std::uint64_t>(begin) + bytes > last.offset + last.bytes) {
      return problem(
          "the access reaches beyond the parameters, which have " + std::to_string(last.offset + last.bytes) + " bytes",
          {}, address.location);
    }
  }
  return std::nullopt;
}

Result verify_atomic(const VerifyInput& input, std::size_t position) {
  if (auto found = verify_caching(input)) return found;
  return verify_address(input, operand(input, position), input.instruction.space(), 0);
}

Result verify_access(const VerifyInput& input, std::size_t position) {
  const Instruction& instruction = input.instruction;
  const Type type = instruction.type();
  const unsigned bits = bits_of(type) * instruction.vector;
  const bool wide = bits == 256 && instruction.vector >= 4 && kind_of(type) != 'x';
  if (instruction.vector > 1 && bits > 128 && !wide) {
    return problem("a vector of " + std::to_string(bits) + " bits; at most 128 are accessed at once");
  }
  if (wide) {
    const Requirement needed = Requirement::parse("88/100");
    if (!needed.met(input.platform)) return problem("an access of 256 bits " + needed.explain(input.platform));
    if (instruction.space() != Space::global && instruction.space() != Space::generic) {
      return problem("an access of 256 bits is for .global only");
    }
  } else if (instruction.vector == 8 && bits_of(type) == 32 && instruction.operation != Operation::red) {
    return problem("'.v8' is for 32-bit types in .global");
  }
  if (!wide && has_any(instruction, {Modifier::L2_evict_normal, Modifier::L2_evict_first, Modifier::L2_evict_last})) {
    return problem("an L2 eviction priority is for accesses of 256 bits (.v8.b32, .v4.b64)");
  }
  if (auto found = verify_caching(input)) return found;
  const Operand& address = operand(input, position);
  const Space space = instruction.space();
  if (auto found = verify_address(input, address, space, bits / 8)) return found;
  const bool store = instruction.operation == Operation::st;
  if (input.param_entry && !input.function.entry) return problem("'.param::entry' is for kernels", "use .param::func");
  if (space == Space::param && address.base_kind == Kind::symbol) {
    if (input.param_func && input.function.entry && is_parameter(input, address)) {
      return problem("the parameters of a kernel are in .param::entry", {}, address.location);
    }
    if (store && is_parameter(input, address)) {
      return problem("'" + variable_of(input, address).name + "' is a parameter, which cannot be written", {},
                     address.location);
    }
  }
  return std::nullopt;
}

Result verify_symbol(const VerifyInput& input) {
  const Operand& source = operand(input, 1);
  const Instruction& instruction = input.instruction;
  if (bits_of(instruction.type()) * instruction.vector > 128) return problem("at most 128 bits are moved at once");
  if (source.kind == Kind::function) {
    if (instruction.operation != Operation::mov || bits_of(instruction.type()) != 64) {
      return problem("the address of a function is moved with mov.u64 or mov.b64", {}, source.location);
    }
    return std::nullopt;
  }
  if (source.kind != Kind::symbol) return std::nullopt;
  const Variable& variable = variable_of(input, source);
  const Space space = variable.space;
  if (instruction.operation == Operation::mov) {
    const bool far = space == Space::global || space == Space::constant;
    if (bits_of(instruction.type()) == 32 && far) {
      return problem("the address of '" + variable.name + "' has 64 bits", "use mov.u64", source.location);
    }
    return std::nullopt;
  }
  if (family(instruction.space()) != family(space)) {
    return problem("'" + variable.name + "' is in ." + std::string(name_of(space)) + ", not in ." +
                       std::string(name_of(instruction.space())),
                   {}, source.location);
  }
  return std::nullopt;
}

Result verify_cvta(const VerifyInput& input) {
  if (bits_of(input.instruction.type()) != 64) return problem("addresses have 64 bits", "use cvta...u64");
  return verify_symbol(input);
}

Result verify_mbarrier_arrive(const VerifyInput& input) {
  if (input.instruction.space() == Space::shared_cluster && operand(input, 0).kind != Kind::sink) {
    return problem("arriving at another block's mbarrier gives no state", "write _ as the destination",
                   operand(input, 0).location);
  }
  return verify_address(input, operand(input, 1), input.instruction.space(), 8);
}

Result verify_cp_async(const VerifyInput& input) {
  const Operand& bytes = operand(input, 2);
  const bool global = input.instruction.has(Modifier::cg);
  if (global ? bytes.bits != 16 : (bytes.bits != 4 && bytes.bits != 8 && bytes.bits != 16)) {
    return problem(global ? "'cp.async.cg' copies 16 bytes" : "'cp.async.ca' copies 4, 8 or 16 bytes", {},
                   bytes.location);
  }
  if (auto found = verify_address(input, operand(input, 0), input.instruction.space(0), 0)) return found;
  return verify_address(input, operand(input, 1), input.instruction.space(1), 0);
}

}  // namespace bascule::simt::ptx
