// Processors by affinity mask and control group (version 2) limit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compute_units.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace bascule::cpu {

namespace {

std::optional<std::uint32_t> read_limit(const std::string& file) {
  std::ifstream in(file);
  std::string quota;
  std::uint64_t period = 0;
  if (!(in >> quota >> period) || quota == "max" || period == 0) return std::nullopt;
  std::uint64_t microseconds = 0;
  if (!(std::istringstream(quota) >> microseconds) || microseconds == 0) return std::nullopt;
  const std::uint64_t whole = microseconds / period + (microseconds % period != 0 ? 1 : 0);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(whole, UINT32_MAX));
}

}  // namespace

std::uint32_t affinity_processors() {
  // A fixed cpu_set_t holds 1024 processors; the call says EINVAL where the kernel needs more.
  for (std::size_t sets = 1; sets <= 64; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    const std::size_t bytes = sets * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, mask.data()) == 0) {
      return static_cast<std::uint32_t>(std::max(1, CPU_COUNT_S(bytes, mask.data())));
    }
    if (errno != EINVAL) break;
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

std::optional<std::uint32_t> control_group_processors(const std::string& mount, const std::string& path) {
  std::optional<std::uint32_t> least;
  for (std::string group = path; !group.empty() && group != "/"; group.erase(group.find_last_of('/'))) {
    const auto limit = read_limit(mount + group + "/cpu.max");
    if (limit && (!least || *limit < *least)) least = limit;
    if (group.find_last_of('/') == std::string::npos) break;
  }
  return least;
}

std::string own_control_group() {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("0::/")) return line.substr(3);
  }
  return "/";
}

std::uint32_t usable_processors() {
  const std::uint32_t by_affinity = affinity_processors();
  const auto by_group = control_group_processors("/sys/fs/cgroup", own_control_group());
  return by_group ? std::clamp(*by_group, 1u, by_affinity) : by_affinity;
}

}  // namespace bascule::cpu
