// The driver in this process: its devices, whether cuInit was called, where the library lies, the engine beneath.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/emulated/cuda/gpu.hpp"
#include "backends/emulated/cuda/include/cuda_structs.h"
#include "backends/simt/simt.h"

namespace bascule::emulated {

class Context;
struct Pool;

struct Device {
  int ordinal = 0;
  const Gpu* gpu = nullptr;
  CUuuid uuid{};

  std::mutex mutex;  // of what follows
  std::shared_ptr<Context> primary;  // while somebody retains it
  unsigned primary_count = 0;
  unsigned primary_flags = 0;
  std::shared_ptr<Pool> default_pool;
  std::shared_ptr<Pool> current_pool;

  [[nodiscard]] int attribute(CUdevice_attribute which) const { return gpu->attribute(which); }
};

class Driver {
 public:
  static Driver& get();

  /// cuInit. Throws Refusal.
  void initialise();
  [[nodiscard]] bool initialised() const { return initialised_.load(std::memory_order_acquire); }
  /// In a child of the process that initialised it.
  [[nodiscard]] bool forked() const;

  [[nodiscard]] const Gpu& gpu() const { return gpu_; }
  [[nodiscard]] int device_count() const { return static_cast<int>(devices_.size()); }
  /// Throws Refusal (INVALID_DEVICE).
  Device& device(CUdevice ordinal);

  /// The engine; throws Refusal (SHARED_OBJECT_INIT_FAILED) where it cannot be opened.
  const bsc_simt_api& engine();
  [[nodiscard]] bool sanitize() const { return sanitize_; }
  [[nodiscard]] bool logs() const { return logs_; }
  /// To standard error: what went wrong, for people.
  void say(const std::string& text) const;

 private:
  Driver();
  void open_devices();

  std::mutex mutex_;
  std::atomic<bool> initialised_{false};
  pid_t process_ = 0;
  Gpu gpu_;
  std::vector<std::unique_ptr<Device>> devices_;
  const bsc_simt_api* engine_ = nullptr;
  std::string directory_;
  bool sanitize_ = false;
  bool logs_ = false;
};

}  // namespace bascule::emulated
