// Launch plans: what a call becomes, and what is refused.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/launch_plan.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "bascule/host_kernel.h"
#include "core/package/test_packages.hpp"

using namespace bascule::core;
using namespace bascule::core::testing;

namespace {

bsc_plugin_object memory_object{};
bsc_plugin_object workspace_object{};
bsc_plugin_object function_object{};
const bsc_plugin_memory kMemory = &memory_object;
const bsc_plugin_memory kWorkspace = &workspace_object;

DeviceTraits device() {
  DeviceTraits traits;
  traits.id = "test:0";
  traits.formats = {"host", "opencl-c"};
  traits.architecture = "x86-64-v3";
  traits.compute_units = 4;
  traits.max_block_threads = 1024;
  for (std::uint64_t& size : traits.max_block) size = 1024;
  traits.max_grid[0] = 1000;
  traits.max_grid[1] = traits.max_grid[2] = 65535;
  traits.max_shared_bytes = 32768;
  traits.max_argument_bytes = 1024;
  traits.max_sub_group = 32;
  return traits;
}

template <class T>
BoundArgument scalar(const T& value) {
  BoundArgument argument;
  argument.value = &value;
  argument.bytes = sizeof value;
  return argument;
}

BoundArgument buffer(std::uint64_t bytes, std::uint64_t offset = 0) {
  BoundArgument argument;
  argument.is_buffer = true;
  argument.memory = kMemory;
  argument.bytes = bytes;
  argument.offset = offset;
  return argument;
}

// A plan with what it needs to live, and one call through it.
struct Fixture {
  explicit Fixture(const std::string& metadata, std::size_t variant = 0, const DeviceTraits& traits = device())
      : package(load(metadata, {"image"})),
        compiled(LaunchPlan::compile(package->kernels()[0], package->kernels()[0].variants[variant], traits)) {}

  LaunchPlan& plan() {
    REQUIRE_MESSAGE(compiled.ok(), compiled.error().message);
    return *compiled;
  }

  // Binds and fills; the error, if any.
  Status call(const std::vector<BoundArgument>& arguments, const LaunchShape& shape = {}) {
    for (std::size_t i = 0; i < plan().launch_count(); ++i) BSC_RETURN_IF_ERROR(plan().set_function(i, &function_object, 0));
    BSC_RETURN_IF_ERROR(plan().bind(arguments, shape, bound));
    const auto sizes = plan().storage_for(bound);
    commands.assign(sizes.commands, {});
    filled.assign(sizes.arguments, {});
    blob.assign(sizes.blob_bytes + 64, std::byte{0xee});
    auto* start = blob.data() + (64 - reinterpret_cast<std::uintptr_t>(blob.data()) % 64) % 64;
    return plan().fill(arguments, shape, bound, kWorkspace, 4096, {commands.data(), filled.data(), start});
  }

  std::string refusal(const std::vector<BoundArgument>& arguments, const LaunchShape& shape = {},
                      bsc_status expected = BSC_INVALID_ARGUMENT) {
    Status status = call(arguments, shape);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().status == expected);
    CHECK(status.error().message.starts_with("kernel "));
    CHECK_FALSE(status.error().remedy.empty());
    return status.error().message;
  }

  std::shared_ptr<const Package> package;
  Result<LaunchPlan> compiled;
  BoundCall bound;
  std::vector<bsc_plugin_command> commands;
  std::vector<bsc_plugin_argument> filled;
  std::vector<std::byte> blob;
};

template <class T>
T blob_value(const bsc_plugin_launch& launch, std::size_t argument) {
  T value;
  std::memcpy(&value, static_cast<const char*>(launch.blob) + launch.arguments[argument].blob_offset, sizeof value);
  return value;
}

const float kA = 2.5f;

// A kernel of its own for plans that the sample lacks.
std::string kernel(std::string_view parameters, std::string_view variant) {
  return std::string(R"({"package": {"name": "p"}, "kernels": [{"name": "k", "parameters": [)") + std::string(parameters) +
         R"(], "variants": [{"name": "v", "format": "opencl-c", "image": 0, )" + std::string(variant) + "}]}]}";
}
constexpr std::string_view kN = R"({"name": "n", "kind": "scalar", "type": "u64"})";
constexpr std::string_view kX = R"({"name": "x", "kind": "buffer", "type": "f32", "access": "inout"})";

}  // namespace

