// Creating queues, submitting to them, releasing them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/queue.hpp"

#include <algorithm>

#include "backends/common/struct_access.hpp"
#include "backends/cpu/commands.hpp"
#include "backends/cpu/failure.hpp"
#include "backends/cpu/instance.hpp"
#include "backends/cpu/plugin.hpp"

namespace bascule::cpu {

using backend::fill_error;

Queue::Queue(Device& owner, std::shared_ptr<WorkQueue> executor_queue)
    : Object(plugin_api()), device(owner), work(std::move(executor_queue)) {}

bsc_status Queue::close(bsc_plugin_error* error) {
  return report(device.instance.executor.close_queue(work), "queue.release", error);
}

bsc_status queue_create(bsc_plugin_device handle, const bsc_plugin_queue_description* description,
                        bsc_plugin_queue* out_queue, bsc_plugin_error* error) {
  return backend::guarded(error, "queue.create", [&]() -> bsc_status {
    auto* const device = backend::object_cast<Device>(handle, plugin_api());
    if (device == nullptr) return backend::fill_handle_error(error, "queue.create", handle, BSC_OBJECT_DEVICE);
    if (out_queue == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "queue.create", "out_queue must not be null");
    bsc_plugin_queue_description wanted = {};
    if (description != nullptr) wanted = backend::read_struct(description);
    Executor& executor = device->instance.executor;
    const auto limit = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted.compute_unit_limit, executor.compute_units()));
    const auto priority = wanted.priority > 0   ? WorkQueue::Priority::high
                          : wanted.priority < 0 ? WorkQueue::Priority::low
                                                : WorkQueue::Priority::normal;
    std::shared_ptr<WorkQueue> work;
    BSC_PLUGIN_RETURN_IF_ERROR(report(executor.create_queue(limit, priority, work), "queue.create", error));
    auto queue = std::make_unique<Queue>(*device, std::move(work));
    device->adopt(queue.get());
    *out_queue = queue.release();
    return BSC_OK;
  });
}

bsc_status queue_release(bsc_plugin_queue handle, bsc_plugin_error* error) {
  return backend::guarded(error, "queue.release", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "queue.release", handle, BSC_OBJECT_QUEUE);
    if (queue->device.instance.executor.forked()) return BSC_OK;  // the parent's
    BSC_PLUGIN_RETURN_IF_ERROR(queue->close(error));
    queue->device.disown(queue);
    delete queue;
    return BSC_OK;
  });
}

bsc_status queue_submit(bsc_plugin_queue handle, const bsc_plugin_submission* submission, uint64_t* out_value,
                        bsc_plugin_error* error) {
  return backend::guarded(error, "queue.submit", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "queue.submit", handle, BSC_OBJECT_QUEUE);
    if (submission == nullptr || out_value == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "submission and out_value must not be null");
    }
    BSC_PLUGIN_RETURN_IF_ERROR(queue->device.check_usable("queue.submit", error));
    const bsc_plugin_submission given = backend::read_struct(submission);
    if ((given.flags & ~std::uint64_t{BSC_SUBMIT_TIMES}) != 0) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "unknown submission flags {:#x}", given.flags);
    }
    CommandList commands;
    BSC_PLUGIN_RETURN_IF_ERROR(read_commands(queue->device, given, commands, error));
    std::uint64_t value = 0;
    const bool timed = (given.flags & BSC_SUBMIT_TIMES) != 0;
    BSC_PLUGIN_RETURN_IF_ERROR(
        report(queue->device.instance.executor.submit(*queue->work, std::move(commands), timed, value), "queue.submit", error));
    *out_value = value;
    return BSC_OK;
  });
}

}  // namespace bascule::cpu
