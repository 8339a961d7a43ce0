// PTX images through the plugin: loaded, launched, refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>

#include "backends/cpu/instance.hpp"
#include "backends/cpu/plugin.hpp"
#include "backends/cpu/test_plugin.hpp"

using namespace bascule::cpu;
using namespace bascule::cpu::test;

namespace {

const std::string kSquare = R"(.version 8.0
.target sm_80
.address_size 64
// Split buffers: address, byte offset, length in elements.
.visible .entry square(.param .u64 base, .param .u64 offset, .param .u64 length, .param .u32 addend) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [base]; ld.param.u64 %rd2, [offset]; ld.param.u64 %rd3, [length]; ld.param.u32 %r1, [addend];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  cvt.u64.u32 %rd4, %r5;
  setp.ge.u64 %p1, %rd4, %rd3;
  @%p1 bra done;
  add.s64 %rd1, %rd1, %rd2;
  shl.b64 %rd5, %rd4, 2;
  add.s64 %rd1, %rd1, %rd5;
  mad.lo.u32 %r5, %r5, %r5, %r1;
  st.global.u32 [%rd1], %r5;
done:
  ret;
}
.visible .entry fails() { trap; }
)";

struct PtxPlugin : TestPlugin {
  explicit PtxPlugin(std::initializer_list<bsc_plugin_option_value> options = {{"threads", "3"}}) : TestPlugin(options) {
    engine().look_in(BASCULE_TEST_PLUGIN_DIRECTORY);
  }
  PtxEngine& engine() { return bascule::backend::object_cast<Instance>(instance, plugin_api())->ptx_engine; }
  bsc_plugin_function kernel(const char* name, const std::string& text = kSquare) {
    bsc_plugin_module module = nullptr;
    REQUIRE_MESSAGE(load_bytes(text, &module, "ptx") == BSC_OK, error.message);
    return function(module, name);
  }
};

bsc_plugin_command square(bsc_plugin_function function, std::uint64_t blocks, const std::vector<bsc_plugin_argument>& arguments,
                          const std::uint64_t (&blob)[2]) {
  return launch(function, blocks, 64, arguments, blob, 12);
}

}  // namespace

TEST_CASE("a PTX kernel finds split buffers as address, offset and length") {
  PtxPlugin plugin;
  const bsc_plugin_function function = plugin.kernel("square");
  const bsc_plugin_memory memory = plugin.memory(4000);
  auto* const values = plugin.address<std::uint32_t>(memory);
  for (int i = 0; i < 1000; ++i) values[i] = 7;
  const std::uint64_t blob[2] = {900, 5};  // length, addend
  const std::vector<bsc_plugin_argument> arguments = {{BSC_ARGUMENT_BUFFER, BSC_ARGUMENT_SPLIT, 0, 3600, 200, memory},
                                                      {BSC_ARGUMENT_VALUE, 0, 8, 4, 0, nullptr}};
  REQUIRE_MESSAGE(plugin.run({square(function, 20, arguments, blob)}) == BSC_OK, plugin.error.message);
  for (std::uint32_t i = 0; i < 1000; ++i) CHECK(values[i] == (i < 50 || i >= 950 ? 7 : (i - 50) * (i - 50) + 5));

  auto info = made<bsc_plugin_function_info>(BSC_STRUCT_FUNCTION_INFO);
  REQUIRE(plugin.api->module->function_info(function, &info, &plugin.error) == BSC_OK);
  CHECK(info.argument_count == 4);
  CHECK(info.argument_bytes == 28);
  CHECK(info.max_block_threads == 1024);
}

TEST_CASE("what a PTX launch lacks is said before anything runs") {
  PtxPlugin plugin;
  const bsc_plugin_function function = plugin.kernel("square");
  const std::uint64_t blob[2] = {0, 5};
  CHECK(plugin.run({square(function, 1, {}, blob)}) == BSC_INVALID_ARGUMENT);
  CHECK(plugin.says("4 parameters"));
  CHECK(plugin.run({square(function, 1, {{BSC_ARGUMENT_VALUE, 0, 0, 4, 0, nullptr}}, blob)}) == BSC_INVALID_ARGUMENT);
  CHECK(plugin.says("base"));
  const std::vector<bsc_plugin_argument> arguments = {{BSC_ARGUMENT_BUFFER, BSC_ARGUMENT_SPLIT, 0, 0, 0, nullptr},
                                                      {BSC_ARGUMENT_VALUE, 0, 8, 4, 0, nullptr}};
  CHECK(plugin.run({launch(function, 1, 2000, arguments, blob, 12)}) == BSC_LIMIT_EXCEEDED);
  CHECK(plugin.run({launch(function, std::uint64_t{1} << 32, 1, arguments, blob, 12)}) == BSC_LIMIT_EXCEEDED);
  CHECK(plugin.run({launch(function, 0, 1, arguments, blob, 12)}) == BSC_OK);
}

TEST_CASE("a fault in a PTX kernel is the launch's failure, with the place") {
  PtxPlugin plugin;
  const bsc_plugin_function function = plugin.kernel("fails");
  CHECK(plugin.run({launch(function, 10, 32, {}, nullptr, 0)}) == BSC_LAUNCH_FAILED);
  CHECK(plugin.says("trap"));
  CHECK_MESSAGE(plugin.says("bytes:21:"), plugin.error.message);
}

TEST_CASE("the extents of a launch's clusters reach the engine") {
  PtxPlugin plugin;
  const bsc_plugin_function function = plugin.kernel("pairs", R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry pairs() {
  .reg .pred %p; .reg .b32 %r;
  mov.u32 %r, %cluster_nctaid.y;
  setp.ne.u32 %p, %r, 2;
  @%p trap;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
}
)");
  auto command = launch(function, 3, 32, {}, nullptr, 0);
  command.launch.grid[1] = 4;
  command.launch.cluster[1] = 2;
  CHECK_MESSAGE(plugin.run({command}) == BSC_OK, plugin.error.message);
  command.launch.cluster[1] = 0;
  CHECK(plugin.run({command}) == BSC_LAUNCH_FAILED);
  CHECK(plugin.says("trap"));
  command.launch.cluster[1] = 3;
  CHECK(plugin.run({command}) == BSC_INVALID_ARGUMENT);
  CHECK(plugin.says("whole clusters"));
}

TEST_CASE("text that is not PTX is refused as a compiler does it") {
  PtxPlugin plugin;
  bsc_plugin_module module = nullptr;
  CHECK(plugin.load_bytes(".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { fmaa.f32 %f1; }", &module, "ptx") ==
        BSC_INVALID_IMAGE);
  CHECK(plugin.says("bytes:4:"));
  CHECK(plugin.load_bytes("", &module, "ptx") == BSC_INVALID_IMAGE);
}

TEST_CASE("without the engine's library the device works, and says what is missing") {
  PtxPlugin plugin;
  plugin.engine().look_in("/nonexistent");
  bsc_plugin_module module = nullptr;
  CHECK(plugin.load_bytes(kSquare, &module, "ptx") == BSC_DRIVER_MISSING);
  CHECK(plugin.says("/nonexistent/libbascule_simt.so"));
}

TEST_CASE("the watchdog ends a PTX kernel that never ends") {
  PtxPlugin plugin({{"threads", "2"}, {"watchdog", "50ms"}});
  bsc_plugin_module module = nullptr;
  REQUIRE(plugin.load_bytes(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\nagain: bra again;\n}", &module,
                            "ptx") == BSC_OK);
  CHECK(plugin.run({launch(plugin.function(module, "k"), 4, 64, {}, nullptr, 0)}) == BSC_TIMED_OUT);
}