TEST_CASE("a host launch: grid in items, grain, spans in a blob laid out as a C struct") {
  struct Arguments {
    float a;
    std::uint64_t n;
    bsc_host_span x;
    bsc_host_span y;
  };
  Fixture host{std::string(kAxpb)};
  const std::uint64_t n = 10000;
  REQUIRE(host.call({scalar(kA), scalar(n), buffer(40000, 8), buffer(40004)}).ok());
  REQUIRE(host.commands.size() == 1);
  CHECK(host.commands[0].kind == BSC_COMMAND_LAUNCH);
  CHECK(host.commands[0].header.size == sizeof(bsc_plugin_command));
  const bsc_plugin_launch& launch = host.commands[0].launch;
  CHECK(launch.function == &function_object);
  CHECK(launch.grid[0] == 10000);
  CHECK(launch.grid[1] == 1);
  CHECK(launch.block[0] == 4096);
  CHECK(launch.argument_count == 4);
  CHECK(launch.argument_stride == sizeof(bsc_plugin_argument));
  CHECK(launch.blob_bytes == sizeof(Arguments));
  CHECK(launch.arguments[1].blob_offset == offsetof(Arguments, n));
  CHECK(launch.arguments[2].blob_offset == offsetof(Arguments, x));
  CHECK(launch.arguments[3].blob_offset == offsetof(Arguments, y));
  CHECK(reinterpret_cast<std::uintptr_t>(launch.blob) % 64 == 0);
  CHECK(blob_value<float>(launch, 0) == kA);
  CHECK(blob_value<std::uint64_t>(launch, 1) == n);
  CHECK(launch.arguments[2].kind == BSC_ARGUMENT_BUFFER);
  CHECK(launch.arguments[2].memory == kMemory);
  CHECK(launch.arguments[2].offset == 8);
  CHECK(launch.arguments[2].bytes == 40000);
  CHECK(launch.arguments[2].flags == 0);
}

TEST_CASE("a split launch: blocks, lengths in elements, a linear grid beyond the limit in parts") {
  Fixture opencl{std::string(kAxpb), 1};
  std::uint64_t n = 1000 * 256;
  REQUIRE(opencl.call({scalar(kA), scalar(n), buffer(n * 4), buffer(n * 4)}).ok());
  REQUIRE(opencl.commands.size() == 1);
  CHECK(opencl.commands[0].launch.grid[0] == 1000);
  CHECK(opencl.commands[0].launch.arguments[2].flags == BSC_ARGUMENT_SPLIT);
  CHECK(blob_value<std::uint64_t>(opencl.commands[0].launch, 2) == n);
  CHECK(blob_value<std::uint64_t>(opencl.commands[0].launch, 4) == 0);
  n = 2500 * 256 - 3;
  REQUIRE(opencl.call({scalar(kA), scalar(n), buffer(n * 4), buffer(n * 4)}).ok());
  REQUIRE(opencl.commands.size() == 3);
  std::uint64_t blocks = 0;
  for (const bsc_plugin_command& command : opencl.commands) {
    CHECK(blob_value<std::uint64_t>(command.launch, 4) == blocks);
    CHECK(blob_value<std::uint64_t>(command.launch, 1) == n);
    blocks += command.launch.grid[0];
  }
  CHECK(blocks == 2500);
}

TEST_CASE("too many parts of a linear grid are refused with the limit") {
  Fixture opencl{std::string(kAxpb), 1};
  const std::uint64_t n = std::uint64_t{1} << 39;
  CHECK(contains(opencl.refusal({scalar(kA), scalar(n), buffer(n * 4), buffer(n * 4)}, {}, BSC_LIMIT_EXCEEDED), "even in 4096 parts"));
}

TEST_CASE("an empty grid and no work items give no command") {
  Fixture host{std::string(kAxpb)};
  const std::uint64_t n = 0;
  BoundArgument empty;
  empty.is_buffer = true;
  REQUIRE(host.call({scalar(kA), scalar(n), empty, empty}).ok());
  CHECK(host.bound.command_count == 0);
  CHECK(host.bound.workspace_bytes == 0);
  LaunchShape none;
  none.has_work_items = true;
  const std::uint64_t ten = 10;
  REQUIRE(host.call({scalar(kA), scalar(ten), buffer(40), buffer(40)}, none).ok());
  CHECK(host.bound.command_count == 0);
}

