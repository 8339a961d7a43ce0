// Entries that launch kernels, and those that say how many blocks fit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/launches.hpp"
#include "backends/emulated/cuda/stream.hpp"

using namespace bascule::emulated;

namespace {

constexpr int kLanes = 32;

void launch(const LaunchRequest& request, CUstream handle) {
  const auto stream = current_context()->stream(handle);
  KernelWork work = make_launch(request);
  if (work.function->module.context() != stream->context().get()) refuse(CUDA_ERROR_INVALID_HANDLE, "the function and the stream are of different contexts");
  stream->enqueue(Work(std::move(work)));
}

// Attributes that have no effect on results here are taken; what would change them and is not there is refused.
void read_attribute(const CUlaunchAttribute& attribute, LaunchRequest& request, CUevent& completion) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: request.cooperative = attribute.value.cooperative != 0; break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
      const auto& cluster = attribute.value.clusterDim;
      request.cluster[0] = cluster.x;
      request.cluster[1] = cluster.y;
      request.cluster[2] = cluster.z;
      break;
    }
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: break;  // a kernel may start early; here it starts in order
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT: completion = attribute.value.launchCompletionEvent.event; break;
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: break;
    default: refuse(CUDA_ERROR_NOT_SUPPORTED, "the launch attribute {} is not supported here", static_cast<int>(attribute.id));
  }
}

void check_block(int* out, int block, std::size_t shared_bytes) {
  need(out, "where the count goes");
  if (block <= 0) refuse(CUDA_ERROR_INVALID_VALUE, "a block of {} threads", block);
  if (shared_bytes > std::size_t{1} << 31) refuse(CUDA_ERROR_INVALID_VALUE, "{} bytes of shared memory", shared_bytes);
}

void blocks_per_multiprocessor(int* out, CUfunction handle, int block, std::size_t shared_bytes) {
  current_context();
  check_block(out, block, shared_bytes);
  const auto function = function_of(handle);
  const bool allowed = shared_bytes <= static_cast<std::size_t>(function->max_dynamic_shared_bytes.load());
  *out = allowed ? function->blocks_per_multiprocessor(static_cast<std::uint64_t>(block), shared_bytes) : 0;
}

// The block with the most resident threads; the larger one of equals.
void best_block(int* grid, int* block, CUfunction handle, CUoccupancyB2DSize shared_of, std::size_t shared_bytes, int limit) {
  need(grid, "where the grid's size goes");
  need(block, "where the block's size goes");
  const auto context = current_context();
  const auto function = function_of(handle);
  int most = static_cast<int>(std::min<std::uint64_t>(function->info.max_block_threads, 1024));
  if (limit > 0) most = std::min(most, limit);
  int best_threads = 0;
  *grid = *block = 0;
  for (int size = (most + kLanes - 1) / kLanes * kLanes; size > 0; size -= kLanes) {
    const int threads = std::min(size, most);
    const std::size_t shared = shared_of != nullptr ? shared_of(threads) : shared_bytes;
    if (shared > static_cast<std::size_t>(function->max_dynamic_shared_bytes.load())) continue;
    const int blocks = function->blocks_per_multiprocessor(static_cast<std::uint64_t>(threads), shared);
    if (blocks * threads <= best_threads) continue;
    best_threads = blocks * threads;
    *block = threads;
    *grid = blocks * context->device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  }
}

void check_flags(unsigned flags) {
  if ((flags & ~unsigned{CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE}) != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}", flags);
}

}  // namespace

BASCULE_CUDA_ENTRY cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX,
    unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra) {
  return call("cuLaunchKernel", [&] {
    launch({f, {gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, {}, sharedMemBytes, false, kernelParams, extra}, hStream);
  });
}

BASCULE_CUDA_ENTRY cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX,
    unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream, void **kernelParams) {
  return call("cuLaunchCooperativeKernel", [&] {
    launch({f, {gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, {}, sharedMemBytes, true, kernelParams, nullptr}, hStream);
  });
}

BASCULE_CUDA_ENTRY cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra) {
  return call("cuLaunchKernelEx", [&] {
    need(config, "the configuration");
    LaunchRequest request{f, {config->gridDimX, config->gridDimY, config->gridDimZ}, {config->blockDimX, config->blockDimY, config->blockDimZ},
                          {}, config->sharedMemBytes, false, kernelParams, extra};
    if (config->numAttrs != 0) need(config->attrs, "the attributes");
    CUevent completion = nullptr;
    for (unsigned i = 0; i < config->numAttrs; ++i) read_attribute(config->attrs[i], request, completion);
    launch(request, config->hStream);
    if (completion != nullptr) {
      const CUresult result = cuEventRecord(completion, config->hStream);
      if (result != CUDA_SUCCESS) refuse(result, "the event of the launch's completion");
    }
  });
}

BASCULE_CUDA_ENTRY cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize) {
  return call("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&] { blocks_per_multiprocessor(numBlocks, func, blockSize, dynamicSMemSize); });
}

BASCULE_CUDA_ENTRY cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize,
    unsigned int flags) {
  return call("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", [&] {
    check_flags(flags);
    blocks_per_multiprocessor(numBlocks, func, blockSize, dynamicSMemSize);
  });
}

BASCULE_CUDA_ENTRY cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func, CUoccupancyB2DSize blockSizeToDynamicSMemSize,
    size_t dynamicSMemSize, int blockSizeLimit) {
  return call("cuOccupancyMaxPotentialBlockSize",
              [&] { best_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit); });
}

BASCULE_CUDA_ENTRY cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
    CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags) {
  return call("cuOccupancyMaxPotentialBlockSizeWithFlags", [&] {
    check_flags(flags);
    best_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit);
  });
}

BASCULE_CUDA_ENTRY cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func, int numBlocks, int blockSize) {
  return call("cuOccupancyAvailableDynamicSMemPerBlock", [&] {
    need(dynamicSmemSize, "where the size goes");
    const auto context = current_context();
    const auto function = function_of(func);
    if (numBlocks <= 0 || blockSize <= 0 || function->blocks_per_multiprocessor(static_cast<std::uint64_t>(blockSize), 0) < numBlocks) {
      refuse(CUDA_ERROR_INVALID_VALUE, "{} blocks of {} threads do not fit a multiprocessor", numBlocks, blockSize);
    }
    const int all = context->device.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    const int taken = context->device.attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK) + static_cast<int>(function->info.static_shared_bytes);
    *dynamicSmemSize = static_cast<std::size_t>(std::clamp(all / numBlocks - taken, 0, function->max_dynamic_shared_bytes.load()));
  });
}
