// The check before an access to memory: alignment, uninitialised bytes, copies under way, races; its place is found elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/sanitizer/access_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backends/simt/execute/services.hpp"
#include "backends/simt/operations/matrix_in_memory.hpp"
#include "backends/simt/sanitizer/access_place.hpp"
#include "backends/simt/sanitizer/block_sanitizer.hpp"
#include "backends/simt/sanitizer/lanes_of_op.hpp"

namespace bascule::simt {
namespace {

using ptx::Operation;

class AccessCheck {
 public:
  AccessCheck(const Op* op, Context& context, const AccessForm& form)
      : op_(op), context_(context), sanitizer_(sanitizer_of(context)), launch_(sanitizer_.launch), form_(form) {}

  /// One lane's access to `form.bytes` bytes. False: the launch has ended.
  bool run(unsigned warp, unsigned lane, std::uint64_t address) {
    warp_ = warp;
    lane_ = lane;
    thread_ = sanitizer_.thread_of(context_, warp, lane);
    if (form_.bytes == 0) return true;
    if ((address & (form_.alignment - 1)) != 0) {
      return stop("misaligned", fmt::format("{} of {} bytes at address {:#x}, which is not a multiple of {}", verb(form_.kind), form_.bytes,
                                            address, form_.alignment));
    }
    const std::optional<Place> place = find_place(op_, context_, form_, warp, lane, address);
    if (!place) return false;
    note_place(*place);
    switch (place->region) {
      case Place::Region::shared: return in_shared(place->at, *place->owner);
      case Place::Region::local: return in_local(place->at);
      case Place::Region::global:
      case Place::Region::heap: return in_global(*place);
      case Place::Region::unchecked: return true;
    }
    return true;
  }

 private:
  bool stop(std::string kind, std::string message) {
    fail(op_, context_, warp_, lane_, std::move(kind), std::move(message));
    return false;
  }
  bool report(std::string kind, std::string message, const ptx::Instruction* other = nullptr) {
    return launch_.report(op_, context_, warp_, lane_, std::move(kind), std::move(message), other);
  }
  void note_place(const Place& place) {
    if (form_.strength == Strength::weak) return;
    sanitizer_.last.lanes |= 1u << lane_;
    sanitizer_.last.address[lane_] = place.at;
    sanitizer_.last.owner[lane_] = place.owner;
  }

  bool uninitialised(ByteSet& unwritten, std::uint64_t at, Place::Region region, std::uint64_t address) {
    if (form_.kind == AccessForm::Kind::store || form_.kind == AccessForm::Kind::copy_target) {
      unwritten.erase(at, form_.bytes);
      return true;
    }
    const std::uint64_t missing = unwritten.count(at, form_.bytes);
    if (missing == 0 || (form_.copies && missing != form_.bytes)) return true;
    unwritten.erase(at, form_.bytes);
    const std::string which = missing == form_.bytes ? "which" : fmt::format("{} of which", missing);
    return report("uninitialised", fmt::format("{} of {} bytes at {} address {:#x}, {} nobody has written", verb(form_.kind), form_.bytes,
                                               region_name(region), address, which));
  }

  bool in_local(std::uint64_t at) {
    return uninitialised(sanitizer_.unwritten_local(*context_.group, thread_), at, Place::Region::local, at);
  }

  bool in_shared(std::uint64_t at, BlockSanitizer& owner) {
    if (!under_way(at, owner)) return false;
    if (!uninitialised(owner.unwritten_shared, at, Place::Region::shared, at)) return false;
    if (form_.kind == AccessForm::Kind::store && owner.holds_mbarrier(at, form_.bytes) &&
        !report("bad_mbarrier", fmt::format("an ordinary write to shared address {:#x}, where an mbarrier is that has not been invalidated", at))) {
      return false;
    }
    if (!races(owner.shared, at, Place::Region::shared)) return false;
    strong_write(owner.words, at);
    return true;
  }

