// Runs the `bascule` program: see program.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include <doctest/doctest.h>

#include "core/platform/process.hpp"

namespace bascule::test {
namespace {

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

Program::Program() = default;

Outcome Program::run(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& variables) const {
  return execute(BASCULE_PROGRAM, arguments, variables);
}

Outcome Program::run_other(const std::string& path, const std::map<std::string, std::string>& variables) const {
  return execute(path, {}, variables);
}

Outcome Program::execute(const std::string& path, const std::vector<std::string>& arguments,
                         const std::map<std::string, std::string>& variables) const {
  // A shell sets directory and environment, so that nothing in this process changes.
  std::string script = "cd " + quoted(directory_.path()) + " && for v in $(env | sed -n 's/^\\(BASCULE_[A-Z_]*\\)=.*/\\1/p'); do unset $v; done; ";
  script += "export HOME=" + quoted(directory_.path()) + " XDG_CACHE_HOME= XDG_CONFIG_HOME= XDG_DATA_HOME=; ";
  for (const auto& [name, value] : variables) script += "export " + name + "=" + quoted(value) + "; ";
  script += "exec " + quoted(path);
  for (const std::string& argument : arguments) script += " " + quoted(argument);
  core::ProcessOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", script};
  options.time_limit = std::chrono::seconds(300);
  options.max_output_bytes = 64 << 20;
  const auto result = core::run_process(options);
  REQUIRE(result.ok());
  Outcome outcome;
  outcome.output = result->output;
  outcome.errors = result->errors;
  switch (result->end) {
    case core::ProcessResult::End::kExit: outcome.code = result->code; break;
    case core::ProcessResult::End::kSignal: outcome.code = 128 + result->code; break;
    case core::ProcessResult::End::kTimeLimit: outcome.code = 999; break;
  }
  return outcome;
}

bool has_opencl(const Program& program) { return program.run({"doctor", "--require", "opencl"}).code == 0; }

}  // namespace bascule::test
