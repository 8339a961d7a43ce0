// bascule-ptx-check LIBRARY FILE: what libbascule_simt.so says about a PTX file, as JSON. Started by `bascule ptx check`, in a
// process of its own because the file may be anything. Exit codes: 0; 1 the file is no valid PTX (the reason is on stderr,
// as a compiler would give it); 2 the library or the file cannot be opened.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "backends/simt/simt.h"

int main(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "usage: bascule-ptx-check LIBRARY FILE\n");
    return 2;
  }
  void* const library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  const auto query = library == nullptr ? nullptr : reinterpret_cast<bsc_simt_query_function>(dlsym(library, BSC_SIMT_QUERY_SYMBOL));
  const bsc_simt_api* const api = query == nullptr ? nullptr : query();
  if (api == nullptr || std::strcmp(api->abi, BSC_SIMT_ABI) != 0) {
    const char* const reason = library == nullptr ? dlerror() : "it is of another build";
    std::fprintf(stderr, "%s: %s\n", words[1], reason == nullptr ? "unknown" : reason);
    return 2;
  }
  std::ifstream file(words[2], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", words[2]);
    return 2;
  }
  char* json = nullptr;
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  if (api->describe(text.data(), text.size(), words[2], &json, &error) != BSC_OK) {
    std::fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  std::puts(json);
  api->release_text(json);
  return 0;
}
