// ForkMark: a page that the kernel wipes in a forked child.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fork_mark.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace bascule::cpu {

namespace {
// madvise works on whole pages; any size up to the page size covers one.
constexpr std::size_t kPageBytes = 4096;
}  // namespace

ForkMark::ForkMark() noexcept : maker_(::getpid()) {
  void* page = ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (::madvise(page, kPageBytes, MADV_WIPEONFORK) != 0) {
    ::munmap(page, kPageBytes);
    return;
  }
  page_ = static_cast<volatile std::uint32_t*>(page);
  *page_ = 1;
}

ForkMark::~ForkMark() {
  if (page_ != nullptr) ::munmap(const_cast<std::uint32_t*>(page_), kPageBytes);
}

bool ForkMark::forked() const noexcept {
  return page_ != nullptr ? *page_ == 0 : ::getpid() != maker_;
}

}  // namespace bascule::cpu
