// Tells whether this process was forked after the mark was made: threads do not survive a fork, so a pool made before it
// must say so instead of waiting for workers that are gone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace bascule::cpu {

class ForkMark {
 public:
  ForkMark() noexcept;
  ~ForkMark();
  ForkMark(const ForkMark&) = delete;
  ForkMark& operator=(const ForkMark&) = delete;

  /// One load where the kernel can wipe a page on fork; a system call where it cannot.
  [[nodiscard]] bool forked() const noexcept;

 private:
  volatile std::uint32_t* page_ = nullptr;  // reads 1 in the process that made it, 0 in its children
  pid_t maker_;
};

}  // namespace bascule::cpu