TEST_CASE("arguments are checked against the contract, and the error says what was wrong") {
  Fixture host{std::string(kAxpb)};
  const std::uint64_t n = 10;
  const float wrong_type = 10;
  const auto a = scalar(kA);
  CHECK(contains(host.refusal({a, scalar(n), buffer(40)}), "takes 4 arguments, 3 were given"));
  CHECK(contains(host.refusal({a, scalar(wrong_type), buffer(40), buffer(40)}), "argument 1 (n) has type u64 and takes 8 bytes, 4 were given"));
  CHECK(contains(host.refusal({a, scalar(n), scalar(n), buffer(40)}), "argument 2 (x) must be a buffer of f32, a value was given"));
  CHECK(contains(host.refusal({a, buffer(8), buffer(40), buffer(40)}), "argument 1 (n) must be a value of type u64, a buffer was given"));
  CHECK(contains(host.refusal({a, scalar(n), buffer(40, 2), buffer(40)}), "starts at byte 2, which is no multiple of the 4 bytes of f32"));
  CHECK(contains(host.refusal({a, scalar(n), buffer(42), buffer(40)}), "has 42 bytes, which is no multiple"));
  CHECK(contains(host.refusal({a, scalar(n), buffer(40), buffer(36)}),
                 "argument 3 (y) has 9 elements, the contract asks for at least 10 (`n`)"));
  BoundArgument no_memory = buffer(40);
  no_memory.memory = nullptr;
  CHECK(contains(host.refusal({a, scalar(n), no_memory, buffer(40)}), "has 40 bytes but no buffer"));
  BoundArgument no_value = a;
  no_value.value = nullptr;
  CHECK(contains(host.refusal({no_value, scalar(n), buffer(40), buffer(40)}), "the pointer is NULL"));
}

TEST_CASE("a requirement of the contract that does not hold is told with its values") {
  Fixture host{std::string(kAxpb)};
  const std::uint64_t n = std::uint64_t{1} << 40;
  const std::string message = host.refusal({scalar(kA), scalar(n), buffer(n * 4), buffer(n * 4)});
  CHECK(contains(message, "n must be below 2^40 (`n < 1 << 40` does not hold with n = 1099511627776)"));
}

TEST_CASE("negative integers are refused where sizes depend on them, and passed on elsewhere") {
  const std::string parameters = R"({"name": "n", "kind": "scalar", "type": "i32"}, {"name": "s", "kind": "scalar", "type": "i16"})";
  Fixture plan{kernel(parameters, R"("launches": [{"function": "f", "grid": ["n"], "block": [1]}])")};
  std::int32_t n = -1;
  std::int16_t s = -5;
  CHECK(contains(plan.refusal({scalar(n), scalar(s)}), "argument 0 (n) is negative"));
  n = 3;
  REQUIRE(plan.call({scalar(n), scalar(s)}).ok());
  CHECK(plan.commands[0].launch.grid[0] == 3);
  CHECK(blob_value<std::int16_t>(plan.commands[0].launch, 1) == -5);
}

TEST_CASE("16-bit floats travel as f32") {
  Fixture plan{kernel(R"({"name": "h", "kind": "scalar", "type": "f16"})", R"("launches": [{"function": "f", "grid": [1], "block": [1]}])")};
  const std::uint16_t half = 0x3c00;
  CHECK(contains(plan.refusal({scalar(half)}), "takes 4 bytes, 2 were given"));
  REQUIRE(plan.call({scalar(kA)}).ok());
  CHECK(blob_value<float>(plan.commands[0].launch, 0) == kA);
}

TEST_CASE("a slice beyond the workspace is the package's fault") {
  Fixture plan{kernel(kN, R"json("workspace": "n", "launches": [{"function": "f", "grid": [1], "block": [1],
    "arguments": [{"workspace": {"offset": 4, "bytes": "n"}}]}])json")};
  const std::uint64_t n = 256;
  CHECK(contains(plan.refusal({scalar(n)}, {}, BSC_INVALID_PACKAGE), "takes bytes 4 + 256 of a workspace of 256"));
}

TEST_CASE("a slice at an offset that does not suit its elements is the package's fault") {
  Fixture plan{kernel(kN, R"json("workspace": "n", "launches": [{"function": "f", "grid": [1], "block": [1],
    "arguments": [{"workspace": {"offset": 4, "bytes": 8, "type": "f64"}}]}])json")};
  const std::uint64_t n = 256;
  CHECK(contains(plan.refusal({scalar(n)}, {}, BSC_INVALID_PACKAGE), "byte 4 of the workspace, which is no multiple of the 8 bytes of f64"));
}

