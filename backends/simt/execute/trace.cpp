// See trace.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/trace.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "backends/simt/execute/block.hpp"
#include "backends/simt/execute/launch.hpp"
#include "backends/simt/ptx/describe.hpp"

namespace bascule::simt {
namespace {

void append_value(std::string& line, const TraceSite::Value& value, const std::byte* registers, std::uint32_t lanes) {
  fmt::format_to(std::back_inserter(line), "{}", value.written ? " ->" : " ");
  const unsigned bytes = value.bytes > 8 ? 8 : value.bytes;  // of b128 the low half
  const std::uint64_t first = read_lane(registers, nullptr, value.slot, bytes, static_cast<unsigned>(__builtin_ctz(lanes)));
  bool same = true;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    same = same && read_lane(registers, nullptr, value.slot, bytes, static_cast<unsigned>(__builtin_ctz(left))) == first;
  }
  if (same) {
    fmt::format_to(std::back_inserter(line), " {:#x}", first);
    return;
  }
  line += " {";
  const char* separator = "";
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    fmt::format_to(std::back_inserter(line), "{}{:#x}", separator,
                   read_lane(registers, nullptr, value.slot, bytes, static_cast<unsigned>(__builtin_ctz(left))));
    separator = " ";
  }
  line += '}';
}

}  // namespace

const Op* run_trace(const Op* op, Context& context) {
  WarpGroup& group = group_of(context);
  const auto& site = *static_cast<const TraceSite*>(op->side);
  const LaneMasks lanes = lanes_of(*op, context);
  for (unsigned w = 0; w < context.warps; ++w) {
    if (lanes[w] == 0) continue;
    std::string line = fmt::format("{}:{} block ({}, {}, {}) warp {} lanes {:#010x}: {}", group.frame().code->function->name, op->instruction->location.line,
                                   group.block->index[0], group.block->index[1], group.block->index[2], group.first_warp + w,
                                   lanes[w], ptx::form_name(*op->instruction));
    for (const TraceSite::Value& value : site.values) {
      append_value(line, value, context.registers + std::size_t{w} * context.frame_bytes, lanes[w]);
    }
    group.block->launch->tracer(line);
  }
  return op + 1;
}

}  // namespace bascule::simt
