// Modules, functions and launches on a real OpenCL implementation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <numeric>
#include <thread>

#include "backends/opencl/on_device/fixture.hpp"

using namespace bascule::opencl::test;

namespace {

constexpr const char* kSource = R"(
__kernel void axpb(float a, float b, __global const float* x_base, ulong x_offset, ulong x_length,
                   __global float* y_base, ulong y_offset, ulong y_length) {
  __global const float* x = (__global const float*)((__global const char*)x_base + x_offset);
  __global float* y = (__global float*)((__global char*)y_base + y_offset);
  const ulong i = get_global_id(0);
  if (i < x_length && i < y_length) y[i] = a * x[i] + b;
}
__kernel void plain(__global uint* out, uint value) { out[get_global_id(0)] = value + (uint)get_global_id(0); }
__kernel void reverse(__global uint* data, __local uint* shared) {
  const uint i = get_local_id(0);
  const uint n = get_local_size(0);
  shared[i] = data[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[i] = shared[n - 1 - i];
}
__kernel void where(__global uint* out) {
  const uint i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  out[i] = get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2);
}
__kernel void nothing(void) {}
)";

}  // namespace

TEST_CASE("a build failure carries the compiler's log, the options and the image's name") {
  Opened opened;
  bsc_plugin_module module = nullptr;
  CHECK(opened.load("__kernel void broken(void) { undeclared_thing = 1; }", module, "-DSOME_OPTION=1") == BSC_BUILD_FAILED);
  CHECK(opened.message().find("undeclared_thing") != std::string::npos);
  CHECK(opened.message().find("-DSOME_OPTION=1") != std::string::npos);
  CHECK(opened.message().find("test.cl") != std::string::npos);
  CHECK(std::string(opened.error.vendor_name) == "CL_BUILD_PROGRAM_FAILURE");
  CHECK(std::string(opened.error.call) == "clBuildProgram");
}

TEST_CASE("images that are no OpenCL C text are refused before the driver sees them") {
  Opened opened;
  bsc_plugin_module module = nullptr;
  CHECK(opened.load("", module) == BSC_INVALID_IMAGE);
  CHECK(opened.load(std::string("__kernel\0void", 13), module) == BSC_INVALID_IMAGE);
  bsc_plugin_image image = {};
  image.header = {sizeof image, BSC_STRUCT_IMAGE, nullptr};
  image.format = "ptx";
  image.data = "x";
  image.bytes = 1;
  CHECK(opened.api->module->load(opened.device, &image, &module, &opened.error) == BSC_UNSUPPORTED);
  CHECK(opened.message().find("'opencl-c'") != std::string::npos);
}

TEST_CASE("functions are listed and described; an unknown one is answered with those there are") {
  Opened opened;
  const auto module = opened.module(kSource);
  std::vector<std::string> names;
  const char* name = nullptr;
  while (opened.api->module->function_name(module, names.size(), &name, nullptr) == BSC_OK) names.emplace_back(name);
  CHECK(names.size() == 5);
  bsc_plugin_function_info info = {};
  info.header = {sizeof info, BSC_STRUCT_FUNCTION_INFO, nullptr};
  REQUIRE(opened.api->module->function_info(opened.function(module, "axpb"), &info, nullptr) == BSC_OK);
  CHECK(info.argument_count == 8);
  CHECK(info.max_block_threads > 0);
  bsc_plugin_function function = nullptr;
  CHECK(opened.api->module->function(module, "axbp", &function, &opened.error) == BSC_NOT_FOUND);
  CHECK(opened.message().find("axpb") != std::string::npos);
  CHECK(opened.message().find("reverse") != std::string::npos);
}

TEST_CASE("a second load of the same image comes from the host's cache and computes the same") {
  Opened opened;
  const auto queue = opened.queue();
  opened.module(kSource);
  CHECK(opened.host.puts == 1);
  const auto again = opened.module(kSource);
  CHECK(opened.host.hits == 1);
  CHECK(opened.host.puts == 1);
  const auto memory = opened.memory(64);
  Launch launch(opened.function(again, "plain"), 4, 4);
  REQUIRE(opened.submit(queue, {launch.buffer(memory, 64).value(std::uint32_t{7}).command()}) == BSC_OK);
  CHECK(opened.read<std::uint32_t>(queue, memory, 16)[15] == 22);
}

TEST_CASE("a cached binary that the driver rejects is built again and replaced") {
  Opened opened;
  opened.module(kSource);
  REQUIRE(opened.host.cache.size() == 1);
  auto& entry = opened.host.cache.begin()->second;
  const auto good = entry;
  entry.assign(100, std::byte{0x42});
  opened.module(kSource);
  CHECK(opened.host.puts == 2);
  CHECK(entry.size() == good.size());
}

