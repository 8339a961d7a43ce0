// Raw launches: layout, checks, limits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>

#include "core/runtime/testing/fake_instance.hpp"

using namespace bascule::testing;

namespace {

bsc_launch_options grid(std::uint64_t x, std::uint64_t y = 0, std::uint64_t z = 0) {
  bsc_launch_options options{};
  options.size = sizeof options;
  options.grid[0] = x;
  options.grid[1] = y;
  options.grid[2] = z;
  return options;
}

}  // namespace

TEST_CASE("a raw launch lays its arguments out like a C struct and computes") {
  Fixture fixture;
  bsc_kernel* kernel = raw_kernel(fixture.device, "axpb");
  constexpr std::uint64_t kCount = 1000;
  std::vector<float> x(kCount), y(kCount);
  std::iota(x.begin(), x.end(), 0.f);
  bsc_buffer* bx = fixture.buffer(kCount * 4);
  bsc_buffer* by = fixture.buffer(kCount * 4);
  REQUIRE(bsc_queue_upload(fixture.queue, bx, 0, x.data(), kCount * 4, nullptr) == BSC_OK);
  const float a = 2, b = 3;
  const std::uint64_t n = kCount;
  const bsc_argument arguments[] = {value_argument(&a, 4), value_argument(&b, 4), value_argument(&n, 8),
                                    buffer_argument(bx, kCount * 4), buffer_argument(by, kCount * 4)};
  const bsc_launch_options options = work_items(kCount);
  bsc_event* event = nullptr;
  REQUIRE(bsc_queue_launch(fixture.queue, kernel, &options, 5, arguments, &event, nullptr) == BSC_OK);
  CHECK(fixture.plugin.last_blob_bytes == sizeof(AxpbArguments));
  REQUIRE(bsc_queue_read(fixture.queue, by, 0, y.data(), kCount * 4, nullptr, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
  for (std::uint64_t i = 0; i < kCount; ++i) REQUIRE(y[i] == 2 * x[i] + 3);
  bsc_event_release(event);
  bsc_kernel_release(kernel);
  bsc_buffer_release(bx);
  bsc_buffer_release(by);
}

TEST_CASE("buffers at every element offset from 1 to 15 work") {
  Fixture fixture;
  bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
  for (std::uint64_t offset = 1; offset <= 15; ++offset) {
    bsc_buffer* buffer = fixture.filled(std::vector<std::uint32_t>(32, 10));
    const bsc_argument argument = buffer_argument(buffer, 16 * 4, offset * 4);
    const bsc_launch_options options = work_items(16);
    REQUIRE(bsc_queue_launch(fixture.queue, kernel, &options, 1, &argument, nullptr, nullptr) == BSC_OK);
    std::vector<std::uint32_t> expected(32, 10);
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(offset), 16, 11u);
    CHECK(fixture.read(buffer) == expected);
    bsc_buffer_release(buffer);
  }
  bsc_kernel_release(kernel);
}

TEST_CASE("an offset that is no multiple of the element size is refused with both numbers") {
  Fixture fixture;
  bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
  bsc_buffer* buffer = fixture.buffer(64);
  const bsc_argument argument = buffer_argument(buffer, 16, 6, 4);
  const bsc_launch_options options = work_items(4);
  ErrorHolder error;
  CHECK(bsc_queue_launch(fixture.queue, kernel, &options, 1, &argument, nullptr, &error) == BSC_INVALID_ARGUMENT);
  CHECK(error.mentions("argument 0"));
  CHECK(error.mentions("offset 6"));
  CHECK(error.mentions("4 bytes"));
  bsc_kernel_release(kernel);
  bsc_buffer_release(buffer);
}

TEST_CASE("an empty launch in any dimension succeeds, runs nothing and completes its event") {
  Fixture fixture;
  bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
  bsc_buffer* buffer = fixture.filled({5, 6});
  const bsc_argument argument = buffer_argument(buffer, 8);
  std::vector<bsc_launch_options> empty = {work_items(0), grid(0, 1, 1), grid(1, 0, 1), grid(1, 1, 0), grid(0, 0, 0)};
  for (std::size_t i = 1; i < empty.size(); ++i) empty[i].has_grid = 1;
  for (const bsc_launch_options& options : empty) {
    bsc_event* event = nullptr;
    REQUIRE(bsc_queue_launch(fixture.queue, kernel, &options, 1, &argument, &event, nullptr) == BSC_OK);
    CHECK(bsc_event_wait(event, BSC_FOREVER, nullptr) == BSC_OK);
    bsc_event_release(event);
  }
  CHECK(fixture.plugin.launches == 0);
  CHECK(fixture.read(buffer) == std::vector<std::uint32_t>{5, 6});
  bsc_kernel_release(kernel);
  bsc_buffer_release(buffer);
}

TEST_CASE("grid dimensions that are left at zero count as one") {
  Fixture fixture;
  bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
  bsc_buffer* buffer = fixture.filled({5, 6, 7});
  const bsc_argument argument = buffer_argument(buffer, 12);
  const bsc_launch_options options = grid(3);
  REQUIRE(bsc_queue_launch(fixture.queue, kernel, &options, 1, &argument, nullptr, nullptr) == BSC_OK);
  CHECK(fixture.read(buffer) == std::vector<std::uint32_t>{6, 7, 8});
  bsc_kernel_release(kernel);
  bsc_buffer_release(buffer);
}

TEST_CASE("sizes 65535, 65536 and 65537 work in one launch") {
  Fixture fixture;
  bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
  for (const std::uint64_t n : {65535u, 65536u, 65537u}) {
    bsc_buffer* buffer = fixture.filled(std::vector<std::uint32_t>(n, 1));
    const bsc_argument argument = buffer_argument(buffer, n * 4);
    const bsc_launch_options options = work_items(n);
    REQUIRE(bsc_queue_launch(fixture.queue, kernel, &options, 1, &argument, nullptr, nullptr) == BSC_OK);
    CHECK(fixture.read(buffer) == std::vector<std::uint32_t>(n, 2));
    bsc_buffer_release(buffer);
  }
  bsc_kernel_release(kernel);
}

TEST_CASE("a grid, a shared size or arguments beyond the device are refused with limit and value") {
  FakeOptions fake;
  fake.max_grid = 65535;
  Fixture fixture(fake);
  bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
  bsc_buffer* buffer = fixture.buffer(64);
  const bsc_argument argument = buffer_argument(buffer, 64);
  ErrorHolder error;
  for (const std::uint64_t size : {std::uint64_t{65536}, std::uint64_t{1} << 31, (std::uint64_t{1} << 32) + 1}) {
    const bsc_launch_options options = grid(1, size);
    CHECK(bsc_queue_launch(fixture.queue, kernel, &options, 1, &argument, nullptr, &error) == BSC_LIMIT_EXCEEDED);
    CHECK(error.mentions("grid[1] is " + std::to_string(size)));
    CHECK(error.mentions("max_grid = 65535"));
  }
  bsc_launch_options shared = grid(1);
  shared.shared_bytes = 65537;
  CHECK(bsc_queue_launch(fixture.queue, kernel, &shared, 1, &argument, nullptr, &error) == BSC_LIMIT_EXCEEDED);
  CHECK(error.mentions("max_shared_bytes = 65536"));
  std::vector<std::byte> large(4097);
  const bsc_launch_options options = grid(1);
  for (const std::uint64_t bytes : {std::uint64_t{4097}, std::uint64_t{1} << 40, UINT64_MAX}) {
    const bsc_argument value = value_argument(large.data(), bytes);
    CHECK(bsc_queue_launch(fixture.queue, kernel, &options, 1, &value, nullptr, &error) == BSC_LIMIT_EXCEEDED);
    CHECK(error.mentions("max_argument_bytes = 4096"));
  }
  bsc_kernel_release(kernel);
  bsc_buffer_release(buffer);
}

TEST_CASE("a launch with 1500 threads per block is refused where the limit is 1024, also when dimensions multiply") {
  FakeOptions fake;
  fake.formats = {"fake-gpu"};
  Fixture fixture(fake);
  bsc_module* module = nullptr;
  REQUIRE(bsc_module_load(fixture.device, "fake-gpu", nullptr, 0, nullptr, test_table(), &module, nullptr) == BSC_OK);
  bsc_kernel* kernel = nullptr;
  REQUIRE(bsc_module_kernel(module, "add_one", &kernel, nullptr) == BSC_OK);
  struct Block {
    std::uint64_t x, y, z;
  };
  const std::uint64_t huge = std::uint64_t{1} << 63;
  for (const auto& [x, y, z] :
       {Block{1500, 1, 1}, Block{1, 1500, 1}, Block{32, 33, 1}, Block{1024, 1, 2}, Block{huge, huge, 4}}) {
    bsc_launch_options options = grid(1);
    options.block[0] = x;
    options.block[1] = y;
    options.block[2] = z;
    ErrorHolder error;
    CHECK(bsc_queue_launch(fixture.queue, kernel, &options, 0, nullptr, nullptr, &error) == BSC_LIMIT_EXCEEDED);
    CHECK(error.mentions("1024"));
  }
  bsc_kernel_release(kernel);
  bsc_module_release(module);
}

TEST_CASE("wrong arguments are refused before anything is submitted, each with its index and cause") {
  Fixture fixture;
  Fixture other;
  bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
  bsc_buffer* buffer = fixture.buffer(64);
  bsc_buffer* foreign = other.buffer(64);
  const bsc_launch_options options = work_items(4);
  struct Wrong {
    bsc_argument argument;
    const char* expected;
  };
  bsc_argument unknown = buffer_argument(buffer, 64);
  unknown.kind = 9;
  const std::vector<Wrong> cases = {
      {buffer_argument(nullptr, 64), "NULL"},      {buffer_argument(foreign, 64), "the queue on fake:0"},
      {buffer_argument(buffer, 65), "beyond"},     {buffer_argument(buffer, UINT64_MAX, 4), "beyond"},
      {value_argument(nullptr, 4), "value needs"}, {unknown, "kind 9"}};
  for (const auto& [argument, expected] : cases) {
    ErrorHolder error;
    CHECK(bsc_queue_launch(fixture.queue, kernel, &options, 1, &argument, nullptr, &error) == BSC_INVALID_ARGUMENT);
    CHECK_MESSAGE(error.mentions(expected), error.message());
    CHECK(error.mentions("argument 0"));
  }
  CHECK(bsc_queue_launch(fixture.queue, kernel, nullptr, 0, nullptr, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
  bsc_launch_options both = work_items(4);
  both.grid[0] = 4;
  CHECK(bsc_queue_launch(fixture.queue, kernel, &both, 0, nullptr, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
  CHECK(bsc_queue_launch(other.queue, kernel, &options, 0, nullptr, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
  CHECK(bsc_queue_submitted(fixture.queue) == 0);
  bsc_kernel_release(kernel);
  bsc_buffer_release(buffer);
  bsc_buffer_release(foreign);
}

TEST_CASE("a kernel and its module released during a launch are unloaded when it has completed") {
  Fixture fixture;
  bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
  bsc_buffer* buffer = fixture.filled({1});
  const bsc_argument argument = buffer_argument(buffer, 4);
  const bsc_launch_options options = work_items(1);
  fixture.plugin.hold();
  REQUIRE(bsc_queue_launch(fixture.queue, kernel, &options, 1, &argument, nullptr, nullptr) == BSC_OK);
  bsc_kernel_release(kernel);
  CHECK(fixture.plugin.live_modules == 1);
  fixture.plugin.let_go();
  CHECK(fixture.read(buffer) == std::vector<std::uint32_t>{2});
  CHECK(fixture.plugin.live_modules == 0);
  bsc_buffer_release(buffer);
}

TEST_CASE("a module lists its functions, an unknown one is NOT_FOUND, an unknown format names the known ones") {
  Fixture fixture;
  bsc_module* module = nullptr;
  REQUIRE(bsc_module_load(fixture.device, "host", nullptr, 0, nullptr, test_table(), &module, nullptr) == BSC_OK);
  CHECK(std::string(bsc_module_function_name(module, 0)) == "axpb");
  CHECK(std::string(bsc_module_function_name(module, 1)) == "add_one");
  CHECK(bsc_module_function_name(module, 3) == nullptr);
  bsc_kernel* kernel = nullptr;
  CHECK(bsc_module_kernel(module, "nothing", &kernel, nullptr) == BSC_NOT_FOUND);
  bsc_module_release(module);
  ErrorHolder error;
  CHECK(bsc_module_load(fixture.device, "ptx", "x", 1, nullptr, nullptr, &module, &error) == BSC_UNSUPPORTED);
  CHECK(error.mentions("host"));
  CHECK(bsc_module_load(fixture.device, "host", nullptr, 0, nullptr, nullptr, &module, nullptr) ==
        BSC_INVALID_ARGUMENT);
  CHECK(bsc_module_load(fixture.device, "host", "x", 1, nullptr, test_table(), &module, nullptr) ==
        BSC_INVALID_ARGUMENT);
}
