// doctor, devices, config, cache, explain, and the command line itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "program.hpp"

using namespace bascule::test;
using nlohmann::json;

TEST_CASE("every command has a help text, and help is no error") {
  const Program program;
  const Outcome all = program.run({"--help"});
  CHECK(all.code == 0);
  CHECK(all.output.find("Exit codes") != std::string::npos);
  for (const char* command : {"doctor", "devices", "explain", "selftest", "bench", "compare", "cache", "config", "conform", "pack", "run"}) {
    CAPTURE(command);
    CHECK(all.output.find(command) != std::string::npos);
    const Outcome one = program.run({command, "--help"});
    CHECK(one.code == 0);
    CHECK(one.output.find("--help") != std::string::npos);
  }
}

TEST_CASE("an unknown command, option or missing argument exits with 2 and names it") {
  const Program program;
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"dector"}, {"devices", "--jsn"}, {"run"}, {"compare", "a.json"},
                                                {"bench", "--cache", "lukewarm"}, {"bench", "--min-time", "-1"}, {"cache", "purge"}}) {
    const Outcome outcome = program.run(words);
    CAPTURE(outcome.errors);
    CHECK(outcome.code == 2);
    CHECK(outcome.errors.starts_with("bascule: "));
    CHECK(outcome.errors.find("remedy: ") != std::string::npos);
  }
}

TEST_CASE("a word that is no command is named with the nearest one, also below a command") {
  const Program program;
  CHECK(program.run({"dector"}).errors.find("\"dector\"; did you mean \"doctor\"?") != std::string::npos);
  CHECK(program.run({"cache", "cleer"}).errors.find("\"cleer\"; did you mean \"clear\"?") != std::string::npos);
  CHECK(program.run({"--jsn", "devices"}).errors.find("--jsn") != std::string::npos);
}

TEST_CASE("the help of config lists every key and variable") {
  const Program program;
  const std::string help = program.run({"config", "--help"}).output;
  for (const char* word : {"backends", "probe.timeout", "kernel.NAME.variant", "BASCULE_BACKENDS", "BASCULE_NAME_DRIVER", "BASCULE_CONFIG"}) {
    CAPTURE(word);
    CHECK(help.find(word) != std::string::npos);
  }
}

TEST_CASE("doctor names each known backend with its state, a missing plugin with every directory searched") {
  const Program program;
  const Outcome outcome = program.run({"doctor", "--json"});
  REQUIRE(outcome.code == 0);
  const json report = json::parse(outcome.output);
  const std::string directory = program.directory() / "plugins-here";
  for (const char* name : {"cuda", "hip", "level_zero"}) {
    bool found = false;
    for (const json& backend : report.at("backends")) {
      if (backend.at("name") != name) continue;
      found = true;
      CAPTURE(name);
      CHECK((backend.at("state") == "PLUGIN_MISSING") == (std::string(name) == "level_zero"));
      CHECK((backend.at("state") == "OK" || !backend.at("remedy").get<std::string>().empty()));
    }
    CHECK(found);
  }
  CHECK(report.at("directories").size() >= 1);
  const Outcome text = program.run({"doctor"}, {{"BASCULE_PLUGIN_PATH", directory}});
  CHECK(text.code == 0);
  CHECK(text.output.find(directory) != std::string::npos);
  CHECK(text.output.find("PLUGIN_MISSING") != std::string::npos);
  CHECK(text.output.find("note: this version brings no plugin for it") != std::string::npos);
}

TEST_CASE("doctor -v lists each backend's options with type and default") {
  const Program program;
  CHECK(program.run({"doctor", "-v"}).output.find("option sanitize (boolean, default false): ") != std::string::npos);
  CHECK(program.run({"doctor"}).output.find("option sanitize") == std::string::npos);
}

TEST_CASE("doctor says of a backend that no hardware has run that it is untested") {
  const Program program;
  const json report = json::parse(program.run({"doctor", "--json"}).output);
  for (const json& backend : report.at("backends")) {
    const std::string name = backend.at("name").get<std::string>();
    const bool untested = name == "cuda" || name == "hip" || name == "musa";
    CAPTURE(name);
    CHECK((backend.at("note").get<std::string>().find("untested on hardware") != std::string::npos) == untested);
  }
  CHECK(program.run({"doctor"}).output.find("note: untested on hardware") != std::string::npos);
}

TEST_CASE("the distribution's own HIP library on a machine without AMD's kernel driver is NO_DEVICE, and no crash") {
  const std::string library = "/usr/lib/x86_64-linux-gnu/libamdhip64.so.5";
  if (!std::filesystem::exists(library) || std::filesystem::exists("/dev/kfd")) {
    MESSAGE("not tested: " << library << " is not installed, or there is an AMD GPU");
    return;
  }
  const Program program;
  const json report = json::parse(program.run({"doctor", "--json"}).output);
  for (const json& backend : report.at("backends")) {
    if (backend.at("name") != "hip") continue;
    CHECK(backend.at("state") == "NO_DEVICE");
    CHECK(backend.at("call") == "hipInit");
    CHECK(backend.at("reason").get<std::string>().find(std::filesystem::canonical(library)) != std::string::npos);
  }
}

