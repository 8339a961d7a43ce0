// Tests of the configuration: sources and their order, strictness, hostile text, privileged processes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/config/config.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "core/base/text.hpp"
#include "core/config/keys.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace bascule::core;
using bascule::test::TemporaryDirectory;
using Variables = Environment::Variables;
using namespace std::chrono_literals;

namespace {

// No file of this machine plays a part.
ConfigSources isolated() {
  ConfigSources sources;
  sources.system_file = "/nonexistent/bascule.toml";
  return sources;
}

Result<Config> from_text(const std::string& text) {
  ConfigSources sources = isolated();
  sources.text = text;
  return Config::load(sources, Environment());
}

Result<Config> from_variables(Variables variables) {
  return Config::load(isolated(), Environment(std::move(variables)));
}

Result<Config> from_setting(const std::string& key, const std::string& value) {
  ConfigSources sources = isolated();
  sources.settings.push_back({key, value});
  return Config::load(sources, Environment());
}

std::string refusal(const Result<Config>& result) {
  if (result.ok()) return "accepted";
  CHECK(result.error().status == BSC_INVALID_CONFIG);
  CHECK(result.error().remedy != "");
  return result.error().message;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a variable names a backend's driver, and those of emulated drivers are left to them") {
  const auto load = [](std::string name, std::string value) {
    return from_variables({{std::move(name), std::move(value)}});
  };
  const Config config = load("BASCULE_CUDA_DRIVER", "/opt/libcuda.so.1").value();
  CHECK(config.backend_driver("cuda") == "/opt/libcuda.so.1");
  CHECK(config.backend_driver("hip").empty());
  CHECK(config.origin("backend.cuda.driver") == "BASCULE_CUDA_DRIVER");
  CHECK(load("BASCULE_LEVEL_ZERO_DRIVER", "/opt/x.so").value().backend_driver("level_zero") == "/opt/x.so");
  CHECK(load("BASCULE_EMULATED_GPU", "sm_80").ok());
  CHECK_FALSE(load("BASCULE_cuda_DRIVER", "/opt/x.so").ok());
  CHECK_FALSE(load("BASCULE__DRIVER", "/opt/x.so").ok());
  CHECK_FALSE(load("BASCULE_CUDA_DRIVER", "relative.so").ok());
}

TEST_CASE("without any source everything has its default") {
  const Config config = from_text("").value();
  CHECK(config.automatic());
  CHECK(config.device().kind == Selector::Kind::kFirst);
  CHECK(config.plugin_path().empty());
  CHECK(config.log_level() == LogLevel::kWarning);
  CHECK(config.cache_directory() == "");
  CHECK(config.cache_enabled());
  CHECK(config.probe_timeout() == 5s);
  CHECK(config.backend_driver("cuda") == "");
  CHECK(config.backend_options("cuda").empty());
  CHECK(config.kernel_variant("gemm") == "");
  CHECK(config.origin("backends") == "default");
}

TEST_CASE("every key is read from TOML, with its position as origin") {
  const Config config = from_text(R"(
backends = ["hip", "cpu"]
device = "hip:1"
log.level = "Debug"
[plugins]
path = ["/a", "/b"]
[cache]
directory = "/c"
enabled = false
[probe]
timeout = "200ms"
[backend.hip]
driver = "/opt/lib.so"
streams = 4
[kernel."gemm.f32"]
variant = "v1"
)")
                            .value();
  CHECK(config.backends() == std::vector<std::string>{"hip", "cpu"});
  CHECK(config.device().index == 1);
  CHECK(config.log_level() == LogLevel::kDebug);
  CHECK(config.plugin_path() == std::vector<std::string>{"/a", "/b"});
  CHECK(config.cache_directory() == "/c");
  CHECK_FALSE(config.cache_enabled());
  CHECK(config.probe_timeout() == 200ms);
  CHECK(config.backend_driver("hip") == "/opt/lib.so");
  REQUIRE(config.backend_options("hip").size() == 1);
  CHECK(config.backend_options("hip")[0].name == "streams");
  CHECK(config.backend_options("hip")[0].value == "4");
  CHECK(config.backend_options("hip")[0].origin == "config_text:14:1");
  CHECK(config.kernel_variant("gemm.f32") == "v1");
  CHECK(config.origin("backends") == "config_text:2:1");
}

TEST_CASE("every variable is read, and each appears in the table of keys") {
  const Config config = from_variables({{"BASCULE_BACKENDS", "hip, cpu"},
                                        {"BASCULE_DEVICE", "cpu:0"},
                                        {"BASCULE_PLUGIN_PATH", "/a:/b:"},
                                        {"BASCULE_LOG", "off"},
                                        {"BASCULE_CACHE_DIR", "/c"},
                                        {"BASCULE_CACHE", "No"},
                                        {"BASCULE_PROBE_TIMEOUT", "1.5s"}})
                            .value();
  CHECK(config.backends() == std::vector<std::string>{"hip", "cpu"});
  CHECK(config.device().backend == "cpu");
  CHECK(config.plugin_path() == std::vector<std::string>{"/a", "/b"});
  CHECK(config.log_level() == LogLevel::kOff);
  CHECK(config.cache_directory() == "/c");
  CHECK_FALSE(config.cache_enabled());
  CHECK(config.probe_timeout() == 1500ms);
  for (const ConfigEntry& entry : config.entries()) CHECK(entry.origin.starts_with("BASCULE_"));
  CHECK(all_variables().size() == 8);
}

TEST_CASE("an empty value of any variable is an unset one") {
  for (const std::string& variable : all_variables()) {
    CAPTURE(variable);
    const auto config = from_variables({{variable, ""}});
    REQUIRE(config.ok());
    for (const ConfigEntry& entry : config->entries()) CHECK(entry.origin == "default");
  }
}

TEST_CASE("booleans are 1/0 true/false yes/no on/off in any case, anything else names variable and value") {
  for (const char* yes : {"1", "true", "TRUE", "yes", "Yes", "on", "oN"})
    CHECK(from_variables({{"BASCULE_CACHE", yes}}).value().cache_enabled());
  for (const char* no : {"0", "false", "False", "no", "NO", "off", "OFF"})
    CHECK_FALSE(from_variables({{"BASCULE_CACHE", no}}).value().cache_enabled());
  for (const char* bad : {"2", "ja", "enabled", "truee", " true"}) {
    const std::string message = refusal(from_variables({{"BASCULE_CACHE", bad}}));
    CHECK(contains(message, "BASCULE_CACHE"));
    CHECK(contains(message, quoted(bad)));
    CHECK(contains(message, "on/off"));
  }
  CHECK(from_text("cache.enabled = 1").value().cache_enabled());
  CHECK_FALSE(from_text("cache.enabled = 'off'").value().cache_enabled());
}

TEST_CASE("an unknown key is an error with position and nearest valid key") {
  CHECK(refusal(from_text("\nbakends = []")) == "config_text:2:1: unknown key \"bakends\"; did you mean \"backends\"?");
  CHECK(contains(refusal(from_text("[cache]\n  enable = true")),
                 "config_text:2:3: unknown key \"cache.enable\"; did you mean \"cache.enabled\"?"));
  CHECK(contains(refusal(from_text("[backend.cpu.deep]\nx = 1")), "unknown key \"backend.cpu.deep.x\""));
  CHECK(contains(refusal(from_text("[kernel.gemm]\nvariants = 'x'")), "did you mean \"kernel.NAME.variant\"?"));
  CHECK(contains(refusal(from_text("[kernel]\nvariant = 'x'")), "unknown key"));
  CHECK(contains(refusal(from_text("[backend]\nthreads = 1")), "unknown key"));
  CHECK(contains(refusal(from_text("[backend.CPU]\nthreads = 1")), "unknown key"));
  CHECK(contains(refusal(from_text("[bakend]")), "unknown table"));
  CHECK(contains(refusal(from_text("device = {}")), "unknown table"));
  CHECK(from_text("[backend.cpu]\n[cache]\n[kernel.x]").ok());
  CHECK(contains(refusal(from_setting("device.name", "x")), "setting: unknown key \"device.name\""));
  CHECK(contains(refusal(from_setting("", "x")), "unknown key"));
}

TEST_CASE("a BASCULE_ variable that does not exist is an error naming the nearest valid one") {
  CHECK(contains(refusal(from_variables({{"BASCULE_BACKEND", "cpu"}})),
                 "BASCULE_BACKEND: no such variable; did you mean \"BASCULE_BACKENDS\"?"));
  CHECK(contains(refusal(from_variables({{"BASCULE_PLUGINS_PATH", "/x"}})), "did you mean \"BASCULE_PLUGIN_PATH\"?"));
  CHECK(contains(refusal(from_variables({{"BASCULE_XYZZY_QUUX", "1"}})), "valid: BASCULE_CONFIG, BASCULE_BACKENDS"));
  CHECK(from_variables({{"BASCULE_TEST_SEED", "1"}}).ok());
  ConfigSources sources = isolated();
  sources.ignore_environment = true;
  CHECK(Config::load(sources, Environment(Variables{{"BASCULE_BACKEND", "x"}, {"BASCULE_LOG", "zzz"}})).ok());
}

TEST_CASE("an unknown value is an error with position and the valid ones") {
  CHECK(contains(refusal(from_text("log.level = 'warn'")),
                 "config_text:1:5: log.level: \"warn\" is no log level; did you mean \"warning\"?"));
  CHECK(contains(refusal(from_text("log.level = 3")), "no log level"));
  CHECK(contains(refusal(from_text("device = 'cpu:1x'")), "column 5"));
  CHECK(contains(refusal(from_text("device = ['cpu']")), "is one value, not a list"));
  CHECK(contains(refusal(from_text("probe.timeout = 5")), "not a duration"));
  CHECK(contains(refusal(from_text("probe.timeout = '0s'")), "no time at all"));
  CHECK(contains(refusal(from_text("probe.timeout = 2026-01-01")), "date or time"));
  CHECK(contains(refusal(from_text("backends = [['cpu']]")), "a list of texts or numbers"));
  CHECK(contains(refusal(from_text("backends = ['cpu', 'cpu']")), "named twice"));
  CHECK(contains(refusal(from_text("backends = ['auto', 'cpu']")), "stands for a whole list"));
  CHECK(contains(refusal(from_text("backends = ['CUDA']")), "did you mean \"cuda\"?"));
  CHECK(contains(refusal(from_text("backends = ['']")), "name is empty"));
  CHECK(contains(refusal(from_text("backends = 'cuda,,cpu'")), "name is empty"));
  CHECK(contains(refusal(from_variables({{"BASCULE_DEVICE", "cpu:-1"}})), "BASCULE_DEVICE"));
}

TEST_CASE("empty and auto both mean auto") {
  for (const char* text : {"", "backends = []", "backends = ''", "backends = 'auto'", "backends = ['auto']"}) {
    CAPTURE(text);
    CHECK(from_text(text).value().automatic());
  }
  CHECK(from_variables({{"BASCULE_BACKENDS", "auto"}}).value().automatic());
}

TEST_CASE("later sources win: system, user's, working directory, BASCULE_CONFIG, text, variables, settings") {
  const TemporaryDirectory directory;
  ConfigSources sources;
  sources.ignore_files = false;
  sources.system_file = directory.write("etc/bascule.toml", "device = 'a'\n");
  sources.working_file = directory / "work/bascule.toml";
  Variables variables{{"XDG_CONFIG_HOME", directory / "home"}};
  const auto device = [&] { return Config::load(sources, Environment(variables)).value().device_text(); };
  CHECK(device() == "a");
  directory.write("home/bascule/bascule.toml", "device = 'b'");
  CHECK(device() == "b");
  directory.write("work/bascule.toml", "device = 'c'");
  CHECK(device() == "b");
  sources.read_working_directory = true;
  CHECK(device() == "c");
  variables["BASCULE_CONFIG"] = directory.write("named.toml", "device = 'd'");
  CHECK(device() == "d");
  sources.text = "device = 'e'";
  CHECK(device() == "e");
  variables["BASCULE_DEVICE"] = "f";
  CHECK(device() == "f");
  sources.settings = {{"device", "g"}};
  CHECK(device() == "g");
  // And without files only what the caller gives counts.
  sources = isolated();
  sources.ignore_files = true;
  variables.erase("BASCULE_DEVICE");
  CHECK(device() == "");
  sources.file = directory / "named.toml";
  CHECK(device() == "d");
  const Config config = Config::load(sources, Environment(variables)).value();
  CHECK(config.origin("device") == directory / "named.toml:1:1");
  REQUIRE(config.files().size() == 1);
  CHECK(config.files()[0].found);
}

TEST_CASE("a named configuration file that cannot be read is an error naming the variable and the path") {
  const TemporaryDirectory directory;
  CHECK(contains(refusal(from_variables({{"BASCULE_CONFIG", directory / "absent.toml"}})),
                 "BASCULE_CONFIG: open " + (directory / "absent.toml")));
  CHECK(contains(refusal(from_variables({{"BASCULE_CONFIG", directory.path()}})), "is a directory"));
  REQUIRE(mkfifo((directory / "fifo").c_str(), 0600) == 0);
  CHECK(contains(refusal(from_variables({{"BASCULE_CONFIG", directory / "fifo"}})), "is a FIFO"));
  directory.write("huge.toml", std::string(kMostConfigBytes + 1, '#'));
  CHECK(contains(refusal(from_variables({{"BASCULE_CONFIG", directory / "huge.toml"}})), "larger than"));
}

TEST_CASE("keys that name code or caches are refused in the working directory's file, and only there") {
  const TemporaryDirectory directory;
  ConfigSources sources = isolated();
  sources.read_working_directory = true;
  sources.working_file = directory / "bascule.toml";
  for (const char* text :
       {"plugins.path = ['/tmp']", "cache.directory = '/tmp'", "backend.cuda.driver = '/tmp/x.so'"}) {
    CAPTURE(text);
    directory.write("bascule.toml", text);
    CHECK(contains(refusal(Config::load(sources, Environment())), "refused in a file of the working directory"));
    CHECK(from_text(text).ok());
  }
  directory.write("bascule.toml", "backends = ['cpu']\nbackend.cpu.threads = 2");
  CHECK(Config::load(sources, Environment()).ok());
}

TEST_CASE("relative paths are anchored to the file that names them, and refused where there is none") {
  const TemporaryDirectory directory;
  ConfigSources sources = isolated();
  sources.file = directory.write(
      "sub/c.toml",
      "plugins.path = ['plugins', '/abs']\ncache.directory = 'cache'\nbackend.cuda.driver = '../libcuda.so.1'");
  const Config config = Config::load(sources, Environment()).value();
  CHECK(config.plugin_path() == std::vector<std::string>{directory / "sub/plugins", "/abs"});
  CHECK(config.cache_directory() == directory / "sub/cache");
  CHECK(config.backend_driver("cuda") == directory / "sub/../libcuda.so.1");
  CHECK(contains(refusal(from_text("plugins.path = ['x']")), "relative path"));
  CHECK(contains(refusal(from_variables({{"BASCULE_PLUGIN_PATH", "/a:plugins"}})), "\"plugins\" is a relative path"));
  CHECK(contains(refusal(from_variables({{"BASCULE_CACHE_DIR", "cache"}})), "relative path"));
  CHECK(contains(refusal(from_setting("backend.cuda.driver", "libcuda.so.1")), "relative path"));
}

TEST_CASE("a removed working directory is no obstacle") {
  const std::string before = std::filesystem::current_path();
  {
    const TemporaryDirectory directory;
    std::filesystem::current_path(directory.path());
  }
  ConfigSources sources = isolated();
  sources.read_working_directory = true;
  const bool loaded = Config::load(sources, Environment()).ok();
  sources.file = "relative.toml";
  const auto relative = Config::load(sources, Environment());
  std::filesystem::current_path(before);
  CHECK(loaded);
  CHECK(contains(refusal(relative), "relative.toml"));
}

TEST_CASE("a privileged process reads no variable and no user file, only the system's and what the program gives") {
  const TemporaryDirectory directory;
  ConfigSources sources;
  sources.system_file = directory.write("etc.toml", "device = 'system'");
  sources.working_file = directory.write("work.toml", "device = 'work'");
  sources.read_working_directory = true;
  directory.write("home/.config/bascule/bascule.toml", "device = 'user'");
  const Variables variables{{"HOME", directory / "home"},
                            {"BASCULE_DEVICE", "variable"},
                            {"BASCULE_CONFIG", directory / "x"},
                            {"BASCULE_NONSENSE", "1"}};
  const Config config = Config::load(sources, Environment(variables, true)).value();
  CHECK(config.device_text() == "system");
  CHECK(config.cache_directory() == "");
  CHECK(config.user_plugin_directory() == "");
  sources.settings = {{"device", "program"}};
  CHECK(Config::load(sources, Environment(variables, true)).value().device_text() == "program");
}

TEST_CASE("the cache directory follows XDG and HOME unless it is named") {
  CHECK(from_variables({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}).value().cache_directory() == "/x/bascule");
  CHECK(from_variables({{"HOME", "/h"}}).value().cache_directory() == "/h/.cache/bascule");
  CHECK(from_variables({{"HOME", ""}}).value().cache_directory() == "");
  const Config config = from_variables({{"HOME", "/h"}}).value();
  bool shown = false;
  for (const ConfigEntry& entry : config.entries()) {
    if (entry.key == "cache.directory") shown = entry.value == "/h/.cache/bascule" && entry.origin == "default";
  }
  CHECK(shown);
}

TEST_CASE("config --show lists every key once, then backends' and kernels' own, and its values read back the same") {
  const Config config =
      from_text(
          "backends=['b','a']\nplugins.path=['/x','/y']\nprobe.timeout='3s'\nbackend.b.k='v'\nkernel.m.variant='w'")
          .value();
  std::vector<std::string> keys;
  ConfigSources again = isolated();
  for (const ConfigEntry& entry : config.entries()) {
    keys.push_back(entry.key);
    again.settings.push_back({entry.key, entry.value});
  }
  CHECK(keys == std::vector<std::string>{"backends", "device", "plugins.path", "log.level", "cache.directory",
                                         "cache.enabled", "probe.timeout", "backend.b.k", "kernel.m.variant"});
  const Config copy = Config::load(again, Environment()).value();
  for (std::size_t i = 0; i < keys.size(); ++i) CHECK(copy.entries()[i].value == config.entries()[i].value);
  CHECK(copy.configured_backends().size() == 1);
}

TEST_CASE("every key of the table has a description, a form and a default that is accepted") {
  for (const KeyDescription& key : known_keys()) {
    CAPTURE(key.key);
    CHECK(std::string(key.description) != "");
    CHECK(valid_form(key.type) != "");
    std::string name = key.key;
    if (const auto at = name.find("NAME"); at != std::string::npos) name.replace(at, 4, "cpu");
    if (const auto at = name.find("OPTION"); at != std::string::npos) name.replace(at, 6, "threads");
    CHECK(describe_key(name) == &key);
    CHECK(from_setting(name, key.default_value).ok());
  }
}

TEST_CASE("hostile TOML gives an error with a position, whatever it is") {
  const std::string dots = [] {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += "a.";
    return text;
  }();
  CHECK(contains(refusal(from_text("\n" + dots + "b = 1")), "config_text:2:1: more than 64 dots"));
  CHECK(contains(refusal(from_text("[" + dots + "b]")), "dots"));
  CHECK(contains(refusal(from_text("x = [\"\"\"\n\"\"\", {" + dots + "b = 1}]")), "dots"));
  CHECK(contains(refusal(from_text("x = " + std::string(100'000, '['))), "config_text:1:"));
  CHECK(contains(refusal(from_text("x = " + std::string(10, '['))), "config_text:1:"));
  std::string tables;
  for (int i = 0; i < 30'000; ++i) tables += "{a=";
  CHECK(contains(refusal(from_text("x = " + tables)), "config_text:1:"));
  CHECK(contains(refusal(from_text(std::string("device = 'a\0b'", 14))), "config_text:1:"));
  CHECK(contains(refusal(from_text("device = '\xff'")), "config_text:1:"));
  CHECK(contains(refusal(from_text("device = \xed\xa0\x80")), "config_text:1:"));
  CHECK(contains(refusal(from_text("device = 'a'\ndevice = 'b'")), "config_text:2:"));
  CHECK(contains(refusal(from_text("device = 99999999999999999999")), "config_text:1:"));
  CHECK(contains(refusal(from_text("device = 'unclosed")), "config_text:1:"));
  CHECK(contains(refusal(from_text(std::string(kMostConfigBytes + 1, '\n'))), "at most"));
  CHECK(contains(refusal(from_text("plugins.path = [\"/a\\u0000b\"]")), "NUL"));
  // Texts that violate assertions inside the parser.
  for (const char* text : {"x = [}", "x = [[}]", "x = [,", "x = {a = }", "x = {,}", "x =", "x = ]"}) {
    CAPTURE(text);
    CHECK(contains(refusal(from_text(text)), "config_text:1:"));
    CHECK(contains(refusal(from_text("device = 'a'\n\n" + std::string(text) + "\nb = 1\n")), "config_text:"));
  }
  CHECK(contains(refusal(from_text("a = 1\nb = 2\nc = [}\nd = 3")), "config_text:3:"));
  // Depth that the limits allow is no danger either.
  std::string deep = "x = ";
  for (int i = 0; i < 15; ++i) {
    deep += "{";
    for (int j = 0; j < 4; ++j) deep += "a.";
    deep += "b = ";
  }
  CHECK(refusal(from_text(deep + "1" + std::string(15, '}'))) != "accepted");
}

TEST_CASE("random damage to a valid file is accepted or refused with a position, never worse") {
  std::mt19937_64 random(bascule::test::seed());
  const std::string valid =
      "backends = [\"hip\", \"cpu\"]\ndevice = \"hip:1\"\n[cache]\nenabled = true\n[backend.cpu]\nthreads = 4\n";
  for (int i = 0; i < 3000; ++i) {
    std::string text = valid;
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, 1 + random() % 5);
          break;
        default:
          text.insert(at, 1, "[]{}=\"'.#\n,x"[random() % 12]);
          break;
      }
      if (text.empty()) text = "x";
    }
    CAPTURE(quoted(text, 500));
    const auto result = from_text(text);
    if (!result.ok()) CHECK(contains(result.error().message, "config_text:"));
  }
}
