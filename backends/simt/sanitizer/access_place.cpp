// See access_place.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/sanitizer/access_place.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/simt/execute/scheduler.hpp"
#include "backends/simt/execute/services.hpp"
#include "backends/simt/sanitizer/block_sanitizer.hpp"

namespace bascule::simt {
namespace {

class PlaceFinder {
 public:
  PlaceFinder(const Op* op, Context& context, const AccessForm& form, unsigned warp, unsigned lane)
      : op_(op), context_(context), sanitizer_(sanitizer_of(context)), launch_(sanitizer_.launch), form_(form), warp_(warp), lane_(lane) {}

  std::optional<Place> locate(std::uint64_t address) {
    Block& block = sanitizer_.block;
    const Group& group = *context_.group;
    if (form_.where == Where::shared) return in_shared_window(address);
    if (form_.where == Where::local) return in_local_window(address, address);
    if (form_.where == Where::constant && launch_.allocations().find(address, form_.bytes) == nullptr) {
      out_of_bounds(address, launch_.allocations().nearest(address));
      return std::nullopt;
    }
    if (form_.where != Where::host) return Place{};  // the operation checks them itself
    if (Block* const owner = shared_owner(block, address)) {
      return in_window(address, reinterpret_cast<std::uintptr_t>(owner->shared), *owner);
    }
    const auto own = reinterpret_cast<std::uintptr_t>(group.local_of(warp_, lane_));
    if (address - own < group.local_bytes) return in_local_window(address, address - own);
    const auto local = reinterpret_cast<std::uintptr_t>(group.local);
    if (address - local < std::uint64_t{group.warps} * kLanes * group.local_bytes) {
      out_of_bounds(address, "this is the local memory of another thread");
      return std::nullopt;
    }
    return outside_of_block(address);
  }

 private:
  bool stop(std::string kind, std::string message) {
    fail(op_, context_, warp_, lane_, std::move(kind), std::move(message));
    return false;
  }
  bool out_of_bounds(std::uint64_t address, const std::string& what) {
    stop("out_of_bounds", fmt::format("{} of {} bytes at address {:#x}: {}", verb(form_.kind), form_.bytes, address, what));
    return false;
  }