  bool in_global(const Place& place) {
    if (form_.writes() && !source_under_way(place.at)) return false;
    const std::lock_guard lock(launch_.mutex);
    if (place.region == Place::Region::heap) {
      const auto found = launch_.heap_blocks.find(place.heap);
      if (found != launch_.heap_blocks.end() &&
          !uninitialised(found->second, place.at - place.heap, Place::Region::heap, place.at)) {
        return false;
      }
    }
    if (!races(launch_.global, place.at, place.region)) return false;
    strong_write(launch_.words, place.at);
    return true;
  }

  /// Bytes that a cp.async is still writing.
  bool under_way(std::uint64_t at, const BlockSanitizer& owner) {
    const AsynchronousCopy* const copy = owner.copy_into(at, form_.bytes);
    if (copy == nullptr) return true;
    return report("async_copy",
                  fmt::format("{} of {} bytes at shared address {:#x}, which a cp.async of thread {} (line {}) is still writing: "
                              "nobody has waited for it",
                              verb(form_.kind), form_.bytes, at, copy->thread, copy->op->instruction->location.line),
                  copy->op->instruction);
  }
  /// Bytes that a cp.async of this block is still reading.
  bool source_under_way(std::uint64_t address) {
    const AsynchronousCopy* const copy = sanitizer_.copy_from(address, form_.bytes);
    if (copy == nullptr) return true;
    return report("async_copy",
                  fmt::format("{} of {} bytes at global address {:#x}, which a cp.async of thread {} (line {}) is still reading",
                              verb(form_.kind), form_.bytes, address, copy->thread, copy->op->instruction->location.line),
                  copy->op->instruction);
  }

  bool races(Shadow& shadow, std::uint64_t at, Place::Region region) {
    const ThreadClock& clock = sanitizer_.clock(thread_);
    const AccessRecord now{sanitizer_.number(), sanitizer_.cluster_number(), clock.now, static_cast<std::uint16_t>(thread_), form_.strength, false, op_->instruction};
    bool go_on = true;
    shadow.each(at, form_.bytes, [&](ShadowCell& cell) {
      if (const AccessRecord* const other = find_race(cell, now, form_.writes(), clock); other != nullptr && go_on) {
        go_on = report("race", describe_race(*other, other == &cell.write || other == &cell.weak_write, at, region), other->at);
      }
      // What a cp.async writes is there when somebody has waited for it.
      if (form_.kind != AccessForm::Kind::copy_target) record(cell, now, form_.writes(), clock);
    });
    return go_on;
  }
  [[nodiscard]] std::string describe_race(const AccessRecord& other, bool wrote, std::uint64_t at, Place::Region region) const {
    std::string text = fmt::format("{} of {} bytes at {} address {:#x} by thread {} of block {}, and ", verb(form_.kind), form_.bytes,
                                   region_name(region), at, thread_, sanitizer_.number());
    if (other.asynchronous) {
      text += "the cp.async";
    } else {
      text += wrote ? (other.strength == Strength::weak ? "the write" : "the atomic or strong write") : "the read";
    }
    text += fmt::format(" by thread {} of block {} at line {}", other.thread, other.block, other.at->location.line);
    if (other.at->source.line != 0) text += fmt::format(" (source line {})", other.at->source.line);
    text += ", without synchronisation between them";
    if (other.strength != Strength::weak && form_.strength != Strength::weak) text += " (the scope of one does not include the other)";
    return text;
  }

  void strong_write(std::unordered_map<std::uint64_t, SynchronisedWord>& words, std::uint64_t at) {
    if (form_.strength == Strength::weak || !form_.writes()) return;
    const bool replaces = form_.kind == AccessForm::Kind::store;
    if (!form_.releases && sanitizer_.clock(thread_).fenced[0].empty()) {
      if (replaces) words.erase(at);
      return;
    }
    sanitizer_.strong_write(words[at], thread_, form_.releases, scope_of(form_.strength), replaces);
  }

