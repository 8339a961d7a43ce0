// What only one of the vendors has: PTX for NVIDIA, targets with features and two property layouts for AMD.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/vendor.hpp"
#include "tests/standin_gpu/fixture.hpp"

using namespace bascule::standin;
using bascule::gpu::vendor;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
bool is(std::string_view backend) { return backend == vendor().backend; }

std::string ptx(const char* version, const char* target, const char* body = "ret;") {
  return std::string(".version ") + version + "\n.target " + target +
         "\n.address_size 64\n// .entry comment()\n.visible .entry work(.param .u64 .ptr .global .align 16 data, .param .u32 n,\n"
         "  .param .align 16 .b8 block[48]) { " +
         body + " }\n";
}

}  // namespace

TEST_CASE("PTX newer than the driver is TOO_OLD with both versions, for a newer target INVALID_IMAGE with both targets") {
  if (!is("cuda")) return;
  const Fresh standin;  // CUDA 12.4, sm_80
  OpenedStandin opened;
  bsc_plugin_module module = nullptr;
  CHECK(opened.load_image({"ptx", ptx("8.5", "sm_80")}, module) == BSC_TOO_OLD);
  CHECK(contains(opened.message(), "8.5"));
  CHECK(contains(opened.message(), "8.4"));
  CHECK(opened.load_image({"ptx", ptx("8.4", "sm_90")}, module) == BSC_INVALID_IMAGE);
  CHECK(contains(opened.message(), "sm_90"));
  CHECK(contains(opened.message(), "sm_80"));
  CHECK(opened.load_image({"ptx", ptx("8.4", "sm_80")}, module) == BSC_OK);
}

TEST_CASE("PTX that does not compile is BUILD_FAILED with the compiler's log; what compiles is kept and compiled once") {
  if (!is("cuda")) return;
  const Fresh standin;
  OpenedStandin opened;
  bsc_plugin_module module = nullptr;
  CHECK(opened.load_image({"ptx", ptx("7.0", "sm_80", "gibberish;")}, module) == BSC_BUILD_FAILED);
  CHECK(contains(opened.message(), "line 1: gibberish"));
  CHECK(opened.load_image({"ptx", ptx("7.0", "sm_80")}, module, "-O9") == BSC_INVALID_ARGUMENT);
  REQUIRE(opened.load_image({"ptx", ptx("7.0", "sm_80")}, module, "-O3 -maxrregcount=64") == BSC_OK);
  CHECK(opened.host.puts == 1);
  const int compiled = standin->calls[name_of("link_complete")];
  REQUIRE(opened.load_image({"ptx", ptx("7.0", "sm_80")}, module, "-O3 -maxrregcount=64") == BSC_OK);
  CHECK(opened.host.hits == 1);
  CHECK(standin->calls[name_of("link_complete")] == compiled);
}

TEST_CASE("machine code from the cache that the driver refuses is compiled again, once") {
  if (!is("cuda")) return;
  const Fresh standin;
  OpenedStandin opened;
  bsc_plugin_module module = nullptr;
  REQUIRE(opened.load_image({"ptx", ptx("7.0", "sm_80")}, module) == BSC_OK);
  standin->failures[name_of("module_load")] = {0, 209, 1};
  REQUIRE(opened.load_image({"ptx", ptx("7.0", "sm_80")}, module) == BSC_OK);
  CHECK(opened.host.puts == 2);
  CHECK(contains(opened.host.log, "compiled again"));
}

TEST_CASE("a kernel's parameters lie where PTX puts them") {
  if (!is("cuda")) return;
  const Fresh standin;
  OpenedStandin opened;
  bsc_plugin_module module = nullptr;
  REQUIRE(opened.load_image({"ptx", ptx("7.0", "sm_80")}, module) == BSC_OK);
  const auto function = opened.function(module, "work");
  bsc_plugin_function_info info = {};
  info.header = {sizeof info, BSC_STRUCT_FUNCTION_INFO, nullptr};
  REQUIRE(opened.api->module->function_info(function, &info, nullptr) == BSC_OK);
  CHECK(info.argument_count == 3);
  CHECK(info.argument_bytes == 16 + 48);
  CHECK(info.max_block_threads == 512);
  CHECK(info.registers == 40);
}

