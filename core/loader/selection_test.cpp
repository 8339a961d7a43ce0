// Tests of which backends are opened, which are skipped, and which are errors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/selection.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "core/base/status.hpp"
#include "core/loader/test_plugins.hpp"
#include "core/platform/file.hpp"

using namespace bascule::core;
using bascule::test::config_from;
using bascule::test::LogLines;
using bascule::test::PluginDirectory;
using bascule::test::Spy;
using bascule::test::TemporaryDirectory;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A selection over one directory of fake plugins, with its log.
struct Run {
  Run(const PluginDirectory& directory, const std::string& config_text, int level = 3)
      : log(static_cast<LogLevel>(level), &LogLines::sink, &lines),
        result(select_backends(config_from(config_text).value(), Environment(), log, options(directory))) {}

  static SelectionOptions options(const PluginDirectory& directory) {
    SelectionOptions options;
    options.directories = directory.search();
    return options;
  }
  std::vector<std::string> opened() const {
    std::vector<std::string> names;
    for (const auto& backend : result->backends) names.push_back(backend->name());
    return names;
  }
  const BackendRecord& record(const std::string& name) const {
    for (const BackendRecord& record : result->records) {
      if (record.name == name) return record;
    }
    FAIL("no record of " << name);
    return result->records.front();
  }

  LogLines lines;
  Log log;
  Result<Selection> result;
};

using Names = std::vector<std::string>;

std::string behave(const std::string& backend, const std::string& behaviour) {
  return "backend." + backend + ".behaviour = '" + behaviour + "'\n";
}
std::string answer(const std::string& backend, bsc_status status) {
  return behave(backend, "status:" + std::to_string(status));
}

constexpr bsc_status kAbsent[] = {BSC_DRIVER_MISSING, BSC_NO_DEVICE};
constexpr bsc_status kBroken[] = {BSC_STUB, BSC_TOO_OLD, BSC_BROKEN, BSC_NO_PERMISSION, BSC_FORKED};

}  // namespace

TEST_CASE("auto opens what there is in the order cuda, hip, level_zero, opencl, cpu, and never null") {
  const PluginDirectory directory;
  for (const char* name : {"null", "cpu", "hip", "other"}) directory.add(name);
  const Spy spy;
  const Run run(directory, "");
  REQUIRE(run.result.ok());
  CHECK(run.opened() == Names{"hip", "cpu"});
  CHECK(run.record("cuda").state == BSC_PLUGIN_MISSING);
  CHECK(contains(run.record("cuda").reason, directory.plugins()));
  CHECK(contains(run.record("cuda").remedy, "bascule-backend-cuda"));
  CHECK(run.record("hip").selected);
  CHECK(run.record("hip").device_count == 1);
  CHECK(run.record("hip").version == "1.2.3");
  CHECK_FALSE(run.record("null").considered);
  CHECK_FALSE(spy.saw("null"));
  CHECK_FALSE(spy.saw("other"));
}

TEST_CASE("a backend that was not looked at is not called usable") {
  const PluginDirectory directory;
  for (const char* name : {"cpu", "hip"}) directory.add(name);
  const Run run(directory, "backends = ['cpu']");
  CHECK(run.record("hip").state == BSC_INVALID_STATE);
  CHECK(contains(run.record("hip").reason, "not named"));
  CHECK(run.record("hip").plugin_path != "");
}

TEST_CASE("the list is tried exactly in its order, and nothing else is ever loaded") {
  const PluginDirectory directory;
  for (const char* name : {"cpu", "cuda", "hip", "null"}) directory.add(name);
  const Spy spy;
  {
    const Run run(directory, "backends = ['null', 'cuda']");
    REQUIRE(run.result.ok());
    CHECK(run.opened() == Names{"null", "cuda"});
    CHECK(run.result->records[0].name == "null");
    CHECK(run.result->records[1].name == "cuda");
  }
  CHECK(spy.seen() == "null query\nnull open\ncuda query\ncuda open\nnull close\ncuda close\n");
}

