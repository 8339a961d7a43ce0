// Processor features through the compiler's run time, which also asks the operating system about the wide registers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/platform/cpu.hpp"

#include <cpuid.h>

#include <cstring>

#include "core/base/text.hpp"

namespace bascule::core {
namespace {

// __builtin_cpu_supports takes string literals only.
#define BSC_CPU_FEATURES(X)                                                                                    \
  X("sse3")                                                                                                    \
  X("ssse3") X("sse4.1") X("sse4.2") X("popcnt") X("avx") X("avx2") X("bmi") X("bmi2") X("fma") X("avx512f")   \
      X("avx512bw") X("avx512cd") X("avx512dq") X("avx512vl") X("avx512ifma") X("avx512vbmi") X("avx512vbmi2") \
          X("avx512vnni") X("avx512bitalg") X("avx512vpopcntdq")

std::string brand() {
  unsigned words[12] = {};
  if (__get_cpuid_max(0x80000000u, nullptr) < 0x80000004u) return "unknown processor";
  for (unsigned i = 0; i < 3; ++i) {
    __get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]);
  }
  char text[sizeof words + 1] = {};
  std::memcpy(text, words, sizeof words);
  return std::string(trim(text));
}

}  // namespace

int x86_64_level() {
  __builtin_cpu_init();
#define BSC_HAS(name) (__builtin_cpu_supports(name) != 0)
  const bool level2 =
      BSC_HAS("sse3") && BSC_HAS("ssse3") && BSC_HAS("sse4.1") && BSC_HAS("sse4.2") && BSC_HAS("popcnt");
  if (!level2) return 1;
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool movbe_f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_MOVBE) != 0 && (c & bit_F16C) != 0;
  const bool lzcnt = __get_cpuid(0x80000001u, &a, &b, &c, &d) != 0 && (c & (1u << 5)) != 0;
  const bool level3 = movbe_f16c && lzcnt && BSC_HAS("avx2") && BSC_HAS("bmi") && BSC_HAS("bmi2") && BSC_HAS("fma");
  if (!level3) return 2;
  const bool level4 =
      BSC_HAS("avx512f") && BSC_HAS("avx512bw") && BSC_HAS("avx512cd") && BSC_HAS("avx512dq") && BSC_HAS("avx512vl");
#undef BSC_HAS
  return level4 ? 4 : 3;
}

std::vector<std::string> cpu_features() {
  __builtin_cpu_init();
  std::vector<std::string> names;
#define BSC_ADD(name) \
  if (__builtin_cpu_supports(name)) names.emplace_back(name);
  BSC_CPU_FEATURES(BSC_ADD)
#undef BSC_ADD
  return names;
}

std::string cpu_description() {
  return brand() + " x86-64-v" + std::to_string(x86_64_level()) + " " + join(cpu_features(), ",");
}

}  // namespace bascule::core
