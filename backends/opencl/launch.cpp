// Checking launches and setting kernel arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/launch.hpp"

#include <cstring>

#include "backends/common/struct_access.hpp"
#include "backends/opencl/memory.hpp"
#include "backends/opencl/plugin.hpp"

namespace bascule::opencl {
namespace {

using backend::fill_error;

constexpr std::string_view kCall = "queue.submit";
constexpr std::size_t kLeastLocalBytes = 16;  // OpenCL has no local argument of 0 bytes

bsc_status check_blob(const bsc_plugin_launch& launch, const bsc_plugin_argument& argument, std::uint64_t bytes,
                      std::uint64_t number, bsc_plugin_error* error) {
  if (launch.blob != nullptr && argument.blob_offset <= launch.blob_bytes && bytes <= launch.blob_bytes - argument.blob_offset) {
    return BSC_OK;
  }
  return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "argument {} takes bytes {} to {} of an argument blob of {} bytes", number,
                    argument.blob_offset, argument.blob_offset + bytes, launch.blob != nullptr ? launch.blob_bytes : 0);
}

const void* blob_at(const bsc_plugin_launch& launch, const bsc_plugin_argument& argument) {
  return static_cast<const char*>(launch.blob) + argument.blob_offset;
}

}  // namespace

bsc_status find_memory(const Device& device, bsc_plugin_memory handle, std::uint64_t offset, std::uint64_t bytes,
                       std::string_view what, Memory*& memory, bsc_plugin_error* error) {
  memory = backend::object_cast<Memory>(handle, plugin_api());
  if (memory == nullptr) return backend::fill_handle_error(error, kCall, handle, BSC_OBJECT_MEMORY);
  if (&memory->device != &device) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: the memory belongs to {}, the queue to {}", what,
                      memory->device.properties.name, device.properties.name);
  }
  if (offset > memory->bytes || bytes > memory->bytes - offset) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: {} bytes at offset {} are beyond the memory's {} bytes", what,
                      bytes, offset, memory->bytes);
  }
  return BSC_OK;
}

PreparedLaunch::~PreparedLaunch() {
  if (kernel_) function_->give_back(std::move(kernel_));
}

bsc_status PreparedLaunch::check_shape(const bsc_plugin_launch& launch, bsc_plugin_error* error) {
  const DeviceProperties& limits = device_->properties;
  std::uint64_t threads = 1;
  std::uint64_t blocks = 1;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t grid = launch.grid[i];
    const std::uint64_t block = launch.block[i];
    if (block == 0) {
      return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: block dimension {} is 0", function_->name, i);
    }
    if (block > limits.max_block[i]) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: block dimension {} is {}; {} allows {}", function_->name, i, block,
                        limits.name, limits.max_block[i]);
    }
    if (grid > kMaxGridDimension) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: grid dimension {} is {} blocks; the limit is {}", function_->name,
                        i, grid, kMaxGridDimension);
    }
    threads *= block;  // each at most a device limit far below 2^21
    if (__builtin_mul_overflow(blocks, grid, &blocks)) blocks = UINT64_MAX;
    block_[i] = static_cast<std::size_t>(block);
    global_[i] = static_cast<std::size_t>(grid * block);
    if (global_[i] > 1) dimensions_ = static_cast<cl::Uint>(i + 1);
  }
  if (blocks > kMaxBlocks) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: the grid has {} x {} x {} blocks; the limit is {} in all",
                      function_->name, launch.grid[0], launch.grid[1], launch.grid[2], kMaxBlocks);
  }
  if (threads > limits.max_block_threads) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: a block of {} threads was asked for; {} allows {}",
                      function_->name, threads, limits.name, limits.max_block_threads);
  }
  if (threads > function_->max_block_threads) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall,
                      "{}: a block of {} threads was asked for; this kernel runs with at most {} on {} (its registers and "
                      "local memory set the limit)",
                      function_->name, threads, function_->max_block_threads, limits.name);
  }
  for (const std::uint64_t cluster : launch.cluster) {
    if (cluster > 1) {
      return fill_error(error, BSC_UNSUPPORTED, kCall, "{}: OpenCL has no block clusters", function_->name);
    }
  }
  if ((launch.flags & BSC_LAUNCH_COOPERATIVE) != 0) {
    return fill_error(error, BSC_UNSUPPORTED, kCall, "{}: OpenCL has no cooperative launches", function_->name);
  }
  return BSC_OK;
}

