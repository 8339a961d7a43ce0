// cvta, isspacep, mapa, getctarank, createpolicy, st.bulk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/memory_address.hpp"

#include "backends/simt/execute/services.hpp"
#include "backends/simt/operations/memory_lanes.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Modifier;
using ptx::Operation;
using ptx::Space;

/// What must be added to an address in a block's shared memory to make it generic.
std::uint64_t shared_base(const Block& block) { return reinterpret_cast<std::uintptr_t>(block.shared) - shared_window(block); }
std::uint64_t shared_base(const Context& context) { return shared_base(*context.group->block); }

/// The same for an address in any block of the cluster; one in none's is taken as the own block's.
std::uint64_t base_of_window(Block& own, std::uint64_t address) {
  Block* const block = peer(own, address >> kSharedWindowBits);
  return shared_base(block != nullptr ? *block : own);
}
/// ... for a generic address.
std::uint64_t base_of_owner(Block& own, std::uint64_t address) {
  Block* const block = shared_owner(own, address);
  return shared_base(block != nullptr ? *block : own);
}

/// d = a + sign * base(lane)
template <class F>
const Op* rebase(const Op* op, Context& context, F base) {
  Mask mask(*op, context);
  Destination<std::uint64_t> d(context, op->operands[0]);
  Source<std::uint64_t> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    const std::uint64_t* const x = a.lanes();
    each_lane(d.lanes(), mask.lanes(), [&](unsigned i) { return x[i] + base(warp, i); });
  }
  return op + 1;
}

const Op* same_address(const Op* op, Context& context) {
  return map<std::uint64_t, std::uint64_t>(op, context, [](std::uint64_t a) { return a; });
}
const Op* shared_to_generic(const Op* op, Context& context) {
  return rebase(op, context, [base = shared_base(context)](unsigned, unsigned) { return base; });
}
const Op* generic_to_shared(const Op* op, Context& context) {
  return rebase(op, context, [base = shared_base(context)](unsigned, unsigned) { return -base; });
}
const Op* cluster_to_generic(const Op* op, Context& context) {
  return map<std::uint64_t, std::uint64_t>(op, context, [&block = *context.group->block](std::uint64_t a) { return a + base_of_window(block, a); });
}
const Op* generic_to_cluster(const Op* op, Context& context) {
  return map<std::uint64_t, std::uint64_t>(op, context, [&block = *context.group->block](std::uint64_t a) { return a - base_of_owner(block, a); });
}
const Op* local_to_generic(const Op* op, Context& context) {
  return rebase(op, context, [group = context.group](unsigned warp, unsigned lane) {
    return reinterpret_cast<std::uintptr_t>(group->local_of(warp, lane));
  });
}
const Op* generic_to_local(const Op* op, Context& context) {
  return rebase(op, context, [group = context.group](unsigned warp, unsigned lane) {
    return -reinterpret_cast<std::uintptr_t>(group->local_of(warp, lane));
  });
}

Handler cvta_handler(const ptx::Instruction& instruction) {
  if (bits_of(instruction.type()) != 64) return nullptr;  // a host's address does not fit into 32 bits
  const bool to = instruction.has(Modifier::to);
  switch (instruction.space()) {
    case Space::shared:
    case Space::shared_cta:
      return to ? generic_to_shared : shared_to_generic;
    case Space::shared_cluster:
      return to ? generic_to_cluster : cluster_to_generic;
    case Space::local:
      return to ? generic_to_local : local_to_generic;
    default:
      return same_address;
  }
}

bool within(std::uint64_t address, std::uint64_t first, std::uint64_t bytes) { return address - first < bytes; }

