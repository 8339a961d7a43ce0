// Starting a worker thread: named, with the application's signals kept away from it, and no exception if there is none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <thread>
#include <utility>

namespace bascule::cpu {

/// False if the system gives no thread (limit on processes or memory).
template <class Body>
[[nodiscard]] bool start_worker_thread(std::thread& thread, Body body) {
  // The new thread inherits the mask: no handler of the application runs on a worker. Faults of the thread itself and the
  // profilers' timer stay deliverable.
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int kept : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) sigdelset(&blocked, kept);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  bool started = true;
  try {
    thread = std::thread(std::move(body));
    pthread_setname_np(thread.native_handle(), "bascule-cpu");
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace bascule::cpu
