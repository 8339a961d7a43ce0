// Checking launches against the device's and the function's limits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/launch.hpp"

#include "backends/common/gpu/arguments.hpp"
#include "backends/common/gpu/memory.hpp"
#include "backends/common/gpu/plugin.hpp"

namespace bascule::gpu {
namespace {

using backend::fill_error;

constexpr std::string_view kCall = "queue.submit";
constexpr std::uint64_t kMostClusterBlocks = 8;  // what every device with clusters takes

}  // namespace

bsc_status find_memory(const Device& device, bsc_plugin_memory handle, std::uint64_t offset, std::uint64_t bytes,
                       std::string_view what, Memory*& memory, bsc_plugin_error* error) {
  memory = backend::object_cast<Memory>(handle, plugin_api());
  if (memory == nullptr) return backend::fill_handle_error(error, kCall, handle, BSC_OBJECT_MEMORY);
  if (&memory->device != &device) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: the memory belongs to {} ({}), the queue to {} ({})", what,
                      memory->device.properties.name, memory->device.properties.pci, device.properties.name,
                      device.properties.pci);
  }
  if (offset > memory->bytes || bytes > memory->bytes - offset) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: {} bytes at offset {} are beyond the memory's {} bytes", what,
                      bytes, offset, memory->bytes);
  }
  return BSC_OK;
}

bsc_status PreparedLaunch::check_shape(const bsc_plugin_launch& launch, bsc_plugin_error* error) {
  const DeviceProperties& limits = device_->properties;
  const std::string& name = function_->shape.name;
  std::uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t grid = launch.grid[i];
    const std::uint64_t block = launch.block[i];
    if (block == 0) return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: block dimension {} is 0", name, i);
    if (block > limits.max_block[i]) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: block dimension {} is {}; {} allows {}", name, i, block,
                        limits.name, limits.max_block[i]);
    }
    if (grid > limits.max_grid[i]) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: grid dimension {} is {} blocks; {} allows {}", name, i, grid,
                        limits.name, limits.max_grid[i]);
    }
    threads *= block;  // each at most a device limit far below 2^21
    grid_[i] = static_cast<unsigned>(grid);
    block_[i] = static_cast<unsigned>(block);
  }
  if (threads > limits.max_block_threads) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: a block of {} threads was asked for; {} allows {}", name, threads,
                      limits.name, limits.max_block_threads);
  }
  if (function_->max_block_threads != 0 && threads > function_->max_block_threads) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall,
                      "{}: a block of {} threads was asked for; this kernel runs with at most {} on {} (its registers or its "
                      "own declaration set the limit)",
                      name, threads, function_->max_block_threads, limits.name);
  }
  return BSC_OK;
}

bsc_status PreparedLaunch::check_cluster(const bsc_plugin_launch& launch, bsc_plugin_error* error) {
  const std::string& name = function_->shape.name;
  std::uint64_t blocks = 1;
  for (int i = 0; i < 3; ++i) {
    if (launch.cluster[i] <= 1) continue;
    if (!device_->properties.clusters) {
      return fill_error(error, BSC_UNSUPPORTED, kCall, "{}: {} has no block clusters (capability block_clusters)", name,
                        device_->properties.name);
    }
    if (launch.cluster[i] > kMostClusterBlocks || (blocks *= launch.cluster[i]) > kMostClusterBlocks) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: clusters of {} x {} x {} blocks; the limit is {} blocks", name,
                        launch.cluster[0], launch.cluster[1], launch.cluster[2], kMostClusterBlocks);
    }
    if (launch.grid[i] % launch.cluster[i] != 0) {
      return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: grid dimension {} is {} blocks, no multiple of the cluster's {}",
                        name, i, launch.grid[i], launch.cluster[i]);
    }
    cluster_[i] = static_cast<unsigned>(launch.cluster[i]);
  }
  return BSC_OK;
}

