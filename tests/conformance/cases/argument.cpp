// What kernels compute with what they are given: values, buffers at any offset, shared memory, grids.
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

// Every size of value arrives whole, between two neighbours of one byte, so at its natural alignment.
void check_echo(Context& context, std::size_t size) {
  Session session(context);
  session.needs_results();
  Module module(session);
  Memory memory(session, 64);
  Queue queue(session);
  std::array<unsigned char, 16> value;
  std::iota(value.begin(), value.end(), static_cast<unsigned char>(0xA0));
  Arguments arguments = module.arguments();
  arguments.value(std::uint8_t{0x11}).bytes(value.data(), size, size).value(std::uint8_t{0x22});
  arguments.buffer(memory, 0, size + 2, 1);
  std::array<unsigned char, 18> back = {};
  queue.run(Commands()
                .launch(module.function(fmt::format("echo_{}", size).c_str()), module.items(1, 1), arguments)
                .read(memory, 0, back.data(), size + 2));
  expect(back[0] == 0x11 && back[size + 1] == 0x22, "a neighbour of the value arrived wrong");
  expect(std::memcmp(back.data() + 1, value.data(), size) == 0, "the value arrived wrong");
}

// A buffer that starts at each of the first offsets, with guards on both sides.
template <class T>
void check_offsets(Context& context) {
  Session session(context);
  session.needs_results();
  Module module(session);
  Queue queue(session);
  constexpr std::uint64_t kLength = 37;
  constexpr std::uint64_t kTotal = kLength + 32;
  Memory memory(session, kTotal * sizeof(T));
  const bsc_plugin_function function = module.function(fmt::format("fill_index_{}", sizeof(T)).c_str());
  const unsigned char guard = 0xC3;
  T guard_element;
  std::memset(&guard_element, guard, sizeof guard_element);
  for (std::uint64_t first = 0; first <= 15; ++first) {
    std::vector<T> host(kTotal);
    queue.run(Commands()
                  .fill(memory, 0, kTotal * sizeof(T), &guard, 1)
                  .launch(function, module.items(kLength, 8),
                          module.fill_index<T>(memory, first * sizeof(T), kLength, static_cast<T>(first + 1)))
                  .read(memory, 0, host.data(), kTotal * sizeof(T)));
    const auto wanted = [&](std::uint64_t i) {
      const bool inside = i >= first && i < first + kLength;
      return inside ? static_cast<T>(first + 1 + i - first) : guard_element;
    };
    expect_elements(host, wanted, fmt::format("an offset of {} elements", first));
  }
}

}  // namespace

CONFORMANCE_CASE(core, argument, a_value_of_1_byte_arrives) { check_echo(context, 1); }
CONFORMANCE_CASE(core, argument, a_value_of_2_bytes_arrives) { check_echo(context, 2); }
CONFORMANCE_CASE(core, argument, a_value_of_4_bytes_arrives) { check_echo(context, 4); }
CONFORMANCE_CASE(core, argument, a_value_of_8_bytes_arrives) { check_echo(context, 8); }
CONFORMANCE_CASE(core, argument, a_value_of_16_bytes_arrives) { check_echo(context, 16); }

CONFORMANCE_CASE(core, argument, values_of_mixed_sizes_arrive) {
  Session session(context);
  session.needs_results();
  Module module(session);
  Memory memory(session, 40);
  Queue queue(session);
  std::array<std::uint64_t, 5> back = {};
  Arguments arguments = module.arguments();
  arguments.value(std::uint8_t{0xA1}).value(std::uint64_t{0xB2B2B2B2B2B2B2B2}).value(std::uint16_t{0xC3C3});
  arguments.value(std::uint32_t{0xD4D4D4D4}).value(std::uint8_t{0xE5}).buffer(memory, 0, 5, 8);
  queue.run(Commands()
                .launch(module.function("echo_mixed"), module.items(1, 1), arguments)
                .read(memory, 0, back.data(), sizeof back));
  const std::array<std::uint64_t, 5> wanted = {0xA1, 0xB2B2B2B2B2B2B2B2, 0xC3C3, 0xD4D4D4D4, 0xE5};
  expect(back == wanted, "a value arrived wrong");
}

CONFORMANCE_CASE(core, argument, buffers_of_1_byte_elements_work_at_every_offset) { check_offsets<std::uint8_t>(context); }
CONFORMANCE_CASE(core, argument, buffers_of_2_byte_elements_work_at_every_offset) { check_offsets<std::uint16_t>(context); }
CONFORMANCE_CASE(core, argument, buffers_of_4_byte_elements_work_at_every_offset) { check_offsets<std::uint32_t>(context); }
CONFORMANCE_CASE(core, argument, buffers_of_8_byte_elements_work_at_every_offset) { check_offsets<std::uint64_t>(context); }

