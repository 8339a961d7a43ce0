// Tests of loading and checking plugins, with one fake plugin per fault.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/plugin.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include <filesystem>
#include <thread>

#include "core/loader/opened_backend.hpp"
#include "core/loader/test_plugins.hpp"

using namespace bascule::core;
using bascule::test::LogLines;
using bascule::test::PluginDirectory;
using bascule::test::Spy;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Result<Plugin> load(const PluginDirectory&, const std::string& manifest) {
  return Plugin::load(read_manifest(manifest).value());
}

// The state and message of a variant that must be refused.
Error refusal(const std::string& variant) {
  const PluginDirectory directory;
  auto plugin = load(directory, directory.add(variant, variant));
  REQUIRE_FALSE(plugin.ok());
  CHECK(contains(plugin.error().message, directory.path()));
  CHECK(plugin.error().remedy != "");
  return plugin.take_error();
}

// Gives the path a new file with the same bytes: the old one may be mapped, and must not be cut under the linker's
// feet.
void break_link(const std::string& file) {
  std::filesystem::copy_file(file, file + ".new");
  std::filesystem::rename(file + ".new", file);
}

Result<std::unique_ptr<OpenedBackend>> open(const std::vector<BackendOption>& options, const std::string& driver = "",
                                            const Log& log = Log(LogLevel::kOff)) {
  const PluginDirectory directory;
  auto plugin = load(directory, directory.add("fake"));
  REQUIRE(plugin.ok());
  return OpenedBackend::open(std::move(*plugin), driver, options, log, nullptr);
}

Result<std::unique_ptr<OpenedBackend>> open_with(const std::string& behaviour) {
  return open({{"behaviour", behaviour, "test"}});
}

}  // namespace

TEST_CASE("a good plugin loads with name, version, build, real path and options, and is not opened by that") {
  const PluginDirectory directory;
  const Spy spy;
  const auto plugin = load(directory, directory.add("cuda"));
  REQUIRE(plugin.ok());
  CHECK(plugin->name() == "cuda");
  CHECK(plugin->version() == "1.2.3");
  CHECK(plugin->build() == "fake");
  CHECK(plugin->path() == std::filesystem::canonical(directory.plugins() + "/libfake_cuda.so"));
  REQUIRE(plugin->options().size() == 5);
  CHECK(plugin->options()[0].name == "behaviour");
  CHECK(spy.seen() == "cuda query\n");
}

TEST_CASE("a plugin built against another ABI is refused with both versions, before anything else of it is used") {
  const Error newer = refusal("newer_abi");
  CHECK(newer.status == BSC_ABI_MISMATCH);
  CHECK(contains(newer.message, "plugin ABI 0.2 (needs at least 0.1), this library speaks 0.1"));
  CHECK(contains(newer.remedy, "Upgrade Bascule"));
  CHECK(contains(refusal("newer_major").message, "plugin ABI 1.1"));
  const Error older = refusal("older_abi");
  CHECK(older.status == BSC_ABI_MISMATCH);
  CHECK(contains(older.message, "plugin ABI 0.0"));
  CHECK(contains(older.remedy, "Upgrade the plugin"));
}

TEST_CASE("a plugin whose manifest names another ABI is refused before it is loaded") {
  const PluginDirectory directory;
  const Spy spy;
  directory.add("cuda");
  directory.write(
      "plugins/cuda.json",
      R"({"name": "cuda", "file": "libfake_cuda.so", "abi": {"major": 0, "minor_min": 7, "minor_max": 9}})");
  const auto plugin = load(directory, directory.plugins() + "/cuda.json");
  REQUIRE_FALSE(plugin.ok());
  CHECK(plugin.error().status == BSC_ABI_MISMATCH);
  CHECK(spy.seen() == "");
}

TEST_CASE("a plugin that lacks a required entry is refused with the entry's name") {
  CHECK(contains(refusal("missing_entry").message, "lacks the required entry queue.submit"));
  CHECK(contains(refusal("short_table").message, "lacks the required entry queue.create"));
  CHECK(contains(refusal("no_api").message, "has no function tables"));
  for (const char* variant : {"missing_entry", "short_table", "no_api"}) CHECK(refusal(variant).status == BSC_BROKEN);
}

