// Launching on Moore Threads: the argument block as it is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <vector>

#include "backends/common/gpu/vendor_parts.hpp"

namespace bascule::gpu::parts {
namespace {

// This call takes a pointer to each argument instead of the block.
CallResult launch_cooperative(const Api& api, const LaunchRequest& request) {
  std::vector<void*> parameters;
  for (const std::uint32_t offset : request.offsets) parameters.push_back(const_cast<std::byte*>(request.arguments) + offset);
  return {api.launch_cooperative(request.function, request.grid[0], request.grid[1], request.grid[2], request.block[0],
                                 request.block[1], request.block[2], request.shared_bytes, request.stream, parameters.data()),
          api.launch_cooperative.name};
}

}  // namespace

CallResult launch(const Api& api, const LaunchRequest& request) {
  if (request.cooperative) return launch_cooperative(api, request);
  // MU_LAUNCH_PARAM_BUFFER_POINTER, _BUFFER_SIZE, _END
  std::size_t bytes = request.argument_bytes;
  void* block[] = {reinterpret_cast<void*>(1), const_cast<std::byte*>(request.arguments), reinterpret_cast<void*>(2), &bytes,
                   nullptr};
  return {api.launch(request.function, request.grid[0], request.grid[1], request.grid[2], request.block[0], request.block[1],
                     request.block[2], request.shared_bytes, request.stream, nullptr, bytes == 0 ? nullptr : block),
          api.launch.name};
}

// Always made anew.
int update_graph(const Api&, Handle, Handle) { return -1; }

}  // namespace bascule::gpu::parts
