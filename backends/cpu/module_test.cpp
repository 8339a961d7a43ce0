// Host images and launches of their functions through the plugin's table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/module.hpp"

#include <elf.h>

#include <atomic>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "backends/cpu/test_plugin.hpp"

using namespace bascule::cpu;
using namespace bascule::cpu::test;

namespace {

struct Arguments {
  bsc_host_span out;
  float value;
};

bsc_status set(const void* blob, uint64_t begin, uint64_t end, uint32_t, void*, bsc_host_team*) {
  const auto& arguments = *static_cast<const Arguments*>(blob);
  for (uint64_t i = begin; i < end; ++i) static_cast<float*>(arguments.out.data)[i] = arguments.value;
  return BSC_OK;
}

bsc_status count_team(const void* blob, uint64_t begin, uint64_t end, uint32_t worker, void* scratch, bsc_host_team* team) {
  if (begin != 0 || end != 7 || team == nullptr || scratch == nullptr || team->shared == nullptr) return BSC_INTERNAL;
  const auto& arguments = *static_cast<const Arguments*>(blob);
  static_cast<float*>(arguments.out.data)[worker] = static_cast<float>(team->size);
  team->barrier(team);
  return BSC_OK;
}

std::string file_bytes(const char* path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

bsc_plugin_argument span_at(std::uint64_t blob_offset, bsc_plugin_memory memory, std::uint64_t offset, std::uint64_t bytes) {
  return {BSC_ARGUMENT_BUFFER, 0, blob_offset, bytes, offset, memory};
}

std::vector<bsc_plugin_argument> set_arguments(bsc_plugin_memory memory, std::uint64_t offset, std::uint64_t bytes) {
  return {span_at(0, memory, offset, bytes), {BSC_ARGUMENT_VALUE, 0, offsetof(Arguments, value), 4, 0, nullptr}};
}

// What a caller builds: the struct without the padding at its end.
constexpr std::uint64_t kBlobBytes = offsetof(Arguments, value) + sizeof(float);

}  // namespace

TEST_CASE("a launch finds its buffers at any multiple of the element size and its values where they belong") {
  TestPlugin plugin;
  const bsc_plugin_function function = plugin.function({"set", set, sizeof(Arguments), 0, 0, 0, 0});
  const bsc_plugin_memory memory = plugin.memory(4 * 4096);
  auto* const at = plugin.address<float>(memory);
  for (std::uint64_t first = 0; first < 16; ++first) {
    for (const std::uint64_t items : {1ull, 17ull, 3000ull}) {
      for (int i = 0; i < 4096; ++i) at[i] = -1;
      const Arguments blob = {{}, float(first)};
      const auto arguments = set_arguments(memory, 4 * first, 4 * items);
      REQUIRE(plugin.run({launch(function, items, 16, arguments, &blob, kBlobBytes)}) == BSC_OK);
      for (std::uint64_t i = 0; i < 4096; ++i) CHECK(at[i] == (i >= first && i < first + items ? float(first) : -1.0f));
    }
  }
}

TEST_CASE("a team kernel gets all of its members, shared memory and scratch") {
  TestPlugin plugin;
  const bsc_plugin_function function = plugin.function({"team", count_team, sizeof(Arguments), 128, 256, BSC_HOST_TEAM, 0});
  const bsc_plugin_memory memory = plugin.memory(64);
  const Arguments blob = {};
  const auto arguments = set_arguments(memory, 0, 64);
  auto team = launch(function, 7, 1, arguments, &blob, kBlobBytes);
  team.launch.flags = BSC_LAUNCH_COOPERATIVE;
  team.launch.shared_bytes = 4096;
  REQUIRE_MESSAGE(plugin.run({team}) == BSC_OK, plugin.error.message);
  for (int i = 0; i < 3; ++i) CHECK(plugin.address<float>(memory)[i] == 3.0f);
}

TEST_CASE("empty grids complete, and a length-0 buffer needs no memory") {
  TestPlugin plugin;
  const bsc_plugin_function function = plugin.function({"set", set, sizeof(Arguments), 0, 0, 0, 0});
  const Arguments blob = {};
  const auto arguments = set_arguments(nullptr, 0, 0);
  for (int dimension = 0; dimension < 3; ++dimension) {
    auto empty = launch(function, 5, 1, arguments, &blob, kBlobBytes);
    empty.launch.grid[dimension] = 0;
    CHECK(plugin.run({empty}) == BSC_OK);
  }
}

TEST_CASE("launches that cannot be right are refused with the reason") {
  TestPlugin plugin, foreign;
  const bsc_plugin_function function = plugin.function({"set", set, sizeof(Arguments), 0, 0, 0, 0});
  const bsc_plugin_function theirs = foreign.function({"set", set, sizeof(Arguments), 0, 0, 0, 0});
  const bsc_plugin_memory memory = plugin.memory(64);
  const Arguments blob = {};
  auto arguments = set_arguments(memory, 0, 64);
  const auto base = launch(function, 16, 1, arguments, &blob, kBlobBytes);
  const auto refused = [&](bsc_status expected, const char* text, auto change) {
    auto bad = base;
    change(bad.launch);
    CHECK(plugin.submit({bad}) == expected);
    CHECK_MESSAGE(plugin.says(text), plugin.error.message);
  };
  refused(BSC_INVALID_ARGUMENT, "grain", [](auto& l) { l.block[0] = 0; });
  refused(BSC_LIMIT_EXCEEDED, "9223372036854775807", [](auto& l) { l.grid[1] = UINT64_MAX; });
  refused(BSC_LIMIT_EXCEEDED, "9223372036854775807", [](auto& l) { l.grid[0] = l.grid[1] = std::uint64_t{1} << 40; });
  refused(BSC_LIMIT_EXCEEDED, "max_shared_bytes", [](auto& l) { l.shared_bytes = UINT64_MAX; });
  refused(BSC_LIMIT_EXCEEDED, "max_argument_bytes", [](auto& l) { l.blob_bytes = std::uint64_t{1} << 20; });
  refused(BSC_INVALID_ARGUMENT, "takes 24 bytes", [](auto& l) { l.blob_bytes = 16; });
  refused(BSC_INVALID_ARGUMENT, "null", [](auto& l) { l.blob = nullptr; });
  refused(BSC_INVALID_ARGUMENT, "stride", [](auto& l) { l.argument_stride = 0; });
  refused(BSC_UNSUPPORTED, "cluster", [](auto& l) { l.cluster[0] = 2; });
  refused(BSC_UNSUPPORTED, "team", [](auto& l) { l.flags = BSC_LAUNCH_COOPERATIVE; });
  refused(BSC_UNSUPPORTED, "flags", [](auto& l) { l.flags = 1u << 20; });
  refused(BSC_INVALID_ARGUMENT, "another instance", [&](auto& l) { l.function = theirs; });
  refused(BSC_INVALID_HANDLE, "", [](auto& l) { l.function = nullptr; });
  const auto argument = [&](bsc_status expected, const char* text, const bsc_plugin_argument& bad) {
    const bsc_plugin_argument kept = std::exchange(arguments[0], bad);
    refused(expected, text, [&](auto& l) { l.arguments = arguments.data(); });
    arguments[0] = kept;
  };
  argument(BSC_INVALID_ARGUMENT, "beyond the memory", span_at(0, memory, 32, 33));
  argument(BSC_INVALID_ARGUMENT, "beyond the memory", span_at(0, memory, UINT64_MAX, 8));
  argument(BSC_INVALID_ARGUMENT, "beyond the blob", span_at(8, memory, 0, 8));
  argument(BSC_INVALID_ARGUMENT, "aligned", span_at(4, memory, 0, 8));
  argument(BSC_INVALID_HANDLE, "", span_at(0, nullptr, 0, 8));
  argument(BSC_INVALID_ARGUMENT, "unknown kind", {77, 0, 0, 0, 0, nullptr});
  argument(BSC_UNSUPPORTED, "local", {BSC_ARGUMENT_LOCAL, 0, 0, 64, 0, nullptr});
  argument(BSC_UNSUPPORTED, "span", {BSC_ARGUMENT_BUFFER, BSC_ARGUMENT_SPLIT, 0, 8, 0, memory});
  CHECK(plugin.run({base}) == BSC_OK);
  CHECK(plugin.value == 1);
}

TEST_CASE("tables that break their rules are refused") {
  TestPlugin plugin;
  const bsc_host_entry good = {"a", set, 0, 0, 0, 0, 0};
  const bsc_host_entry twice[] = {good, good}, unnamed[] = {{nullptr, set, 0, 0, 0, 0, 0}},
                       hollow[] = {{"a", nullptr, 0, 0, 0, 0, 0}}, flagged[] = {{"a", set, 0, 0, 0, 64, 0}};
  const auto refused = [&](bsc_host_table table, const char* text) {
    bsc_plugin_module module = nullptr;
    CHECK(plugin.load(&table, &module) == BSC_INVALID_IMAGE);
    CHECK_MESSAGE(plugin.says(text), plugin.error.message);
  };
  const bsc_host_table base = {sizeof base, BSC_HOST_ABI_VERSION, 1, sizeof(bsc_host_entry), &good};
  auto table = base;
  table.abi_version = 2;
  refused(table, "version 2");
  table = base;
  table.struct_size = 4;
  refused(table, "struct_size");
  table = base;
  table.entry_stride = 8;
  refused(table, "entry_stride");
  table = base;
  table.entries = nullptr;
  refused(table, "entries");
  table = base;
  table.entry_count = UINT32_MAX;
  refused(table, "entries");
  table = base;
  table.entries = unnamed;
  refused(table, "no name");
  table.entries = hollow;
  refused(table, "no function");
  table.entries = flagged;
  refused(table, "flags");
  table.entries = twice;
  table.entry_count = 2;
  refused(table, "twice");
  bsc_plugin_module module = nullptr;
  CHECK(plugin.load(nullptr, &module) == BSC_INVALID_IMAGE);
  CHECK(plugin.load(&base, &module) == BSC_OK);
  bsc_plugin_function function = nullptr;
  CHECK(plugin.api->module->function(module, "b", &function, &plugin.error) == BSC_NOT_FOUND);
  CHECK(plugin.says("there are: a"));
  const char* name = nullptr;
  CHECK(plugin.api->module->function_name(module, 0, &name, &plugin.error) == BSC_OK);
  CHECK(std::string(name) == "a");
  CHECK(plugin.api->module->function_name(module, 1, &name, &plugin.error) == BSC_NOT_FOUND);
}

TEST_CASE("ELF images are loaded from memory; two with the same names stay apart, in any order of unloading") {
  TestPlugin plugin;
  const std::string first = file_bytes(BASCULE_TEST_IMAGE_1), second = file_bytes(BASCULE_TEST_IMAGE_2);
  const bsc_plugin_memory memory = plugin.memory(64);
  const Arguments blob = {{}, 0.0f};
  const auto arguments = set_arguments(memory, 0, 64);
  for (int round = 0; round < 5; ++round) {
    bsc_plugin_module modules[2] = {};
    REQUIRE_MESSAGE(plugin.load_bytes(first, &modules[0]) == BSC_OK, plugin.error.message);
    REQUIRE_MESSAGE(plugin.load_bytes(second, &modules[1]) == BSC_OK, plugin.error.message);
    for (int i = 0; i < 2; ++i) {
      const auto function = plugin.function(modules[i], "set");
      REQUIRE(plugin.run({launch(function, 16, 4, arguments, &blob, kBlobBytes)}) == BSC_OK);
      CHECK(plugin.address<float>(memory)[15] == float(i + 1));
    }
    const auto gone = plugin.function(modules[round % 2], "set");
    CHECK(plugin.api->module->unload(modules[round % 2], &plugin.error) == BSC_OK);
    CHECK(plugin.submit({launch(gone, 16, 4, arguments, &blob, kBlobBytes)}) == BSC_INVALID_HANDLE);
    const auto still = plugin.function(modules[1 - round % 2], "set");
    CHECK(plugin.run({launch(still, 16, 4, arguments, &blob, kBlobBytes)}) == BSC_OK);
    CHECK(plugin.api->module->unload(modules[1 - round % 2], &plugin.error) == BSC_OK);
  }
}

TEST_CASE("truncated and foreign images are refused before the system's loader sees them") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  TestPlugin plugin;
  const std::string image = file_bytes(BASCULE_TEST_IMAGE_1);
  bsc_plugin_module module = nullptr;
  std::string why_not;
  const auto loadable = [&](const std::string& bytes) {
    return is_loadable_elf(std::as_bytes(std::span(bytes.data(), bytes.size())), why_not);
  };
  CHECK(loadable(image));
  CHECK(plugin.load_bytes("", &module) == BSC_INVALID_IMAGE);
  CHECK(plugin.load_bytes("not an image", &module) == BSC_INVALID_IMAGE);
  for (int i = 0; i < 200; ++i) CHECK_FALSE(loadable(image.substr(0, random() % 0x200)));
  auto changed = [&](std::size_t at, auto value) {
    std::string copy = image;
    std::memcpy(copy.data() + at, &value, sizeof value);
    return copy;
  };
  CHECK(plugin.load_bytes(changed(EI_CLASS, char{ELFCLASS32}), &module) == BSC_INVALID_IMAGE);
  CHECK(plugin.says("64-bit"));
  CHECK(plugin.load_bytes(changed(offsetof(Elf64_Ehdr, e_machine), Elf64_Half{EM_RISCV}), &module) == BSC_INVALID_IMAGE);
  CHECK(plugin.says("processor"));
  CHECK(plugin.load_bytes(changed(offsetof(Elf64_Ehdr, e_type), Elf64_Half{ET_EXEC}), &module) == BSC_INVALID_IMAGE);
  CHECK_FALSE(loadable(changed(offsetof(Elf64_Ehdr, e_phoff), std::uint64_t{UINT64_MAX - 8})));
  CHECK_FALSE(loadable(changed(offsetof(Elf64_Ehdr, e_phnum), Elf64_Half{0xFFFF})));
  CHECK(plugin.load_bytes(image, &module, "spirv") == BSC_UNSUPPORTED);
  CHECK(plugin.says("host"));
}
