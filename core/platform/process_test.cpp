// Tests of child processes, with the shell as the child.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/platform/process.hpp"

#include <doctest/doctest.h>
#include <signal.h>

using namespace bascule::core;
using namespace std::chrono_literals;
using End = ProcessResult::End;

namespace {
ProcessResult shell(const std::string& script, std::chrono::nanoseconds limit = 60s, std::size_t bytes = 1 << 20) {
  auto result = run_process({"/bin/sh", {"-c", script}, limit, bytes});
  REQUIRE(result.ok());
  return std::move(*result);
}
}  // namespace

TEST_CASE("exit code and both streams of a child are captured") {
  const ProcessResult result = shell("echo out; echo err >&2; exit 7");
  CHECK(result.end == End::kExit);
  CHECK(result.code == 7);
  CHECK(result.output == "out\n");
  CHECK(result.errors == "err\n");
}

TEST_CASE("a child that dies of a signal is reported with it and its last words") {
  const ProcessResult result = shell("echo last words >&2; kill -ABRT $$");
  CHECK(result.end == End::kSignal);
  CHECK(result.code == SIGABRT);
  CHECK(result.errors == "last words\n");
  CHECK(signal_name(SIGABRT) == "SIGABRT (Aborted)");
}

TEST_CASE("a child that runs past the limit is killed with what it started") {
  const ProcessResult result = shell("echo begun; sleep 1000 & sleep 1000", 200ms);
  CHECK(result.end == End::kTimeLimit);
  CHECK(result.output == "begun\n");
}

TEST_CASE("a child that closes its streams and lives on is killed too") {
  CHECK(shell("exec >&- 2>&-; sleep 1000", 100ms).end == End::kTimeLimit);
}

TEST_CASE("a child that writes without end is stopped at the limit, and memory stays bounded") {
  const ProcessResult result = shell("yes", 200ms, 10'000);
  CHECK(result.end == End::kTimeLimit);
  CHECK(result.output.size() == 10'000);
}

TEST_CASE("of too much output the beginning is kept, of too many errors the end") {
  const ProcessResult result = shell("seq 1 100000; seq 1 100000 >&2", 60s, 1000);
  CHECK(result.output.size() == 1000);
  CHECK(result.output.substr(0, 4) == "1\n2\n");
  CHECK(result.errors.size() == 1000);
  CHECK(result.errors.substr(result.errors.size() - 7) == "100000\n");
}

TEST_CASE("a grandchild that holds the streams does not delay the end") {
  const ProcessResult result = shell("sleep 1000 & echo $!; exit 0", 100s);
  CHECK(result.end == End::kExit);
  kill(std::stoi(result.output), SIGKILL);
}

TEST_CASE("a child starts with default signals, whatever the host program has set") {
  const auto old = signal(SIGPIPE, SIG_IGN);
  CHECK(shell("kill -PIPE $$").end == End::kSignal);
  signal(SIGPIPE, old);
}

TEST_CASE("a host program that ignores SIGCHLD still gets the child's output") {
  const auto old = signal(SIGCHLD, SIG_IGN);
  const ProcessResult result = shell("echo out");
  signal(SIGCHLD, old);
  CHECK(result.end == End::kExit);
  CHECK(result.output == "out\n");
}

TEST_CASE("a program that does not exist is an error with its name") {
  const auto result = run_process({"/nonexistent/program", {}, 1s, 100});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().message.find("/nonexistent/program") != std::string::npos);
}