bool in_shared(const Context& context, std::uint64_t address) {
  const Block& block = *context.group->block;
  return within(address, reinterpret_cast<std::uintptr_t>(block.shared), block.shared_bytes);
}
bool in_cluster(const Context& context, std::uint64_t address) { return shared_owner(*context.group->block, address) != nullptr; }
bool in_local(const Context& context, unsigned warp, unsigned lane, std::uint64_t address) {
  const Group& group = *context.group;
  return within(address, reinterpret_cast<std::uintptr_t>(group.local_of(warp, lane)), group.local_bytes);
}
bool in_constant(const Context& context, std::uint64_t address) {
  const LaunchServices& services = *context.group->block->services;
  return within(address, services.constants, services.constant_bytes);
}
bool in_parameters(const Context& context, std::uint64_t address) {
  const LaunchServices& services = *context.group->block->services;
  return within(address, services.arguments, services.argument_bytes);
}

/// isspacep: the predicate's bits of lanes that do not run it are kept.
template <class F>
const Op* is_in_space(const Op* op, Context& context, F inside) {
  Mask mask(*op, context);
  Destination<std::uint32_t> d(context, op->operands[0]);
  Source<std::uint64_t> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < kLanes; ++i) bits |= static_cast<std::uint32_t>(inside(warp, i, a.lanes()[i])) << i;
    *d.lanes() = (*d.lanes() & ~mask.lanes()) | (bits & mask.lanes());
  }
  return op + 1;
}

const Op* is_shared(const Op* op, Context& context) {
  return is_in_space(op, context, [&](unsigned, unsigned, std::uint64_t a) { return in_shared(context, a); });
}
const Op* is_shared_of_cluster(const Op* op, Context& context) {
  return is_in_space(op, context, [&](unsigned, unsigned, std::uint64_t a) { return in_cluster(context, a); });
}
const Op* is_local(const Op* op, Context& context) {
  return is_in_space(op, context,
                     [&](unsigned warp, unsigned lane, std::uint64_t a) { return in_local(context, warp, lane, a); });
}
const Op* is_constant(const Op* op, Context& context) {
  return is_in_space(op, context, [&](unsigned, unsigned, std::uint64_t a) { return in_constant(context, a); });
}
const Op* is_parameter(const Op* op, Context& context) {
  return is_in_space(op, context, [&](unsigned, unsigned, std::uint64_t a) { return in_parameters(context, a); });
}
/// Whatever has no window of its own; the kernel's parameters lie within the global window.
const Op* is_global(const Op* op, Context& context) {
  return is_in_space(op, context, [&](unsigned warp, unsigned lane, std::uint64_t a) {
    return !in_cluster(context, a) && !in_local(context, warp, lane, a) && !in_constant(context, a);
  });
}

Handler isspacep_handler(const ptx::Instruction& instruction) {
  switch (instruction.space()) {
    case Space::shared:
    case Space::shared_cta:
      return is_shared;
    case Space::shared_cluster:
      return is_shared_of_cluster;
    case Space::local:
      return is_local;
    case Space::constant:
      return is_constant;
    case Space::param:
      return is_parameter;
    case Space::global:
      return is_global;
    default:
      return nullptr;
  }
}

/// mapa: the same place in the shared memory of the cluster's block with a rank.
template <class A, bool generic>
const Op* map_address(const Op* op, Context& context) {
  Mask mask(*op, context);
  Destination<A> d(context, op->operands[0]);
  Source<A> a(context, op->operands[1]);
  Source<std::uint32_t> rank(context, op->operands[2]);
  Block& own = *context.group->block;
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next(), rank.next()) {
    for (std::uint32_t left = mask.lanes(); left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      const Block* const block = peer(own, rank.lanes()[lane]);
      if (block == nullptr) {
        return fail(op, context, warp, lane, "out_of_bounds", "mapa names a block that is not in the cluster");
      }
      const std::uint64_t address = a.lanes()[lane];
      const std::uint64_t in_window = generic ? address - base_of_owner(own, address) : address;
      const std::uint64_t mapped = shared_window(*block) | (in_window & ((std::uint64_t{1} << kSharedWindowBits) - 1));
      d.lanes()[lane] = static_cast<A>(generic ? mapped + shared_base(*block) : mapped);
    }
  }
  return op + 1;
}