  const Op* op_;
  Context& context_;
  BlockSanitizer& sanitizer_;
  LaunchSanitizer& launch_;
  const AccessForm& form_;
  unsigned warp_ = 0;
  unsigned lane_ = 0;
  std::uint32_t thread_ = 0;
};

/// Lanes that one store instruction lets write the same place: harmless where they write the same.
class SameStore {
 public:
  SameStore(const Op* op, const Context& context, const AccessForm& form, const ptx::Function& function)
      : op_(op), context_(context), form_(form) {
    const ptx::Operand& value = function.operand(*op->instruction, 1);
    const ptx::Operand& first = value.kind == ptx::Operand::Kind::vector ? function.elements[value.index] : value;
    bytes_ = slot_bytes(function, first, op->instruction->type());
    if (bits_of(op->instruction->type()) == 128) bytes_ = 0;
  }
  [[nodiscard]] bool equal(unsigned warp, unsigned a, unsigned b) const {
    if (bytes_ == 0) return false;
    for (unsigned k = 0; k < op_->instruction->vector; ++k) {
      const Slot slot = slot_of(op_, form_.address_slot + 1 + k, form_.slot_count);
      if (slot == kNoSlot || (slot & kConstant) != 0) continue;
      const std::byte* const lanes = lanes_at(context_, slot, warp);
      const unsigned compared = std::min(bytes_, bits_of(op_->instruction->type()) / 8);
      if (std::memcmp(lanes + a * bytes_, lanes + b * bytes_, compared) != 0) return false;
    }
    return true;
  }

 private:
  const Op* op_;
  const Context& context_;
  const AccessForm& form_;
  unsigned bytes_ = 0;
};

AddressLanes base_lanes(const Op* op, const Context& context, const AccessForm& form, unsigned warp) {
  return {lanes_at(context, slot_of(op, form.address_slot, form.slot_count), warp), form.wide, op->immediate};
}

bool check_lanes(const Op* op, Context& context, const AccessForm& form, const ptx::Function& function) {
  AccessCheck check(op, context, form);
  std::optional<SameStore> same;
  if (op->instruction->operation == Operation::st) same.emplace(op, context, form, function);
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    const AddressLanes base = base_lanes(op, context, form, warp);
    const std::uint32_t lanes = running_lanes(op, context, warp) & (form.lanes >= kLanes ? kAllLanes : (1u << form.lanes) - 1);
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      bool written = false;
      if (same && form.where != Where::local && form.where != Where::frame) {
        for (std::uint32_t earlier = lanes & ((1u << lane) - 1); earlier != 0 && !written; earlier &= earlier - 1) {
          const auto other = static_cast<unsigned>(__builtin_ctz(earlier));
          written = base[other] == base[lane] && same->equal(warp, other, lane);
        }
      }
      if (!written && !check.run(warp, lane, base[lane])) return false;
    }
  }
  return true;
}

/// Of a cp.async: how many bytes of its source a lane reads.
unsigned bytes_taken(const Op* op, const Context& context, const ptx::Function& function, unsigned bytes, unsigned warp, unsigned lane) {
  if (op->instruction->operand_count < 4 || op->operands[3] == kNoSlot) return bytes;
  const unsigned width = slot_bytes(function, function.operand(*op->instruction, 3), ptx::Type::b32);
  if (width == 0) return (lane_of<std::uint32_t>(context, op->operands[3], warp, 0) >> lane & 1u) != 0 ? 0 : bytes;
  return width == 4 ? std::min(bytes, lane_of<std::uint32_t>(context, op->operands[3], warp, lane)) : bytes;
}