TEST_CASE("split buffers work at every offset that is a multiple of the element size") {
  Opened opened;
  const auto queue = opened.queue();
  const auto module = opened.module(kSource);
  const auto x = opened.memory(4096);
  const auto y = opened.memory(4096);
  std::vector<float> values(100);
  std::iota(values.begin(), values.end(), 1.0f);
  for (std::uint64_t offset = 0; offset <= 15; ++offset) {
    opened.write(queue, x, values, offset * 4);
    Launch launch(opened.function(module, "axpb"), 2, 64);
    launch.value(2.0f).value(3.0f).split(x, 100, 4, offset * 4).split(y, 100, 4, (15 - offset) * 4);
    REQUIRE(opened.submit(queue, {launch.command()}) == BSC_OK);
    const auto result = opened.read<float>(queue, y, 100, (15 - offset) * 4);
    for (std::size_t i = 0; i < 100; ++i) REQUIRE(result[i] == 2 * values[i] + 3);
  }
}

TEST_CASE("a plain buffer works at aligned offsets; at others the message names alignment and remedy") {
  Opened opened;
  const auto queue = opened.queue();
  const auto module = opened.module(kSource);
  const auto memory = opened.memory(65536);
  const auto function = opened.function(module, "plain");
  Launch aligned(function, 4, 4);
  REQUIRE(opened.submit(queue, {aligned.buffer(memory, 64, 4096).value(std::uint32_t{1}).command()}) == BSC_OK);
  CHECK(opened.read<std::uint32_t>(queue, memory, 16, 4096)[15] == 16);
  Launch odd(function, 4, 4);
  CHECK(opened.submit(queue, {odd.buffer(memory, 64, 4).value(std::uint32_t{1}).command()}) == BSC_UNSUPPORTED);
  CHECK(opened.message().find("split argument") != std::string::npos);
  CHECK(opened.message().find("multiples of") != std::string::npos);
}

TEST_CASE("kernels reach host memory where it is shared, and are refused it where it is staged") {
  for (const char* way : {"automatic", "staged"}) {
    Opened opened(option("host_memory", way));
    bool reaches = false;
    const auto info = opened.info();
    for (std::uint64_t i = 0; i < info.capability_count; ++i) {
      if (std::string(info.capabilities[i].name) == "kernels_reach_host_memory") reaches = info.capabilities[i].value != 0;
    }
    if (std::string(way) == "staged") CHECK_FALSE(reaches);
    const auto queue = opened.queue();
    const auto memory = opened.memory(64, BSC_MEMORY_HOST);
    Launch launch(opened.function(opened.module(kSource), "plain"), 4, 4);
    launch.buffer(memory, 64).value(std::uint32_t{1});
    if (!reaches) {
      CHECK(opened.submit(queue, {launch.command()}) == BSC_UNSUPPORTED);
      CHECK(opened.message().find("kernels_reach_host_memory") != std::string::npos);
      continue;
    }
    REQUIRE(opened.submit(queue, {launch.command()}) == BSC_OK);
    REQUIRE(opened.finish(queue) == BSC_OK);
    void* address = nullptr;
    REQUIRE(opened.api->memory->map(memory, &address, nullptr) == BSC_OK);
    CHECK(static_cast<std::uint32_t*>(address)[15] == 16);
  }
}

TEST_CASE("local arguments give each block shared memory") {
  Opened opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(64 * 4);
  std::vector<std::uint32_t> values(64);
  std::iota(values.begin(), values.end(), 0);
  opened.write(queue, memory, values);
  Launch launch(opened.function(opened.module(kSource), "reverse"), 1, 64);
  launch.launch.shared_bytes = 64 * 4;
  REQUIRE(opened.submit(queue, {launch.buffer(memory, 256).local(256).command()}) == BSC_OK);
  CHECK(opened.read<std::uint32_t>(queue, memory, 64)[0] == 63);
}

TEST_CASE("grids and blocks of three dimensions reach the kernel") {
  Opened opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(6 * 4 * 4 * 4);
  Launch launch(opened.function(opened.module(kSource), "where"), 3, 2);
  launch.launch.grid[1] = 2;
  launch.launch.block[1] = 2;
  launch.launch.grid[2] = 4;
  REQUIRE(opened.submit(queue, {launch.buffer(memory, 384).command()}) == BSC_OK);
  const auto result = opened.read<std::uint32_t>(queue, memory, 96);
  CHECK(result[0] == 0);
  CHECK(result[5] == 2);
  CHECK(result[6 * 3 + 1] == 10);
  CHECK(result[95] == 312);
}

TEST_CASE("an empty grid completes without running, with any block") {
  Opened opened;
  const auto queue = opened.queue();
  const auto module = opened.module(kSource);
  Launch launch(opened.function(module, "nothing"), 0, 0);
  REQUIRE(opened.submit(queue, {launch.command()}) == BSC_OK);
  CHECK(opened.finish(queue) == BSC_OK);
}