TEST_CASE("slices within the workspace, clearing, derived values, locals and conditions become commands") {
  const std::string json = kernel(std::string(kN) + "," + std::string(kX), R"json(
    "constants": {"B": 64}, "workspace": "n * 4 + 4 * B", "workspace_init": "zero",
    "launches": [
      {"function": "first", "grid": ["ceildiv(n, B)"], "block": ["B"], "shared": "B * 4",
       "arguments": ["x", {"workspace": {"offset": "n * 4", "bytes": "4 * B", "type": "f32"}}, {"value": "n * 2", "type": "u32"}, {"local": "B * 8"}]},
      {"function": "skipped", "grid": [1], "block": [1], "when": "n > 100", "arguments": []},
      {"function": "last", "grid": [1], "block": [1, 2], "cooperative": true, "arguments": [{"value": "device.compute_units", "type": "u64"}]}])json");
  Fixture plan{json};
  const std::uint64_t n = 16;
  REQUIRE(plan.call({scalar(n), buffer(64)}).ok());
  CHECK(plan.bound.workspace_bytes == 320);
  REQUIRE(plan.commands.size() == 3);
  CHECK(plan.commands[0].kind == BSC_COMMAND_FILL);
  CHECK(plan.commands[0].fill.memory == kWorkspace);
  CHECK(plan.commands[0].fill.offset == 4096);
  CHECK(plan.commands[0].fill.bytes == 320);
  CHECK(plan.commands[0].fill.pattern_bytes == 1);
  const bsc_plugin_launch& first = plan.commands[1].launch;
  CHECK(first.shared_bytes == 256);
  CHECK(first.arguments[1].memory == kWorkspace);
  CHECK(first.arguments[1].offset == 4096 + 64);
  CHECK(first.arguments[1].bytes == 256);
  CHECK(blob_value<std::uint64_t>(first, 1) == 64);
  CHECK(blob_value<std::uint32_t>(first, 2) == 32);
  CHECK(first.arguments[3].kind == BSC_ARGUMENT_LOCAL);
  CHECK(first.arguments[3].bytes == 512);
  const bsc_plugin_launch& last = plan.commands[2].launch;
  CHECK(last.block[1] == 2);
  CHECK(last.flags == BSC_LAUNCH_COOPERATIVE);
  CHECK(blob_value<std::uint64_t>(last, 0) == 4);
  const std::uint64_t large = 101;
  REQUIRE(plan.call({scalar(large), buffer(404)}).ok());
  CHECK(plan.commands.size() == 4);
}

TEST_CASE("arithmetic that fails and values that do not fit are refused") {
  Fixture plan{kernel(kN, R"("launches": [{"function": "f", "grid": ["n - 1"], "block": [1], "arguments": [{"value": "n", "type": "u8"}]}])")};
  std::uint64_t n = 0;
  CHECK(contains(plan.refusal({scalar(n)}), "`n - 1` goes below zero in 0 - 1 with n = 0"));
  n = 256;
  CHECK(contains(plan.refusal({scalar(n)}), "`n` is 256, which u8 cannot hold"));
  n = 255;
  CHECK(plan.call({scalar(n)}).ok());
}

TEST_CASE("work items: needed by the plans that use them, and then they set the grid") {
  Fixture plan{kernel(kX, R"json("launches": [{"function": "f", "grid": ["ceildiv(work_items, 64)"], "block": [64]}])json")};
  CHECK(contains(plan.refusal({buffer(4)}), "no number of work items"));
  LaunchShape shape;
  shape.has_work_items = true;
  shape.work_items = 65;
  REQUIRE(plan.call({buffer(4)}, shape).ok());
  CHECK(plan.commands[0].launch.grid[0] == 2);
}

