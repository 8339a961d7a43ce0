// Contexts, and which one is current on a thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backends/emulated/cuda/driver.hpp"
#include "backends/emulated/cuda/include/cuda_structs.h"

namespace bascule::emulated {

class Operation;
class Stream;

class Context : public std::enable_shared_from_this<Context> {
 public:
  Context(Device& device, unsigned flags, bool primary);
  /// Call once after construction: makes the default stream.
  void open();
  /// Waits for everything, then invalidates all that was made in it.
  void close();

  /// The first sticky failure in it, or success.
  [[nodiscard]] CUresult error() const { return error_.load(std::memory_order_acquire); }
  /// Makes the failure sticky, unless there is one.
  void fail(CUresult code, const std::string& message);
  /// Throws Refusal if it failed or is gone.
  void check() const;
  void synchronise();

  [[nodiscard]] bool alive() const { return alive_.load(std::memory_order_acquire); }
  /// The stream behind a handle, default streams included. Throws Refusal.
  std::shared_ptr<Stream> stream(CUstream handle);
  /// Every stream that has been used.
  std::vector<std::shared_ptr<Stream>> streams();
  void add(const std::shared_ptr<Stream>& stream);
  void remove(const std::shared_ptr<Stream>& stream);

  Device& device;
  const bool primary;
  const std::uint64_t id;
  std::atomic<unsigned> flags;
  std::atomic<int> cache_config{0};
  std::array<std::atomic<std::size_t>, CU_LIMIT_MAX> limits;

  std::mutex mutex;  // of the order in which work enters its streams, and of what follows
  std::shared_ptr<Stream> legacy;
  std::map<std::thread::id, std::shared_ptr<Stream>> per_thread;
  std::set<std::shared_ptr<Stream>> created;
  std::set<int> peers;  // devices whose memory it may use
  struct Leftover {
    std::shared_ptr<Operation> last;
    bool blocking;
  };
  std::vector<Leftover> leftovers;  // of streams that were destroyed before their work had run

 private:
  std::atomic<CUresult> error_{CUDA_SUCCESS};
  std::atomic<bool> alive_{true};
};

/// Codes after which a context answers nothing else any more.
bool is_sticky(CUresult code);

/// The calling thread's contexts, the current one last.
std::vector<std::shared_ptr<Context>>& context_stack();
/// The current one, which is alive and has not failed. Throws Refusal.
std::shared_ptr<Context> current_context();
/// The current one in whatever state, or null.
std::shared_ptr<Context> current_context_if_any();

}  // namespace bascule::emulated
