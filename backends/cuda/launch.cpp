// Launching on NVIDIA: attributes where they are needed, the argument block as it is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <cstring>

#include "backends/common/gpu/vendor_parts.hpp"

namespace bascule::gpu::parts {
namespace {

// CUlaunchAttribute: a number and a value of 64 bytes.
struct Attribute {
  int id;
  char padding[4];
  union {
    unsigned dimensions[3];
    int flag;
    char bytes[64];
  };
};
static_assert(sizeof(Attribute) == 72);

// CUlaunchConfig
struct Configuration {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Handle stream;
  Attribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(Configuration) == 56);

constexpr int kCooperative = 2;  // CU_LAUNCH_ATTRIBUTE_COOPERATIVE
constexpr int kCluster = 4;      // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION

// CUgraphExecUpdateResultInfo; what went wrong is of no interest, the graph is made anew.
struct UpdateInfo {
  int result;
  Handle nodes[2];
};

CallResult launch_extended(const Api& api, const LaunchRequest& request, void** extra) {
  Attribute attributes[2] = {};
  Configuration configuration = {};
  std::memcpy(configuration.grid, request.grid, sizeof configuration.grid);
  std::memcpy(configuration.block, request.block, sizeof configuration.block);
  configuration.shared_bytes = request.shared_bytes;
  configuration.stream = request.stream;
  configuration.attributes = attributes;
  if (request.cooperative) {
    Attribute& attribute = attributes[configuration.attribute_count++];
    attribute.id = kCooperative;
    attribute.flag = 1;
  }
  if (request.cluster[0] * request.cluster[1] * request.cluster[2] > 1) {
    Attribute& attribute = attributes[configuration.attribute_count++];
    attribute.id = kCluster;
    std::memcpy(attribute.dimensions, request.cluster, sizeof attribute.dimensions);
  }
  return {api.launch_extended(&configuration, request.function, nullptr, extra), api.launch_extended.name};
}

}  // namespace

CallResult launch(const Api& api, const LaunchRequest& request) {
  // CU_LAUNCH_PARAM_BUFFER_POINTER, _BUFFER_SIZE, _END
  std::size_t bytes = request.argument_bytes;
  void* block[] = {reinterpret_cast<void*>(1), const_cast<std::byte*>(request.arguments), reinterpret_cast<void*>(2), &bytes,
                   nullptr};
  void** const extra = bytes == 0 ? nullptr : block;
  const bool plain = !request.cooperative && request.cluster[0] * request.cluster[1] * request.cluster[2] == 1;
  if (!plain) return launch_extended(api, request, extra);
  return {api.launch(request.function, request.grid[0], request.grid[1], request.grid[2], request.block[0], request.block[1],
                     request.block[2], request.shared_bytes, request.stream, nullptr, extra),
          api.launch.name};
}

int update_graph(const Api& api, Handle executable, Handle graph) {
  UpdateInfo info = {};
  return api.graph_update ? api.graph_update(executable, graph, &info) : -1;
}

}  // namespace bascule::gpu::parts
