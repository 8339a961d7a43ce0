// For the loader's tests: directories of fake plugins, and what a spy among them saw.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/config/config.hpp"
#include "core/loader/discovery.hpp"
#include "core/platform/paths.hpp"
#include "tests/support/temporary_directory.hpp"

namespace bascule::test {

// The built variants, beside the test programs' directory.
inline std::string fake_plugin_file(const std::string& variant) {
  return core::own_library_directory() + "/../fake_plugins/libfake_" + variant + ".so";
}

// A plugin directory; also the place of everything else that a test writes.
class PluginDirectory : public TemporaryDirectory {
 public:
  static std::string manifest(const std::string& name, const std::string& extra = "") {
    return R"({"name": ")" + name + R"(", "file": "libfake_)" + name +
           R"(.so", "abi": {"major": 0, "minor_min": 1, "minor_max": 1})" + (extra.empty() ? "" : ", " + extra) + "}";
  }

  // A copy of the variant as the backend `name`; returns the manifest's path.
  std::string add(const std::string& name, const std::string& variant = "good", const std::string& extra = "") const {
    std::filesystem::create_directories(plugins());
    std::filesystem::copy_file(fake_plugin_file(variant), plugins() + "/libfake_" + name + ".so",
                               std::filesystem::copy_options::overwrite_existing);
    return write("plugins/" + name + ".json", manifest(name, extra));
  }

  std::string plugins() const { return path() + "/plugins"; }
  std::vector<core::SearchDirectory> search() const { return {{plugins(), "test"}}; }
};

// Collects what fake plugins report between its construction and its end.
class Spy {
 public:
  Spy() { setenv("BASCULE_TEST_SPY", (directory_ / "spy").c_str(), 1); }
  ~Spy() { unsetenv("BASCULE_TEST_SPY"); }

  // Lines such as "cuda open".
  std::string seen() const {
    std::ifstream file(directory_ / "spy");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  bool saw(const std::string& text) const { return seen().find(text) != std::string::npos; }

 private:
  TemporaryDirectory directory_;
};

// Log lines, with their level.
struct LogLines {
  std::vector<std::pair<int, std::string>> lines;
  static void sink(void* user, int level, const char* message) {
    static_cast<LogLines*>(user)->lines.emplace_back(level, message);
  }
  std::string text(int least_level = 0) const {
    std::string all;
    for (const auto& [level, line] : lines) {
      if (level >= least_level) all += line + "\n";
    }
    return all;
  }
};

// A configuration from TOML text alone.
inline core::Result<core::Config> config_from(const std::string& text) {
  core::ConfigSources sources;
  sources.ignore_files = true;
  sources.text = text;
  return core::Config::load(sources, core::Environment());
}

}  // namespace bascule::test
