// From the addresses in a slot to the host's: one lane after another, with the checks that hardware makes. The handlers' fast
// paths do without where one check covers all lanes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backends/simt/execute/group.hpp"
#include "backends/simt/execute/op.hpp"

namespace bascule::simt {

/// What the addresses of an access mean.
enum class Where : std::uint8_t {
  host,       // generic, global: the host's address, not checked beyond alignment
  shared,     // in the windows of shared memory (group.hpp): the block's own, or by .shared::cluster any of its cluster's
  local,      // offset in the thread's local memory
  frame,      // the host's address, in the thread's local memory: parameters of functions and calls
  constant,   // the host's address, in the module's .const variables
  parameter,  // the host's address, in the kernel's arguments
};

/// The base addresses of one warp: where they are, and of which width.
struct AddressLanes {
  const void* lanes = nullptr;
  bool wide = false;  // 64-bit
  std::uint64_t offset = 0;

  [[nodiscard]] std::uint64_t operator[](unsigned lane) const {
    if (wide) return static_cast<const std::uint64_t*>(lanes)[lane] + offset;
    return static_cast<std::uint32_t>(static_cast<const std::uint32_t*>(lanes)[lane] + static_cast<std::uint32_t>(offset));
  }
};

struct Access {
  Where where = Where::host;
  unsigned bytes = 0;      // of one lane, all elements of a vector
  unsigned alignment = 0;  // a power of two
};

/// Puts the host address of each lane in `mask` into `out`. False: a lane's address is misaligned or outside its space; the
/// finding is reported and the handler returns nullptr.
[[nodiscard]] bool reach(const Op* op, Context& context, unsigned warp, std::uint32_t mask, const AddressLanes& base,
                         const Access& access, std::array<std::byte*, kLanes>& out);

/// Which memory the address operand at `position` of an instruction refers to.
[[nodiscard]] Where where_of(const ptx::Instruction& instruction, const ptx::Function& function, std::size_t position,
                             ptx::Space space);
/// Whether the base of an address operand has 64 bits (symbols and bare immediates do).
[[nodiscard]] bool is_wide(const ptx::Function& function, const ptx::Operand& address);

/// Bytes of an operand's slot: those of its register, or of `type` for immediates. 0 for predicates.
[[nodiscard]] unsigned slot_bytes(const ptx::Function& function, const ptx::Operand& operand, ptx::Type type);

}  // namespace bascule::simt
