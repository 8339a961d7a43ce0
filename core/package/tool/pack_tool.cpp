// A build tool: packs source files into one package, before there is a `bascule` program to do it.
//   pack_tool OUTPUT SOURCE.json...
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <string>
#include <vector>

#include "core/package/pack.hpp"

int main(int argument_count, char** arguments) {
  if (argument_count < 3) {
    std::fprintf(stderr, "usage: %s OUTPUT SOURCE.json...\n", arguments[0]);
    return 2;
  }
  const std::vector<std::string> sources(arguments + 2, arguments + argument_count);
  const auto packed = bascule::core::pack_to_file(sources, arguments[1]);
  if (packed.ok()) return 0;
  std::fprintf(stderr, "error: %s\n", packed.error().message.c_str());
  if (!packed.error().remedy.empty()) std::fprintf(stderr, "remedy: %s\n", packed.error().remedy.c_str());
  return 1;
}
