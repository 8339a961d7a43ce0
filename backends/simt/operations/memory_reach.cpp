// See memory_reach.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/memory_reach.hpp"

#include <fmt/format.h>

#include "backends/simt/execute/services.hpp"

namespace bascule::simt {
namespace {

std::string_view verb(const Op* op) {
  if (op->instruction == nullptr) return "access";
  switch (op->instruction->operation) {
    case ptx::Operation::ld:
    case ptx::Operation::ldu:
      return "load";
    case ptx::Operation::st:
      return "store";
    case ptx::Operation::atom:
    case ptx::Operation::red:
      return "atomic operation";
    default:
      return name_of(op->instruction->operation);
  }
}

bool misaligned(const Op* op, Context& context, unsigned warp, unsigned lane, std::uint64_t address, const Access& access) {
  fail(op, context, warp, lane, "misaligned",
       fmt::format("{} of {} bytes at address {:#x}, which is not a multiple of {}", verb(op), access.bytes, address,
                   access.alignment));
  return false;
}

/// A window of memory in which addresses must lie.
struct Window {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
  std::byte* host = nullptr;
  std::string_view name;
};

bool outside(const Op* op, Context& context, unsigned warp, unsigned lane, std::uint64_t address, const Access& access,
             const Window& window) {
  Block& block = *context.group->block;
  const bool of_peer = access.where == Where::shared && window.first == shared_window(block) &&
                       peer(block, address >> kSharedWindowBits) != nullptr && address >> kSharedWindowBits != block.cluster_rank;
  fail(op, context, warp, lane, "out_of_bounds",
       fmt::format("{} of {} bytes at address {:#x} is outside of {}, which has {} bytes from {:#x}{}", verb(op), access.bytes,
                   address, window.name, window.bytes, window.first,
                   of_peer ? "; memory of other blocks of the cluster is reached by .shared::cluster" : ""));
  return false;
}

/// Whose shared memory an address means that is not in the window of the own block. The window of rank 0 starts at 0, so that
/// for instructions of the own block only (.shared::cta), a small address can't but be an offset.
Window other_shared_window(const Op* op, Block& own, std::uint64_t address) {
  if (op->instruction != nullptr && op->instruction->space() == ptx::Space::shared_cluster) {
    Block* const block = peer(own, address >> kSharedWindowBits);
    if (block == nullptr || block == &own) return {};
    return {shared_window(*block), block->shared_bytes, block->shared, "the shared memory of another block of the cluster"};
  }
  return address < own.shared_bytes ? Window{0, own.shared_bytes, own.shared, "the block's shared memory"} : Window{};
}

Window window_of(const Context& context, unsigned warp, unsigned lane, Where where) {
  const Group& group = *context.group;
  const Block& block = *group.block;
  switch (where) {
    case Where::shared:
      return {shared_window(block), block.shared_bytes, block.shared, "the block's shared memory"};
    case Where::constant:
      return {block.services->constants, block.services->constant_bytes,
              reinterpret_cast<std::byte*>(block.services->constants), "the module's constants"};
    case Where::parameter:
      return {block.services->arguments, block.services->argument_bytes,
              reinterpret_cast<std::byte*>(block.services->arguments), "the kernel's parameters"};
    case Where::local:
      return {0, group.local_bytes, group.local_of(warp, lane), "the thread's local memory"};
    case Where::frame: {
      std::byte* const memory = group.local_of(warp, lane);
      return {reinterpret_cast<std::uintptr_t>(memory), group.local_bytes, memory, "the thread's local memory"};
    }
    case Where::host:
      break;
  }
  return {};
}

}  // namespace

bool reach(const Op* op, Context& context, unsigned warp, std::uint32_t mask, const AddressLanes& base, const Access& access,
           std::array<std::byte*, kLanes>& out) {
  const bool by_lane = access.where == Where::local || access.where == Where::frame;
  Window window = window_of(context, warp, 0, access.where);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint64_t address = base[lane];
    if ((address & (access.alignment - 1)) != 0) return misaligned(op, context, warp, lane, address, access);
    if (access.where == Where::host) {
      out[lane] = reinterpret_cast<std::byte*>(address);
      continue;
    }
    if (by_lane) window = window_of(context, warp, lane, access.where);
    const auto lies_in = [&](const Window& in) {
      const std::uint64_t inside = address - in.first;
      return inside <= in.bytes && in.bytes - inside >= access.bytes;
    };
    const Window* in = &window;
    Window other;
    if (access.where == Where::shared && !lies_in(window)) {
      other = other_shared_window(op, *context.group->block, address);
      if (other.host != nullptr) in = &other;
    }
    if (!lies_in(*in)) return outside(op, context, warp, lane, address, access, *in);
    out[lane] = in->host + (address - in->first);
  }
  return true;
}

Where where_of(const ptx::Instruction& instruction, const ptx::Function& function, std::size_t position, ptx::Space space) {
  switch (space) {
    case ptx::Space::shared:
    case ptx::Space::shared_cta:
    case ptx::Space::shared_cluster:
      return Where::shared;
    case ptx::Space::local:
      return Where::local;
    case ptx::Space::constant:
      return Where::constant;
    case ptx::Space::param: {
      // A kernel's own parameters lie in the launch's arguments; those of functions and calls in local memory.
      const ptx::Operand& address = function.operand(instruction, position);
      const bool own = function.entry && (address.base_kind != ptx::Operand::Kind::symbol ||
                                          address.index < function.parameters.size());
      return own ? Where::parameter : Where::frame;
    }
    default:
      return Where::host;
  }
}

bool is_wide(const ptx::Function& function, const ptx::Operand& address) {
  if (address.base_kind != ptx::Operand::Kind::reg) return true;
  return bits_of(function.registers[address.index].type) == 64;
}

unsigned slot_bytes(const ptx::Function& function, const ptx::Operand& operand, ptx::Type type) {
  if (operand.kind != ptx::Operand::Kind::reg) return bits_of(type) / 8;
  const unsigned bits = bits_of(function.registers[operand.index].type);
  return bits == 1 ? 0 : bits / 8;
}

}  // namespace bascule::simt