TEST_CASE("doctor --require exits with 3 for a backend that is not usable, with 0 for the cpu, with 2 for an unknown name") {
  const Program program;
  CHECK(program.run({"doctor", "--require", "cpu"}).code == 0);
  const Outcome missing = program.run({"doctor", "--require", "level_zero"});
  CHECK(missing.code == 3);
  CHECK(missing.errors.find("level_zero") != std::string::npos);
  const Outcome unknown = program.run({"doctor", "--require", "hipp"});
  CHECK(unknown.code == 2);
  CHECK(unknown.errors.find("hip") != std::string::npos);
}

TEST_CASE("devices lists the cpu with its limits, and a selector that fits nothing lists what there is") {
  const Program program;
  const Outcome outcome = program.run({"devices", "--backend", "cpu", "--json"});
  REQUIRE(outcome.code == 0);
  const json devices = json::parse(outcome.output).at("devices");
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].at("id") == "cpu:0");
  CHECK(devices[0].at("compute_units").get<int>() >= 1);
  for (const char* selector : {"cpu:1", "cpu:-1", "cpu:2147483648", "cpu:abc", "cpu:1x", "cpu:", ":0", "uuid:zz", "nonsense"}) {
    const Outcome wrong = program.run({"devices", "--backend", "cpu", "--device", selector});
    CAPTURE(selector);
    CAPTURE(wrong.errors);
    CHECK((wrong.code == 2 || wrong.code == 3));
    CHECK(wrong.errors.find("remedy") != std::string::npos);
  }
}

TEST_CASE("config --show names the origin of each value, and the environment overrides the file") {
  const Program program;
  const std::string file = program.directory().write("my.toml", "backends = [\"cpu\"]\n[log]\nlevel = \"error\"\n");
  const Outcome outcome = program.run({"config", "--show", "--json"}, {{"BASCULE_CONFIG", file}, {"BASCULE_LOG", "off"}});
  REQUIRE(outcome.code == 0);
  bool backends = false, level = false;
  for (const json& entry : json::parse(outcome.output)) {
    if (entry.at("key") == "backends") {
      backends = true;
      CHECK(entry.at("origin").get<std::string>().find("my.toml") != std::string::npos);
    }
    if (entry.at("key") == "log.level") {
      level = true;
      CHECK(entry.at("value") == "off");
      CHECK(entry.at("origin").get<std::string>().find("BASCULE_LOG") != std::string::npos);
    }
  }
  CHECK(backends);
  CHECK(level);
}

TEST_CASE("a wrong configuration exits with 2 and names position and nearest key") {
  const Program program;
  struct Wrong {
    const char* text;
    const char* expected;
  };
  for (const Wrong& wrong : {Wrong{"backend = [\"cpu\"]\n", "backends"}, {"backends = [\"cqu\"]\n", "cpu"}, {"device = 7\n", ":1:"},
                             {"backends = [\n", ":"}, {"[log]\nlevel = \"loud\"\n", ":2:"}, {"[backend.cpu]\nthreadz = 2\n", "threads"}}) {
    const std::string file = program.directory().write("wrong.toml", wrong.text);
    const Outcome outcome = program.run({"devices"}, {{"BASCULE_CONFIG", file}});
    CAPTURE(wrong.text);
    CAPTURE(outcome.errors);
    CHECK(outcome.code == 2);
    CHECK(outcome.errors.find("wrong.toml") != std::string::npos);
    CHECK(outcome.errors.find(wrong.expected) != std::string::npos);
  }
  CHECK(program.run({"devices"}, {{"BASCULE_CONFIG", "/no/such/file.toml"}}).code == 2);
  CHECK(program.run({"devices", "--set", "backends"}).code == 2);
  CHECK(program.run({"devices", "--set", "no.such=1"}).code == 2);
}

TEST_CASE("keys that name code are refused in ./bascule.toml") {
  const Program program;
  program.directory().write("bascule.toml", "[plugins]\npath = [\"/tmp\"]\n");
  const Outcome outcome = program.run({"devices"});
  CHECK(outcome.code == 2);
  CHECK(outcome.errors.find("plugins.path") != std::string::npos);
}

TEST_CASE("cache info and clear work with a cache, without one and with an unusable one") {
  const Program program;
  CHECK(program.run({"cache", "info"}).code == 0);
  CHECK(program.run({"cache", "clear"}).code == 0);
  const std::string file = program.directory().write("a-file", "");
  const Outcome unusable = program.run({"cache", "info"}, {{"BASCULE_CACHE_DIR", file}});
  CHECK(unusable.code == 0);
  CHECK((unusable.output + unusable.errors).find("a-file") != std::string::npos);
}

TEST_CASE("explain gives each variant a reason, and an unknown kernel lists the ones there are") {
  const Program program;
  const Outcome list = program.run({"explain", "--backend", "cpu"});
  CHECK(list.code == 0);
  CHECK(list.output.find("sgemm") != std::string::npos);
  const Outcome one = program.run({"explain", "sgemm_f32", "--backend", "cpu"});
  CHECK(one.code == 0);
  CHECK(one.output.find("x86-64-v4") != std::string::npos);
  const Outcome unknown = program.run({"explain", "sgem_f32", "--backend", "cpu"});
  CHECK(unknown.code == 2);
  CHECK(unknown.errors.find("sgemm") != std::string::npos);
}