TEST_CASE("no other backend is opened in place of a required one that fails") {
  const PluginDirectory directory;
  for (const char* name : {"cpu", "cuda", "hip"}) directory.add(name);
  const Spy spy;
  const Run run(directory, "backends = ['cuda']\n" + answer("cuda", BSC_NO_DEVICE));
  REQUIRE_FALSE(run.result.ok());
  CHECK(run.result.error().status == BSC_NO_DEVICE);
  CHECK(spy.seen() == "cuda query\ncuda open\n");
}

TEST_CASE("an absent backend is skipped with its reason, in auto and in a list, silently at the default level") {
  const PluginDirectory directory;
  for (const char* name : {"cuda", "cpu"}) directory.add(name);
  for (const bsc_status state : kAbsent) {
    for (const char* list : {"", "backends = ['cuda', 'cpu']\n", "backends = ['hip', 'cuda', 'cpu']\n"}) {
      CAPTURE(state);
      CAPTURE(list);
      const Run run(directory, list + answer("cuda", state));
      REQUIRE(run.result.ok());
      CHECK(run.opened() == Names{"cpu"});
      CHECK(run.record("cuda").state == state);
      CHECK(run.record("cuda").reason == "the fake driver says no");
      CHECK(run.record("cuda").remedy != "");
      CHECK(run.lines.lines.empty());
      CHECK(contains(run.result->skipped_text(), "cuda: "));
    }
  }
}

TEST_CASE("a missing driver is shown when more is asked for, with one line per candidate") {
  const PluginDirectory directory;
  for (const char* name : {"cuda", "cpu"}) directory.add(name);
  const Run run(directory, answer("cuda", BSC_DRIVER_MISSING), 1);
  const std::string log = run.lines.text();
  CHECK(contains(log, "backend cuda: DRIVER_MISSING: the fake driver says no (skipped)"));
  CHECK(contains(log, "backend hip: PLUGIN_MISSING"));
  CHECK(contains(log, "backend cpu: chosen, 1 device(s)"));
  CHECK(contains(log, "found " + directory.plugins() + "/cuda.json"));
}

TEST_CASE("a broken backend is an error in a list, in auto a warning that names the code") {
  const PluginDirectory directory;
  for (const char* name : {"cuda", "cpu"}) directory.add(name);
  for (const bsc_status state : kBroken) {
    CAPTURE(state);
    const Run listed(directory, "backends = ['cuda', 'cpu']\n" + answer("cuda", state));
    REQUIRE_FALSE(listed.result.ok());
    CHECK(listed.result.error().status == state);
    CHECK(listed.result.error().vendor_code == 35);
    CHECK(listed.result.error().backend == "cuda");
    CHECK(contains(listed.result.error().message, status_name(state)));
    CHECK(contains(listed.result.error().message, "config_text:1:1"));
    const Run automatic(directory, answer("cuda", state));
    REQUIRE(automatic.result.ok());
    CHECK(automatic.opened() == Names{"cpu"});
    CHECK(contains(automatic.lines.text(3), std::string("backend cuda: ") + status_name(state)));
  }
}

TEST_CASE("the warning about a broken backend comes once per process") {
  const PluginDirectory directory;
  for (const char* name : {"hip", "cpu"}) directory.add(name);
  const Run first(directory, answer("hip", BSC_TOO_OLD));
  const Run second(directory, answer("hip", BSC_TOO_OLD));
  CHECK(first.lines.lines.size() == 1);
  CHECK(second.lines.lines.empty());
}

TEST_CASE(
    "present but broken and absent are two states: undefined symbol, wrong ABI, unreadable manifest, missing file") {
  const PluginDirectory directory;
  directory.add("cuda", "undefined_symbol");
  directory.add("hip", "newer_abi");
  directory.write("plugins/level_zero.json", "{}");
  directory.add("cpu");
  directory.add("opencl");
  std::filesystem::remove(directory.plugins() + "/libfake_opencl.so");
  const Run run(directory, "");
  REQUIRE(run.result.ok());
  CHECK(run.opened() == Names{"cpu"});
  CHECK(run.record("cuda").state == BSC_BROKEN);
  CHECK(run.record("hip").state == BSC_ABI_MISMATCH);
  CHECK(run.record("level_zero").state == BSC_BROKEN);
  CHECK(contains(run.record("level_zero").reason, "level_zero.json"));
  CHECK(run.record("opencl").state == BSC_BROKEN);
  CHECK(run.lines.lines.size() == 4);
}

