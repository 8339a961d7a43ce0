// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/child.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/temporary_directory.hpp"

using namespace bascule::gpu_run;
using namespace std::chrono_literals;

namespace {

struct Shell {
  bascule::test::TemporaryDirectory folder;
  ChildOptions options;

  explicit Shell(const std::string& script, std::chrono::milliseconds limit = 60s) {
    options.command = {"/bin/sh", "-c", script, folder.path()};
    options.output_file = folder.path() + "/out";
    options.error_file = folder.path() + "/err";
    options.limit = limit;
  }
  std::string file(const char* name) const {
    std::ifstream stream(folder.path() + "/" + name);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
};

bool lives(pid_t process) { return kill(process, 0) == 0; }

}  // namespace

TEST_CASE("a child's code and its two streams are kept") {
  Shell shell("echo right; echo wrong >&2; exit 4");
  const ChildResult result = run_child(shell.options);
  CHECK(result.end == ChildEnd::exited);
  CHECK(result.code == 4);
  CHECK(shell.file("out") == "right\n");
  CHECK(shell.file("err") == "wrong\n");
}

TEST_CASE("a child that crashes is known by its signal") {
  Shell shell("echo so far; kill -SEGV $$");
  const ChildResult result = run_child(shell.options);
  CHECK(result.end == ChildEnd::signalled);
  CHECK(result.code == SIGSEGV);
  CHECK(shell.file("out") == "so far\n");
}

TEST_CASE("a child that hangs is ended at its limit, with what it started in a group of its own") {
  adopt_orphans();
  Shell shell("setsid sleep 600 & echo $! > $0/grandchild; trap '' TERM; echo so far; sleep 600", 2s);
  const ChildResult result = run_child(shell.options);
  CHECK(result.end == ChildEnd::timed_out);
  CHECK(result.seconds >= 2);
  CHECK(shell.file("out") == "so far\n");
  const pid_t grandchild = std::atoi(shell.file("grandchild").c_str());
  REQUIRE(grandchild > 0);
  CHECK_FALSE(lives(grandchild));
}

TEST_CASE("what a child leaves running ends with it") {
  adopt_orphans();
  Shell shell("setsid sleep 600 & echo $! > $0/grandchild");
  CHECK(run_child(shell.options).end == ChildEnd::exited);
  const pid_t grandchild = std::atoi(shell.file("grandchild").c_str());
  REQUIRE(grandchild > 0);
  CHECK_FALSE(lives(grandchild));
}

TEST_CASE("a request to stop ends the child") {
  Shell shell("sleep 600");
  const volatile std::sig_atomic_t stop = 1;
  CHECK(run_child(shell.options, &stop).end == ChildEnd::interrupted);
}

TEST_CASE("a program that is not there, and files that cannot be written, are said") {
  Shell shell("true");
  shell.options.command = {"/nowhere/program"};
  ChildResult result = run_child(shell.options);
  CHECK(result.end == ChildEnd::not_started);
  CHECK(result.message == "/nowhere/program or its output files: No such file or directory");
  Shell other("true");
  other.options.output_file = "/nowhere/out";
  result = run_child(other.options);
  CHECK(result.end == ChildEnd::not_started);
  CHECK(result.message.find("No such file or directory") != std::string::npos);
}
