// Forking, reading pipes, killing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace bascule::conformance {
namespace {

constexpr std::size_t kMostErrorOutput = 4096;

void write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(descriptor, text.data() + done, text.size() - done);
    if (count <= 0 && errno != EINTR) return;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

void drain(int descriptor, std::string& text) {
  std::array<char, 4096> room;
  for (;;) {
    const ssize_t count = read(descriptor, room.data(), room.size());
    if (count <= 0) return;
    text.append(room.data(), static_cast<std::size_t>(count));
  }
}

[[noreturn]] void be_child(const std::function<std::string()>& body, const std::array<int, 3>& outputs) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(outputs[1], STDOUT_FILENO);
  dup2(outputs[2], STDERR_FILENO);
  write_all(outputs[0], body());
  std::fflush(nullptr);
  std::exit(0);  // not _exit: leak checkers look at the end, and so do drivers
}

}  // namespace

Child::Child(const std::function<std::string()>& body, double time_limit_seconds)
    : time_limit_(time_limit_seconds), start_(Clock::now()) {
  std::array<int, 3> outputs = {-1, -1, -1};
  for (int i = 0; i < 3; ++i) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pipes_[i] = ends[0];
    outputs[static_cast<std::size_t>(i)] = ends[1];
  }
  std::fflush(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (pid_ == 0) be_child(body, outputs);
  for (const int output : outputs) ::close(output);
}

Child::Child(Child&& other) noexcept
    : report(std::move(other.report)),
      standard_output(std::move(other.standard_output)),
      standard_error(std::move(other.standard_error)),
      end(std::move(other.end)),
      seconds(other.seconds),
      pid_(std::exchange(other.pid_, -1)),
      timed_out_(other.timed_out_),
      time_limit_(other.time_limit_),
      start_(other.start_) {
  for (int i = 0; i < 3; ++i) pipes_[i] = std::exchange(other.pipes_[i], -1);
}

Child::~Child() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int descriptor : pipes_) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

bool Child::poll() {
  if (pid_ < 0) return true;
  int status = 0;
  const bool ended = waitpid(pid_, &status, WNOHANG) == pid_;
  drain(pipes_[0], report);
  drain(pipes_[1], standard_output);
  drain(pipes_[2], standard_error);
  if (standard_error.size() > kMostErrorOutput) standard_error.resize(kMostErrorOutput);
  if (ended) {
    finish(status);
    return true;
  }
  seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (seconds > time_limit_ && !timed_out_) {
    timed_out_ = true;
    kill(pid_, SIGKILL);
  }
  return false;
}

void Child::finish(int status) {
  pid_ = -1;
  seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (timed_out_) {
    end = fmt::format("did not end within {} s and was killed", time_limit_);
  } else if (WIFSIGNALED(status)) {
    end = fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != 0) {
    end = fmt::format("exited with {}", WEXITSTATUS(status));
  }
}

void pause_briefly() { usleep(1000); }

}  // namespace bascule::conformance