TEST_CASE("a single named backend is required") {
  const PluginDirectory directory;
  directory.add("cpu");
  const Run run(directory, "backends = ['cuda']");
  REQUIRE_FALSE(run.result.ok());
  CHECK(run.result.error().status == BSC_PLUGIN_MISSING);
  CHECK(contains(run.result.error().message, directory.plugins()));
  CHECK(contains(run.result.error().remedy, "bascule-backend-cuda"));
}

TEST_CASE("with nothing usable the error is NO_BACKEND with one line per backend and what was searched") {
  const PluginDirectory directory;
  directory.add("cuda");
  const Run run(directory, answer("cuda", BSC_NO_DEVICE));
  REQUIRE_FALSE(run.result.ok());
  const Error& error = run.result.error();
  CHECK(error.status == BSC_NO_BACKEND);
  CHECK(contains(error.message, "\n  cuda: NO_DEVICE: the fake driver says no"));
  CHECK(contains(error.message, "\n  hip: PLUGIN_MISSING"));
  CHECK(contains(error.message, directory.plugins()));
  const Run listed(directory, "backends = ['hip', 'cuda']\n" + answer("cuda", BSC_NO_DEVICE));
  CHECK(listed.result.error().status == BSC_NO_BACKEND);
}

TEST_CASE("a name that no backend has is an error with the valid and the installed names") {
  const PluginDirectory directory;
  directory.add("cpu");
  directory.add("custom");
  const Run run(directory, "backends = ['cpu', 'cudaa']");
  REQUIRE_FALSE(run.result.ok());
  CHECK(run.result.error().status == BSC_INVALID_CONFIG);
  CHECK(contains(run.result.error().message, "config_text:1:1: there is no backend \"cudaa\"; did you mean \"cuda\"?"));
  CHECK(contains(run.result.error().remedy, "Installed: cpu, custom"));
  CHECK(Run(directory, "backends = ['custom']").result.ok());
  CHECK(contains(Run(directory, "backend.cpuu.threads = 1").result.error().message, "did you mean \"cpu\"?"));
}

TEST_CASE("auto takes only GPUs through OpenCL, a named opencl takes all") {
  const PluginDirectory directory;
  directory.add("opencl");
  directory.add("cpu");
  const Run mixed(directory, "backend.opencl.devices = 3\nbackend.opencl.type = 'mixed'");
  CHECK(mixed.opened() == Names{"opencl", "cpu"});
  CHECK(mixed.result->backends[0]->devices().size() == 1);
  CHECK(mixed.result->backends[0]->summaries()[0].type == "gpu");
  const Run none(directory, "backend.opencl.type = 'cpu'");
  CHECK(none.opened() == Names{"cpu"});
  CHECK(none.record("opencl").state == BSC_NO_DEVICE);
  CHECK(contains(none.record("opencl").reason, "named in `backends`"));
  CHECK(none.lines.lines.empty());
  const Run named(directory, "backends = ['opencl']\nbackend.opencl.type = 'cpu'");
  CHECK(named.opened() == Names{"opencl"});
}

TEST_CASE("options and driver reach the plugin") {
  const PluginDirectory directory;
  directory.add("cuda");
  const Run run(directory, "backends = ['cuda']\n[backend.cuda]\ndriver = '/opt/libcuda.so'\ndevices = 2");
  REQUIRE(run.result.ok());
  CHECK(run.record("cuda").device_count == 2);
  CHECK(run.record("cuda").driver_path == "/opt/libcuda.so");
}

TEST_CASE("a wrong option is an error with its position, also in auto and also where the plugin finds it") {
  const PluginDirectory directory;
  for (const char* name : {"cuda", "cpu"}) directory.add(name);
  directory.add("opencl", "good", "\"may_abort\": true");
  for (const std::string backend : {"cuda", "opencl"}) {
    CAPTURE(backend);
    const Run unknown(directory, "\nbackend." + backend + ".device = 2");
    REQUIRE_FALSE(unknown.result.ok());
    CHECK(unknown.result.error().status == BSC_INVALID_CONFIG);
    CHECK(unknown.result.error().message.starts_with("config_text:2:"));
    CHECK(contains(unknown.result.error().message, "did you mean \"devices\"?"));
    const Run range(directory, "\n\n" + behave(backend, "range"));
    REQUIRE_FALSE(range.result.ok());
    CHECK(range.result.error().status == BSC_INVALID_CONFIG);
    CHECK(range.result.error().message.starts_with("config_text:3:"));
    CHECK(range.result.error().remedy != "");
  }
}

