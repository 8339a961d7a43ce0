// Copies between devices and between backends: through host memory, in chunks, the next chunk being read while the last
// one is written.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "core/base/error.hpp"
#include "core/runtime/buffer.hpp"
#include "core/runtime/plugin_queue.hpp"

namespace bascule::core {

struct CopyRange {
  bsc_buffer* source;
  std::uint64_t source_offset;
  bsc_buffer* destination;
  std::uint64_t destination_offset;
  std::uint64_t bytes;
};

// Reads on `reader` (a queue of the source's device), writes on `writer` (of the destination's). Blocks until all has
// arrived; after an error no transfer is under way any more.
Status copy_through_host(const CopyRange& range, PluginQueue& reader, PluginQueue& writer);

}  // namespace bascule::core
