// The machine and the program: see environment.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "environment.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>

#include "bascule/bascule.h"

namespace bascule::cli {
namespace {

constexpr const char* kUnknown = "unknown";

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) ? line : kUnknown;
}

// Value of the first line "KEY : value" of a /proc file.
std::string proc_field(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return kUnknown;
}

std::string usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::to_string(CPU_COUNT(&set)) : kUnknown;
}

}  // namespace

std::map<std::string, std::string> describe_environment(const std::string& command_line) {
  utsname system = {};
  const bool named = uname(&system) == 0;
  return {{"processor", proc_field("/proc/cpuinfo", "model name")},
          {"processors usable", usable_processors()},
          {"memory", proc_field("/proc/meminfo", "MemTotal")},
          {"operating system", named ? std::string(system.sysname) + " " + system.release + " " + system.machine : kUnknown},
          {"frequency governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
          {"load average at start", first_line("/proc/loadavg")},
          {"bascule", bsc_version()},
          {"compiler", __VERSION__},
          {"command", command_line}};
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace bascule::cli