TEST_CASE("options of a backend that is not opened are reported as unused") {
  const PluginDirectory directory;
  for (const char* name : {"cuda", "cpu"}) directory.add(name);
  const Run run(directory, "backends = ['cpu']\n[backend.cuda]\nstreams = 2\ndriver = '/x'\n[backend.cpu]\nflag = true",
                2);
  REQUIRE(run.result.ok());
  CHECK(run.result->unused == Names{"backend.cuda.streams (config_text:3:1)", "backend.cuda.driver (config_text:4:1)"});
  CHECK(contains(run.lines.text(), "set but not used: backend.cuda.streams (config_text:3:1)"));
}

TEST_CASE(
    "a plugin whose driver aborts, dies or exits is CRASHED and the caller lives, if its manifest says may_abort") {
  const PluginDirectory directory;
  directory.add("opencl", "good", "\"may_abort\": true");
  directory.add("cpu");
  const Spy spy;
  const Run run(directory, behave("opencl", "abort"));
  REQUIRE(run.result.ok());
  CHECK(run.opened() == Names{"cpu"});
  CHECK(run.record("opencl").state == BSC_CRASHED);
  CHECK(contains(run.record("opencl").reason, "SIGABRT"));
  CHECK(contains(run.record("opencl").reason, "assertion failed: /sys is mounted"));
  CHECK(contains(run.lines.text(3), "CRASHED"));
  const Run listed(directory, "backends = ['opencl', 'cpu']\n" + behave("opencl", "segfault"));
  REQUIRE_FALSE(listed.result.ok());
  CHECK(listed.result.error().status == BSC_CRASHED);
  CHECK(contains(listed.result.error().message, "SIGSEGV"));
}

TEST_CASE("where the child sees no device for us, the driver is not loaded into this process") {
  const PluginDirectory directory;
  directory.add("opencl", "good", "\"may_abort\": true");
  directory.add("cpu");
  const Spy spy;
  const Run run(directory, "backend.opencl.type = 'cpu'");
  CHECK(run.record("opencl").state == BSC_NO_DEVICE);
  CHECK(spy.seen() == "opencl query\nopencl open\nopencl close\ncpu query\ncpu open\n");  // opencl: all in the child
}

TEST_CASE("without the probe program a backend that may abort is not opened") {
  const PluginDirectory directory;
  directory.add("opencl", "good", "\"may_abort\": true");
  SelectionOptions options = Run::options(directory);
  options.probe_program = directory / "absent";
  const Log log(LogLevel::kOff);
  const Spy spy;
  const auto result = select_backends(config_from("backends = ['opencl']").value(), Environment(), log, options);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().status == BSC_BROKEN);
  CHECK(contains(result.error().message, directory / "absent"));
  CHECK(spy.seen() == "");
}

TEST_CASE("an emulated driver takes the place of the real one where `device` asks for its architecture, and nowhere else") {
  Manifest manifest;
  manifest.name = "cuda";
  manifest.emulated = {{"sm_80", "/d/libcuda.so.1"}};
  const auto driver = [&](const std::string& text) { return driver_of(config_from(text).value(), manifest); };
  CHECK(driver("device = 'emulated:sm_80'") == "/d/libcuda.so.1");
  CHECK(driver("device = 'emulated:sm_90a'").empty());
  CHECK(driver("device = 'cuda'").empty());
  CHECK(driver("").empty());
  CHECK(driver("device = 'emulated:sm_80'\n[backend.cuda]\ndriver = '/own/libcuda.so.1'") == "/own/libcuda.so.1");
  manifest.name = "hip";
  manifest.emulated.clear();
  CHECK(driver("device = 'emulated:sm_80'").empty());
}