TEST_CASE("launches beyond a limit are refused with the limit in the message") {
  Opened opened;
  const auto queue = opened.queue();
  const auto module = opened.module(kSource);
  const auto info = opened.info();
  const auto nothing = opened.function(module, "nothing");
  const auto refused = [&](Launch launch, bsc_status expected, const std::string& part) {
    CHECK(opened.submit(queue, {launch.command()}) == expected);
    CAPTURE(opened.message());
    CHECK(opened.message().find(part) != std::string::npos);
  };
  refused(Launch(nothing, 1, info.max_block[0] + 1), BSC_LIMIT_EXCEEDED, std::to_string(info.max_block[0]));
  Launch wide(nothing, 1, info.max_block[0]);
  wide.launch.block[1] = 2;
  refused(wide, BSC_LIMIT_EXCEEDED, std::to_string(info.max_block_threads));
  refused(Launch(nothing, 1, 0), BSC_INVALID_ARGUMENT, "block dimension 0 is 0");
  refused(Launch(nothing, info.max_grid[0] + 1, 1), BSC_LIMIT_EXCEEDED, std::to_string(info.max_grid[0]));
  Launch many(nothing, info.max_grid[0], 1);
  many.launch.grid[1] = 3;
  refused(many, BSC_LIMIT_EXCEEDED, "in all");
  Launch cluster(nothing, 1, 1);
  cluster.launch.cluster[0] = 2;
  refused(cluster, BSC_UNSUPPORTED, "cluster");
  Launch cooperative(nothing, 1, 1);
  cooperative.launch.flags = BSC_LAUNCH_COOPERATIVE;
  refused(cooperative, BSC_UNSUPPORTED, "cooperative");
  Launch shared(nothing, 1, 1);
  shared.launch.shared_bytes = 64;
  refused(shared, BSC_UNSUPPORTED, "__local");
  const auto memory = opened.memory(64);
  refused(Launch(opened.function(module, "reverse"), 1, 1).buffer(memory, 64).local(info.max_shared_bytes + 1), BSC_LIMIT_EXCEEDED,
          std::to_string(info.max_shared_bytes));
}

TEST_CASE("wrong arguments are refused with what the kernel takes") {
  Opened opened;
  const auto queue = opened.queue();
  const auto plain = opened.function(opened.module(kSource), "plain");
  const auto memory = opened.memory(64);
  Launch few(plain, 1, 1);
  CHECK(opened.submit(queue, {few.buffer(memory, 64).command()}) == BSC_INVALID_ARGUMENT);
  CHECK(opened.message().find("plain takes 2 parameters") != std::string::npos);
  Launch size(plain, 1, 1);
  CHECK(opened.submit(queue, {size.buffer(memory, 64).value(1.0).command()}) == BSC_INVALID_ARGUMENT);
  CHECK(opened.message().find("argument 1") != std::string::npos);
  Launch range(plain, 1, 1);
  CHECK(opened.submit(queue, {range.buffer(memory, 65).value(1u).command()}) == BSC_INVALID_ARGUMENT);
  Launch blob(plain, 1, 1);
  auto command = blob.buffer(memory, 64).value(1u).command();
  command.launch.blob_bytes = 8;
  CHECK(opened.submit(queue, {command}) == BSC_INVALID_ARGUMENT);
  CHECK(opened.message().find("argument blob of 8 bytes") != std::string::npos);
}

TEST_CASE("more argument bytes than the device takes are refused with the limit") {
  Opened opened;
  const auto limit = opened.info().max_argument_bytes;
  std::string source = "__kernel void many(";
  const std::uint64_t count = limit / 8 + 1;
  for (std::uint64_t i = 0; i < count; ++i) source += (i != 0 ? ", ulong p" : "ulong p") + std::to_string(i);
  bsc_plugin_module module = nullptr;
  if (opened.load(source + ") {}", module) != BSC_OK) return;  // some compilers refuse it themselves
  Launch launch(opened.function(module, "many"), 1, 1);
  for (std::uint64_t i = 0; i < count; ++i) launch.value(std::uint64_t{i});
  CHECK(opened.submit(opened.queue(), {launch.command()}) == BSC_LIMIT_EXCEEDED);
  CHECK(opened.message().find(std::to_string(limit)) != std::string::npos);
}

TEST_CASE("one function launched from several threads never mixes up its arguments") {
  Opened opened;
  const auto plain = opened.function(opened.module(kSource), "plain");
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  std::vector<int> wrong(kThreads);
  std::vector<bsc_plugin_queue> queues;
  std::vector<bsc_plugin_memory> memories;
  for (int t = 0; t < kThreads; ++t) {
    queues.push_back(opened.queue());
    memories.push_back(opened.memory(64));
  }
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < 200; ++i) {
        Launch launch(plain, 4, 4);
        const std::uint32_t base = static_cast<std::uint32_t>(t) * 1000 + i;
        std::uint32_t result[16] = {};
        const std::vector<bsc_plugin_command> commands = {launch.buffer(memories[t], 64).value(base).command(),
                                                          read_command(memories[t], result, 64)};
        bsc_plugin_submission submission = {};
        submission.header = {sizeof submission, BSC_STRUCT_SUBMISSION, nullptr};
        submission.command_count = commands.size();
        submission.command_stride = sizeof commands[0];
        submission.commands = commands.data();
        std::uint64_t value = 0;
        if (opened.api->queue->submit(queues[t], &submission, &value, nullptr) != BSC_OK ||
            opened.api->event->wait(queues[t], value, BSC_WAIT_FOREVER, nullptr) != BSC_OK || result[15] != base + 15) {
          ++wrong[t];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) CHECK(count == 0);
}
