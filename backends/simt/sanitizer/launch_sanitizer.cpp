// See launch_sanitizer.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/sanitizer/launch_sanitizer.hpp"

#include "backends/simt/execute/services.hpp"

namespace bascule::simt {

void LaunchSanitizer::heap_allocated(std::uint64_t address, std::uint64_t bytes) {
  const std::lock_guard lock(mutex);
  ByteSet unwritten;
  unwritten.resize(bytes);
  unwritten.insert(0, bytes);
  heap_blocks[address] = std::move(unwritten);
  global.forget(address, bytes);
}

bool LaunchSanitizer::report(const Op* op, Context& context, unsigned warp, unsigned lane, std::string kind, std::string message,
                             const ptx::Instruction* other) {
  const std::lock_guard lock(findings_mutex_);
  const ptx::Instruction* first = op->instruction;
  const ptx::Instruction* second = other;
  if (second != nullptr && second < first) std::swap(first, second);
  if (!reported_.emplace(kind, first, second).second) return true;
  if (reported_.size() >= kMaxFindings) {
    fail(op, context, warp, lane, std::move(kind), std::move(message));
    return false;
  }
  Finding finding = describe(op, context, warp, lane, std::move(kind), std::move(message));
  if (other != nullptr) {
    finding.other_location = other->location;
    finding.other_source_line = other->source.line;
  }
  services_.keep(std::move(finding));
  return true;
}

}  // namespace bascule::simt
