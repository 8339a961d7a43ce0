// Tests of probing in a child, of verdicts and of their cache.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/probe.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "core/base/text.hpp"
#include "core/loader/test_plugins.hpp"
#include "core/platform/file.hpp"
#include "tests/support/seed.hpp"

using namespace bascule::core;
using namespace std::chrono_literals;
using bascule::test::LogLines;
using bascule::test::PluginDirectory;
using bascule::test::Spy;
using bascule::test::TemporaryDirectory;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ProbeRequest request_of(const PluginDirectory& directory, const std::string& behaviour = "",
                        const std::string& variant = "good") {
  ProbeRequest request{read_manifest(directory.add(variant, variant)).value(), "", {}};
  if (!behaviour.empty()) request.options.push_back({"behaviour", behaviour, "test"});
  return request;
}

Verdict probe(const std::string& behaviour, const std::string& variant = "good", std::chrono::nanoseconds limit = 60s) {
  const PluginDirectory directory;
  return probe_in_child(request_of(directory, behaviour, variant), find_probe_program(), limit);
}

Verdict example() {
  Verdict verdict;
  verdict.state = BSC_OK;
  verdict.plugin_path = "/p";
  verdict.devices.push_back({"name \"x\"\n", "gpu", "sm_90a", "d", "1", "", "u", "p", true});
  verdict.options.push_back({"n", "integer", "1", "text"});
  return verdict;
}

}  // namespace

TEST_CASE("the probe program is found beside the library") {
  CHECK(contains(find_probe_program(), "libexec/bascule/bascule-probe"));
}

TEST_CASE("a usable backend's verdict has its devices and options, whatever its driver prints") {
  const Verdict verdict = probe("print");
  CHECK(verdict.state == BSC_OK);
  CHECK(verdict.version == "1.2.3");
  REQUIRE(verdict.devices.size() == 1);
  CHECK(verdict.devices[0].name == "Fake device");
  CHECK(verdict.options.size() == 5);
}

TEST_CASE("a failure's verdict has reason, remedy, call and vendor's code") {
  const Verdict verdict = probe("status:" + std::to_string(BSC_TOO_OLD));
  CHECK(verdict.state == BSC_TOO_OLD);
  CHECK(verdict.reason == "the fake driver says no");
  CHECK(verdict.remedy != "");
  CHECK(verdict.call == "fakeInit");
  CHECK(verdict.vendor_code == 35);
  CHECK(verdict.version == "1.2.3");
  CHECK(probe("", "undefined_symbol").state == BSC_BROKEN);
  CHECK(probe("", "newer_abi").state == BSC_ABI_MISMATCH);
}

TEST_CASE("abort, segmentation fault and exit in a driver are CRASHED with the signal and its last words") {
  const Verdict aborted = probe("abort");
  CHECK(aborted.state == BSC_CRASHED);
  CHECK(contains(aborted.reason, "SIGABRT (Aborted)"));
  CHECK(contains(aborted.reason, "assertion failed: /sys is mounted"));
  CHECK(aborted.remedy != "");
  CHECK(contains(probe("segfault").reason, "SIG"));
  CHECK(probe("segfault").state == BSC_CRASHED);
  const Verdict left = probe("exit");
  CHECK(left.state == BSC_CRASHED);
  CHECK(contains(left.reason, "exit code 3"));
  CHECK(probe("", "abort_in_query").state == BSC_CRASHED);
}

TEST_CASE("a driver that hangs is PROBE_TIMED_OUT with its last words") {
  const Verdict verdict = probe("hang", "good", 700ms);
  CHECK(verdict.state == BSC_PROBE_TIMED_OUT);
  CHECK(contains(verdict.reason, "more than 700ms"));
  CHECK(contains(verdict.reason, "waiting for the device"));
  CHECK(contains(verdict.remedy, "BASCULE_PROBE_TIMEOUT"));
  CHECK(probe("", "hang_in_query", 300ms).state == BSC_PROBE_TIMED_OUT);
}

TEST_CASE("a request survives the way to the child") {
  const PluginDirectory directory;
  ProbeRequest request = request_of(directory, "a=b c\nd");
  request.driver = "/opt/x y.so";
  const auto back = probe_request(probe_arguments(request));
  REQUIRE(back.ok());
  CHECK(back->manifest.path == request.manifest.path);
  CHECK(back->driver == request.driver);
  REQUIRE(back->options.size() == 1);
  CHECK(back->options[0].value == "a=b c\nd");
  CHECK_FALSE(probe_request({}).ok());
  CHECK_FALSE(probe_request({"relative.json"}).ok());
  CHECK_FALSE(probe_request({request.manifest.path, "nonsense"}).ok());
}

