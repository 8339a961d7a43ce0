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

bsc_status check_grid(const ptx::Function& function, const std::array<std::uint64_t, 3>& grid, bsc_plugin_error* error) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (grid[i] > kMaxGrid[i]) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: a grid of {} x {} x {} blocks; at most {} x {} x {} are possible",
                        function.name, grid[0], grid[1], grid[2], kMaxGrid[0], kMaxGrid[1], kMaxGrid[2]);
    }
  }
  return BSC_OK;
}

// What the launch asks for and what the kernel's directives say about clusters.
bsc_status find_cluster(const ptx::Function& function, const bsc_simt_launch& launch, LaunchShape& shape, bsc_plugin_error* error) {
  std::array<std::uint64_t, 3> cluster;
  for (std::size_t i = 0; i < 3; ++i) cluster[i] = std::max<std::uint64_t>(launch.cluster[i], 1);
  bool asked = cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1;
  const ptx::Dimensions& required = function.required_cluster;
  if (required.x != 0) {
    const std::array<std::uint64_t, 3> wanted = {required.x, std::max(required.y, 1u), std::max(required.z, 1u)};
    if (asked && cluster != wanted) {
      return fill_error(error, BSC_INVALID_ARGUMENT, kCall,
                        "{}: a cluster of {} x {} x {} blocks; its .reqnctapercluster asks for {} x {} x {}: launch it with these or "
                        "without a cluster",
                        function.name, cluster[0], cluster[1], cluster[2], wanted[0], wanted[1], wanted[2]);
    }
    cluster = wanted;
    asked = true;
  }
  if (!asked && function.explicit_cluster) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall,
                      "{}: its .explicitcluster demands that the launch states a cluster (of more than one block)", function.name);
  }
  const auto too_many = [&](std::uint64_t most, const char* why) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: a cluster of {} x {} x {} blocks; at most {} are possible{}", function.name,
                      cluster[0], cluster[1], cluster[2], most, why);
  };
  std::uint64_t blocks = 1;
  for (const std::uint64_t extent : cluster) {
    if (extent > kMaxClusterBlocks || (blocks *= extent) > kMaxClusterBlocks) return too_many(kMaxClusterBlocks, "");
  }
  if (function.max_cluster_rank != 0 && blocks > function.max_cluster_rank) {
    return too_many(function.max_cluster_rank, " by its .maxclusterrank");
  }
  for (std::size_t i = 0; i < 3; ++i) shape.cluster[i] = static_cast<std::uint32_t>(cluster[i]);
  shape.explicit_cluster = asked;
  return BSC_OK;
}

// The grid in blocks, which must be made of whole clusters.
bsc_status find_grid(const ptx::Function& function, const bsc_simt_launch& launch, LaunchShape& shape, bsc_plugin_error* error) {
  shape.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  BSC_PLUGIN_RETURN_IF_ERROR(check_grid(function, shape.grid, error));
  const auto& c = shape.cluster;
  if (function.blocks_are_clusters) {
    for (std::size_t i = 0; i < 3; ++i) shape.grid[i] *= c[i];
    return check_grid(function, shape.grid, error);
  }
  if (shape.grid[0] % c[0] != 0 || shape.grid[1] % c[1] != 0 || shape.grid[2] % c[2] != 0) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall,
                      "{}: a grid of {} x {} x {} blocks is not made of whole clusters of {} x {} x {}: each extent must be a multiple",
                      function.name, shape.grid[0], shape.grid[1], shape.grid[2], c[0], c[1], c[2]);
  }
  return BSC_OK;
}

// Whether enough blocks can be resident at once: a cluster's, and a cooperative launch's.
bsc_status check_residency(const bsc_simt_module& module, const Kernel& kernel, const LaunchShape& shape, bsc_plugin_error* error) {
  LaunchOptions options;
  options.workers = module.options.workers;
  options.resident_blocks = module.options.resident_blocks;
  const std::uint64_t limit = residency(shape, *kernel.program, options), cluster = shape.cluster_blocks();
  const std::string& name = module.module->functions[kernel.function].name;
  if (cluster > limit) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall,
                      "{}: the {} blocks of a cluster must be resident together, and {} are at once: raise the option resident_blocks "
                      "or use smaller clusters",
                      name, cluster, limit);
  }
  const std::uint64_t resident = limit / cluster * cluster;
  if (shape.cooperative && shape.blocks() > resident) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall,
                      "{}: a cooperative launch of {} blocks; {} are resident at once (option resident_blocks)", name, shape.blocks(),
                      resident);
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
  BSC_PLUGIN_RETURN_IF_ERROR(find_cluster(function, launch, shape, error));
  BSC_PLUGIN_RETURN_IF_ERROR(find_grid(function, launch, shape, error));
  const bool empty = std::any_of(launch.grid, launch.grid + 3, [](std::uint64_t n) { return n == 0; });
  shape.cooperative = (launch.flags & BSC_LAUNCH_COOPERATIVE) != 0;
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
  return check_residency(module, kernel, shape, error);
}

}  // namespace bascule::simt
