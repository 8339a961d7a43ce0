// What both wrapper programs share: a host kernel, and checks that end the program with a message.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/bascule.hpp>
#include <cstdio>
#include <cstdlib>

#define EXPECT(condition)                                                              \
  do {                                                                                 \
    if (!(condition)) {                                                                \
      std::fprintf(stderr, "%s:%d: %s is not true\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                    \
    }                                                                                  \
  } while (false)

namespace wrapper_test {

struct Arguments {
  float a;
  bsc_host_span y;
};

inline bsc_status scale(const void* blob, std::uint64_t begin, std::uint64_t end, std::uint32_t, void*,
                        bsc_host_team*) {
  const auto& arguments = *static_cast<const Arguments*>(blob);
  for (std::uint64_t i = begin; i < end; ++i) static_cast<float*>(arguments.y.data)[i] *= arguments.a;
  return BSC_OK;
}

inline const bsc_host_table& table() {
  static const bsc_host_entry entries[] = {{"scale", scale, sizeof(Arguments), 0, 0, 0, 0}};
  static const bsc_host_table table{sizeof table, BSC_HOST_ABI_VERSION, 1, sizeof(bsc_host_entry), entries};
  return table;
}

// The cpu backend alone, whatever the machine's configuration says.
inline bascule::Options options() {
  bascule::Options options;
  options.app = "wrapper test";
  options.settings = {{"backends", "cpu"}};
  options.ignore_files = true;
  return options;
}

}  // namespace wrapper_test
