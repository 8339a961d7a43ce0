// bascule-gpu-run: checks and measures everything on this machine's GPU, one child process after another, inside a time limit.
// tests/gpu/run starts it; --help says what it does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <exception>

#include "tests/gpu/runner.hpp"

int main(int count, char** words) {
  using namespace bascule::gpu_run;
  const auto fail = [](Verdict verdict, const char* message) {
    std::fprintf(stderr, "bascule-gpu-run: %s\n", message);
    return static_cast<int>(verdict);
  };
  try {
    const Settings settings = parse_settings({words + 1, words + count});
    if (settings.help) return std::fputs(kHelp, stdout) < 0 ? static_cast<int>(Verdict::failed) : 0;
    return static_cast<int>(Runner(settings).run());
  } catch (const UsageError& error) {
    return fail(Verdict::usage, error.what());
  } catch (const std::exception& error) {
    return fail(Verdict::failed, error.what());
  }
}