bsc_status PreparedLaunch::check_shared(bsc_plugin_error* error) {
  const DeviceProperties& limits = device_->properties;
  const std::uint64_t fixed = function_->static_shared_bytes;
  if (shared_bytes_ > limits.max_shared_bytes || fixed > limits.max_shared_bytes - shared_bytes_) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall,
                      "{}: a block needs {} bytes of dynamic shared memory and {} that are fixed in the kernel; {} has {}",
                      function_->shape.name, shared_bytes_, fixed, limits.name, limits.max_shared_bytes);
  }
  return function_->allow_shared_bytes(shared_bytes_, error);
}

// A grid whose blocks wait for each other must be resident as a whole.
bsc_status PreparedLaunch::check_resident(bsc_plugin_error* error) {
  const std::string& name = function_->shape.name;
  const Api& api = device_->api();
  if (!device_->properties.cooperative) {
    return fill_error(error, BSC_UNSUPPORTED, kCall, "{}: {} has no cooperative launches (capability cooperative_launch)", name,
                      device_->properties.name);
  }
  if (!api.function_occupancy) return BSC_OK;
  int blocks = 0;
  const unsigned threads = block_[0] * block_[1] * block_[2];
  BSC_PLUGIN_RETURN_IF_ERROR(device_->call(error, name, api.function_occupancy, &blocks, function_->handle,
                                           static_cast<int>(threads), static_cast<std::size_t>(shared_bytes_)));
  const std::uint64_t most = static_cast<std::uint64_t>(blocks) * device_->properties.compute_units;
  const std::uint64_t wanted = std::uint64_t{grid_[0]} * grid_[1];
  if (wanted <= most && wanted * grid_[2] <= most) return BSC_OK;
  return fill_error(error, BSC_LIMIT_EXCEEDED, kCall,
                    "{}: a cooperative launch of {} x {} x {} blocks; at most {} are resident at once on {}", name, grid_[0],
                    grid_[1], grid_[2], most, device_->properties.name);
}

bsc_status PreparedLaunch::prepare(Device& device, const bsc_plugin_launch& launch, bsc_plugin_error* error) {
  device_ = &device;
  auto* const function = backend::object_cast<Function>(launch.function, plugin_api());
  if (function == nullptr) return backend::fill_handle_error(error, kCall, launch.function, BSC_OBJECT_FUNCTION);
  if (&function->module.device != &device) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{} was loaded on {} ({}), the queue belongs to {} ({})",
                      function->shape.name, function->module.device.properties.name, function->module.device.properties.pci,
                      device.properties.name, device.properties.pci);
  }
  if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0) return BSC_OK;

  function_ = function;
  BSC_PLUGIN_RETURN_IF_ERROR(check_shape(launch, error));
  BSC_PLUGIN_RETURN_IF_ERROR(check_cluster(launch, error));
  ArgumentWriter arguments(*function, launch);
  BSC_PLUGIN_RETURN_IF_ERROR(arguments.write(error));
  arguments_ = arguments.take_block();
  offsets_ = arguments.take_offsets();
  shared_bytes_ = arguments.shared_bytes();
  BSC_PLUGIN_RETURN_IF_ERROR(check_shared(error));
  cooperative_ = (launch.flags & BSC_LAUNCH_COOPERATIVE) != 0;
  return cooperative_ ? check_resident(error) : BSC_OK;
}

bsc_status PreparedLaunch::enqueue(Handle stream, bsc_plugin_error* error) const {
  LaunchRequest request;
  request.function = function_->handle;
  request.stream = stream;
  for (int i = 0; i < 3; ++i) {
    request.grid[i] = grid_[i];
    request.block[i] = block_[i];
    request.cluster[i] = cluster_[i];
  }
  request.shared_bytes = static_cast<unsigned>(shared_bytes_);
  request.cooperative = cooperative_;
  request.arguments = arguments_.data();
  request.argument_bytes = arguments_.size();
  request.offsets = offsets_;
  const CallResult result = vendor().launch(device_->api(), request);
  return result.code == 0 ? BSC_OK : device_->fail(error, fmt::format("{} on {}", function_->shape.name, device_->properties.name), result);
}

}  // namespace bascule::gpu
