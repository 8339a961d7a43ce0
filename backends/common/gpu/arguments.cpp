// Values, addresses and offsets into the argument block.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/arguments.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backends/common/struct_access.hpp"
#include "backends/common/gpu/launch.hpp"
#include "backends/common/gpu/memory.hpp"

namespace bascule::gpu {
namespace {

using backend::fill_error;

constexpr std::string_view kCall = "queue.submit";
constexpr std::uint64_t kLocalAlignment = 16;
constexpr std::uint64_t kMostNaturalAlignment = 16;

}  // namespace

bsc_status ArgumentWriter::put(const void* value, std::uint64_t bytes, bsc_plugin_error* error) {
  const FunctionShape& shape = function_.shape;
  std::uint64_t offset = 0;
  if (shape.parameters_known) {
    if (offsets_.size() >= shape.parameters.size()) {
      return fill_error(error, BSC_INVALID_ARGUMENT, kCall,
                        "{} takes {} parameters; the launch has more (a split buffer counts as three: base, byte offset, length)",
                        shape.name, shape.parameters.size());
    }
    const Parameter& parameter = shape.parameters[offsets_.size()];
    if (parameter.bytes != bytes) {
      return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: argument {} has {} bytes; the kernel's parameter {} has {}",
                        shape.name, number_, bytes, offsets_.size(), parameter.bytes);
    }
    offset = parameter.offset;
  } else {
    // The natural alignment of a value of that size.
    const std::uint64_t alignment = bytes == 0 ? 1 : std::min(bytes & (~bytes + 1), kMostNaturalAlignment);
    offset = (block_.size() + alignment - 1) / alignment * alignment;
  }
  block_.resize(std::max<std::size_t>(block_.size(), static_cast<std::size_t>(offset + bytes)));
  if (bytes != 0) std::memcpy(block_.data() + offset, value, static_cast<std::size_t>(bytes));
  offsets_.push_back(static_cast<std::uint32_t>(offset));
  return BSC_OK;
}

bsc_status ArgumentWriter::write_blob(std::uint64_t offset, std::uint64_t bytes, bsc_plugin_error* error) {
  if (launch_.blob == nullptr || offset > launch_.blob_bytes || bytes > launch_.blob_bytes - offset) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall,
                      "{}: argument {} takes {} bytes at {} of an argument blob of {} bytes", function_.shape.name, number_,
                      bytes, offset, launch_.blob != nullptr ? launch_.blob_bytes : 0);
  }
  return put(static_cast<const std::byte*>(launch_.blob) + offset, bytes, error);
}

bsc_status ArgumentWriter::write_buffer(const bsc_plugin_argument& argument, bsc_plugin_error* error) {
  Address base = 0;
  if (argument.memory != nullptr || argument.bytes != 0) {
    Memory* memory = nullptr;
    BSC_PLUGIN_RETURN_IF_ERROR(find_memory(function_.module.device, argument.memory, argument.offset, argument.bytes,
                                           fmt::format("{}: argument {}", function_.shape.name, number_), memory, error));
    base = memory->address;
  }
  const std::uint64_t offset = base != 0 ? argument.offset : 0;
  if ((argument.flags & BSC_ARGUMENT_SPLIT) == 0) {
    const Address address = base + offset;
    return put(&address, sizeof address, error);
  }
  BSC_PLUGIN_RETURN_IF_ERROR(put(&base, sizeof base, error));
  BSC_PLUGIN_RETURN_IF_ERROR(put(&offset, sizeof offset, error));
  return write_blob(argument.blob_offset, sizeof(std::uint64_t), error);
}

// An offset in the block's dynamic shared memory.
bsc_status ArgumentWriter::write_local(const bsc_plugin_argument& argument, bsc_plugin_error* error) {
  const std::uint64_t most = function_.module.device.properties.max_shared_bytes;
  if (argument.bytes > most || shared_bytes_ > most) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: argument {} takes {} bytes of shared memory; {} has {} a block",
                      function_.shape.name, number_, argument.bytes, function_.module.device.properties.name, most);
  }
  const std::uint64_t at = (shared_bytes_ + kLocalAlignment - 1) / kLocalAlignment * kLocalAlignment;
  shared_bytes_ = at + argument.bytes;
  const FunctionShape& shape = function_.shape;
  const bool narrow = shape.parameters_known && offsets_.size() < shape.parameters.size() &&
                      shape.parameters[offsets_.size()].bytes == sizeof(std::uint32_t);
  return put(&at, narrow ? sizeof(std::uint32_t) : sizeof at, error);
}

bsc_status ArgumentWriter::write_argument(const bsc_plugin_argument& argument, bsc_plugin_error* error) {
  switch (argument.kind) {
    case BSC_ARGUMENT_VALUE: return write_blob(argument.blob_offset, argument.bytes, error);
    case BSC_ARGUMENT_BUFFER: return write_buffer(argument, error);
    case BSC_ARGUMENT_LOCAL: return write_local(argument, error);
    default:
      return fill_error(error, BSC_UNSUPPORTED, kCall, "{}: argument {} has the unknown kind {}", function_.shape.name, number_,
                        argument.kind);
  }
}

bsc_status ArgumentWriter::write(bsc_plugin_error* error) {
  const backend::StridedSpan<bsc_plugin_argument> arguments(launch_.arguments, launch_.argument_count, launch_.argument_stride);
  if (!arguments.valid()) return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "the argument array is null or has no stride");
  const std::uint64_t most = function_.module.device.properties.max_argument_bytes;
  for (const bsc_plugin_argument& argument : arguments) {
    BSC_PLUGIN_RETURN_IF_ERROR(write_argument(argument, error));
    if (block_.size() > most) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: the arguments take more than the {} bytes that {} allows",
                        function_.shape.name, most, function_.module.device.properties.name);
    }
    ++number_;
  }
  const FunctionShape& shape = function_.shape;
  if (!shape.parameters_known || offsets_.size() == shape.parameters.size()) return BSC_OK;
  return fill_error(error, BSC_INVALID_ARGUMENT, kCall,
                    "{} takes {} parameters; the launch gives {} (a split buffer counts as three: base, byte offset, length)",
                    shape.name, shape.parameters.size(), offsets_.size());
}

}  // namespace bascule::gpu
