// What lowering makes of one kernel: the operations of it and of all functions it can reach, their constants, and how much
// memory a launch needs. Read by any number of threads at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/simt/execute/op.hpp"
#include "backends/simt/execute/trace.hpp"

namespace bascule::simt {

/// Values broadcast over 32 lanes. Slots of it have kConstant set.
class ConstantPool {
 public:
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes{};
  };

  /// `width`: 1 (a predicate), 8, 16, 32, 64 or 128 bits (then the high half is 0).
  Slot broadcast(std::uint64_t bits, unsigned width);
  /// 32 lanes that differ.
  Slot lanes(const std::array<std::uint32_t, kLanes>& values);
  /// Room for a value that each launch fills in.
  Slot reserve(unsigned width);

  [[nodiscard]] const std::byte* data() const { return lines_.empty() ? nullptr : lines_.front().bytes.data(); }
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }

 private:
  struct Known {
    std::uint64_t bits;
    unsigned width;
    Slot slot;
  };
  std::vector<Line> lines_;
  std::vector<std::vector<Known>> known_;  // by hash
};

/// Writes `bits` into the 32 lanes of a slot's storage.
void broadcast_lanes(std::byte* storage, std::uint64_t bits, unsigned width);

/// A constant whose value each launch has its own of, or each rank in a launch's clusters.
struct LaunchConstant {
  enum class What : std::uint8_t {
    parameter, parameter_address, ntid, nctaid, nwarpid, dynamic_shared, total_shared, gridid, nsmid, is_explicit_cluster,
    nclusterid, cluster_nctaid, cluster_nctarank,
    // These differ between the blocks of a cluster.
    cluster_ctaid, cluster_ctarank, shared_address
  };
  What what = What::parameter;
  std::uint8_t component = 0;  // ntid, nctaid, nclusterid, cluster_nctaid, cluster_ctaid
  std::uint8_t width = 32;     // bits
  bool sign = false;           // parameter: narrower than the register and signed
  std::uint8_t bytes = 4;      // parameter: how many
  std::uint64_t offset = 0;    // parameter: in the argument blob. shared_address: in the block's shared memory
  Slot slot = 0;
};

inline constexpr std::uint64_t kFunctionStride = 16;

/// A parameter or result, on the side of the callee or of the caller. Where all accesses to it agree on its parts, these are
/// registers; else it lies in local memory.
struct Formal {
  struct Piece {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;  // 0: a predicate
    Slot slot = 0;
    bool operator==(const Piece& other) const { return offset == other.offset && bytes == other.bytes; }
  };
  bool in_memory = true;
  std::uint32_t offset = 0;  // from the frame's start in local memory
  std::uint32_t bytes = 0;
  std::vector<Piece> pieces;
};

struct CallSite {
  std::optional<std::uint32_t> callee;  // Module::functions; none: through `pointer`, a u64
  Slot pointer = kNoSlot;
  std::vector<std::uint32_t> targets;   // .calltargets; empty: any function of the same shape
  std::vector<Formal> arguments;        // the caller's side
  std::vector<Formal> results;
};

/// Where a variable is, for checks: by offset, from the begin of shared memory or of the function's frame in local memory.
struct PlacedVariable {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  const ptx::Variable* variable = nullptr;
};
/// Under the sanitizer so many bytes are left free behind each variable in shared and local memory.
inline constexpr std::uint32_t kVariableGap = 32;

/// A function's operations and the layout of its frame.
struct FunctionCode {
  const ptx::Function* function = nullptr;
  std::uint32_t index = 0;  // Module::functions
  std::vector<Op> ops;
  std::uint32_t frame_bytes = kFirstFreeSlot;  // of registers, per warp
  std::uint32_t cleared_bytes = kFirstFreeSlot;  // from the start: what may be read before it is written
  std::uint32_t local_bytes = 0;               // of local memory, per lane: .local, then .param variables
  std::uint32_t local_variable_bytes = 0;      // of them, .local variables and the gaps behind them
  std::vector<PlacedVariable> local_variables;
  std::uint32_t live_registers = 0;            // 32-bit ones that are live at most
  Slot stack_top = kNoSlot;                    // u32 per lane, in functions with alloca: where the next frame starts
  std::vector<Formal> parameters;              // the callee's side
  std::vector<Formal> results;
  std::vector<std::unique_ptr<CallSite>> calls;
  std::vector<std::vector<const Op*>> branch_tables;
  std::vector<std::unique_ptr<Slot[]>> slot_lists;
  std::vector<std::unique_ptr<TraceSite>> traces;
};

struct Program {
  const ptx::Module* module = nullptr;
  std::uint32_t entry = 0;  // Module::functions
  std::vector<std::unique_ptr<FunctionCode>> functions;  // by index in the module; null where not reachable
  ConstantPool constants;
  std::vector<LaunchConstant> launch_constants;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t shared_gap_bytes = 0;             // what the gaps between them add, under the sanitizer
  std::vector<PlacedVariable> shared_variables;   // static ones
  std::uint32_t local_bytes = 0;      // per thread: what the calls need at most, and for stacks what was asked for
  std::uint32_t local_alignment = 16;
  std::uint64_t function_addresses = 0;  // function i of the module has the address this + kFunctionStride * i
};

}  // namespace bascule::simt
