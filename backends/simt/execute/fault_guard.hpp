// Turns a memory fault of the guest's (SIGSEGV, SIGBUS) into an error: only on a thread that is inside the interpreter. All that
// depends on the platform's signals is in fault_guard.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csetjmp>
#include <cstdint>
#include <string>

namespace bascule::simt {

/// Before a launch, as others may have taken the signals since the last one. Faults elsewhere go to whoever had them before.
void install_fault_handler();
/// Threads that run kernels call it once: a stack for the handler, where the thread has none.
void prepare_thread_for_faults();

/// Lies on the stack of the interpreter's loop. Used as `FaultGuard guard; if (BSC_SIMT_CATCH_FAULT(guard)) { ... }`.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  [[nodiscard]] std::string message() const;

  sigjmp_buf jump;
  void* volatile address = nullptr;

 private:
  FaultGuard* outer_;
};

/// True when control comes here a second time, because of a fault. setjmp must stand in the frame that it returns to.
#define BSC_SIMT_CATCH_FAULT(guard) (sigsetjmp((guard).jump, 0) != 0)

}  // namespace bascule::simt
