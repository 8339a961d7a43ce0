// Tests of the doctor's report.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/doctor.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "core/loader/json.hpp"
#include "core/loader/test_plugins.hpp"

using namespace bascule::core;
using bascule::test::config_from;
using bascule::test::PluginDirectory;
using bascule::test::Spy;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

DoctorReport report_of(const std::vector<SearchDirectory>& directories, const std::string& config_text = "") {
  const Log log(LogLevel::kOff);
  DoctorOptions options;
  options.directories = directories;
  auto report = examine(config_from(config_text).value(), Environment(), log, options);
  REQUIRE(report.ok());
  return std::move(*report);
}

const DoctorEntry& entry(const DoctorReport& report, const std::string& name) {
  for (const DoctorEntry& candidate : report.backends) {
    if (candidate.name == name) return candidate;
  }
  FAIL("no entry for " << name);
  return report.backends.front();
}

}  // namespace

TEST_CASE("without any plugin, cuda, hip and level_zero are PLUGIN_MISSING with every directory and the package") {
  const std::vector<SearchDirectory> searched{{"/nonexistent/a", "x"}, {"/nonexistent/b", "y"}};
  const DoctorReport report = report_of(searched);
  for (const char* name : {"cuda", "hip", "level_zero", "opencl", "cpu", "null", "musa"}) {
    CAPTURE(name);
    const Verdict& verdict = entry(report, name).verdict;
    CHECK(verdict.state == BSC_PLUGIN_MISSING);
    CHECK(contains(verdict.reason, "/nonexistent/a (does not exist), /nonexistent/b (does not exist)"));
    CHECK(contains(verdict.remedy, "bascule-backend-"));
  }
  CHECK(report.discovery.directories.size() == 2);
}

TEST_CASE(
    "every state is told per backend in one report: usable, crashing, hanging, broken, mismatched, without device") {
  const PluginDirectory directory;
  for (const char* name : {"cpu", "cuda", "hip", "null"}) directory.add(name);
  directory.add("opencl", "undefined_symbol");
  directory.add("level_zero", "older_abi");
  directory.write("plugins/musa.json", "{}");
  directory.add("custom");
  const Spy spy;
  const DoctorReport report = report_of(directory.search(),
                                        "probe.timeout = '2s'\nbackend.cuda.behaviour = 'abort'\nbackend.hip.behaviour "
                                        "= 'hang'\nbackend.null.devices = 0");
  CHECK(entry(report, "cpu").verdict.state == BSC_OK);
  CHECK(entry(report, "cpu").verdict.devices.size() == 1);
  CHECK(entry(report, "cpu").verdict.options.size() == 5);
  CHECK(entry(report, "cuda").verdict.state == BSC_CRASHED);
  CHECK(entry(report, "hip").verdict.state == BSC_PROBE_TIMED_OUT);
  CHECK(entry(report, "null").verdict.state == BSC_NO_DEVICE);
  CHECK(entry(report, "opencl").verdict.state == BSC_BROKEN);
  CHECK(entry(report, "level_zero").verdict.state == BSC_ABI_MISMATCH);
  CHECK(entry(report, "musa").verdict.state == BSC_BROKEN);
  CHECK(entry(report, "custom").verdict.state == BSC_OK);
  for (const DoctorEntry& candidate : report.backends) {
    CAPTURE(candidate.name);
    CHECK((candidate.verdict.state == BSC_OK) == candidate.verdict.reason.empty());
    CHECK((candidate.verdict.state == BSC_OK) == candidate.verdict.remedy.empty());
  }
  CHECK_FALSE(entry(report, "custom").automatic);
  CHECK(entry(report, "cpu").configured);
  CHECK_FALSE(entry(report, "null").configured);
}

TEST_CASE("a load failure carries path, backend and the linker's words") {
  const PluginDirectory directory;
  directory.add("cuda", "undefined_symbol");
  const DoctorReport report = report_of(directory.search());
  const DoctorEntry& cuda = entry(report, "cuda");
  CHECK(contains(cuda.verdict.reason, directory.plugins() + "/libfake_cuda.so"));
  CHECK(contains(cuda.verdict.reason, "undefined symbol"));
  CHECK(cuda.verdict.plugin_path == std::filesystem::canonical(directory.plugins() + "/libfake_cuda.so"));
}

TEST_CASE("shadowed manifests and unreadable ones are shown") {
  const PluginDirectory first, second;
  first.add("cpu");
  const std::string shadowed = second.add("cpu");
  second.write("plugins/text.json", "hello");
  const DoctorReport report = report_of({first.search()[0], second.search()[0]});
  CHECK(entry(report, "cpu").shadowed == std::vector<std::string>{shadowed});
  REQUIRE(report.discovery.problems.size() == 1);
  const std::string json = doctor_to_json(report);
  CHECK(contains(json, shadowed));
  CHECK(contains(json, "text.json"));
}

TEST_CASE("a configured option that a backend refuses is shown, whether or not the backend is configured") {
  const PluginDirectory directory;
  directory.add("cuda");
  const DoctorReport report = report_of(directory.search(), "backends = ['cpu']\nbackend.cuda.stream = 1");
  CHECK(contains(entry(report, "cuda").option_fault, "config_text:2:"));
  CHECK(entry(report, "cuda").verdict.state == BSC_INVALID_CONFIG);
}

TEST_CASE("the report's JSON is valid and complete") {
  const PluginDirectory directory;
  directory.add("cpu");
  auto json = JsonObject::parse(doctor_to_json(report_of(directory.search())), "report");
  REQUIRE(json.ok());
  CHECK(json->text("version") != "");
  CHECK(json->objects_or_none("backends").size() == 7);
  CHECK(json->objects_or_none("directories").size() == 1);
  CHECK(json->has("problems"));
}

TEST_CASE("with a warm cache no backend is opened again") {
  const PluginDirectory directory;
  for (const char* name : {"cpu", "cuda"}) directory.add(name);
  const std::string config = "cache.directory = '" + (directory / "cache") + "'";
  const Spy spy;
  report_of(directory.search(), config);
  CHECK(spy.saw("cpu open"));
  const std::string once = spy.seen();
  const DoctorReport again = report_of(directory.search(), config);
  CHECK(spy.seen() == once);
  CHECK(entry(again, "cuda").verdict.state == BSC_OK);
}

TEST_CASE("doctor loads nothing into its own process") {
  const PluginDirectory directory;
  directory.add("cpu", "abort_in_query");
  CHECK(entry(report_of(directory.search()), "cpu").verdict.state == BSC_CRASHED);
}
