// Prints what a process sees of its environment and configuration. The tests run it set-user-id.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "core/config/config.hpp"

int main() {
  using namespace bascule::core;
  const Environment environment = Environment::process();
  ConfigSources sources;
  sources.system_file = "/nonexistent";
  const auto config = Config::load(sources, environment);
  std::printf("privileged=%d path=%d device=%s cache=%s\n", environment.privileged(), environment.get("PATH").has_value(),
              config.ok() ? config->device_text().c_str() : "error",
              config.ok() ? config->cache_directory().c_str() : "error");
  return 0;
}
