// Tests of manifests and of the list of known backends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/manifest.hpp"

#include <doctest/doctest.h>

#include <random>

#include "core/base/text.hpp"
#include "core/loader/known_backends.hpp"
#include "core/loader/known_backends.json.hpp"
#include "core/loader/test_plugins.hpp"
#include "tests/support/seed.hpp"

using namespace bascule::core;
using bascule::test::PluginDirectory;

namespace {

const std::string kValid =
    R"({"name": "cuda", "file": "libx.so", "abi": {"major": 0, "minor_min": 1, "minor_max": 1}, "formats": ["ptx"], "package": "p", "may_abort": true})";

std::string refusal(const std::string& json) {
  const auto result = parse_manifest(json, "/d/cuda.json");
  if (result.ok()) return "accepted";
  CHECK(result.error().status == BSC_INVALID_CONFIG);
  CHECK(result.error().message.starts_with("/d/cuda.json: "));
  return result.error().message;
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kValid;
  return text.replace(text.find(from), from.size(), to);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a manifest is read, and the plugin's path is beside it") {
  const Manifest manifest = parse_manifest(kValid, "/d/cuda.json").value();
  CHECK(manifest.name == "cuda");
  CHECK(manifest.path == "/d/cuda.json");
  CHECK(manifest.plugin_path == "/d/libx.so");
  CHECK(manifest.formats == std::vector<std::string>{"ptx"});
  CHECK(manifest.package == "p");
  CHECK(manifest.may_abort);
  CHECK(check_manifest_abi(manifest).ok());
}

TEST_CASE("a manifest may offer emulated drivers, one for each architecture, beside itself") {
  const auto offering = [](const std::string& list) { return with("\"may_abort\"", "\"emulated\": " + list + ", \"may_abort\""); };
  const Manifest manifest =
      parse_manifest(offering(R"([{"architecture": "sm_80", "driver": "../emulated/x.so"}, {"architecture": "sm_90a", "driver": "y.so"}])"), "/d/p/cuda.json")
          .value();
  CHECK(manifest.emulated.size() == 2);
  CHECK(manifest.emulated_driver("sm_80").ends_with("/emulated/x.so"));
  CHECK(manifest.emulated_driver("sm_80").starts_with("/d/"));
  CHECK(manifest.emulated_driver("sm_90a") == "/d/p/y.so");
  CHECK(manifest.emulated_driver("sm_90").empty());
  CHECK(parse_manifest(kValid, "/d/cuda.json").value().emulated.empty());
  CHECK(contains(refusal(offering(R"([{"architecture": "sm_80", "driver": "/etc/x.so"}])")), "relative to the manifest"));
  CHECK(contains(refusal(offering(R"([{"architecture": "sm_80", "driver": ""}])")), "relative to the manifest"));
  CHECK(contains(refusal(offering(R"([{"architecture": "a", "driver": "x"}, {"architecture": "a", "driver": "y"}])")), "different architecture"));
  CHECK(contains(refusal(offering(R"([{"architecture": "a", "drivers": "x"}])")), "\"emulated"));
  CHECK(contains(refusal(offering("\"sm_80\"")), "\"emulated\""));
}

TEST_CASE("a manifest's fields are checked strictly") {
  CHECK(
      contains(refusal(with("\"package\"", "\"packages\"")), "unknown field \"packages\"; did you mean \"package\"?"));
  CHECK(contains(refusal(with("\"cuda\"", "7")), "\"name\" must be a text"));
  CHECK(contains(refusal(with("\"cuda\"", "\"CUDA\"")), "not a backend's name"));
  CHECK(contains(refusal(with("\"cuda\"", "\"\"")), "not a backend's name"));
  CHECK(contains(refusal(with("\"cuda\"", "\"auto\"")), "a word of the configuration"));
  CHECK(contains(refusal(with("\"major\": 0", "\"major\": 0.5")), "\"abi.major\" must be a whole number"));
  CHECK(contains(refusal(with("\"major\": 0", "\"major\": 18446744073709551615")),
                 "\"abi.major\" must be a whole number"));
  CHECK(contains(refusal(with("\"major\": 0, ", "")), "\"abi.major\" must be a whole number"));
  CHECK(contains(refusal(with("\"minor_min\": 1", "\"minor_min\": 2")), "above"));
  CHECK(contains(refusal(with("\"major\"", "\"x\": 1, \"major\"")), "unknown field \"abi.x\""));
  CHECK(contains(refusal(with("[\"ptx\"]", "\"ptx\"")), "\"formats\" must be a list of texts"));
  CHECK(contains(refusal(with("[\"ptx\"]", "[1]")), "\"formats\" must be a list of texts"));
  CHECK(contains(refusal(with("true", "1")), "\"may_abort\" must be true or false"));
  CHECK(contains(refusal(with("\"name\"", "\"name\": \"hip\", \"name\"")), "\"name\" is given twice"));
}

TEST_CASE("the plugin's file must lie beside its manifest: a path is refused") {
  for (const char* file : {"../libx.so", "/tmp/libx.so", "a/b", ".", "..", "", "a\\u0000b"}) {
    CAPTURE(file);
    CHECK(contains(refusal(with("libx.so", file)), "the name of a file beside the manifest"));
  }
}

TEST_CASE("hostile JSON is refused, whatever it is") {
  CHECK(contains(refusal(""), "no valid JSON"));
  CHECK(contains(refusal("{"), "no valid JSON"));
  CHECK(contains(refusal("[]"), "a JSON object is wanted, this is array"));
  CHECK(contains(refusal("null"), "a JSON object is wanted, this is null"));
  CHECK(contains(refusal(kValid + "x"), "no valid JSON"));
  CHECK(contains(refusal(std::string(200'000, '[')), "/d/cuda.json"));
  CHECK(contains(refusal("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}"), "nested too deeply"));
  CHECK(contains(refusal("{\"name\": \"\xff\"}"), "no valid JSON"));
  CHECK(contains(refusal(std::string("{\"na\0me\": 1}", 12)), "no valid JSON"));
  CHECK(contains(refusal("{\"name\": 1e999}"), "no valid JSON"));
  CHECK(contains(refusal(std::string(2 << 20, ' ')), "at most"));
}

TEST_CASE("random damage to a manifest is accepted or refused with its path, never worse") {
  std::mt19937_64 random(bascule::test::seed());
  for (int i = 0; i < 3000; ++i) {
    std::string text = kValid;
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = static_cast<char>(random());
      else
        text.erase(at, 1 + random() % 9);
    }
    CAPTURE(quoted(text, 500));
    const auto result = parse_manifest(text, "/d/cuda.json");
    if (!result.ok())
      CHECK(contains(result.error().message, "/d/cuda.json: "));
    else
      CHECK(contains(result->plugin_path, "/d/"));
  }
}

TEST_CASE("a manifest for another ABI names both versions and which side to upgrade") {
  const auto mismatch = [](const std::string& abi) {
    Status status = check_manifest_abi(
        parse_manifest(with("{\"major\": 0, \"minor_min\": 1, \"minor_max\": 1}", abi), "/d/x.json").value());
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().status == BSC_ABI_MISMATCH);
    CHECK(contains(status.error().message, "this library 0.1"));
    return status.error().message + " " + status.error().remedy;
  };
  CHECK(contains(mismatch(R"({"major": 0, "minor_min": 2, "minor_max": 3})"), "plugin ABI 0.2 to 0.3"));
  CHECK(contains(mismatch(R"({"major": 0, "minor_min": 2, "minor_max": 3})"), "Upgrade Bascule"));
  CHECK(contains(mismatch(R"({"major": 1, "minor_min": 0, "minor_max": 0})"), "Upgrade Bascule"));
  CHECK(contains(mismatch(R"({"major": 0, "minor_min": 0, "minor_max": 0})"), "Upgrade the plugin"));
}

TEST_CASE("the embedded list of known backends is valid, and auto is cuda, hip, level_zero, opencl, cpu") {
  REQUIRE(parse_known_backends(bascule::embedded::loader_known_backends_json).ok());
  std::vector<std::string> automatic;
  for (const KnownBackend& backend : known_backends()) {
    std::string package = "bascule-backend-" + backend.name;
    for (char& c : package) c = c == '_' ? '-' : c;
    CHECK(backend.package == package);
    if (backend.automatic) automatic.push_back(backend.name);
  }
  CHECK(automatic == std::vector<std::string>{"cuda", "hip", "level_zero", "opencl", "cpu"});
  CHECK(find_known_backend("opencl")->auto_device_types == std::vector<std::string>{"gpu"});
  CHECK(find_known_backend("null") != nullptr);
  CHECK(find_known_backend("musa") != nullptr);
  CHECK(find_known_backend("nonsense") == nullptr);
}
