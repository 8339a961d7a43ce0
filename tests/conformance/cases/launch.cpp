// Launches: shapes, limits and what is refused about arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <vector>

#include "tests/conformance/handles.hpp"
#include "tests/conformance/kernels.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

constexpr std::uint64_t kItems = 64;

struct Scene {
  explicit Scene(Context& context)
      : session(context), memory(session, kItems * 4), module(session), queue(session),
        function(module.function("fill_index_4")) {}

  Arguments arguments() const { return module.fill_index<std::uint32_t>(memory, 0, kItems, 1); }
  Commands launch(const Shape& shape) const { return Commands().launch(function, shape, arguments()); }
  Commands launch(Arguments changed) const { return Commands().launch(function, module.items(kItems), std::move(changed)); }
  bool is_host() const { return module.format == "host"; }

  Session session;
  Memory memory;
  Module module;
  Queue queue;
  bsc_plugin_function function;
};

}  // namespace

CONFORMANCE_CASE(core, launch, an_empty_grid_completes_and_runs_nothing) {
  Scene s(context);
  const unsigned char pattern = 0x7E;
  s.queue.run(Commands().fill(s.memory, 0, kItems * 4, &pattern, 1));
  for (int empty = 0; empty < 3; ++empty) {
    Shape shape = s.module.items(kItems);
    shape.grid[static_cast<std::size_t>(empty)] = 0;
    s.queue.run(s.launch(shape));
  }
  s.queue.run(s.launch(Shape{{0, 0, 0}, {1, 1, 1}, 0}));
  if (!s.session.computes()) return;
  unsigned char first = 0;
  s.queue.run(Commands().read(s.memory, 0, &first, 1));
  expect(first == pattern, "an empty grid ran something");
}

CONFORMANCE_CASE(core, launch, a_grid_beyond_the_limit_is_refused) {
  Scene s(context);
  bool any = false;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint64_t most = s.session.info.max_grid[i];
    if (most == UINT64_MAX) continue;
    any = true;
    Shape shape = {{1, 1, 1}, {1, 1, 1}, 0};
    shape.grid[i] = most + 1;
    expect_submission_refused(s.queue, s.launch(shape), {BSC_LIMIT_EXCEEDED}, fmt::format("grid[{}] = {}", i, most + 1));
  }
  if (!any) skip("the device states no grid limit");
}

CONFORMANCE_CASE(core, launch, a_refused_grid_names_the_limit) {
  Scene s(context);
  bool any = false;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint64_t most = s.session.info.max_grid[i];
    if (most == UINT64_MAX) continue;
    any = true;
    Shape shape = {{1, 1, 1}, {1, 1, 1}, 0};
    shape.grid[i] = most + 1;
    Error error;
    std::uint64_t value = 0;
    expect_refused(s.queue.try_submit(s.launch(shape), &value, error), error, {BSC_LIMIT_EXCEEDED}, "a grid too large");
    expect_message(error, std::to_string(most), "a grid too large");
  }
  if (!any) skip("the device states no grid limit");
}

CONFORMANCE_CASE(core, launch, a_grid_whose_product_wraps_is_refused) {
  Scene s(context);
  Shape shape = {{std::uint64_t{1} << 32, std::uint64_t{1} << 32, 2}, {1, 1, 1}, 0};
  expect_submission_refused(s.queue, s.launch(shape), {BSC_LIMIT_EXCEEDED, BSC_INVALID_ARGUMENT}, "a grid of 2^65 items");
}

CONFORMANCE_CASE(core, launch, a_block_beyond_the_limit_is_refused) {
  Scene s(context);
  if (s.is_host()) skip("a host kernel's block is a grain and has no limit");
  Error error;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    Shape shape = {{1, 1, 1}, {1, 1, 1}, 0};
    shape.block[i] = s.session.info.max_block[i] + 1;
    expect_submission_refused(s.queue, s.launch(shape), {BSC_LIMIT_EXCEEDED}, fmt::format("block[{}] too large", i));
  }
  Shape shape = {{1, 1, 1}, {s.session.info.max_block_threads + 1, 1, 1}, 0};
  expect_refused(s.queue.try_submit(s.launch(shape), &value, error), error, {BSC_LIMIT_EXCEEDED}, "a block too large");
  expect_message(error, std::to_string(s.session.info.max_block_threads), "a block too large");
}

CONFORMANCE_CASE(core, launch, more_shared_memory_than_there_is_is_refused) {
  Scene s(context);
  if (s.session.info.max_shared_bytes >= UINT64_MAX / 2) skip("the device states no limit");
  Shape shape = s.module.items(kItems);
  shape.shared_bytes = s.session.info.max_shared_bytes + 1;
  expect_submission_refused(s.queue, s.launch(shape), {BSC_LIMIT_EXCEEDED, BSC_UNSUPPORTED}, "too much shared memory");
}

CONFORMANCE_CASE(core, launch, more_argument_bytes_than_allowed_are_refused) {
  Scene s(context);
  const std::uint64_t most = s.session.info.max_argument_bytes;
  if (most > 1 << 24) skip("the device states no limit that matters");
  const std::vector<unsigned char> value(most + 8);
  Arguments arguments = s.module.arguments().buffer(s.memory, 0, kItems, 4);
  arguments.bytes(value.data(), value.size(), 4);
  expect_submission_refused(s.queue, s.launch(arguments), {BSC_LIMIT_EXCEEDED, BSC_INVALID_ARGUMENT}, "a value too large");
}

