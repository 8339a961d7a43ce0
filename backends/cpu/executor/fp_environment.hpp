// The floating-point environment of kernels: every kernel runs in the default one, whoever's thread runs it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cfenv>
#include <cstdint>

namespace bascule::cpu {

/// Sets round-to-nearest, no flush-to-zero and masked exceptions for its lifetime, then restores what was there. A thread
/// that waits may have any of these set for its own work; without this they would change a kernel's results.
class DefaultFpEnvironment {
 public:
#if defined(__x86_64__)
  // std::fegetenv takes some 40 ns because it saves the whole x87 state; the two control words are all that matters.
  DefaultFpEnvironment() noexcept {
    asm volatile("stmxcsr %0" : "=m"(mxcsr_));
    asm volatile("fnstcw %0" : "=m"(x87_));
    load(kDefaultMxcsr, kDefaultX87);
  }
  ~DefaultFpEnvironment() { load(mxcsr_, x87_); }

 private:
  static constexpr std::uint32_t kDefaultMxcsr = 0x1F80;
  static constexpr std::uint16_t kDefaultX87 = 0x037F;

  static void load(std::uint32_t mxcsr, std::uint16_t x87) noexcept {
    asm volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
    asm volatile("fldcw %0" : : "m"(x87) : "memory");
  }

  std::uint32_t mxcsr_ = 0;
  std::uint16_t x87_ = 0;
#else
  DefaultFpEnvironment() noexcept {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFpEnvironment() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_{};
#endif

 public:
  DefaultFpEnvironment(const DefaultFpEnvironment&) = delete;
  DefaultFpEnvironment& operator=(const DefaultFpEnvironment&) = delete;
};

}  // namespace bascule::cpu