TEST_CASE("of a missing driver the first line of the plugin's message is the reason, the rest the remedy") {
  const Verdict both = verdict_of("cuda", Error{BSC_DRIVER_MISSING, "no library\nInstall it."});
  CHECK(both.reason == "no library");
  CHECK(both.remedy == "Install it.");
  const Verdict reason_only = verdict_of("cuda", Error{BSC_DRIVER_MISSING, "no library"});
  CHECK(reason_only.reason == "no library");
  CHECK(reason_only.remedy != "");
  CHECK(verdict_of("cuda", Error{BSC_BROKEN, "first\nsecond"}).reason == "first\nsecond");
}

TEST_CASE("a verdict reads back from its JSON, and damage is refused") {
  const std::string json = verdict_to_json(example());
  const auto back = verdict_from_json(json);
  REQUIRE(back.ok());
  CHECK(verdict_to_json(*back) == json);
  CHECK(back->devices[0].name == "name \"x\"\n");
  CHECK_FALSE(verdict_from_json("").ok());
  CHECK_FALSE(verdict_from_json("{}").ok());
  CHECK_FALSE(verdict_from_json(json.substr(0, json.size() - 5)).ok());
  std::string foreign = json;
  foreign.replace(foreign.find("\"OK\""), 4, "\"OUT_OF_MEMORY\"");
  CHECK_FALSE(verdict_from_json(foreign).ok());
}

TEST_CASE("a verdict is kept, and a changed plugin, option, driver, variable or library path asks again") {
  const PluginDirectory directory;
  const Log log(LogLevel::kOff);
  VerdictCache cache(directory / "cache", log);
  ProbeRequest request = request_of(directory);
  const Environment environment(Environment::Variables{{"LD_LIBRARY_PATH", "/a"}, {"OTHER", "x"}});
  const Hash128 key = verdict_key(request, environment);
  CHECK_FALSE(cache.get(key));
  cache.put(key, example());
  REQUIRE(cache.get(key));
  CHECK(cache.get(key)->devices[0].architecture == "sm_90a");
  CHECK(VerdictCache(directory / "cache", log).get(key));

  CHECK(verdict_key(request, Environment(Environment::Variables{{"LD_LIBRARY_PATH", "/a"}, {"OTHER", "y"}})) == key);
  CHECK(verdict_key(request, Environment(Environment::Variables{{"LD_LIBRARY_PATH", "/b"}, {"OTHER", "x"}})) != key);
  ProbeRequest other = request;
  other.driver = "/x";
  CHECK(verdict_key(other, environment) != key);
  other = request;
  other.options.push_back({"devices", "2", "test"});
  CHECK(verdict_key(other, environment) != key);
  std::filesystem::last_write_time(request.manifest.plugin_path, std::filesystem::file_time_type::clock::now() - 1h);
  CHECK(verdict_key(request, environment) != key);
}

TEST_CASE("OpenCL's variables and its list of drivers are a part of its key") {
  const PluginDirectory directory;
  const ProbeRequest request{read_manifest(directory.add("opencl")).value(), "", {}};
  CHECK(verdict_key(request, Environment()) !=
        verdict_key(request, Environment(Environment::Variables{{"OCL_ICD_VENDORS", "/x"}, {"Z", "z"}})));
}

TEST_CASE("a verdict about a driver that has changed since is not used") {
  const PluginDirectory directory;
  const Log log(LogLevel::kOff);
  VerdictCache cache(directory / "cache", log);
  Verdict verdict = example();
  verdict.devices[0].driver_path = directory.write("driver.so", "one");
  const Hash128 key = hash128("key");
  cache.put(key, verdict);
  CHECK(cache.get(key));
  directory.write("driver.so", "another");
  CHECK_FALSE(cache.get(key));
}

TEST_CASE("a missing driver is looked for each time; other failures are remembered for a while") {
  const PluginDirectory directory;
  const Log log(LogLevel::kOff);
  VerdictCache cache(directory / "cache", log);
  cache.put(hash128("a"), verdict_of("cuda", Error{BSC_DRIVER_MISSING, "x"}));
  CHECK_FALSE(cache.get(hash128("a")));
  cache.put(hash128("b"), verdict_of("cuda", Error{BSC_CRASHED, "x"}));
  CHECK(cache.get(hash128("b")));
  // The same file with an older date: outdated.
  const std::string file = directory / "cache/verdicts/" + hash128("b").hex();
  std::string text = read_file(file, 1 << 20).value();
  const std::size_t start = text.find(' ') + 1, end = text.find(' ', start);
  text.replace(start, end - start, std::to_string(std::stoll(text.substr(start, end - start)) - 601));
  REQUIRE(write_file_atomically(file, text).ok());
  CHECK_FALSE(cache.get(hash128("b")));
}

