// A host kernel with a planted data race: two chunks write the same int. Built with the thread sanitizer, which must report
// it: the executor's own synchronisation must not hide a kernel's missing one. Without the sanitizer it says nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <thread>

#include "test_commands.hpp"

using namespace bascule::cpu;
using namespace bascule::cpu::test;

int main() {
  Executor executor({.compute_units = 2});
  TestQueue queue(executor);
  int shared = 0;
  std::atomic<int> arrived{0};
  queue.run({.items = 2, .grain = 1}, [&](const Slice& slice) {
    // Two threads must have a chunk each. Relaxed: this orders nothing between them.
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
    shared = static_cast<int>(slice.begin);
    return BSC_OK;
  });
  return queue.finish() ? 2 : 0;
}
