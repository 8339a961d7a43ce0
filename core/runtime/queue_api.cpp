// The queue, event and graph part of the C API.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/error_handle.hpp"
#include "core/runtime/event.hpp"
#include "core/runtime/graph.hpp"
#include "core/runtime/queue.hpp"
#include "core/runtime/sized.hpp"

using namespace bascule::core;

extern "C" {

bsc_status bsc_queue_create(bsc_device* device, const bsc_queue_options* options, bsc_queue** out, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(device);
    if (!out) return invalid_argument("out is NULL");
    BSC_CHECK_USABLE(device->instance());
    auto read = read_sized(options, "bsc_queue_options");
    if (!read.ok()) return read.take_error();
    auto queue = bsc_queue::create(*device, *read);
    if (!queue.ok()) return queue.take_error();
    *out = queue->detach();
    return {};
  });
}

bsc_queue* bsc_queue_retain(bsc_queue* queue) {
  if (is_handle(queue)) queue->retain();
  return queue;
}

void bsc_queue_release(bsc_queue* queue) { release_handle(queue); }

bsc_device* bsc_queue_device(const bsc_queue* queue) { return is_handle(queue) ? &queue->device() : nullptr; }

uint64_t bsc_queue_submitted(const bsc_queue* queue) { return is_handle(queue) ? queue->submitted() : 0; }

bsc_status bsc_queue_completed(bsc_queue* queue, uint64_t* out_value, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    if (!out_value) return invalid_argument("out_value is NULL");
    BSC_CHECK_USABLE(queue->instance());
    *out_value = queue->plugin_queue().timeline()->poll();
    return {};
  });
}

bsc_status bsc_queue_wait(bsc_queue* queue, uint64_t timeout_ns, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    BSC_CHECK_USABLE(queue->instance());
    return queue->wait(queue->submitted(), timeout_ns);
  });
}

bsc_status bsc_queue_wait_event(bsc_queue* queue, bsc_event* event, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    BSC_CHECK_HANDLE(event);
    BSC_CHECK_USABLE(queue->instance());
    BSC_CHECK_USABLE(event->instance());
    return queue->wait_event(*event);
  });
}

bsc_status bsc_queue_launch(bsc_queue* queue, bsc_kernel* kernel, const bsc_launch_options* options,
                            uint64_t argument_count, const bsc_argument* arguments, bsc_event** out_event,
                            bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    BSC_CHECK_HANDLE(kernel);
    if (!arguments && argument_count != 0) return invalid_argument("arguments is NULL");
    BSC_CHECK_USABLE(queue->instance());
    return queue->launch(*kernel, options, {arguments, argument_count}, out_event);
  });
}

bsc_status bsc_queue_copy(bsc_queue* queue, bsc_buffer* source, uint64_t source_offset, bsc_buffer* destination,
                          uint64_t destination_offset, uint64_t bytes, bsc_event** out_event, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    BSC_CHECK_HANDLE(source);
    BSC_CHECK_HANDLE(destination);
    BSC_CHECK_USABLE(queue->instance());
    return queue->copy(*source, source_offset, *destination, destination_offset, bytes, out_event);
  });
}

bsc_status bsc_queue_write(bsc_queue* queue, bsc_buffer* buffer, uint64_t offset, const void* data, uint64_t bytes,
                           bsc_event** out_event, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    BSC_CHECK_HANDLE(buffer);
    BSC_CHECK_USABLE(queue->instance());
    return queue->write(*buffer, offset, data, bytes, out_event);
  });
}

bsc_status bsc_queue_upload(bsc_queue* queue, bsc_buffer* buffer, uint64_t offset, const void* data, uint64_t bytes,
                            bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    BSC_CHECK_HANDLE(buffer);
    BSC_CHECK_USABLE(queue->instance());
    return queue->upload(*buffer, offset, data, bytes);
  });
}

bsc_status bsc_queue_read(bsc_queue* queue, bsc_buffer* buffer, uint64_t offset, void* data, uint64_t bytes,
                          bsc_event** out_event, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    BSC_CHECK_HANDLE(buffer);
    BSC_CHECK_USABLE(queue->instance());
    return queue->read(*buffer, offset, data, bytes, out_event);
  });
}