TEST_CASE("a plugin with an undefined symbol is broken, with the symbol's name, at load") {
  const Error error = refusal("undefined_symbol");
  CHECK(error.status == BSC_BROKEN);
  CHECK(contains(error.message, "bascule_test_symbol_that_does_not_exist"));
  CHECK(error.call == "dlopen");
}

TEST_CASE("a plugin that does not export the query, whose query fails or throws, or that declares nonsense is broken") {
  CHECK(contains(refusal("no_symbol").message, "does not export bascule_plugin_query"));
  CHECK(contains(refusal("failing_query").message, "status 20"));
  CHECK(contains(refusal("throwing").message, "threw a C++ exception"));
  CHECK(contains(refusal("option_type").message, "option \"odd\" of unknown type \"number\""));
}

TEST_CASE("a plugin that says it is another backend than its manifest does is broken") {
  const Error error = refusal("wrong_name");
  CHECK(error.status == BSC_BROKEN);
  CHECK(contains(error.message, "\"somebody_else\""));
  CHECK(contains(error.message, "\"wrong_name\""));
}

TEST_CASE("a plugin of the wrong ELF class, a text file, a directory or a missing file is broken without dlopen") {
  const PluginDirectory directory;
  const std::string manifest = directory.add("cuda");
  const std::string file = directory.plugins() + "/libfake_cuda.so";
  const auto message = [&] {
    const auto plugin = load(directory, manifest);
    REQUIRE_FALSE(plugin.ok());
    CHECK(plugin.error().status == BSC_BROKEN);
    CHECK(contains(plugin.error().message, file));
    CHECK(plugin.error().call != "dlopen");
    return plugin.error().message;
  };
  {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(EI_CLASS);
    stream.put(ELFCLASS32);
  }
  CHECK(contains(message(), "32-bit library"));
  directory.write("plugins/libfake_cuda.so", "hello");
  CHECK(contains(message(), "no ELF header"));
  std::filesystem::remove(file);
  CHECK(contains(message(), "ENOENT"));
  std::filesystem::create_directory(file);
  CHECK(contains(message(), "no regular file"));
}

