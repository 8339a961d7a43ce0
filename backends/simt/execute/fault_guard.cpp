// POSIX signals: one handler for the process, a chain to the one before, an alternate stack per thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/fault_guard.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace bascule::simt {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;

thread_local FaultGuard* running = nullptr;
std::atomic<const struct sigaction*> before_segv{nullptr}, before_bus{nullptr};

// Handlers may pass faults on to each other in a circle, where one that we were put before is put before us again.
thread_local bool passing_on = false;

void pass_on(int number, siginfo_t* info, void* context) {
  const struct sigaction* const before = (number == SIGSEGV ? before_segv : before_bus).load(std::memory_order_acquire);
  const bool asked = !passing_on && before != nullptr;
  passing_on = true;
  if (asked && (before->sa_flags & SA_SIGINFO) != 0 && before->sa_sigaction != nullptr) {
    before->sa_sigaction(number, info, context);
  } else if (asked && before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
    before->sa_handler(number);
  } else {
    // The instruction is run again, and ends the process as it would have.
    signal(number, SIG_DFL);
  }
  passing_on = false;
}

void handle(int number, siginfo_t* info, void* context) {
  FaultGuard* const guard = running;
  if (guard == nullptr || info->si_code <= 0) {  // not ours, or sent by somebody
    pass_on(number, info, context);
    return;
  }
  guard->address = info->si_addr;
  // Whoever calls us (a sanitizer, another handler) may have blocked signals for as long as the handler runs; it never
  // returns, so the thread's own mask is put back here.
  pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
  siglongjmp(guard->jump, 1);
}

// Ends with the thread.
class AlternateStack {
 public:
  AlternateStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;  // the thread has one
    memory_ = std::make_unique<char[]>(kStackBytes);
    stack_t ours{};
    ours.ss_sp = memory_.get();
    ours.ss_size = kStackBytes;
    if (sigaltstack(&ours, nullptr) != 0) memory_.reset();
  }
  ~AlternateStack() {
    if (!memory_) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

 private:
  std::unique_ptr<char[]> memory_;
};

}  // namespace

namespace {

// Whoever had the signal before is kept for as long as the process lives: its handler may be on its way through ours.
void take_signal(int number, std::atomic<const struct sigaction*>& before) {
  static std::vector<std::unique_ptr<struct sigaction>> all;
  struct sigaction now {};
  if (sigaction(number, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle) return;
  all.push_back(std::make_unique<struct sigaction>(now));
  before.store(all.back().get(), std::memory_order_release);
  struct sigaction ours {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&ours.sa_mask);
  sigaction(number, &ours, nullptr);
}

}  // namespace

void install_fault_handler() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  take_signal(SIGSEGV, before_segv);
  take_signal(SIGBUS, before_bus);
}

void prepare_thread_for_faults() { thread_local const AlternateStack stack; }

FaultGuard::FaultGuard() : outer_(running) { running = this; }
FaultGuard::~FaultGuard() { running = outer_; }

std::string FaultGuard::message() const {
  return fmt::format("an access to the address {:#x}, which is not the program's memory", reinterpret_cast<std::uintptr_t>(address));
}

}  // namespace bascule::simt
