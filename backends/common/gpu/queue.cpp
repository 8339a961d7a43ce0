// Creating queues and submitting to them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/queue.hpp"

#include <algorithm>

#include "backends/common/struct_access.hpp"
#include "backends/common/gpu/commands.hpp"
#include "backends/common/gpu/context.hpp"
#include "backends/common/gpu/instance.hpp"
#include "backends/common/gpu/plugin.hpp"

namespace bascule::gpu {

using backend::fill_error;

Queue::Queue(Device& owner) : Object(owner.bsc_plugin_object::api), device(owner), staging_(owner) {}

// The device's context must be current.
Queue::~Queue() {
  if (stream != nullptr) device.release(device.api().stream_synchronize, stream);
  pending_.clear();
  abandoned_.clear();
  epoch_.reset();
  if (stream != nullptr) device.release(device.api().stream_destroy, stream);
  if (limited_.partition != nullptr && !device.is_lost()) vendor().destroy_limited_stream(device.api(), limited_);
}

int Queue::driver_priority(int wanted) const {
  int least = 0;
  int greatest = 0;  // the lowest number
  const Api& api = device.api();
  if (wanted == 0 || !api.stream_priorities || api.stream_priorities(&least, &greatest) != 0) return 0;
  return wanted > 0 ? greatest : least;
}

bsc_status Queue::create_stream(const bsc_plugin_queue_description& description, bsc_plugin_error* error) {
  const Api& api = device.api();
  const std::uint64_t limit = description.compute_unit_limit;
  const int priority = driver_priority(description.priority);
  if (limit == 0 || limit >= device.properties.compute_units) {
    return device.call(error, "cannot create a queue", api.stream_create, &stream, vendor().stream_flags, priority);
  }
  if (!vendor().limits_compute_units(api)) {
    return fill_error(error, BSC_UNSUPPORTED, "queue.create",
                      "this driver cannot limit a queue to some compute units (capability queue_compute_unit_limit)");
  }
  const CallResult result = vendor().create_limited_stream(api, device.properties, limit, priority, limited_);
  if (result.code != 0) {
    return device.fail(error, fmt::format("cannot create a queue on {} of {} compute units", limit, device.properties.compute_units),
                       result);
  }
  stream = limited_.stream;
  if (limited_.compute_units != limit) {
    device.instance.services.log(BSC_LOG_INFO, "{}: a queue limited to {} compute units has {}: they come in groups",
                                 vendor().backend, limit, limited_.compute_units);
  }
  return BSC_OK;
}

bsc_status Queue::create(const bsc_plugin_queue_description& description, bsc_plugin_error* error) {
  return create_stream(description, error);
}

bsc_status Queue::check_open(bsc_plugin_error* error) {
  const std::lock_guard lock(mutex_);
  retire();
  return failure_.status == BSC_OK ? device.check_usable("queue.submit", error) : report_failure(error);
}

bsc_status Queue::begin_times(Submission& entry, bsc_plugin_error* error) {
  const Api& api = device.api();
  if (epoch_ == nullptr) {
    Event epoch;
    BSC_PLUGIN_RETURN_IF_ERROR(device.events.take(true, epoch, error));
    BSC_PLUGIN_RETURN_IF_ERROR(device.call(error, "times", api.event_record, epoch.get(), stream));
    epoch_ = std::move(epoch);
  }
  BSC_PLUGIN_RETURN_IF_ERROR(device.events.take(true, entry.first, error));
  return device.call(error, "times", api.event_record, entry.first.get(), stream);
}

bsc_status Queue::end(Submission& entry, bool times, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(device.events.take(times, entry.last, error));
  return device.call(error, "the end of the work cannot be marked", device.api().event_record, entry.last.get(), stream);
}

bsc_status Queue::submit(const bsc_plugin_submission& submission, std::uint64_t* out_value, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(check_open(error));
  CommandList list(device);
  BSC_PLUGIN_RETURN_IF_ERROR(list.check(submission, error));
  const std::vector<CheckedCommand>& commands = list.commands();
  const bool anything = std::any_of(commands.begin(), commands.end(), [](const auto& command) { return !command.empty; });
  const auto work = [&](StreamTarget& target, bsc_plugin_error* failure) -> bsc_status {
    for (const CheckedCommand& command : commands) {
      if (!command.empty) BSC_PLUGIN_RETURN_IF_ERROR(enqueue_command(target, command, failure));
    }
    return BSC_OK;
  };
  return submit_work((submission.flags & BSC_SUBMIT_TIMES) != 0, anything, {}, work, out_value, error);
}

bsc_status queue_create(bsc_plugin_device handle, const bsc_plugin_queue_description* description,
                        bsc_plugin_queue* out_queue, bsc_plugin_error* error) {
  return backend::guarded(error, "queue.create", [&]() -> bsc_status {
    auto* const device = backend::object_cast<Device>(handle, plugin_api());
    if (device == nullptr) return backend::fill_handle_error(error, "queue.create", handle, BSC_OBJECT_DEVICE);
    if (out_queue == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "queue.create", "out_queue must not be null");
    BSC_PLUGIN_RETURN_IF_ERROR(device->check_usable("queue.create", error));
    bsc_plugin_queue_description wanted = {};
    if (description != nullptr) wanted = backend::read_struct(description);
    ContextScope scope;
    BSC_PLUGIN_RETURN_IF_ERROR(scope.enter(*device, error));
    auto queue = std::make_unique<Queue>(*device);
    BSC_PLUGIN_RETURN_IF_ERROR(queue->create(wanted, error));
    device->adopt(queue.get());
    *out_queue = queue.release();
    return BSC_OK;
  });
}

bsc_status queue_release(bsc_plugin_queue handle, bsc_plugin_error* error) {
  return backend::guarded(error, "queue.release", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "queue.release", handle, BSC_OBJECT_QUEUE);
    Device& device = queue->device;
    if (device.instance.is_forked()) return BSC_OK;  // the parent's
    ContextScope scope;
    if (!device.is_lost()) BSC_PLUGIN_RETURN_IF_ERROR(scope.enter_context(device, error));
    device.disown(queue);
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
    ContextScope scope;
    BSC_PLUGIN_RETURN_IF_ERROR(queue->enter(scope, "queue.submit", error));
    return queue->submit(backend::read_struct(submission), out_value, error);
  });
}

}  // namespace bascule::gpu
