// Every range of memory that the driver knows: what it allocated, and what programs registered.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/emulated/cuda/include/cuda_structs.h"
#include "backends/simt/simt.h"

namespace bascule::emulated {

class Context;
struct Pool;

struct Allocation {
  enum class Kind { kDevice, kManaged, kHost, kRegistered };

  ~Allocation();

  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  Kind kind = Kind::kDevice;
  unsigned flags = 0;
  int device = 0;
  Context* context = nullptr;  // only compared and handed out
  std::uint64_t number = 0;    // never given twice
  std::shared_ptr<Pool> pool;
  std::uint64_t mapped_bytes = 0;  // 0: the memory is somebody else's

  [[nodiscard]] bool on_device() const { return kind == Kind::kDevice || kind == Kind::kManaged; }
};

/// A pool of cuMemAllocAsync: counts what is used. What is freed goes back to the system at once.
struct Pool {
  int device = 0;
  bool is_default = false;
  std::uint64_t max_bytes = 0;  // 0: no limit
  std::uint64_t release_threshold = 0;
  int reuse[3] = {1, 1, 1};
  std::uint64_t used = 0;       // under Memory's mutex, like the rest
  std::uint64_t used_high = 0;
};

class Memory {
 public:
  static Memory& get();

  /// Memory of at least one byte that is followed by a page that nobody may touch. Throws Refusal (OUT_OF_MEMORY).
  std::shared_ptr<Allocation> allocate(std::uint64_t bytes, Allocation::Kind kind, int device, std::uint64_t device_bytes, Context* context,
                                       unsigned flags = 0, std::shared_ptr<Pool> pool = nullptr);
  /// Memory of somebody else's: a program's host memory, a module's variables. Throws Refusal where a part is known already.
  std::shared_ptr<Allocation> adopt(void* address, std::uint64_t bytes, Allocation::Kind kind, unsigned flags, int device, Context* context);
  /// Takes it out of the table; the memory goes with the last reference.
  std::shared_ptr<Allocation> remove(std::uint64_t address);
  /// All that belongs to a context.
  void remove_all_of(const Context* context);

  /// The one that contains the address, or null.
  std::shared_ptr<Allocation> find(std::uint64_t address);
  /// For the engine's sanitizer.
  std::vector<bsc_simt_range> ranges();
  /// Bytes on a device.
  std::uint64_t used(int device);

  std::mutex& mutex() { return mutex_; }

 private:
  void insert(const std::shared_ptr<Allocation>& allocation);

  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Allocation>> table_;
  std::map<int, std::uint64_t> used_;
  std::uint64_t next_number_ = 1;
};

}  // namespace bascule::emulated
