// Laying out arguments and commands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/commands.hpp"

#include <utility>

namespace bascule::conformance {

bsc_plugin_command make_command(std::uint32_t kind) {
  bsc_plugin_command command;
  std::memset(static_cast<void*>(&command), 0, sizeof command);
  command.header = {sizeof command, BSC_STRUCT_COMMAND, nullptr};
  command.kind = kind;
  return command;
}

std::uint64_t Arguments::reserve(std::uint64_t size, std::uint64_t alignment) {
  const std::uint64_t offset = (blob.size() + alignment - 1) / alignment * alignment;
  blob.resize(offset + size);
  return offset;
}

Arguments& Arguments::bytes(const void* data, std::uint64_t size, std::uint64_t alignment) {
  const std::uint64_t offset = reserve(size, alignment);
  std::memcpy(blob.data() + offset, data, size);
  list.push_back({BSC_ARGUMENT_VALUE, 0, offset, size, 0, nullptr});
  return *this;
}

Arguments& Arguments::buffer(bsc_plugin_memory memory, std::uint64_t offset, std::uint64_t length,
                             std::uint64_t element_bytes) {
  std::uint64_t blob_offset = 0;
  if (split_) {
    blob_offset = reserve(sizeof length, sizeof length);
    std::memcpy(blob.data() + blob_offset, &length, sizeof length);
  } else {
    blob_offset = reserve(sizeof(bsc_host_span), alignof(bsc_host_span));
  }
  const std::uint32_t flags = split_ ? std::uint32_t{BSC_ARGUMENT_SPLIT} : 0;
  list.push_back({BSC_ARGUMENT_BUFFER, flags, blob_offset, length * element_bytes, offset, memory});
  return *this;
}

Arguments& Arguments::local(std::uint64_t bytes) {
  list.push_back({BSC_ARGUMENT_LOCAL, 0, blob.size(), bytes, 0, nullptr});
  return *this;
}

Commands& Commands::add(const bsc_plugin_command& command) {
  list_.push_back(command);
  return *this;
}

Commands& Commands::copy(bsc_plugin_memory source, std::uint64_t source_offset, bsc_plugin_memory destination,
                         std::uint64_t destination_offset, std::uint64_t bytes) {
  bsc_plugin_command command = make_command(BSC_COMMAND_COPY);
  command.copy = {source, destination, source_offset, destination_offset, bytes};
  return add(command);
}

Commands& Commands::write(bsc_plugin_memory memory, std::uint64_t offset, const void* host, std::uint64_t bytes) {
  bsc_plugin_command command = make_command(BSC_COMMAND_WRITE);
  command.transfer = {memory, const_cast<void*>(host), offset, bytes};
  return add(command);
}

Commands& Commands::read(bsc_plugin_memory memory, std::uint64_t offset, void* host, std::uint64_t bytes) {
  bsc_plugin_command command = make_command(BSC_COMMAND_READ);
  command.transfer = {memory, host, offset, bytes};
  return add(command);
}

Commands& Commands::fill(bsc_plugin_memory memory, std::uint64_t offset, std::uint64_t bytes, const void* pattern,
                         std::uint32_t pattern_bytes) {
  bsc_plugin_command command = make_command(BSC_COMMAND_FILL);
  command.fill.memory = memory;
  command.fill.offset = offset;
  command.fill.bytes = bytes;
  command.fill.pattern_bytes = pattern_bytes;
  std::memcpy(command.fill.pattern, pattern, pattern_bytes <= 16 ? pattern_bytes : 16);
  return add(command);
}

Commands& Commands::wait(bsc_plugin_queue queue, std::uint64_t value) {
  bsc_plugin_command command = make_command(BSC_COMMAND_WAIT);
  command.wait = {queue, value};
  return add(command);
}

Commands& Commands::launch(bsc_plugin_function function, const Shape& shape, Arguments arguments) {
  arguments_.push_back(std::make_shared<const Arguments>(std::move(arguments)));
  const Arguments& kept = *arguments_.back();
  bsc_plugin_command command = make_command(BSC_COMMAND_LAUNCH);
  command.launch.function = function;
  for (int i = 0; i < 3; ++i) {
    command.launch.grid[i] = shape.grid[i];
    command.launch.block[i] = shape.block[i];
  }
  command.launch.shared_bytes = shape.shared_bytes;
  command.launch.argument_count = kept.list.size();
  command.launch.argument_stride = sizeof(bsc_plugin_argument);
  command.launch.arguments = kept.list.data();
  command.launch.blob = kept.blob.data();
  command.launch.blob_bytes = kept.blob.size();
  return add(command);
}

bsc_plugin_submission Commands::submission(std::uint64_t flags) const {
  bsc_plugin_submission submission = {};
  submission.header = {sizeof submission, BSC_STRUCT_SUBMISSION, nullptr};
  submission.flags = flags;
  submission.command_count = list_.size();
  submission.command_stride = sizeof(bsc_plugin_command);
  submission.commands = list_.data();
  return submission;
}

}  // namespace bascule::conformance
