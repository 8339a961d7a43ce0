// A graph node's work from a program's structures, and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/emulated/cuda/graph.hpp"

namespace bascule::emulated {

/// Throws Refusal.
std::shared_ptr<GraphNode> node_of(CUgraphNode handle);

KernelWork kernel_from(const CUDA_KERNEL_NODE_PARAMS_v1* parameters);
KernelWork kernel_from(const CUDA_KERNEL_NODE_PARAMS* parameters);
CopyWork copy_from(const CUDA_MEMCPY3D* parameters);
FillWork fill_from(const CUDA_MEMSET_NODE_PARAMS* parameters);
HostWork host_from(const CUDA_HOST_NODE_PARAMS* parameters);

}  // namespace bascule::emulated