  /// An address in the own block's window, or in another one's of the cluster where the instruction may leave the own.
  std::optional<Place> in_shared_window(std::uint64_t address) {
    Block& own = sanitizer_.block;
    Block* const owner = peer(own, address >> kSharedWindowBits);
    if (owner != nullptr && owner != &own && op_->instruction->space() == ptx::Space::shared_cluster) {
      return in_window(address, shared_window(*owner), *owner);
    }
    const bool offset = op_->instruction->space() != ptx::Space::shared_cluster && address < own.shared_bytes;
    return in_window(address, offset ? 0 : shared_window(own), own);
  }
  std::optional<Place> in_window(std::uint64_t address, std::uint64_t first, Block& owner) {
    const std::uint64_t bytes = owner.shared_bytes, inside = address - first;
    if (inside < bytes && bytes - inside >= form_.bytes) {
      const Program& program = static_cast<WarpGroup&>(*context_.group).program();
      const std::uint64_t end = std::uint64_t{program.static_shared_bytes} + program.shared_gap_bytes;
      if (inside < end && !in_variable(program.shared_variables, address, inside, "shared")) return std::nullopt;
      if (!owner.ended) return Place{Place::Region::shared, inside, &sanitizer_of(owner), 0};
      stop("exited_block", fmt::format("{} of {} bytes at shared address {:#x} of block ({}, {}, {}), all of whose threads have exited",
                                       verb(form_.kind), form_.bytes, inside, owner.index[0], owner.index[1], owner.index[2]));
      return std::nullopt;
    }
    if (bytes == 0) {
      out_of_bounds(address, "the block has no shared memory");
    } else if (inside >> 63 != 0) {
      out_of_bounds(address, fmt::format("{} bytes before the block's shared memory, which has {} bytes from {:#x}", -inside, bytes, first));
    } else {
      const std::string how = inside >= bytes ? fmt::format("{} bytes behind the end of", inside - bytes) : "runs over the end of";
      out_of_bounds(address, fmt::format("{} the block's shared memory, which has {} bytes from {:#x}", how, bytes, first));
    }
    return std::nullopt;
  }
  std::optional<Place> in_local_window(std::uint64_t address, std::uint64_t inside) {
    const std::uint64_t bytes = context_.group->local_bytes;
    if (inside < bytes && bytes - inside >= form_.bytes) {
      const Frame* frame = &static_cast<WarpGroup&>(*context_.group).frame();
      while (frame->local_frame > inside && frame->parent != nullptr) frame = frame->parent;
      const std::uint64_t in_frame = inside - frame->local_frame;
      const FunctionCode& code = *frame->code;
      if (inside >= frame->local_frame && in_frame < code.local_variable_bytes &&
          !in_variable(code.local_variables, address, in_frame, "local")) {
        return std::nullopt;
      }
      return Place{Place::Region::local, inside, nullptr, 0};
    }
    out_of_bounds(address, fmt::format("outside of the thread's local memory, which has {} bytes", bytes));
    return std::nullopt;
  }
  /// Between variables there are gaps, which an index that is too large meets.
  bool in_variable(const std::vector<PlacedVariable>& variables, std::uint64_t address, std::uint64_t at, std::string_view space) {
    const auto after = std::upper_bound(variables.begin(), variables.end(), at,
                                        [](std::uint64_t wanted, const PlacedVariable& variable) { return wanted < variable.offset; });
    if (after == variables.begin()) return true;
    const PlacedVariable& nearest = *(after - 1);
    const std::uint64_t inside = at - nearest.offset;
    if (inside < nearest.bytes && nearest.bytes - inside >= form_.bytes) return true;
    const std::string how = inside >= nearest.bytes ? fmt::format("{} bytes behind the end of", inside - nearest.bytes)
                                                    : fmt::format("it begins at offset {} and runs over the end of", inside);
    return out_of_bounds(address, fmt::format("{} the {} variable {}, which has {} bytes", how, space, nearest.variable->name, nearest.bytes));
  }
  std::optional<Place> outside_of_block(std::uint64_t address) {
    const MemoryRange* const range = launch_.allocations().find(address, form_.bytes);
    if (range == nullptr) return in_heap(address);
    if (range->constant) {
      if (!form_.writes()) return Place{};
      stop("read_only", fmt::format("{} of {} bytes at address {:#x}, in {}", verb(form_.kind), form_.bytes, address, range->name));
      return std::nullopt;
    }
    return Place{Place::Region::global, address, nullptr, 0};
  }

  std::optional<Place> in_heap(std::uint64_t address) {
    if (const DeviceHeap* const heap = launch_.services().heap; heap != nullptr && heap->contains(address)) {
      const auto block = heap->nearest(address);
      if (!block) {
        out_of_bounds(address, "in the device's heap, but in no block that malloc gave");
        return std::nullopt;
      }
      const std::uint64_t inside = address - block->address;
      if (block->freed) {
        stop("use_after_free", fmt::format("{} of {} bytes at address {:#x}, {} bytes into a block of {} bytes that has been freed",
                                           verb(form_.kind), form_.bytes, address, inside, block->bytes));
        return std::nullopt;
      }
      if (inside < block->bytes && block->bytes - inside >= form_.bytes) return Place{Place::Region::heap, address, nullptr, block->address};
      out_of_bounds(address, fmt::format("{} bytes from the start of a heap block of {} bytes", inside, block->bytes));
      return std::nullopt;
    }
    out_of_bounds(address, launch_.allocations().nearest(address));
    return std::nullopt;
  }

  const Op* op_;
  Context& context_;
  BlockSanitizer& sanitizer_;
  LaunchSanitizer& launch_;
  const AccessForm& form_;
  unsigned warp_;
  unsigned lane_;
};

}  // namespace

std::string_view region_name(Place::Region region) {
  switch (region) {
    case Place::Region::shared: return "shared";
    case Place::Region::local: return "local";
    case Place::Region::heap: return "heap";
    default: return "global";
  }
}

std::string_view verb(AccessForm::Kind kind) {
  switch (kind) {
    case AccessForm::Kind::load: return "read";
    case AccessForm::Kind::store: return "write";
    case AccessForm::Kind::atomic: return "atomic operation";
    case AccessForm::Kind::copy_source: return "asynchronous read";
    case AccessForm::Kind::copy_target: return "asynchronous write";
  }
  return "access";
}

std::optional<Place> find_place(const Op* op, Context& context, const AccessForm& form, unsigned warp, unsigned lane,
                                std::uint64_t address) {
  return PlaceFinder(op, context, form, warp, lane).locate(address);
}

}  // namespace bascule::simt
