// See launches.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/launches.hpp"

#include <cstring>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/entries.hpp"

namespace bascule::emulated {
namespace {

std::vector<std::byte> arguments_from_addresses(const Function& function, void** addresses) {
  std::vector<std::byte> blob(function.info.argument_bytes);
  if (function.parameters.empty()) return blob;
  need(addresses, "the list of parameters");
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const bsc_simt_parameter& parameter = function.parameters[i];
    if (parameter.bytes == 0) continue;
    need(addresses[i], "a parameter's address");
    std::memcpy(blob.data() + parameter.offset, addresses[i], parameter.bytes);
  }
  return blob;
}

std::vector<std::byte> arguments_from_block(const Function& function, void** extra) {
  const void* block = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      block = extra[1];
    } else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      need(extra[1], "the address of the arguments' size");
      bytes = *static_cast<const std::size_t*>(extra[1]);
    } else {
      refuse(CUDA_ERROR_INVALID_VALUE, "an unknown word among the launch's extra ones");
    }
  }
  if (bytes < function.info.argument_bytes || (bytes != 0 && block == nullptr)) {
    refuse(CUDA_ERROR_INVALID_VALUE, "{} takes {} bytes of arguments; the launch has {}", function.info.name, function.info.argument_bytes, bytes);
  }
  std::vector<std::byte> blob(function.info.argument_bytes);
  if (!blob.empty()) std::memcpy(blob.data(), block, blob.size());
  return blob;
}

void check_shape(const Function& function, const LaunchRequest& request) {
  const Device& device = function.module.context()->device;
  constexpr CUdevice_attribute kGrid[] = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
  constexpr CUdevice_attribute kBlock[] = {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};
  for (int i = 0; i < 3; ++i) {
    const auto most_blocks = static_cast<unsigned>(device.attribute(kGrid[i]));
    const auto most_threads = static_cast<unsigned>(device.attribute(kBlock[i]));
    if (request.grid[i] == 0 || request.grid[i] > most_blocks || request.block[i] == 0 || request.block[i] > most_threads) {
      refuse(CUDA_ERROR_INVALID_VALUE, "{}: dimension {}: {} blocks of {} threads; from 1 to {} of 1 to {} are possible", function.info.name, "xyz"[i],
             request.grid[i], request.block[i], most_blocks, most_threads);
    }
  }
  const std::uint64_t threads = std::uint64_t{request.block[0]} * request.block[1] * request.block[2];
  if (threads > static_cast<std::uint64_t>(device.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)) || threads > function.info.max_block_threads) {
    refuse(CUDA_ERROR_INVALID_VALUE, "{}: {} threads in a block; at most {} are possible", function.info.name, threads, function.info.max_block_threads);
  }
  for (int i = 0; i < 3; ++i) {
    if (function.info.required_block[0] != 0 && function.info.required_block[i] != request.block[i]) {
      refuse(CUDA_ERROR_INVALID_VALUE, "{}: its .reqntid asks for {} threads in dimension {}, not {}", function.info.name, function.info.required_block[i],
             "xyz"[i], request.block[i]);
    }
  }
  if (request.shared_bytes > static_cast<unsigned>(function.max_dynamic_shared_bytes.load())) {
    refuse(CUDA_ERROR_INVALID_VALUE, "{}: {} bytes of dynamic shared memory; {} are allowed (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)",
           function.info.name, request.shared_bytes, function.max_dynamic_shared_bytes.load());
  }
}

void check_resources(const Function& function, const LaunchRequest& request) {
  const Device& device = function.module.context()->device;
  const std::uint64_t threads = std::uint64_t{request.block[0]} * request.block[1] * request.block[2];
  const int resident = function.blocks_per_multiprocessor(threads, request.shared_bytes);
  if (resident == 0) refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "{}: no block of {} threads fits a multiprocessor", function.info.name, threads);
  if (!request.cooperative) return;
  const std::uint64_t blocks = std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2];
  const std::uint64_t most = static_cast<std::uint64_t>(resident) * static_cast<std::uint64_t>(device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  if (blocks > most) {
    refuse(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "{}: a cooperative launch of {} blocks; {} are resident at once", function.info.name, blocks, most);
  }
}

// CUDA's portable size. Larger ones are for kernels that say they may be (CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED).
constexpr std::uint64_t kMostBlocksInCluster = 8;

void check_cluster(const Function& function, const LaunchRequest& request) {
  const unsigned* const cluster = request.cluster;
  if (cluster[0] == 0 && cluster[1] == 0 && cluster[2] == 0) return;
  const std::uint64_t blocks = std::uint64_t{cluster[0]} * cluster[1] * cluster[2];
  const Device& device = function.module.context()->device;
  if (blocks > 1 && device.attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) == 0) refuse(CUDA_ERROR_INVALID_CLUSTER_SIZE, "the emulated GPU has no clusters");
  if (blocks == 0 || blocks > kMostBlocksInCluster) {
    refuse(CUDA_ERROR_INVALID_CLUSTER_SIZE, "{}: a cluster of {} x {} x {} blocks; 1 to {} are possible", function.info.name, cluster[0], cluster[1],
           cluster[2], kMostBlocksInCluster);
  }
  for (int i = 0; i < 3; ++i) {
    if (request.grid[i] % cluster[i] == 0) continue;
    refuse(CUDA_ERROR_INVALID_VALUE, "{}: dimension {}: {} blocks are no whole clusters of {}", function.info.name, "xyz"[i], request.grid[i], cluster[i]);
  }
}

}  // namespace

KernelWork make_launch(const LaunchRequest& request) {
  KernelWork work;
  work.function = function_of(request.function);
  const Function& function = *work.function;
  check_shape(function, request);
  check_cluster(function, request);
  check_resources(function, request);
  if (request.parameters != nullptr && request.extra != nullptr) refuse(CUDA_ERROR_INVALID_VALUE, "both kernelParams and extra are given");
  work.arguments = request.extra != nullptr ? arguments_from_block(function, request.extra) : arguments_from_addresses(function, request.parameters);
  for (std::size_t i = 0; i < 3; ++i) {
    work.grid[i] = request.grid[i];
    work.block[i] = request.block[i];
    work.cluster[i] = request.cluster[i];
  }
  work.shared_bytes = request.shared_bytes;
  work.cooperative = request.cooperative;
  return work;
}

}  // namespace bascule::emulated
