// Child processes: see process.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/platform/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "core/platform/file.hpp"

namespace bascule::core {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  FileDescriptor reader;
  FileDescriptor writer;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("pipe2", "", errno);
  Pipe result{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  // A host program may run with standard streams closed. A pipe end numbered 0, 1 or 2 would collide with the dup2
  // calls.
  for (FileDescriptor* end : {&result.reader, &result.writer}) {
    if (end->get() > 2) continue;
    const int moved = fcntl(end->get(), F_DUPFD_CLOEXEC, 3);
    if (moved < 0) return system_error("fcntl", "", errno);
    end->reset(moved);
  }
  return result;
}

// posix_spawn's two description objects, destroyed together.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void redirect(int out, int err) {
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, 1);
    posix_spawn_file_actions_adddup2(&actions_, err, 2);
  }

  // Default signal handling and an empty mask, whatever the host program has set; a process group of its own.
  void isolate() {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }

  Result<pid_t> spawn(const ProcessOptions& options) {
    std::vector<char*> arguments{const_cast<char*>(options.program.c_str())};
    for (const std::string& argument : options.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    pid_t child = -1;
    const int failure =
        posix_spawn(&child, options.program.c_str(), &actions_, &attributes_, arguments.data(), environ);
    if (failure != 0) return system_error("posix_spawn", options.program, failure);
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Reads what is there; false at the end of the stream. Keeps the first or the last `limit` bytes.
bool drain(int file, std::string& text, std::size_t limit, bool keep_last) {
  char buffer[8192];
  for (int round = 0; round < 64;
       ++round) {  // a child that writes without end must not keep us from looking at the clock
    const ssize_t count = read(file, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    const auto bytes = static_cast<std::size_t>(count);
    if (keep_last) {
      text.append(buffer, bytes);
      if (text.size() > limit) text.erase(0, text.size() - limit);
    } else if (text.size() < limit) {
      text.append(buffer, std::min(bytes, limit - text.size()));
    }
  }
  return true;
}

// Reads the child's two streams as they come.
class Collector {
 public:
  Collector(int out, int err, const ProcessOptions& options, ProcessResult& result)
      : streams_{{out, POLLIN, 0}, {err, POLLIN, 0}}, limit_(options.max_output_bytes), result_(result) {
    for (const pollfd& stream : streams_) fcntl(stream.fd, F_SETFL, O_NONBLOCK);
  }

  bool open() const { return streams_[0].fd >= 0 || streams_[1].fd >= 0; }

  // Waits for output for at most `milliseconds`, then takes all that is there.
  void collect(int milliseconds) {
    if (poll(streams_, 2, milliseconds) <= 0) return;
    for (int i = 0; i < 2; ++i) {
      if (streams_[i].fd < 0 || streams_[i].revents == 0) continue;
      if (!drain(streams_[i].fd, i == 0 ? result_.output : result_.errors, limit_, i == 1)) streams_[i].fd = -1;
    }
  }

 private:
  pollfd streams_[2];
  std::size_t limit_;
  ProcessResult& result_;
};

// The child's wait status, or nothing once the limit has passed. The end of the child counts, not that of its streams:
// it may close them and live on, and a grandchild may hold them open for longer.
std::optional<int> wait_for(pid_t child, Clock::time_point limit, Collector& collector) {
  auto pause = std::chrono::microseconds(50);
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    // ECHILD: the host program ignores SIGCHLD or reaped it. All that is left to know is what the child wrote.
    if (ended < 0 && errno != EINTR && !collector.open()) return 0;
    if (Clock::now() >= limit) return std::nullopt;
    if (collector.open()) {
      collector.collect(10);  // returns at once when the child writes or ends
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(2000));
    }
  }
}

void kill_group(pid_t child) {
  kill(-child, SIGKILL);
  kill(child, SIGKILL);  // where it had not got to its own group yet
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Result<ProcessResult> run_process(const ProcessOptions& options) {
  auto out = make_pipe();
  if (!out.ok()) return out.take_error();
  auto err = make_pipe();
  if (!err.ok()) return err.take_error();

  SpawnPlan plan;
  plan.redirect(out->writer.get(), err->writer.get());
  plan.isolate();
  const Clock::time_point limit = Clock::now() + options.time_limit;
  auto child = plan.spawn(options);
  if (!child.ok()) return child.take_error();
  out->writer.reset();
  err->writer.reset();

  ProcessResult result;
  Collector collector(out->reader.get(), err->reader.get(), options, result);
  const std::optional<int> status = wait_for(*child, limit, collector);
  if (!status) {
    kill_group(*child);
    collector.collect(0);
    result.end = ProcessResult::End::kTimeLimit;
    return result;
  }
  collector.collect(0);
  if (WIFSIGNALED(*status)) {
    result.end = ProcessResult::End::kSignal;
    result.code = WTERMSIG(*status);
  } else {
    result.code = WEXITSTATUS(*status);
  }
  return result;
}

std::string signal_name(int signal_number) {
  const char* name = sigabbrev_np(signal_number);
  const char* description = sigdescr_np(signal_number);
  std::string text = name == nullptr ? "signal " + std::to_string(signal_number) : "SIG" + std::string(name);
  if (description != nullptr) text += " (" + std::string(description) + ")";
  return text;
}

}  // namespace bascule::core
