// bascule-probe: opens one backend and writes the verdict as JSON to its standard output. Run by the library in a child
// process, so that what a driver does to its process is done to this one.
//
//   bascule-probe MANIFEST [driver=PATH] [OPTION=VALUE ...]
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "core/loader/probe.hpp"

namespace {

using namespace bascule::core;

// The report's own stream; what a driver prints to standard output goes to stderr instead.
int take_standard_output() {
  const int report = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return report;
}

bool write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

int main(int count, char** values) {
  const int report = take_standard_output();
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE,
            &no_core);  // a crash here is expected and reported; its core file would only cost time and space

  auto request = probe_request(std::vector<std::string>(values + 1, values + count));
  if (!request.ok()) {
    std::fprintf(stderr, "%s\n", request.error().message.c_str());
    return 2;
  }
  const Log log(LogLevel::kOff);
  const std::string json = verdict_to_json(probe_here(*request, log));
  const bool written = write_all(report, json);
  // No exit handlers: drivers that crash in theirs have already told what was wanted.
  _exit(written ? 0 : 1);
}
