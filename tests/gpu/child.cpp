// Children of a run: see child.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>

namespace bascule::gpu_run {
namespace {

using Clock = std::chrono::steady_clock;

// How long a killed process may take to go. One that hangs inside a driver cannot be killed at all.
constexpr auto kDeathLimit = std::chrono::seconds(5);
constexpr int kNoProgram = 127;

// In the child, between fork and exec: calls that are safe there, and nothing else.
[[noreturn]] void become(const ChildOptions& options, char* const* words, pid_t parent, int report) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNoProgram);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int output = open(options.output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const int errors = open(options.error_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (input >= 0 && output >= 0 && errors >= 0) {
    dup2(input, 0);
    dup2(output, 1);
    dup2(errors, 2);
    execv(words[0], words);
  }
  const int code = errno;
  const ssize_t written = write(report, &code, sizeof code);
  _exit(written == sizeof code ? kNoProgram : kNoProgram + 1);
}

std::vector<pid_t> our_children() {
  std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
  std::vector<pid_t> children;
  for (pid_t child; list >> child;) children.push_back(child);
  return children;
}

// What the child left behind has become ours.
void end_orphans(Clock::time_point until) {
  for (;;) {
    const std::vector<pid_t> orphans = our_children();
    for (const pid_t orphan : orphans) {
      kill(orphan, SIGKILL);
      waitpid(orphan, nullptr, WNOHANG);
    }
    if (orphans.empty() || Clock::now() >= until) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// The wait status, or nothing at the limit.
std::optional<int> wait_until(pid_t child, Clock::time_point until, const volatile std::sig_atomic_t* stop) {
  auto pause = std::chrono::microseconds(500);
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return 0;
    if (Clock::now() >= until || (stop != nullptr && *stop != 0)) return std::nullopt;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20000));
  }
}

void describe(ChildResult& result, int status) {
  if (WIFSIGNALED(status)) {
    result.end = ChildEnd::signalled;
    result.code = WTERMSIG(status);
  } else {
    result.end = ChildEnd::exited;
    result.code = WEXITSTATUS(status);
  }
}

}  // namespace

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

ChildResult run_child(const ChildOptions& options, const volatile std::sig_atomic_t* stop) {
  ChildResult result;
  const auto start = Clock::now();
  std::vector<char*> words;
  for (const std::string& word : options.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    result.message = std::string("pipe2: ") + std::strerror(errno);
    return result;
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(options, words.data(), parent, report[1]);
  const int fork_error = errno;
  close(report[1]);
  if (child < 0) {
    close(report[0]);
    result.message = std::string("fork: ") + std::strerror(fork_error);
    return result;
  }
  setpgid(child, child);
  int exec_error = 0;
  ssize_t count = 0;
  while ((count = read(report[0], &exec_error, sizeof exec_error)) < 0 && errno == EINTR) {
  }
  close(report[0]);
  if (count == sizeof exec_error) {
    waitpid(child, nullptr, 0);
    result.message = options.command[0] + " or its output files: " + std::strerror(exec_error);
    return result;
  }

  std::optional<int> status = wait_until(child, start + options.limit, stop);
  if (status) {
    describe(result, *status);
  } else {
    result.end = stop != nullptr && *stop != 0 ? ChildEnd::interrupted : ChildEnd::timed_out;
    kill(-child, SIGKILL);
    if (!wait_until(child, Clock::now() + kDeathLimit, nullptr)) result.message = "it could not be killed either: it hangs inside the system";
  }
  kill(-child, SIGKILL);
  end_orphans(Clock::now() + kDeathLimit);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace bascule::gpu_run