TEST_CASE("code for another target or another xnack mode is refused with both targets before the driver sees it") {
  if (!is("hip")) return;
  const Fresh standin;  // gfx90a:sramecc+:xnack-
  OpenedStandin opened;
  bsc_plugin_module module = nullptr;
  const auto load = [&](const std::string& target, std::uint32_t flags) {
    return opened.load_image({"hsaco", elf_file(224, flags, "", amd_metadata(target))}, module);
  };
  CHECK(load("gfx942", 0x4c) == BSC_INVALID_IMAGE);
  CHECK(contains(opened.message(), "gfx942"));
  CHECK(contains(opened.message(), "gfx90a"));
  CHECK(load("gfx90a:xnack+", 0x33f) == BSC_INVALID_IMAGE);
  CHECK(contains(opened.message(), "xnack must be on"));
  CHECK(standin->calls[name_of("module_load")] == 0);
  CHECK(load("gfx90a:xnack-", 0x23f) == BSC_OK);
  CHECK(load("gfx90a", 0x3f) == BSC_OK);
  CHECK(opened.load_image({"hsaco", "__CLANG_OFFLOAD_BUNDLE__ and more"}, module) == BSC_INVALID_IMAGE);
  CHECK(contains(opened.message(), "clang-offload-bundler"));
}

TEST_CASE("a code object's hidden arguments are the run time's business") {
  if (!is("hip")) return;
  const Fresh standin;
  OpenedStandin opened;
  bsc_plugin_module module = nullptr;
  REQUIRE(opened.load_image(good_image(), module) == BSC_OK);
  bsc_plugin_function_info info = {};
  info.header = {sizeof info, BSC_STRUCT_FUNCTION_INFO, nullptr};
  REQUIRE(opened.api->module->function_info(opened.function(module, "work"), &info, nullptr) == BSC_OK);
  CHECK(info.argument_count == 2);
  CHECK(info.argument_bytes == 12);
}

TEST_CASE("a library without the optional functions works with less: plain memory, replays by the host, no limits") {
  const Fresh standin(BSC_STANDIN_OLD_LIBRARY);
  OpenedStandin opened({}, BSC_STANDIN_OLD_LIBRARY);
  CAPTURE(opened.message());
  REQUIRE(opened.status == BSC_OK);
  // AMD's older library writes the other layout of its property struct.
  CHECK(opened.info().compute_units == 8);
  CHECK(opened.info().memory_bytes == standin->devices[0].memory_bytes);
  CHECK(std::string(opened.info().architecture) == (is("hip") ? "gfx90a" : is("cuda") ? "sm_80" : "mp_80"));

  const auto queue = opened.queue();
  const auto memory = opened.memory(64);
  opened.write(queue, memory, std::vector<std::uint8_t>(64, 5));
  CHECK(opened.read<std::uint8_t>(queue, memory, 64) == std::vector<std::uint8_t>(64, 5));
  CHECK(standin->calls[name_of("memory_allocate")] == 1);

  bsc_plugin_queue_description description = {};
  description.header = {sizeof description, BSC_STRUCT_QUEUE_DESCRIPTION, nullptr};
  description.compute_unit_limit = 2;
  bsc_plugin_queue limited = nullptr;
  CHECK(opened.api->queue->create(opened.device, &description, &limited, &opened.error) == BSC_UNSUPPORTED);
  CHECK(contains(opened.message(), "queue_compute_unit_limit"));

  const std::uint8_t pattern = 9;
  const bsc_plugin_command fill = bascule::opencl::test::fill_command(memory, 0, 64, &pattern, 1);
  bsc_plugin_submission submission = {};
  submission.header = {sizeof submission, BSC_STRUCT_SUBMISSION, nullptr};
  submission.command_count = 1;
  submission.command_stride = sizeof fill;
  submission.commands = &fill;
  bsc_plugin_graph graph = nullptr;
  std::uint64_t value = 0;
  REQUIRE(opened.api->graph->create(opened.device, &submission, &graph, nullptr) == BSC_OK);
  REQUIRE(opened.api->graph->replay(graph, queue, 0, &value, nullptr) == BSC_OK);
  CHECK(opened.read<std::uint8_t>(queue, memory, 64) == std::vector<std::uint8_t>(64, 9));
}