CONFORMANCE_CASE(core, launch, wrong_argument_counts_are_refused) {
  Scene s(context);
  Arguments none = s.module.arguments();
  Arguments one = s.module.arguments().buffer(s.memory, 0, kItems, 4);
  Arguments three = s.arguments().value(std::uint64_t{7});
  Arguments five = s.arguments().value(std::uint64_t{7}).value(std::uint64_t{8}).value(std::uint64_t{9});
  for (const Arguments& wrong : {none, one, three, five}) {
    expect_submission_refused(s.queue, s.launch(wrong), {BSC_INVALID_ARGUMENT},
                              fmt::format("{} arguments instead of 2", wrong.list.size()));
  }
}

CONFORMANCE_CASE(core, launch, unknown_argument_kinds_are_refused) {
  Scene s(context);
  for (const std::uint32_t kind : {3u, 0xFFFFFFFFu}) {
    Arguments arguments = s.arguments();
    arguments.list.back().kind = kind;
    expect_submission_refused(s.queue, s.launch(arguments), {BSC_INVALID_ARGUMENT, BSC_UNSUPPORTED},
                              fmt::format("an argument of kind {}", kind));
  }
}

CONFORMANCE_CASE(core, launch, arguments_outside_the_blob_are_refused) {
  Scene s(context);
  for (const std::uint64_t offset : {std::uint64_t{1} << 12, std::uint64_t{1} << 40, UINT64_MAX - 3}) {
    Arguments arguments = s.arguments();
    arguments.list.back().blob_offset = offset;
    expect_submission_refused(s.queue, s.launch(arguments), {BSC_INVALID_ARGUMENT},
                              fmt::format("a value at blob offset {}", offset));
  }
  Arguments arguments = s.arguments();
  arguments.list.back().bytes = 4096;
  expect_submission_refused(s.queue, s.launch(arguments), {BSC_INVALID_ARGUMENT}, "a value larger than the blob");
}

CONFORMANCE_CASE(core, launch, buffers_beyond_their_memory_are_refused) {
  Scene s(context);
  const auto refused = [&](std::uint64_t offset, std::uint64_t bytes, std::string_view what) {
    Arguments arguments = s.arguments();
    arguments.list.front().offset = offset;
    arguments.list.front().bytes = bytes;
    expect_submission_refused(s.queue, s.launch(arguments), {BSC_INVALID_ARGUMENT}, what);
  };
  refused(4, kItems * 4, "a buffer that ends one element late");
  refused(kItems * 4 + 4, 0, "an empty buffer behind its memory");
  refused(UINT64_MAX - 3, 8, "a buffer whose end wraps");
  refused(0, std::uint64_t{1} << 62, "a buffer of 2^62 bytes");
}

CONFORMANCE_CASE(core, launch, bad_memory_handles_are_refused) {
  Scene s(context);
  for (const BadHandle& bad : bad_handles(s.session, BSC_OBJECT_MEMORY)) {
    Arguments arguments = s.arguments();
    arguments.list.front().memory = bad.handle;
    expect_submission_refused(s.queue, s.launch(arguments), {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(core, launch, an_empty_buffer_may_be_null) {
  Scene s(context);
  s.queue.run(s.launch(s.module.fill_index<std::uint32_t>(nullptr, 0, 0, 1)));
  Memory empty(s.session, 0);
  s.queue.run(s.launch(s.module.fill_index<std::uint32_t>(empty, 0, 0, 1)));
  s.queue.run(s.launch(s.module.fill_index<std::uint32_t>(s.memory, kItems * 4, 0, 1)));
}

CONFORMANCE_CASE(core, launch, bad_function_handles_are_refused) {
  Scene s(context);
  for (const BadHandle& bad : bad_handles(s.session, BSC_OBJECT_FUNCTION)) {
    expect_submission_refused(s.queue, Commands().launch(bad.handle, s.module.items(kItems), s.arguments()),
                              {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(core, launch, a_function_of_an_unloaded_module_is_refused) {
  Scene s(context);
  s.module.unload();
  expect_submission_refused(s.queue, s.launch(s.arguments()), {BSC_INVALID_HANDLE}, "a function of an unloaded module");
}

CONFORMANCE_CASE(core, launch, walks_arguments_by_their_stride) {
  Scene s(context);
  constexpr std::size_t kStride = sizeof(bsc_plugin_argument) + 24;
  Commands commands = s.launch(s.arguments());
  std::vector<std::uint64_t> room(2 * kStride / 8, 0xAAAAAAAAAAAAAAAAu);
  for (std::size_t i = 0; i < 2; ++i) {
    std::memcpy(reinterpret_cast<char*>(room.data()) + i * kStride, &commands.last().launch.arguments[i],
                sizeof(bsc_plugin_argument));
  }
  commands.last().launch.arguments = reinterpret_cast<const bsc_plugin_argument*>(room.data());
  commands.last().launch.argument_stride = kStride;
  s.queue.run(commands);
  if (!s.session.computes()) return;
  std::vector<std::uint32_t> host(kItems);
  s.queue.run(Commands().read(s.memory, 0, host.data(), kItems * 4));
  expect(host.back() == kItems, "the kernel got other arguments");
}

}  // namespace bascule::conformance