bool check_copy(const Op* op, Context& context, const AccessForm& target, const ptx::Function& function) {
  BlockSanitizer& sanitizer = sanitizer_of(context);
  return each_running_lane(op, context, [&](unsigned warp, unsigned lane) {
    const AddressLanes to{lanes_at(context, op->operands[0], warp), target.wide, op->immediate};
    AccessForm source;
    source.kind = AccessForm::Kind::copy_source;
    source.copies = true;
    source.where = Where::host;
    source.bytes = bytes_taken(op, context, function, target.bytes, warp, lane);
    source.alignment = target.alignment;
    const auto from = lane_of<std::uint64_t>(context, op->operands[1], warp, lane);
    if (!AccessCheck(op, context, source).run(warp, lane, from)) return false;
    if (!AccessCheck(op, context, target).run(warp, lane, to[lane])) return false;
    const std::uint64_t offset = to[lane] < sanitizer.block.shared_bytes ? to[lane] : to[lane] - shared_window(sanitizer.block);
    const std::uint32_t thread = sanitizer.thread_of(context, warp, lane);
    sanitizer.copy_issued({op, thread, sanitizer.block.shared + offset, reinterpret_cast<const std::byte*>(from),
                           static_cast<std::uint8_t>(target.bytes), static_cast<std::uint8_t>(source.bytes),
                           sanitizer.clock(thread).now});
    return true;
  });
}

/// wmma.load and wmma.store: line by line, as if the first lane did it all. Which lane has what is left open.
bool check_matrix(const Op* op, Context& context, AccessForm form) {
  const MatrixInMemory matrix = matrix_in_memory(*op->instruction);
  form.copies = true;
  AccessCheck check(op, context, form);
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    const std::uint32_t lanes = running_lanes(op, context, warp);
    if (lanes == 0) continue;
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const Slot slot = slot_of(op, form.slot_count - 1, form.slot_count);
    const std::uint64_t stride = slot == kNoSlot ? matrix.line_elements : lane_of<std::uint32_t>(context, slot, warp, lane);
    AddressLanes base = base_lanes(op, context, form, warp);
    for (unsigned i = 0; i < matrix.lines; ++i) {
      if (!check.run(warp, lane, base[lane])) return false;
      base.offset += stride * matrix.bits / 8;
    }
  }
  return true;
}

const Op* check(const Op* op, Context& context, bool copies) {
  const ptx::Function& function = running_function(context);
  AccessForm form = access_form(*op->instruction, function);
  form.copies = copies;
  sanitizer_of(context).last.lanes = 0;
  const Operation operation = op->instruction->operation;
  const bool matrix = operation == Operation::wmma_load || operation == Operation::wmma_store;
  const bool go_on = operation == Operation::cp_async ? check_copy(op, context, form, function)
                     : matrix                         ? check_matrix(op, context, form)
                                                      : check_lanes(op, context, form, function);
  return go_on ? op + 1 : nullptr;
}

}  // namespace

const Op* check_access(const Op* op, Context& context) { return check(op, context, false); }
const Op* check_copying_access(const Op* op, Context& context) { return check(op, context, true); }

const Op* after_strong_access(const Op* op, Context& context) {
  BlockSanitizer& sanitizer = sanitizer_of(context);
  const AccessForm form = access_form(*op->instruction, running_function(context));
  const Scope scope = scope_of(form.strength);
  for (std::uint32_t left = sanitizer.last.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint32_t thread = sanitizer.thread_of(context, 0, lane);
    const std::uint64_t at = sanitizer.last.address[lane];
    const auto read = [&](const std::unordered_map<std::uint64_t, SynchronisedWord>& words) {
      const auto word = words.find(at);
      if (word != words.end()) sanitizer.strong_read(word->second, thread, form.acquires, scope);
    };
    if (const BlockSanitizer* const owner = sanitizer.last.owner[lane]) {
      read(owner->words);
    } else {
      const std::lock_guard lock(sanitizer.launch.mutex);
      read(sanitizer.launch.words);
    }
  }
  return op + 1;
}

}  // namespace bascule::simt