bsc_status PreparedLaunch::set(cl::Uint index, std::size_t bytes, const void* value, std::uint64_t number,
                               bsc_plugin_error* error) {
  const cl::Int code = device_->api().clSetKernelArg(kernel_.get(), index, bytes, value);
  if (code == cl::kSuccess) return BSC_OK;
  bsc_status status = status_of(code);
  if (status == BSC_INTERNAL) status = BSC_INVALID_ARGUMENT;
  return backend::fill_vendor_error(error, device_->note(status), "clSetKernelArg", {code, error_name(code)},
                                    "{}: argument {} ({} bytes for the kernel's parameter {}) is refused with {}; check the "
                                    "parameter's type",
                                    function_->name, number, bytes, index, error_name(code));
}

bsc_status PreparedLaunch::plain_buffer(const bsc_plugin_argument& argument, Memory& memory, std::uint64_t number,
                                        cl::Mem& buffer, bsc_plugin_error* error) {
  buffer = memory.buffer.get();
  if (argument.offset == 0 || argument.bytes == 0) return BSC_OK;
  const std::uint64_t alignment = device_->properties.base_alignment;
  if (argument.offset % alignment != 0) {
    return fill_error(error, BSC_UNSUPPORTED, kCall,
                      "{}: argument {} starts at byte {} of its buffer; {} can pass a plain pointer only at multiples of {} "
                      "bytes. Let the kernel take base, byte offset and length (a split argument), which works at any offset",
                      function_->name, number, argument.offset, device_->properties.name, alignment);
  }
  const cl::BufferRegion region = {static_cast<std::size_t>(argument.offset), static_cast<std::size_t>(argument.bytes)};
  cl::Int code = cl::kSuccess;
  buffer = device_->api().clCreateSubBuffer(memory.buffer.get(), cl::kMemReadWrite, cl::kBufferCreateTypeRegion, &region, &code);
  BSC_PLUGIN_RETURN_IF_ERROR(device_->note(Check(error, function_->name)(code, "clCreateSubBuffer")));
  sub_buffers_.emplace_back(device_->api(), buffer);
  return BSC_OK;
}

bsc_status PreparedLaunch::set_buffer(const bsc_plugin_launch& launch, const bsc_plugin_argument& argument,
                                      std::uint64_t number, cl::Uint& index, bsc_plugin_error* error) {
  const bool split = (argument.flags & BSC_ARGUMENT_SPLIT) != 0;
  cl::Mem buffer = nullptr;
  if (argument.memory != nullptr || argument.bytes != 0) {
    Memory* memory = nullptr;
    BSC_PLUGIN_RETURN_IF_ERROR(find_memory(*device_, argument.memory, argument.offset, argument.bytes,
                                           fmt::format("{}: argument {}", function_->name, number), memory, error));
    if (memory->staged() && memory->bytes != 0) {
      return fill_error(error, BSC_UNSUPPORTED, kCall,
                        "{}: argument {} is host memory, which kernels on {} cannot reach (capability "
                        "kernels_reach_host_memory); copy it to device memory",
                        function_->name, number, device_->properties.name);
    }
    buffer = memory->buffer.get();
    if (!split) BSC_PLUGIN_RETURN_IF_ERROR(plain_buffer(argument, *memory, number, buffer, error));
  }
  argument_bytes_ += sizeof buffer;
  BSC_PLUGIN_RETURN_IF_ERROR(set(index++, sizeof buffer, &buffer, number, error));
  if (!split) return BSC_OK;
  BSC_PLUGIN_RETURN_IF_ERROR(check_blob(launch, argument, sizeof(std::uint64_t), number, error));
  argument_bytes_ += 2 * sizeof(std::uint64_t);
  BSC_PLUGIN_RETURN_IF_ERROR(set(index++, sizeof argument.offset, &argument.offset, number, error));
  return set(index++, sizeof(std::uint64_t), blob_at(launch, argument), number, error);
}

