// `bascule conform`: hands over to the conformance suite, which is a program of its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "commands.hpp"

namespace bascule::cli {

ExitCode run_conform(const CommonOptions& common, const ConformOptions& options) {
  const std::string program = helper_program("bascule-conform");
  std::vector<std::string> words = {program, "--plugin", options.plugin};
  if (common.json) words.push_back("--json");
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  throw Failure(ExitCode::kFailed, "cannot run " + program + ": " + std::strerror(errno), "check its permissions");
}

}  // namespace bascule::cli
