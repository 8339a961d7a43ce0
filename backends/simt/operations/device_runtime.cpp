// The functions of the device's runtime that compilers call: vprintf, malloc, free, __assertfail. Lanes are served in ascending
// order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <string>

#include "backends/simt/execute/access.hpp"
#include "backends/simt/execute/group.hpp"
#include "backends/simt/execute/services.hpp"
#include "backends/simt/operations/device_format.hpp"
#include "backends/simt/operations/device_heap.hpp"
#include "backends/simt/sanitizer/launch_sanitizer.hpp"

namespace bascule::simt {
namespace {

constexpr std::size_t kLongestString = 1 << 16;

std::byte* slot_at(const Context& context, Slot slot, unsigned warp) {
  return context.registers + slot + std::size_t{warp} * context.frame_bytes;
}

template <class T>
T read(const Context& context, Slot slot, unsigned warp, unsigned lane) {
  const std::byte* const lanes =
      (slot & kConstant) != 0 ? context.constants + (slot & ~kConstant) : slot_at(context, slot, warp);
  return reinterpret_cast<const T*>(lanes)[lane];
}

template <class T>
void write(const Context& context, Slot slot, unsigned warp, unsigned lane, T value) {
  if (slot != kNoSlot) reinterpret_cast<T*>(slot_at(context, slot, warp))[lane] = value;
}

/// f(warp, lane) -> whether to go on, for all lanes that run the op.
template <class F>
const Op* each(const Op* op, Context& context, F f) {
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    const std::uint32_t guard = *reinterpret_cast<const std::uint32_t*>(slot_at(context, op->guard, warp)) ^ op->guard_flip;
    for (std::uint32_t left = context.active[warp] & guard; left != 0; left &= left - 1) {
      if (!f(warp, static_cast<unsigned>(__builtin_ctz(left)))) return nullptr;
    }
  }
  return op + 1;
}

std::string guest_string(std::uint64_t address) {
  std::string text;
  if (address == 0) return text;
  const auto* at = reinterpret_cast<const std::byte*>(address);
  while (text.size() < kLongestString) {
    const char c = static_cast<char>(guest_load<std::byte>(at++));
    if (c == '\0') break;
    text += c;
  }
  return text;
}

const Op* print(const Op* op, Context& context) {
  const GuestReader guest{[](void* to, std::uint64_t address, std::size_t bytes) {
                            guest_read(to, reinterpret_cast<const std::byte*>(address), bytes);
                          },
                          guest_string};
  return each(op, context, [&](unsigned warp, unsigned lane) {
    const auto format = read<std::uint64_t>(context, op->operands[1], warp, lane);
    std::int32_t result = -1;  // no format
    if (format != 0) {
      const Formatted formatted =
          format_for_device(guest_string(format), read<std::uint64_t>(context, op->operands[2], warp, lane), guest);
      context.group->block->services->print(formatted.text);
      result = formatted.arguments;
    }
    write(context, op->operands[0], warp, lane, result);
    return true;
  });
}

const Op* allocate(const Op* op, Context& context) {
  const LaunchServices& services = *context.group->block->services;
  return each(op, context, [&](unsigned warp, unsigned lane) {
    const auto bytes = read<std::uint64_t>(context, op->operands[1], warp, lane);
    const std::uint64_t address = services.heap == nullptr ? 0 : services.heap->allocate(bytes);
    if (address != 0 && services.sanitizer != nullptr) services.sanitizer->heap_allocated(address, bytes);
    write(context, op->operands[0], warp, lane, address);
    return true;
  });
}

const Op* release(const Op* op, Context& context) {
  DeviceHeap* const heap = context.group->block->services->heap;
  return each(op, context, [&](unsigned warp, unsigned lane) {
    const auto address = read<std::uint64_t>(context, op->operands[0], warp, lane);
    if (address == 0) return true;
    const DeviceHeap::Freed freed = heap == nullptr ? DeviceHeap::Freed::not_a_block : heap->release(address);
    if (freed == DeviceHeap::Freed::freed) return true;
    if (freed == DeviceHeap::Freed::already_free) {
      fail(op, context, warp, lane, "double_free", fmt::format("free of {:#x}, which has been freed before", address));
    } else {
      fail(op, context, warp, lane, "invalid_free", fmt::format("free of {:#x}, which malloc did not give", address));
    }
    return false;
  });
}

const Op* assertion_failed(const Op* op, Context& context) {
  return each(op, context, [&](unsigned warp, unsigned lane) {
    const auto text = [&](unsigned position) {
      return guest_string(read<std::uint64_t>(context, op->operands[position], warp, lane));
    };
    fail(op, context, warp, lane, "assert",
         fmt::format("{}:{}: {}: assertion '{}' failed", text(1), read<std::uint32_t>(context, op->operands[2], warp, lane), text(3),
                     text(0)));
    return false;
  });
}

}  // namespace

Handler device_function(std::string_view name) {
  if (name == "vprintf") return print;
  if (name == "malloc") return allocate;
  if (name == "free") return release;
  if (name == "__assertfail") return assertion_failed;
  return nullptr;
}

}  // namespace bascule::simt
