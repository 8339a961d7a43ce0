// The plugin under test: found by file or name, opened once per process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <string>
#include <string_view>
#include <vector>

namespace bascule::conformance {

// Where a plugin lies. `name` is empty when only the file is known.
struct PluginLocation {
  std::string name;  // from the manifest
  std::string file;  // absolute path of the shared object
  std::string problem;  // why there is none, else empty
  std::string driver = {};  // the vendor's library to be opened instead of the plugin's own list; empty: that list
};

// `text`: path of a shared object or of a manifest, or the name of a plugin in ../../lib/bascule/plugins beside this
// program or in one of BASCULE_PLUGIN_PATH's directories. Does not open the plugin.
PluginLocation locate_plugin(const std::string& text);

class PluginLibrary {
 public:
  // Opens and queries. Check `problem()` before anything else.
  explicit PluginLibrary(const PluginLocation& location);

  const std::string& problem() const { return problem_; }
  const std::string& file() const { return location_.file; }
  const std::string& manifest_name() const { return location_.name; }
  const char* driver() const { return location_.driver.empty() ? nullptr : location_.driver.c_str(); }
  bsc_plugin_query_function query() const { return query_; }
  const bsc_plugin_info& info() const { return info_; }
  const bsc_plugin_api& api() const { return *info_.api; }
  bool declares_option(std::string_view name) const;

 private:
  PluginLocation location_;
  std::string problem_;
  bsc_plugin_query_function query_ = nullptr;
  bsc_plugin_info info_ = {};
};

bsc_plugin_host_info host_info();
std::vector<bsc_plugin_option> options_of(const bsc_plugin_info& info);
// The directory of this program.
std::string program_directory();

}  // namespace bascule::conformance
