// A team of threads that wait by spinning, to run host kernels without the runtime: the kernels' own speed, not a
// queue's. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace bascule::kernels::peers {

class SpinTeam {
 public:
  explicit SpinTeam(unsigned size) : size_(size) {
    for (unsigned rank = 1; rank < size; ++rank) threads_.emplace_back([this, rank] { serve(rank); });
  }
  ~SpinTeam() {
    stop_ = true;
    generation_.fetch_add(1);
    generation_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  SpinTeam(const SpinTeam&) = delete;
  SpinTeam& operator=(const SpinTeam&) = delete;

  unsigned size() const { return size_; }

  // Calls work(rank) on every member and returns when all are done.
  void run(const std::function<void(unsigned)>& work) {
    work_ = &work;
    running_.store(size_ - 1);
    generation_.fetch_add(1);
    generation_.notify_all();
    work(0);
    while (running_.load(std::memory_order_acquire) != 0) __builtin_ia32_pause();
  }

  void barrier() {
    const unsigned phase = phase_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    while (phase_.load(std::memory_order_acquire) == phase) __builtin_ia32_pause();
  }

 private:
  static constexpr int kSpins = 20000;  // about 0.2 ms, then sleep: an idle team must not disturb the peers

  void serve(unsigned rank) {
    for (unsigned seen = 0;;) {
      for (int spin = 0; spin < kSpins && generation_.load(std::memory_order_acquire) == seen; ++spin)
        __builtin_ia32_pause();
      generation_.wait(seen);
      seen = generation_.load(std::memory_order_acquire);
      if (stop_) return;
      (*work_)(rank);
      running_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  const unsigned size_;
  std::vector<std::thread> threads_;
  const std::function<void(unsigned)>* work_ = nullptr;
  std::atomic<bool> stop_{false};
  alignas(64) std::atomic<unsigned> generation_{0};
  alignas(64) std::atomic<unsigned> running_{0};
  alignas(64) std::atomic<unsigned> arrived_{0};
  alignas(64) std::atomic<unsigned> phase_{0};
};

// Memory that host kernels ask for, kept between launches as the cpu device keeps it.
class HostMemory {
 public:
  HostMemory(const bsc_host_entry& entry, unsigned members) : shared_(allocate(entry.shared_bytes)) {
    for (unsigned i = 0; i < members; ++i) scratch_.push_back(allocate(entry.scratch_bytes));
  }
  void* shared() const { return shared_.get(); }
  void* scratch(unsigned rank) const { return scratch_[rank].get(); }

 private:
  struct release {
    void operator()(void* p) const { std::free(p); }
  };
  using memory = std::unique_ptr<void, release>;
  static memory allocate(uint64_t bytes) {
    return memory(bytes == 0 ? nullptr : std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  }

  memory shared_;
  std::vector<memory> scratch_;
};

// What a kernel sees of a SpinTeam.
struct spin_team_view {
  bsc_host_team team;
  SpinTeam* members;
};

inline void spin_team_barrier(bsc_host_team* team) { reinterpret_cast<spin_team_view*>(team)->members->barrier(); }

// Runs an entry with BSC_HOST_TEAM.
inline void launch_team(const bsc_host_entry& entry, const void* arguments, SpinTeam& team, const HostMemory& memory) {
  spin_team_view view{{sizeof(bsc_host_team), team.size(), memory.shared(), spin_team_barrier}, &team};
  team.run([&](unsigned rank) { entry.function(arguments, 0, 1, rank, memory.scratch(rank), &view.team); });
}

// Runs an entry whose items may be split, in one equal range per member.
inline void launch_items(const bsc_host_entry& entry, const void* arguments, uint64_t grid, uint64_t grain,
                         SpinTeam& team, const HostMemory& memory) {
  const uint64_t grains = (grid + grain - 1) / grain;
  team.run([&](unsigned rank) {
    const uint64_t begin = grains * rank / team.size() * grain;
    uint64_t end = grains * (rank + 1) / team.size() * grain;
    if (end > grid) end = grid;
    if (begin < end) entry.function(arguments, begin, end, rank, memory.scratch(rank), nullptr);
  });
}

}  // namespace bascule::kernels::peers
