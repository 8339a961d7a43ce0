// What streams and graphs do: kernels, copies, fills, functions of the program's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/executor.hpp"
#include "backends/emulated/cuda/include/cuda_structs.h"
#include "backends/emulated/cuda/memory.hpp"
#include "backends/emulated/cuda/module.hpp"

namespace bascule::emulated {

struct Event;
struct Graph;

struct KernelWork {
  std::shared_ptr<Function> function;
  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  std::array<unsigned, 3> cluster{};  // blocks; all 0: what the kernel itself asks for
  unsigned shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::byte> arguments;
};

struct CopyWork {
  CUDA_MEMCPY3D asked{};  // as the program said it
  const std::byte* source = nullptr;
  std::byte* destination = nullptr;
  std::size_t source_pitch = 0, source_slice = 0;
  std::size_t destination_pitch = 0, destination_slice = 0;
  std::size_t width = 0, height = 1, depth = 1;
  bool pageable_source = false;       // ordinary memory of the program's
  bool pageable_destination = false;
  std::shared_ptr<Allocation> kept[2];
  std::vector<std::byte> staged;      // the source's bytes, row after row, if they were taken along

  void run() const;
  /// Takes the source's bytes along, so that the program may change them.
  void stage();
};

struct FillWork {
  CUDA_MEMSET_NODE_PARAMS asked{};
  std::shared_ptr<Allocation> kept;

  void run() const;
};

struct HostWork {
  CUhostFn function = nullptr;
  void* data = nullptr;
  CUstreamCallback callback = nullptr;  // instead of function
  CUstream stream = nullptr;
};

struct FreeWork {
  std::uint64_t address = 0;
};

struct EmptyWork {};

struct RecordWork {
  std::shared_ptr<Event> event;
};

struct WaitWork {
  std::shared_ptr<Event> event;
};

struct ChildWork {
  std::shared_ptr<Graph> graph;
};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, FreeWork, RecordWork, WaitWork, ChildWork>;

/// Work when its turn comes. Where the context has failed, it does nothing.
class WorkOperation final : public Operation {
 public:
  WorkOperation(std::shared_ptr<Context> context, Work work) : context_(std::move(context)), work_(std::move(work)) {}

  std::uint32_t width() override;
  void run(std::uint32_t worker) override;
  void end() override;

 private:
  void prepare(const KernelWork& kernel);
  void run_kernel(const KernelWork& kernel, std::uint32_t worker);
  void run_host(const HostWork& host);
  bool met_fault(const char* kind);

  std::shared_ptr<Context> context_;
  Work work_;
  std::once_flag prepared_;
  bsc_simt_job* job_ = nullptr;
  std::vector<bsc_simt_range> ranges_;
};

}  // namespace bascule::emulated