TEST_CASE("a raw grid replaces the plan's shape where there is one launch, within the device's limits") {
  Fixture plan{kernel(kX, R"json("launches": [{"function": "f", "grid": ["ceildiv(work_items, 64)"], "block": [64], "shared": 128}])json")};
  LaunchShape shape;
  shape.has_grid = true;
  shape.grid = {3, 2, 1};
  shape.flags = BSC_LAUNCH_STREAMING;
  REQUIRE(plan.call({buffer(4)}, shape).ok());
  CHECK(plan.commands[0].launch.grid[1] == 2);
  CHECK(plan.commands[0].launch.block[0] == 64);
  CHECK(plan.commands[0].launch.shared_bytes == 128);
  CHECK(plan.commands[0].launch.flags == BSC_LAUNCH_STREAMING);
  shape.block = {8, 8, 1};
  shape.shared_bytes = 256;
  REQUIRE(plan.call({buffer(4)}, shape).ok());
  CHECK(plan.commands[0].launch.block[1] == 8);
  CHECK(plan.commands[0].launch.shared_bytes == 256);
  shape.block = {32, 64, 1};
  CHECK(contains(plan.refusal({buffer(4)}, shape, BSC_LIMIT_EXCEEDED), "a block of 32 x 64 x 1 threads exceeds the limit of 1024"));
  shape.block = {8, 0, 1};
  CHECK(contains(plan.refusal({buffer(4)}, shape), "has no threads"));
  shape.block = {8, 8, 1};
  shape.shared_bytes = 40000;
  CHECK(contains(plan.refusal({buffer(4)}, shape, BSC_LIMIT_EXCEEDED), "40000 bytes of shared memory exceed"));
  shape.shared_bytes = 0;
  shape.grid = {1, 65536, 1};
  CHECK(contains(plan.refusal({buffer(4)}, shape, BSC_LIMIT_EXCEEDED), "exceeds the limit of device test:0: 65535 in dimension 1"));
  shape.grid = {0, 1, 1};
  REQUIRE(plan.call({buffer(4)}, shape).ok());
  CHECK(plan.bound.command_count == 0);
  Fixture two{kernel(kX, R"("launches": [{"function": "f", "grid": [1], "block": [1]}, {"function": "g", "grid": [1], "block": [1]}])")};
  shape.grid = {1, 1, 1};
  CHECK(contains(two.refusal({buffer(4)}, shape), "2 launches"));
}

TEST_CASE("a host grid may be as large as 64 bits allow, and no larger") {
  const std::string json = replaced(std::string(kAxpb), R"(["n"], "block": ["GRAIN"])", R"(["n", "n"], "block": ["GRAIN"])");
  Fixture host{replaced(replaced(json, R"(,  "length": "n")", ""), R"(, "length": "n")", "")};
  const std::uint64_t small = std::uint64_t{1} << 31;
  const std::uint64_t large = std::uint64_t{1} << 32;
  CHECK(host.call({scalar(kA), scalar(small), buffer(4), buffer(4)}).ok());
  CHECK(contains(host.refusal({scalar(kA), scalar(large), buffer(4), buffer(4)}, {}, BSC_LIMIT_EXCEEDED), "more than 2^64 - 1"));
}

TEST_CASE("a plan beyond the device's constants is refused when it is compiled or loaded") {
  DeviceTraits small = device();
  small.max_argument_bytes = 32;
  Fixture arguments{std::string(kAxpb), 1, small};
  REQUIRE_FALSE(arguments.compiled.ok());
  CHECK(arguments.compiled.error().status == BSC_LIMIT_EXCEEDED);
  CHECK(contains(arguments.compiled.error().message, "bytes of arguments, device test:0 allows 32"));
  small = device();
  small.max_block[0] = 128;
  Fixture block{std::string(kAxpb), 1, small};
  REQUIRE_FALSE(block.compiled.ok());
  CHECK(contains(block.compiled.error().message, "128 in dimension 0"));
  Fixture function{std::string(kAxpb), 1};
  CHECK_FALSE(function.plan().set_function(0, &function_object, 128).ok());
  CHECK(function.plan().set_function(0, &function_object, 256).ok());
}

TEST_CASE("the usual storage suffices for every call that is not split") {
  Fixture opencl{std::string(kAxpb), 1};
  const std::uint64_t n = 1000;
  REQUIRE(opencl.call({scalar(kA), scalar(n), buffer(n * 4), buffer(n * 4)}).ok());
  const auto needed = opencl.plan().storage_for(opencl.bound);
  const auto& usual = opencl.plan().usual_storage();
  CHECK(needed.commands <= usual.commands);
  CHECK(needed.arguments <= usual.arguments);
  CHECK(needed.blob_bytes <= usual.blob_bytes);
}