TEST_CASE("a library cut off anywhere is broken, never a bus error in the dynamic linker") {
  const PluginDirectory directory;
  const std::string manifest = directory.add("cuda");
  const std::string file = directory.plugins() + "/libfake_cuda.so";
  for (std::uintmax_t bytes = std::filesystem::file_size(file); bytes > 0; bytes = bytes * 3 / 4) {
    CAPTURE(bytes);
    std::filesystem::resize_file(file, bytes);
    const auto plugin = load(directory, manifest);
    // Section headers and debug information at the end are not needed to load it.
    if (!plugin.ok()) CHECK(plugin.error().status == BSC_BROKEN);
    if (bytes < 10'000) CHECK_FALSE(plugin.ok());
    if (plugin.ok()) break_link(file);
  }
}

TEST_CASE("a plugin's own libraries are found beside it, and a missing one is named") {
  const PluginDirectory directory;
  const std::string manifest = directory.add("cuda", "with_sibling");
  {
    const auto plugin = load(directory, manifest);
    REQUIRE_FALSE(plugin.ok());
    CHECK(contains(plugin.error().message, "libfake_sibling.so"));
    CHECK(contains(plugin.error().message, "libfake_cuda.so"));
  }
  const PluginDirectory complete;
  const std::string other = complete.add("cuda", "with_sibling");
  std::filesystem::copy_file(bascule::core::own_library_directory() + "/../fake_plugins/sibling/libfake_sibling.so",
                             complete.plugins() + "/libfake_sibling.so");
  CHECK(load(complete, other).ok());
}

TEST_CASE("opening gives the devices, and closing happens once") {
  const Spy spy;
  LogLines lines;
  const Log log(LogLevel::kInfo, &LogLines::sink, &lines);
  {
    const auto backend = open({{"devices", "3", "test"}, {"type", "mixed", "test"}}, "/opt/driver.so", log);
    REQUIRE(backend.ok());
    CHECK((*backend)->devices().size() == 3);
    CHECK((*backend)->summaries()[0].type == "gpu");
    CHECK((*backend)->summaries()[2].type == "cpu");
    CHECK((*backend)->summaries()[0].driver_path == "/opt/driver.so");
    CHECK((*backend)->summaries()[0].uuid == "");
    (*backend)->keep_device_types({"gpu"});
    CHECK((*backend)->devices().size() == 1);
    CHECK_FALSE(spy.saw("close"));
  }
  CHECK(spy.seen() == "fake query\nfake open\nfake close\n");
  CHECK(lines.text() == "fake: opened\n");
}

TEST_CASE("a plugin's failure to open keeps state, message, call and vendor's code") {
  const auto backend = open_with("status:" + std::to_string(BSC_DRIVER_MISSING));
  REQUIRE_FALSE(backend.ok());
  CHECK(backend.error().status == BSC_DRIVER_MISSING);
  CHECK(backend.error().message == "the fake driver says no");
  CHECK(backend.error().call == "fakeInit");
  CHECK(backend.error().vendor_name == "FAKE_ERROR");
  CHECK(backend.error().vendor_code == 35);
  CHECK(backend.error().backend == "fake");
}

TEST_CASE(
    "what a plugin may not answer is BROKEN: a foreign status, no message, no instance, a handle that is no device") {
  const auto foreign = open_with("status:" + std::to_string(BSC_OUT_OF_MEMORY));
  CHECK(foreign.error().status == BSC_BROKEN);
  CHECK(contains(foreign.error().message, "OUT_OF_MEMORY"));
  CHECK(open_with("status:12345").error().status == BSC_BROKEN);
  CHECK(contains(open_with("silent").error().message, "instance.open failed without a message"));
  CHECK(contains(open_with("nothing").error().message, "opened no instance"));
  CHECK(open({{"devices", "99999999", "test"}}).error().status == BSC_BROKEN);
}

TEST_CASE("no device is NO_DEVICE, and the instance is closed again") {
  const Spy spy;
  const auto backend = open({{"devices", "0", "test"}});
  CHECK(backend.error().status == BSC_NO_DEVICE);
  CHECK(spy.saw("close"));
}

TEST_CASE("an unknown option is an error with its origin and the nearest valid name, before the plugin is opened") {
  const Spy spy;
  const auto backend = open({{"device", "3", "c.toml:3:1"}});
  REQUIRE_FALSE(backend.ok());
  CHECK(backend.error().status == BSC_INVALID_CONFIG);
  CHECK(backend.error().message ==
        "c.toml:3:1: backend.fake.device: backend fake has no option \"device\"; did you mean \"devices\"?");
  CHECK_FALSE(spy.saw("open"));
}

TEST_CASE("an option's value must fit its type") {
  const auto refused = [](const std::string& name, const std::string& value) {
    const auto backend = open({{name, value, "test"}});
    return !backend.ok() && backend.error().status == BSC_INVALID_CONFIG && contains(backend.error().message, name);
  };
  CHECK(refused("devices", "two"));
  CHECK(refused("devices", "1.5"));
  CHECK(refused("devices", "0x"));
  CHECK(refused("flag", "maybe"));
  CHECK(refused("wait", "5"));
  CHECK_FALSE(refused("devices", "0x2"));
  CHECK_FALSE(refused("flag", "YES"));
  CHECK_FALSE(refused("wait", "0"));
  CHECK_FALSE(refused("wait", "5ms"));
  CHECK_FALSE(refused("devices", ""));
}

TEST_CASE("plugins load and open from several threads at once") {
  const PluginDirectory directory;
  for (const char* name : {"cuda", "hip", "cpu"}) directory.add(name);
  std::vector<std::thread> threads;
  std::vector<int> opened(6);
  const Log log(LogLevel::kOff);
  for (std::size_t i = 0; i < opened.size(); ++i) {
    threads.emplace_back([&, i] {
      const char* names[] = {"cuda", "hip", "cpu"};
      auto plugin = Plugin::load(read_manifest(directory.plugins() + "/" + names[i % 3] + ".json").value());
      opened[i] = plugin.ok();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(opened == std::vector<int>(6, 1));
}
