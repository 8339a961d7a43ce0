// Creating queues and submitting to them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/queue.hpp"

#include "backends/common/struct_access.hpp"
#include "backends/opencl/commands.hpp"
#include "backends/opencl/instance.hpp"
#include "backends/opencl/plugin.hpp"

namespace bascule::opencl {

using backend::fill_error;

Queue::Queue(Device& owner) : Object(owner.bsc_plugin_object::api), device(owner) {}

Queue::~Queue() {
  if (queue) device.api().clFinish(queue.get());
}

bsc_status Queue::create(bsc_plugin_error* error) {
  const cl::Api& api = device.api();
  cl::Int code = cl::kSuccess;
  const cl::CommandQueue created =
      api.clCreateCommandQueue(device.context.get(), device.id, cl::kQueueProfilingEnable, &code);
  BSC_PLUGIN_RETURN_IF_ERROR(device.note(Check(error, "cannot create a queue")(code, "clCreateCommandQueue")));
  queue = OwnedQueue(api, created);
  return BSC_OK;
}

bsc_status Queue::scratch(cl::Mem& buffer, bsc_plugin_error* error) {
  if (!scratch_) {
    cl::Int code = cl::kSuccess;
    const cl::Mem created =
        device.api().clCreateBuffer(device.context.get(), cl::kMemReadWrite, kScratchBytes, nullptr, &code);
    BSC_PLUGIN_RETURN_IF_ERROR(device.note(Check(error, "no buffer to copy host memory through")(code, "clCreateBuffer")));
    scratch_ = OwnedMem(device.api(), created);
  }
  buffer = scratch_.get();
  return BSC_OK;
}

bsc_status Queue::submit(const bsc_plugin_submission& submission, std::uint64_t* out_value, bsc_plugin_error* error) {
  {
    const std::lock_guard lock(mutex_);
    retire();
    if (failure_.status != BSC_OK) return report_failure(error);
  }
  CommandList commands(*this);
  BSC_PLUGIN_RETURN_IF_ERROR(commands.check(submission, error));

  Submission entry;
  const bsc_status status = commands.enqueue(entry, error);
  const std::lock_guard lock(mutex_);
  if (status != BSC_OK) {
    // The driver has a part of it and nothing can call that back: what is in the queue's buffers is no longer known.
    if (commands.started()) record_failure(status, cl::kSuccess, submitted_ + 1, "queue.submit");
    return status;
  }
  pending_.push_back(std::move(entry));
  *out_value = ++submitted_;
  return BSC_OK;
}

bsc_status queue_create(bsc_plugin_device handle, const bsc_plugin_queue_description* description,
                        bsc_plugin_queue* out_queue, bsc_plugin_error* error) {
  return backend::guarded(error, "queue.create", [&]() -> bsc_status {
    auto* const device = backend::object_cast<Device>(handle, plugin_api());
    if (device == nullptr) return backend::fill_handle_error(error, "queue.create", handle, BSC_OBJECT_DEVICE);
    if (out_queue == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "queue.create", "out_queue must not be null");
    BSC_PLUGIN_RETURN_IF_ERROR(device->check_usable("queue.create", error));
    if (description != nullptr && backend::read_struct(description).compute_unit_limit != 0) {
      return fill_error(error, BSC_UNSUPPORTED, "queue.create",
                        "OpenCL queues have no limit on compute units (capability queue_compute_unit_limit)");
    }
    auto queue = std::make_unique<Queue>(*device);
    BSC_PLUGIN_RETURN_IF_ERROR(queue->create(error));
    device->adopt(queue.get());
    *out_queue = queue.release();
    return BSC_OK;
  });
}

bsc_status queue_release(bsc_plugin_queue handle, bsc_plugin_error* error) {
  return backend::guarded(error, "queue.release", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "queue.release", handle, BSC_OBJECT_QUEUE);
    if (forked_since_open()) return BSC_OK;  // the parent's
    queue->device.disown(queue);
    delete queue;
    return BSC_OK;
  });
}

bsc_status queue_submit(bsc_plugin_queue handle, const bsc_plugin_submission* submission, std::uint64_t* out_value,
                        bsc_plugin_error* error) {
  return backend::guarded(error, "queue.submit", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "queue.submit", handle, BSC_OBJECT_QUEUE);
    if (submission == nullptr || out_value == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "submission and out_value must not be null");
    }
    BSC_PLUGIN_RETURN_IF_ERROR(queue->device.check_usable("queue.submit", error));
    return queue->submit(backend::read_struct(submission), out_value, error);
  });
}

}  // namespace bascule::opencl