bsc_status bsc_queue_fill(bsc_queue* queue, bsc_buffer* buffer, uint64_t offset, uint64_t bytes, const void* pattern,
                          uint64_t pattern_bytes, bsc_event** out_event, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    BSC_CHECK_HANDLE(buffer);
    BSC_CHECK_USABLE(queue->instance());
    return queue->fill(*buffer, offset, bytes, pattern, pattern_bytes, out_event);
  });
}

bsc_status bsc_queue_allocate(bsc_queue* queue, uint64_t bytes, bsc_buffer** out, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    if (!out) return invalid_argument("out is NULL");
    BSC_CHECK_USABLE(queue->instance());
    return queue->allocate(bytes, out);
  });
}

bsc_status bsc_queue_record(bsc_queue* queue, bsc_event** out_event, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    if (!out_event) return invalid_argument("out_event is NULL");
    BSC_CHECK_USABLE(queue->instance());
    return queue->record(out_event);
  });
}

bsc_event* bsc_event_retain(bsc_event* event) {
  if (is_handle(event)) event->retain();
  return event;
}

void bsc_event_release(bsc_event* event) { release_handle(event); }

bsc_status bsc_event_wait(bsc_event* event, uint64_t timeout_ns, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(event);
    BSC_CHECK_USABLE(event->instance());
    return event->queue().wait(event->value(), timeout_ns);
  });
}

int bsc_event_done(bsc_event* event) {
  // In a forked child the work is not this process's: never done, and waiting for it says why.
  if (!is_handle(event) || event->instance().forked()) return 0;
  return event->queue().plugin_queue().timeline()->reached(event->value()) ? 1 : 0;
}

uint64_t bsc_event_value(const bsc_event* event) { return is_handle(event) ? event->value() : 0; }

bsc_status bsc_event_times(bsc_event* event, bsc_times* out_times, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(event);
    if (!out_times) return invalid_argument("out_times is NULL");
    BSC_CHECK_USABLE(event->instance());
    PluginQueue& queue = event->queue().plugin_queue();
    if (!queue.profiles()) {
      return Error{.status = BSC_INVALID_STATE,
                   .message = "the event's queue keeps no times",
                   .remedy = "create the queue with profile = 1"};
    }
    if (event->value() == 0) {
      return Error{.status = BSC_NOT_FOUND, .message = "the event was recorded before anything was submitted"};
    }
    BSC_RETURN_IF_ERROR(queue.wait(event->value(), BSC_FOREVER));
    bsc_times times{};
    BSC_RETURN_IF_ERROR(queue.times(event->value(), &times));
    write_sized(out_times, times);
    return {};
  });
}

bsc_status bsc_queue_begin_recording(bsc_queue* queue, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    BSC_CHECK_USABLE(queue->instance());
    return queue->begin_recording();
  });
}

bsc_status bsc_queue_end_recording(bsc_queue* queue, bsc_graph** out, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    if (!out) return invalid_argument("out is NULL");
    BSC_CHECK_USABLE(queue->instance());
    return queue->end_recording(out);
  });
}

bsc_graph* bsc_graph_retain(bsc_graph* graph) {
  if (is_handle(graph)) graph->retain();
  return graph;
}

void bsc_graph_release(bsc_graph* graph) { release_handle(graph); }

uint64_t bsc_graph_node_count(const bsc_graph* graph) { return is_handle(graph) ? graph->node_count() : 0; }

bsc_status bsc_graph_update_launch(bsc_graph* graph, uint64_t node, const bsc_launch_options* options,
                                   uint64_t argument_count, const bsc_argument* arguments, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(graph);
    if (!arguments && argument_count != 0) return invalid_argument("arguments is NULL");
    BSC_CHECK_USABLE(graph->instance());
    return graph->update_launch(node, options, {arguments, argument_count});
  });
}

bsc_status bsc_queue_replay(bsc_queue* queue, bsc_graph* graph, bsc_event** out_event, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(queue);
    BSC_CHECK_HANDLE(graph);
    BSC_CHECK_USABLE(queue->instance());
    return queue->replay(*graph, out_event);
  });
}

}  // extern "C"