CONFORMANCE_CASE(core, argument, two_buffers_of_one_memory) {
  Session session(context);
  session.needs_results();
  Module module(session);
  constexpr std::uint64_t kLength = 1000;
  Memory memory(session, 2 * kLength * sizeof(float));
  Queue queue(session);
  std::vector<float> host(2 * kLength);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i);
  std::vector<float> back(kLength);
  Arguments arguments = module.arguments().value(2.0f);
  arguments.buffer(memory, 0, kLength, sizeof(float)).buffer(memory, kLength * sizeof(float), kLength, sizeof(float));
  queue.run(Commands()
                .write(memory, 0, host.data(), host.size() * sizeof(float))
                .launch(module.function("axpy"), module.items(kLength), arguments)
                .read(memory, kLength * sizeof(float), back.data(), kLength * sizeof(float)));
  expect_elements(back, [&](std::size_t i) { return host[kLength + i] + 2.0f * host[i]; }, "axpy");
}

CONFORMANCE_CASE(core, argument, local_memory_is_shared_by_a_block) {
  Session session(context);
  session.needs_results();
  Module module(session);
  if (module.format == "host") skip("host kernels have no blocks of threads");
  constexpr std::uint64_t kBlock = 32;
  constexpr std::uint64_t kLength = 8 * kBlock;
  Memory memory(session, kLength * 4);
  Queue queue(session);
  std::vector<std::uint32_t> host(kLength);
  std::iota(host.begin(), host.end(), 0u);
  std::vector<std::uint32_t> back(kLength);
  queue.run(Commands()
                .write(memory, 0, host.data(), kLength * 4)
                .launch(module.function("reverse_block"), module.items(kLength, kBlock),
                        module.arguments().buffer(memory, 0, kLength, 4).local(kBlock * 4))
                .read(memory, 0, back.data(), kLength * 4));
  const auto wanted = [](std::size_t i) {
    const std::size_t block = i / kBlock * kBlock;
    return block + kBlock - 1 - (i - block);
  };
  expect_elements(back, wanted, "each block reversed");
}

CONFORMANCE_CASE(core, launch, every_item_runs_once) {
  Session session(context);
  session.needs_results();
  Module module(session);
  Queue queue(session);
  const std::uint32_t zero = 0;
  for (const std::uint64_t length : {1, 2, 63, 64, 65, 1000, 100003}) {
    Memory memory(session, length * 4);
    std::vector<std::uint32_t> back(length);
    queue.run(Commands()
                  .fill(memory, 0, length * 4, &zero, 4)
                  .launch(module.function("add_one"), module.items(length), module.arguments().buffer(memory, 0, length, 4))
                  .read(memory, 0, back.data(), length * 4));
    expect_elements(back, [](std::uint64_t) { return 1u; }, fmt::format("how often each of {} items ran", length));
  }
}

CONFORMANCE_CASE(core, launch, offsets_beyond_4_gib_work) {
  Session session(context);
  session.needs_results();
  Module module(session);
  constexpr std::uint64_t kFar = (std::uint64_t{4} << 30) + 4096;
  constexpr std::uint64_t kLength = 1000;
  const std::uint64_t bytes = kFar + kLength * 4;
  if (session.info.max_allocation_bytes < bytes) skip("the device gives no single allocation of more than 4 GiB");
  bsc_plugin_memory_description description = {};
  description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
  description.bytes = bytes;
  Error error;
  bsc_plugin_memory memory = nullptr;
  const bsc_status status = session.api.memory->allocate(session.device, &description, &memory, error.get());
  if (status == BSC_OUT_OF_MEMORY) skip("there are no 4 GiB free");
  expect_ok(status, error, "memory.allocate");
  Queue queue(session);
  std::vector<std::uint32_t> back(kLength);
  std::uint32_t low = 0;
  const std::uint32_t pattern = 0x99999999;
  queue.run(Commands()
                .fill(memory, 4096, 4, &pattern, 4)
                .launch(module.function("fill_index_4"), module.items(kLength),
                        module.fill_index<std::uint32_t>(memory, kFar, kLength, 3))
                .read(memory, kFar, back.data(), kLength * 4)
                .read(memory, 4096, &low, 4));
  expect(low == pattern, "an offset beyond 4 GiB reached a low address");
  expect_elements(back, [](std::size_t i) { return 3 + i; }, "a buffer beyond 4 GiB");
  queue.release();
  expect_ok(session.api.memory->release(memory, error.get()), error, "memory.release");
}

}  // namespace bascule::conformance