/// getctarank of a generic address, which has 64 bits; in the shared memory of no block: the own rank.
const Op* rank_of_generic(const Op* op, Context& context) {
  return map<std::uint32_t, std::uint64_t>(op, context, [&own = *context.group->block](std::uint64_t a) {
    const Block* const block = shared_owner(own, a);
    return block != nullptr ? block->cluster_rank : own.cluster_rank;
  });
}
template <class A>
const Op* rank_of_shared(const Op* op, Context& context) {
  return map<std::uint32_t, A>(op, context, [](A a) { return static_cast<std::uint32_t>(a >> kSharedWindowBits); });
}

Handler map_handler(const ptx::Instruction& instruction) {
  const bool wide = bits_of(instruction.type()) == 64;
  if (instruction.space() == Space::generic) return wide ? map_address<std::uint64_t, true> : nullptr;
  return wide ? map_address<std::uint64_t, false> : map_address<std::uint32_t, false>;
}

Handler rank_handler(const ptx::Instruction& instruction) {
  const bool wide = bits_of(instruction.type()) == 64;
  if (instruction.space() == Space::generic) return wide ? rank_of_generic : nullptr;
  return wide ? rank_of_shared<std::uint64_t> : rank_of_shared<std::uint32_t>;
}

/// createpolicy: programs may do nothing with the value but hand it to accesses, which take it as a hint.
const Op* create_policy(const Op* op, Context& context) {
  Mask mask(*op, context);
  Destination<std::uint64_t> d(context, op->operands[0]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next()) {
    each_lane(d.lanes(), mask.lanes(), [&](unsigned) { return std::uint64_t{0x1000000000000000u}; });
  }
  return op + 1;
}

/// st.bulk [a], size, 0
template <class A, class N, Where where>
const Op* bulk_zero(const Op* op, Context& context) {
  Mask mask(*op, context);
  Source<A> base(context, op->operands[0]);
  Source<N> size(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), base.next(), size.next()) {
    for (std::uint32_t left = mask.lanes(); left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      const std::uint64_t bytes = size.lanes()[lane];
      if (bytes % 8 != 0 || bytes > 16777216) {
        return fail(op, context, warp, lane, "bad_size", "st.bulk's size is not a multiple of 8 up to 16777216");
      }
      std::array<std::byte*, kLanes> to;
      const Access access{where, static_cast<unsigned>(bytes), 8};
      if (!reach(op, context, warp, 1u << lane, address_lanes(base.lanes(), *op), access, to)) return nullptr;
      for (std::uint64_t i = 0; i < bytes; i += 8) guest_store<std::uint64_t>(to[lane] + i, 0);
    }
  }
  return op + 1;
}

Handler bulk_handler(const ptx::Instruction& instruction, const ptx::Function& function) {
  const bool wide = is_wide(function, function.operand(instruction, 0));
  const bool long_size = slot_bytes(function, function.operand(instruction, 1), ptx::Type::u64) == 8;
  const auto with_address = [&]<class A, Where where>() -> Handler {
    return long_size ? bulk_zero<A, std::uint64_t, where> : bulk_zero<A, std::uint32_t, where>;
  };
  if (instruction.space() == Space::generic) return with_address.template operator()<std::uint64_t, Where::host>();
  return wide ? with_address.template operator()<std::uint64_t, Where::shared>()
              : with_address.template operator()<std::uint32_t, Where::shared>();
}

}  // namespace

Selected select_address(const ptx::Instruction& instruction, const ptx::Function& function) {
  switch (instruction.operation) {
    case Operation::cvta:
      return {cvta_handler(instruction), 0, Layout::plain};
    case Operation::isspacep:
      if (slot_bytes(function, function.operand(instruction, 1), ptx::Type::u64) != 8) return {};
      return {isspacep_handler(instruction), 0, Layout::plain};
    case Operation::mapa:
      return {map_handler(instruction), 0, Layout::plain};
    case Operation::getctarank:
      return {rank_handler(instruction), 0, Layout::plain};
    case Operation::createpolicy:
      return {create_policy, 0, Layout::memory};
    case Operation::st_bulk:
      return {bulk_handler(instruction, function), 0, Layout::memory};
    default:
      return {};
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
