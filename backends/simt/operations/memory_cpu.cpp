// The family "memory": loads and stores, what is told about addresses and caches, fences.
//
// The order that .acquire, .release, .volatile and fence.acq_rel ask for is what x86-64 gives every access; only fence.sc and
// membar need an instruction. Cache operators and eviction priorities are hints that no cache here takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/memory_address.hpp"
#include "backends/simt/operations/memory_select.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Modifier;
using ptx::Operation;

const Op* no_effect(const Op* op, Context&) { return op + 1; }

const Op* full_fence(const Op* op, Context&) {
  host_fence();
  return op + 1;
}

Handler fence_handler(const ptx::Instruction& instruction) {
  const bool light = instruction.operation == Operation::fence && !instruction.has(Modifier::sc);
  return light ? no_effect : full_fence;
}

}  // namespace

Selected select_memory(const ptx::Instruction& instruction, const ptx::Function& function) {
  switch (instruction.operation) {
    case Operation::ld:
    case Operation::ldu:
      return {load_handler(memory_form(instruction, function, 0, 1)), 0, Layout::memory};
    case Operation::st:
      return {store_handler(memory_form(instruction, function, 1, 0)), 0, Layout::memory};
    case Operation::membar:
    case Operation::fence:
      return {fence_handler(instruction), 0, Layout::plain};
    case Operation::prefetch:
    case Operation::prefetchu:
    case Operation::applypriority:
    case Operation::discard:
      return {no_effect, 0, Layout::memory};
    default:
      return select_address(instruction, function);
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
