// Double-buffered copies through host memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/copy_through_host.hpp"

#include <algorithm>
#include <array>

#include "core/runtime/staging.hpp"

namespace bascule::core {
namespace {

// Large enough that starting a transfer is cheap against it, small enough for two to stay in a last-level cache.
constexpr std::uint64_t kChunkBytes = 4 * 1024 * 1024;

bsc_plugin_command transfer(std::uint32_t kind, const bsc_buffer& buffer, std::uint64_t offset, std::byte* host,
                            std::uint64_t bytes) {
  bsc_plugin_command command{};
  command.header = {sizeof command, BSC_STRUCT_COMMAND, nullptr};
  command.kind = kind;
  command.transfer = {buffer.memory().handle(), host, offset, bytes};
  return command;
}

struct Chunk {
  std::byte* data = nullptr;
  std::uint64_t written = 0;  // the writer's submission that reads this chunk
};

class ChunkedCopy {
 public:
  ChunkedCopy(const CopyRange& range, PluginQueue& reader, PluginQueue& writer, std::byte* space, std::uint64_t chunk)
      : range_(range), reader_(reader), writer_(writer), chunk_bytes_(chunk) {
    chunks_[0].data = space;
    chunks_[1].data = space + chunk;
  }

  Status run() {
    const std::uint64_t count = (range_.bytes + chunk_bytes_ - 1) / chunk_bytes_;
    std::uint64_t read = 0;
    BSC_RETURN_IF_ERROR(start_read(0, &read));
    for (std::uint64_t i = 0; i < count; ++i) {
      BSC_RETURN_IF_ERROR(reader_.wait(read, BSC_FOREVER));
      if (i + 1 < count) BSC_RETURN_IF_ERROR(start_read(i + 1, &read));
      BSC_RETURN_IF_ERROR(start_write(i));
    }
    return writer_.wait(writer_.timeline()->submitted(), BSC_FOREVER);
  }

  // Whatever is under way must end before the chunks go.
  void settle() {
    (void)reader_.wait(reader_.timeline()->submitted(), BSC_FOREVER);
    (void)writer_.wait(writer_.timeline()->submitted(), BSC_FOREVER);
  }

 private:
  std::uint64_t bytes_of(std::uint64_t index) const {
    return std::min(chunk_bytes_, range_.bytes - index * chunk_bytes_);
  }

  Status start_read(std::uint64_t index, std::uint64_t* out_value) {
    Chunk& chunk = chunks_[index % 2];
    BSC_RETURN_IF_ERROR(writer_.wait(chunk.written, BSC_FOREVER));
    const auto command = transfer(BSC_COMMAND_READ, *range_.source, range_.source_offset + index * chunk_bytes_,
                                  chunk.data, bytes_of(index));
    return reader_.submit({&command, 1}, "reading for a copy between devices", out_value);
  }

  Status start_write(std::uint64_t index) {
    Chunk& chunk = chunks_[index % 2];
    const auto command = transfer(BSC_COMMAND_WRITE, *range_.destination,
                                  range_.destination_offset + index * chunk_bytes_, chunk.data, bytes_of(index));
    return writer_.submit({&command, 1}, "writing for a copy between devices", &chunk.written);
  }

  const CopyRange& range_;
  PluginQueue& reader_;
  PluginQueue& writer_;
  std::uint64_t chunk_bytes_;
  std::array<Chunk, 2> chunks_;
};

}  // namespace

Status copy_through_host(const CopyRange& range, PluginQueue& reader, PluginQueue& writer) {
  if (range.bytes == 0) return {};
  const std::uint64_t chunk = std::min(kChunkBytes, range.bytes);
  const HostBlock block(range.source->device(), 2 * chunk);
  ChunkedCopy copy(range, reader, writer, block.data(), chunk);
  Status status = copy.run();
  if (!status.ok()) copy.settle();
  return status;
}

}  // namespace bascule::core
