// Launches are checked as a whole before anything is set up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "backends/common/error.hpp"
#include "backends/simt/execute/module.hpp"

namespace bascule::simt {
namespace {

using backend::fill_error;

// What an sm_90 has.
constexpr std::uint64_t kMaxGrid[3] = {2147483647, 65535, 65535};
constexpr std::uint64_t kMaxBlock[3] = {1024, 1024, 64};
constexpr std::uint64_t kMaxSharedBytes = 227 * 1024;
constexpr std::uint64_t kLargestAlignment = 64;

constexpr const char* kCall = "launch";

// Whoever makes the blob of a C struct has padding behind the last member.
bool blob_fits(std::uint64_t given, std::uint64_t expected) {
  for (std::uint64_t alignment = 1; alignment <= kLargestAlignment; alignment *= 2) {
    if ((expected + alignment - 1) / alignment * alignment == given) return true;
  }
  return false;
}

bsc_status check_grid(const ptx::Function& function, const bsc_simt_launch& launch, bsc_plugin_error* error) {
  for (int i = 0; i < 3; ++i) {
    if (launch.grid[i] > kMaxGrid[i]) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: a grid of {} x {} x {} blocks; at most {} x {} x {} are possible",
                        function.name, launch.grid[0], launch.grid[1], launch.grid[2], kMaxGrid[0], kMaxGrid[1], kMaxGrid[2]);
    }
  }
  const ptx::Dimensions& cluster = function.required_cluster;
  if (launch.cluster[0] > 1 || launch.cluster[1] > 1 || launch.cluster[2] > 1 || cluster.x > 1 || cluster.y > 1 || cluster.z > 1) {
    return fill_error(error, BSC_UNSUPPORTED, kCall,
                      "{}: clusters of more than one block are not executed by this engine yet (capability cluster)",
                      function.name);
  }
  return BSC_OK;
}

bsc_status check_block(const ptx::Function& function, const bsc_simt_launch& launch, bsc_plugin_error* error) {
  const auto* const b = launch.block;
  for (int i = 0; i < 3; ++i) {
    if (b[i] == 0) return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: block[{}] is 0", function.name, i);
    if (b[i] > kMaxBlock[i]) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: block[{}] is {}; at most {} threads are possible there",
                        function.name, i, b[i], kMaxBlock[i]);
    }
  }
  const ptx::Dimensions& required = function.required_threads;
  if (required.x != 0 &&
      (b[0] != required.x || b[1] != std::max(required.y, 1u) || b[2] != std::max(required.z, 1u))) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: a block of {} x {} x {} threads; its .reqntid asks for {} x {} x {}",
                      function.name, b[0], b[1], b[2], required.x, std::max(required.y, 1u), std::max(required.z, 1u));
  }
  const std::uint64_t threads = b[0] * b[1] * b[2], most = max_threads_of(function);
  if (threads > most) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: a block of {} x {} x {} = {} threads; at most {} are possible{}",
                      function.name, b[0], b[1], b[2], threads, most, most < 1024 ? " by its .maxntid" : "");
  }
  return BSC_OK;
}

}  // namespace

bsc_status check_launch(const bsc_simt_module& module, const bsc_simt_launch& launch, LaunchShape& shape,
                        bsc_plugin_error* error) {
  if (launch.function >= module.kernels.size()) {
    return fill_error(error, BSC_NOT_FOUND, kCall, "there is no kernel {}; {} has {}", launch.function, module.name,
                      module.kernels.size());
  }
  const Kernel& kernel = module.kernels[launch.function];
  const ptx::Function& function = module.module->functions[kernel.function];
  if ((launch.flags & ~std::uint64_t{BSC_LAUNCH_COOPERATIVE | BSC_LAUNCH_STREAMING}) != 0) {
    return fill_error(error, BSC_UNSUPPORTED, kCall, "{}: unknown launch flags {:#x}", function.name, launch.flags);
  }
  if (!blob_fits(launch.argument_bytes, kernel.argument_bytes) || (launch.argument_bytes != 0 && launch.arguments == nullptr)) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{} takes {} bytes of arguments ({} parameters); the launch has {}",
                      function.name, kernel.argument_bytes, function.parameters.size(),
                      launch.arguments == nullptr ? 0 : launch.argument_bytes);
  }
  BSC_PLUGIN_RETURN_IF_ERROR(check_grid(function, launch, error));
  const bool empty = std::any_of(launch.grid, launch.grid + 3, [](std::uint64_t n) { return n == 0; });
  shape.cooperative = (launch.flags & BSC_LAUNCH_COOPERATIVE) != 0;
  shape.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  if (empty) {
    shape.grid = {0, 0, 0};
    return BSC_OK;
  }
  BSC_PLUGIN_RETURN_IF_ERROR(check_block(function, launch, error));
  for (int i = 0; i < 3; ++i) shape.block[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(launch.block[i]);
  const std::uint64_t fixed = kernel.program->static_shared_bytes;
  if (launch.shared_bytes > kMaxSharedBytes || fixed + launch.shared_bytes > kMaxSharedBytes) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall,
                      "{}: {} bytes of static and {} of dynamic shared memory; a block has {} at most", function.name, fixed,
                      launch.shared_bytes, kMaxSharedBytes);
  }
  shape.dynamic_shared_bytes = static_cast<std::uint32_t>(launch.shared_bytes);
  if (shape.cooperative) {
    LaunchOptions options;
    options.workers = module.options.workers;
    options.resident_blocks = module.options.resident_blocks;
    const std::uint64_t resident = residency(shape, *kernel.program, options);
    if (shape.blocks() > resident) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, kCall,
                        "{}: a cooperative launch of {} blocks; {} are resident at once (option resident_blocks)", function.name,
                        shape.blocks(), resident);
    }
  }
  return BSC_OK;
}

}  // namespace bascule::simt
