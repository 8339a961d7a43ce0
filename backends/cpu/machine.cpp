// Processor properties by cpuid and sysconf, memory by /proc/meminfo and the control group's files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/machine.hpp"

#include <cpuid.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "backends/cpu/executor/compute_units.hpp"

namespace bascule::cpu {
namespace {

std::string trimmed(const char* text) {
  const std::string all(text);
  const std::size_t first = all.find_first_not_of(' ');
  if (first == std::string::npos) return "unknown processor";
  return all.substr(first, all.find_last_not_of(' ') - first + 1);
}

std::string brand() {
  unsigned words[12] = {};
  if (__get_cpuid_max(0x80000000u, nullptr) < 0x80000004u) return "unknown processor";
  for (unsigned i = 0; i < 3; ++i) {
    __get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]);
  }
  char text[sizeof words + 1] = {};
  std::memcpy(text, words, sizeof words);
  return trimmed(text);
}

std::string vendor() {
  unsigned highest = 0, words[3] = {};
  if (__get_cpuid(0, &highest, &words[0], &words[2], &words[1]) == 0) return "unknown";
  char text[sizeof words + 1] = {};
  std::memcpy(text, words, sizeof words);
  if (std::strcmp(text, "AuthenticAMD") == 0) return "AMD";
  if (std::strcmp(text, "GenuineIntel") == 0) return "Intel";
  return text;
}

bool leaf_1_has(unsigned bit) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit) != 0;
}

bool has_lzcnt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000001u, &a, &b, &c, &d) != 0 && (c & (1u << 5)) != 0;
}

// Instruction sets that both processor and operating system allow: the compiler's run time asks both.
std::vector<const char*> features() {
  __builtin_cpu_init();
  std::vector<const char*> found;
#define BSC_FEATURE(builtin, name) \
  if (__builtin_cpu_supports(builtin)) found.push_back(name);
  BSC_FEATURE("sse3", "sse3")
  BSC_FEATURE("ssse3", "ssse3")
  BSC_FEATURE("sse4.1", "sse4_1")
  BSC_FEATURE("sse4.2", "sse4_2")
  BSC_FEATURE("popcnt", "popcnt")
  BSC_FEATURE("avx", "avx")
  BSC_FEATURE("avx2", "avx2")
  BSC_FEATURE("bmi", "bmi")
  BSC_FEATURE("bmi2", "bmi2")
  BSC_FEATURE("fma", "fma")
  BSC_FEATURE("avx512f", "avx512f")
  BSC_FEATURE("avx512bw", "avx512bw")
  BSC_FEATURE("avx512cd", "avx512cd")
  BSC_FEATURE("avx512dq", "avx512dq")
  BSC_FEATURE("avx512vl", "avx512vl")
  BSC_FEATURE("avx512ifma", "avx512ifma")
  BSC_FEATURE("avx512vbmi", "avx512vbmi")
  BSC_FEATURE("avx512vbmi2", "avx512vbmi2")
  BSC_FEATURE("avx512vnni", "avx512vnni")
  BSC_FEATURE("avx512bitalg", "avx512bitalg")
  BSC_FEATURE("avx512vpopcntdq", "avx512vpopcntdq")
  BSC_FEATURE("avx512bf16", "avx512bf16")
#undef BSC_FEATURE
  if (__builtin_cpu_supports("avx") && leaf_1_has(bit_F16C)) found.push_back("f16c");
  return found;
}

// The micro-architecture levels of the x86-64 psABI.
std::string architecture(const std::vector<const char*>& found) {
  const auto all = [&](std::initializer_list<const char*> names) {
    return std::all_of(names.begin(), names.end(), [&](const char* name) {
      return std::any_of(found.begin(), found.end(), [&](const char* f) { return std::strcmp(f, name) == 0; });
    });
  };
  if (!all({"sse3", "ssse3", "sse4_1", "sse4_2", "popcnt"})) return "x86-64";
  if (!all({"avx", "avx2", "bmi", "bmi2", "fma", "f16c"}) || !leaf_1_has(bit_MOVBE) || !has_lzcnt()) return "x86-64-v2";
  return all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) ? "x86-64-v4" : "x86-64-v3";
}

std::uint64_t from_sysconf(int name) { return static_cast<std::uint64_t>(std::max(0L, ::sysconf(name))); }

// A number in a file of one line; UINT64_MAX for "max" or no file.
std::uint64_t read_number(const std::string& file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  return in >> value ? value : UINT64_MAX;
}

void apply_control_groups(MemoryState& state, const std::string& mount, const std::string& path) {
  for (std::string group = path; !group.empty() && group != "/"; group.erase(group.find_last_of('/'))) {
    const std::uint64_t limit = read_number(mount + group + "/memory.max");
    const std::uint64_t used = read_number(mount + group + "/memory.current");
    if (limit != UINT64_MAX) {
      state.total_bytes = std::min(state.total_bytes, limit);
      if (used != UINT64_MAX) state.available_bytes = std::min(state.available_bytes, limit - std::min(used, limit));
    }
    if (group.find_last_of('/') == std::string::npos) break;
  }
  state.available_bytes = std::min(state.available_bytes, state.total_bytes);
}

}  // namespace

Processor read_processor() {
  Processor processor;
  processor.name = brand();
  processor.vendor = vendor();
  processor.features = features();
  processor.architecture = architecture(processor.features);
  processor.l1_data_bytes = from_sysconf(_SC_LEVEL1_DCACHE_SIZE);
  processor.l2_bytes = from_sysconf(_SC_LEVEL2_CACHE_SIZE);
  processor.l3_bytes = from_sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (const std::uint64_t line = from_sysconf(_SC_LEVEL1_DCACHE_LINESIZE); line != 0) processor.cache_line_bytes = line;
  return processor;
}

std::uint64_t promisable_bytes(const MemoryState& state, std::uint64_t allocated) {
  return std::min(state.available_bytes, state.total_bytes - std::min(allocated, state.total_bytes));
}

MemoryState read_memory_state() { return read_memory_state("/proc/meminfo", "/sys/fs/cgroup", own_control_group()); }

MemoryState read_memory_state(const std::string& meminfo, const std::string& mount, const std::string& group) {
  MemoryState state;
  std::ifstream in(meminfo);
  std::string key;
  for (std::uint64_t kibibytes = 0; in >> key >> kibibytes; in.ignore(256, '\n')) {
    if (key == "MemTotal:") state.total_bytes = kibibytes * 1024;
    if (key == "MemAvailable:") state.available_bytes = kibibytes * 1024;
    if (state.total_bytes != 0 && state.available_bytes != 0) break;
  }
  if (state.total_bytes == 0) {  // no /proc
    state.total_bytes = from_sysconf(_SC_PHYS_PAGES) * from_sysconf(_SC_PAGESIZE);
    state.available_bytes = from_sysconf(_SC_AVPHYS_PAGES) * from_sysconf(_SC_PAGESIZE);
  }
  apply_control_groups(state, mount, group);
  return state;
}

}  // namespace bascule::cpu