bsc_status PreparedLaunch::set_arguments(const bsc_plugin_launch& launch, bsc_plugin_error* error) {
  const backend::StridedSpan<bsc_plugin_argument> arguments(launch.arguments, launch.argument_count, launch.argument_stride);
  if (!arguments.valid()) return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "the argument array is null or has no stride");

  std::uint64_t parameters = 0;
  for (const bsc_plugin_argument& argument : arguments) {
    parameters += argument.kind == BSC_ARGUMENT_BUFFER && (argument.flags & BSC_ARGUMENT_SPLIT) != 0 ? 3 : 1;
  }
  if (parameters != function_->argument_count) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall,
                      "{} takes {} parameters; the launch gives {} (a split buffer counts as three: base, byte offset, length)",
                      function_->name, function_->argument_count, parameters);
  }

  cl::Uint index = 0;
  std::uint64_t number = 0;
  for (const bsc_plugin_argument& argument : arguments) {
    switch (argument.kind) {
      case BSC_ARGUMENT_VALUE:
        BSC_PLUGIN_RETURN_IF_ERROR(check_blob(launch, argument, argument.bytes, number, error));
        argument_bytes_ += argument.bytes;
        BSC_PLUGIN_RETURN_IF_ERROR(
            set(index++, static_cast<std::size_t>(argument.bytes), blob_at(launch, argument), number, error));
        break;
      case BSC_ARGUMENT_BUFFER:
        BSC_PLUGIN_RETURN_IF_ERROR(set_buffer(launch, argument, number, index, error));
        break;
      case BSC_ARGUMENT_LOCAL:
        local_bytes_ += argument.bytes;
        if (argument.bytes > device_->properties.local_bytes) break;  // refused below, with the sum
        BSC_PLUGIN_RETURN_IF_ERROR(
            set(index++, std::max<std::size_t>(static_cast<std::size_t>(argument.bytes), kLeastLocalBytes), nullptr, number, error));
        break;
      default:
        return fill_error(error, BSC_UNSUPPORTED, kCall, "{}: argument {} has the unknown kind {}", function_->name, number,
                          argument.kind);
    }
    ++number;
  }
  return BSC_OK;
}

bsc_status PreparedLaunch::prepare(Device& device, const bsc_plugin_launch& launch, bsc_plugin_error* error) {
  device_ = &device;
  auto* const function = backend::object_cast<Function>(launch.function, plugin_api());
  if (function == nullptr) return backend::fill_handle_error(error, kCall, launch.function, BSC_OBJECT_FUNCTION);
  if (&function->module.device != &device) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{} was loaded on {}, the queue belongs to {}", function->name,
                      function->module.device.properties.name, device.properties.name);
  }
  if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0) return BSC_OK;

  function_ = function;
  BSC_PLUGIN_RETURN_IF_ERROR(check_shape(launch, error));
  BSC_PLUGIN_RETURN_IF_ERROR(function->borrow(kernel_, error));
  BSC_PLUGIN_RETURN_IF_ERROR(set_arguments(launch, error));
  const DeviceProperties& limits = device.properties;
  if (argument_bytes_ > limits.max_argument_bytes) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall, "{}: the arguments take {} bytes; {} allows {}", function->name,
                      argument_bytes_, limits.name, limits.max_argument_bytes);
  }
  const std::uint64_t local_bytes = local_bytes_ + function->static_local_bytes;
  if (local_bytes > limits.local_bytes) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, kCall,
                      "{}: a block needs {} bytes of local memory ({} of them fixed in the kernel); {} has {}", function->name,
                      local_bytes, function->static_local_bytes, limits.name, limits.local_bytes);
  }
  if (launch.shared_bytes > local_bytes_) {
    return fill_error(error, BSC_UNSUPPORTED, kCall,
                      "{}: {} bytes of dynamic shared memory were asked for, its local arguments take {}. OpenCL C kernels "
                      "receive shared memory as __local pointer parameters",
                      function->name, launch.shared_bytes, local_bytes_);
  }
  return BSC_OK;
}

bsc_status PreparedLaunch::enqueue(const cl::Api& api, cl::CommandQueue queue, cl::Uint wait_count,
                                   const cl::Event* wait_list, cl::Event* out_event, bsc_plugin_error* error) const {
  BSC_VENDOR_RETURN_IF_ERROR(Check(error, function_->name), api, clEnqueueNDRangeKernel, queue, kernel_.get(), dimensions_,
                             nullptr, global_, block_, wait_count, wait_list, out_event);
  return BSC_OK;
}

}  // namespace bascule::opencl
