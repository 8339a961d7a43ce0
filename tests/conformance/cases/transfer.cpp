// Copies, writes, reads and fills: what arrives, and in which order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/conformance/elements.hpp"
#include "tests/conformance/kernels.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

std::vector<unsigned char> numbered(std::size_t count, unsigned char start) {
  std::vector<unsigned char> bytes(count);
  std::iota(bytes.begin(), bytes.end(), start);
  return bytes;
}

}  // namespace

CONFORMANCE_CASE(core, transfer, what_is_written_is_read_at_any_offset_and_size) {
  Session session(context);
  session.needs_results();
  Queue queue(session);
  for (const std::uint32_t type : {BSC_MEMORY_DEVICE, BSC_MEMORY_HOST}) {
    Memory memory(session, 4096, type);
    for (const std::uint64_t offset : {0, 1, 3, 7, 64, 4000}) {
      for (const std::uint64_t bytes : {1, 2, 13, 96}) {
        const auto out = numbered(bytes, static_cast<unsigned char>(offset + bytes));
        std::vector<unsigned char> back(bytes + 2, 0xEE);
        queue.run(Commands().write(memory, offset, out.data(), bytes).read(memory, offset, back.data() + 1, bytes));
        expect(std::memcmp(back.data() + 1, out.data(), bytes) == 0, fmt::format("{} bytes at {}", bytes, offset));
        expect(back.front() == 0xEE && back.back() == 0xEE, "a read wrote beyond its host range");
      }
    }
  }
}

CONFORMANCE_CASE(core, transfer, copies_between_and_within_memories) {
  Session session(context);
  session.needs_results();
  Queue queue(session);
  Memory a(session, 1024);
  Memory b(session, 1024, BSC_MEMORY_HOST);
  const auto out = numbered(1024, 5);
  std::vector<unsigned char> back(1024);
  queue.run(Commands().write(a, 0, out.data(), 1024).copy(a, 1, b, 3, 1000).read(b, 3, back.data(), 1000));
  expect(std::memcmp(back.data(), out.data() + 1, 1000) == 0, "a copy between two memories");
  queue.run(Commands().copy(b, 3, a, 0, 1000).read(a, 0, back.data(), 1000));
  expect(std::memcmp(back.data(), out.data() + 1, 1000) == 0, "a copy back");
  queue.run(Commands().copy(a, 0, a, 513, 500).read(a, 513, back.data(), 500));
  expect(std::memcmp(back.data(), out.data() + 1, 500) == 0, "a copy within one memory");
}

CONFORMANCE_CASE(core, transfer, fills_repeat_patterns_of_every_size) {
  Session session(context);
  session.needs_results();
  Queue queue(session);
  constexpr std::uint64_t kTotal = 512;
  Memory memory(session, kTotal);
  const auto pattern = numbered(16, 0x31);
  const unsigned char guard = 0xDD;
  for (const std::uint32_t size : {1u, 2u, 4u, 8u, 16u}) {
    for (const std::uint64_t first : {1u, 3u}) {
      for (const std::uint64_t count : {1u, 5u, 16u}) {
        std::vector<unsigned char> back(kTotal);
        queue.run(Commands()
                      .fill(memory, 0, kTotal, &guard, 1)
                      .fill(memory, first * size, count * size, pattern.data(), size)
                      .read(memory, 0, back.data(), kTotal));
        const auto wanted = [&](std::uint64_t i) {
          const bool inside = i >= first * size && i < (first + count) * size;
          return inside ? pattern[(i - first * size) % size] : guard;
        };
        expect_elements(back, wanted, fmt::format("a pattern of {} bytes", size));
      }
    }
  }
}

CONFORMANCE_CASE(core, order, commands_of_a_submission_run_in_order) {
  Session session(context);
  session.needs_results();
  Module module(session);
  Queue queue(session);
  constexpr std::uint64_t kLength = 100000;
  Memory a(session, kLength * 4);
  Memory b(session, kLength * 4);
  std::vector<std::uint32_t> back(kLength);
  for (std::uint32_t round = 0; round < 20; ++round) {
    queue.run(Commands()
                  .launch(module.function("fill_index_4"), module.items(kLength),
                          module.fill_index<std::uint32_t>(a, 0, kLength, round))
                  .copy(a, 0, b, 0, kLength * 4)
                  .launch(module.function("add_one"), module.items(kLength), module.arguments().buffer(b, 0, kLength, 4))
                  .fill(a, 0, kLength * 4, &round, 4)
                  .read(b, 0, back.data(), kLength * 4));
    expect_elements(back, [&](std::uint64_t i) { return round + i + 1; }, fmt::format("round {}", round));
  }
}

CONFORMANCE_CASE(core, order, submissions_of_a_queue_run_in_order) {
  Session session(context);
  session.needs_results();
  Module module(session);
  Queue queue(session);
  constexpr std::uint64_t kLength = 10000;
  Memory memory(session, kLength * 4);
  std::vector<std::uint32_t> back(kLength);
  const std::uint32_t zero = 0;
  queue.submit(Commands().fill(memory, 0, kLength * 4, &zero, 4));
  for (int i = 0; i < 100; ++i) {
    queue.submit(Commands().launch(module.function("add_one"), module.items(kLength),
                                   module.arguments().buffer(memory, 0, kLength, 4)));
  }
  queue.run(Commands().read(memory, 0, back.data(), kLength * 4));
  expect_elements(back, [](std::uint64_t) { return 100u; }, "100 additions of one");
}

CONFORMANCE_CASE(core, transfer, large_transfers_arrive) {
  Session session(context);
  session.needs_results();
  Queue queue(session);
  constexpr std::size_t kBytes = (std::size_t{16} << 20) + 7;
  Memory memory(session, kBytes);
  std::vector<unsigned char> out(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) out[i] = static_cast<unsigned char>(i * 31 + i / 251);
  std::vector<unsigned char> back(kBytes);
  queue.run(Commands().write(memory, 0, out.data(), kBytes).read(memory, 0, back.data(), kBytes));
  expect(out == back, "16 MiB came back changed");
}

}  // namespace bascule::conformance