TEST_CASE("a truncated, bit-flipped, empty or foreign verdict file is a miss, and is replaced") {
  const PluginDirectory directory;
  const Log log(LogLevel::kOff);
  VerdictCache cache(directory / "cache", log);
  const Hash128 key = hash128("key");
  cache.put(key, example());
  const std::string file = directory / "cache/verdicts/" + key.hex();
  const std::string whole = read_file(file, 1 << 20).value();
  std::mt19937_64 random(bascule::test::seed());
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole;
    const std::size_t at = random() % damaged.size();
    if (i % 3 == 0)
      damaged.resize(at);
    else
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random() % 8)));
    CAPTURE(quoted(damaged, 2000));
    REQUIRE(write_file_atomically(file, damaged).ok());
    const auto found = cache.get(key);
    // Only the time of writing is not covered by the hash, and a success does not age.
    if (found) CHECK(verdict_to_json(*found) == verdict_to_json(example()));
    const std::size_t time_start = whole.find(' '), time_end = whole.find(' ', time_start + 1);
    if (at <= time_start || at >= time_end) CHECK_FALSE(found);
  }
  cache.put(key, example());
  CHECK(cache.get(key));
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  CHECK_FALSE(cache.get(key));
}

TEST_CASE(
    "a cache directory that others may write to, or that is a file or read-only, gives one warning naming the "
    "variable") {
  const auto warnings = [](const std::string& directory) {
    LogLines lines;
    const Log log(LogLevel::kWarning, &LogLines::sink, &lines);
    VerdictCache cache(directory, log);
    cache.put(hash128("k"), example());
    CHECK_FALSE(cache.get(hash128("k")));
    VerdictCache again(directory, log);
    again.put(hash128("k"), example());
    CHECK(lines.lines.size() == 1);
    return lines.text();
  };
  const TemporaryDirectory open_to_all;
  REQUIRE(chmod(open_to_all.path().c_str(), 0777) == 0);
  CHECK(contains(warnings(open_to_all.path()), "writable by other users"));
  CHECK(contains(warnings(open_to_all.path() + "/../" + std::filesystem::path(open_to_all.path()).filename().string()),
                 "BASCULE_CACHE_DIR"));
  const TemporaryDirectory below;
  std::filesystem::create_directory(below / "verdicts");
  REQUIRE(chmod((below / "verdicts").c_str(), 0777) == 0);
  CHECK(contains(warnings(below.path()), "writable by other users"));
  const TemporaryDirectory directory;
  CHECK(contains(warnings(directory.write("file", "")), "BASCULE_CACHE_DIR"));
  CHECK(contains(warnings("/proc/bascule"), "BASCULE_CACHE_DIR"));
  if (geteuid() == 0) {
    const TemporaryDirectory foreign;
    REQUIRE(chown(foreign.path().c_str(), 12345, 0) == 0);
    CHECK(contains(warnings(foreign.path()), "belongs to user 12345"));
  }
}

TEST_CASE("without a cache directory nothing is remembered and nothing is said") {
  LogLines lines;
  const Log log(LogLevel::kDebug, &LogLines::sink, &lines);
  VerdictCache cache("", log);
  cache.put(hash128("k"), example());
  CHECK_FALSE(cache.get(hash128("k")));
  CHECK(lines.lines.empty());
  CHECK(clear_verdicts("") == 0);
}

TEST_CASE("a backend is probed once per key, and again after the cache was cleared") {
  const PluginDirectory directory;
  const Log log(LogLevel::kOff);
  VerdictCache cache(directory / "cache", log);
  const ProbeRequest request = request_of(directory, "abort");
  const Spy spy;
  const auto ask = [&] { return probe_cached(request, find_probe_program(), 60s, cache, Environment()).state; };
  CHECK(ask() == BSC_CRASHED);
  CHECK(ask() == BSC_CRASHED);
  CHECK(spy.seen() == "good query\ngood open\n");
  CHECK(clear_verdicts(directory / "cache") == 1);
  CHECK(ask() == BSC_CRASHED);
  CHECK(spy.seen() == "good query\ngood open\ngood query\ngood open\n");
}
