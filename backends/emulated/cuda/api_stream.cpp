// Entries about streams and events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <chrono>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/capture.hpp"
#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/registry.hpp"
#include "backends/emulated/cuda/stream.hpp"

using namespace bascule::emulated;

namespace {

constexpr int kGreatestPriority = -5;

std::shared_ptr<Stream> stream_of(CUstream handle) { return current_context()->stream(handle); }
std::shared_ptr<Event> event_of(CUevent handle) { return Registry<Event>::get().at(handle, "event"); }

void create_stream(CUstream* out, unsigned flags, int priority) {
  need(out, "where the stream goes");
  if ((flags & ~unsigned{CU_STREAM_NON_BLOCKING}) != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}", flags);
  const auto context = current_context();
  auto stream = std::make_shared<Stream>(context, Stream::Kind::kCreated, flags, std::clamp(priority, kGreatestPriority, 0));
  context->add(stream);
  *out = Registry<Stream>::get().add<CUstream>(std::move(stream));
}

void record(CUevent event, CUstream stream, unsigned flags) {
  if (flags != CU_EVENT_RECORD_DEFAULT && flags != CU_EVENT_RECORD_EXTERNAL) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}", flags);
  const auto of = event_of(event);
  const auto to = stream_of(stream);
  if (of->context.lock() != to->context()) refuse(CUDA_ERROR_INVALID_HANDLE, "the event and the stream are of different contexts");
  if (flags == CU_EVENT_RECORD_EXTERNAL) {
    if (to->capture == nullptr) refuse(CUDA_ERROR_INVALID_VALUE, "an external record of an event is for captured streams");
    to->enqueue(Work(RecordWork{of}));
    return;
  }
  to->record(of);
}

// The operation that stands for an event's last record; null if it was never recorded.
std::shared_ptr<Operation> recorded(const std::shared_ptr<Event>& event) {
  const std::lock_guard lock(event->mutex);
  if (event->capture != nullptr) refuse(CUDA_ERROR_CAPTURED_EVENT, "the event was recorded in a captured stream");
  return event->recorded;
}

void check_context_of(const Event& event) {
  const auto context = event.context.lock();
  if (context == nullptr) refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the event's context is destroyed");
  context->check();
}

float milliseconds_between(CUevent start, CUevent end) {
  const auto first = event_of(start), second = event_of(end);
  if (((first->flags | second->flags) & CU_EVENT_DISABLE_TIMING) != 0) refuse(CUDA_ERROR_INVALID_HANDLE, "an event without timing has no time");
  check_context_of(*first);
  const auto from = recorded(first), to = recorded(second);
  if (from == nullptr || to == nullptr) refuse(CUDA_ERROR_INVALID_HANDLE, "an event was not recorded");
  Executor& executor = Executor::get();
  if (!executor.done(from) || !executor.done(to)) refuse(CUDA_ERROR_NOT_READY, "an event has not happened yet");
  return std::chrono::duration<float, std::milli>(executor.done_at(to) - executor.done_at(from)).count();
}

void capture_info(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph, const CUgraphNode** nodes, std::size_t* count) {
  need(status, "where the status goes");
  const auto stream = stream_of(handle);
  const auto capture = stream->capture;
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (capture == nullptr) return;
  *status = capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (id != nullptr) *id = capture->id;
  if (graph != nullptr) *graph = reinterpret_cast<CUgraph>(capture->graph.get());
  capture->handles.clear();
  for (const auto& node : stream->captured_at) capture->handles.push_back(reinterpret_cast<CUgraphNode>(node.get()));
  if (nodes != nullptr) *nodes = capture->handles.data();
  if (count != nullptr) *count = capture->handles.size();
}

}  // namespace

BASCULE_CUDA_ENTRY cuStreamCreate(CUstream *phStream, unsigned int Flags) {
  return call("cuStreamCreate", [&] { create_stream(phStream, Flags, 0); });
}

BASCULE_CUDA_ENTRY cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority) {
  return call("cuStreamCreateWithPriority", [&] { create_stream(phStream, flags, priority); });
}

// What is in it still runs.
BASCULE_CUDA_ENTRY cuStreamDestroy_v2(CUstream hStream) {
  return call("cuStreamDestroy_v2", [&] {
    const auto stream = Registry<Stream>::get().at(hStream, "stream");
    if (stream->capture != nullptr) stream->capture->invalid = true;
    stream->context()->remove(stream);
    Registry<Stream>::get().remove(stream.get());
  });
}

BASCULE_CUDA_ENTRY cuStreamGetPriority(CUstream hStream, int *priority) {
  return call("cuStreamGetPriority", [&] {
    need(priority, "where the priority goes");
    *priority = stream_of(hStream)->priority;
  });
}

BASCULE_CUDA_ENTRY cuStreamGetFlags(CUstream hStream, unsigned int *flags) {
  return call("cuStreamGetFlags", [&] {
    need(flags, "where the flags go");
    *flags = stream_of(hStream)->flags;
  });
}

BASCULE_CUDA_ENTRY cuStreamGetId(CUstream hStream, unsigned long long *streamId) {
  return call("cuStreamGetId", [&] {
    need(streamId, "where the number goes");
    *streamId = stream_of(hStream)->id;
  });
}

BASCULE_CUDA_ENTRY cuStreamGetCtx(CUstream hStream, CUcontext *pctx) {
  return call("cuStreamGetCtx", [&] {
    need(pctx, "where the context goes");
    *pctx = reinterpret_cast<CUcontext>(stream_of(hStream)->context().get());
  });
}

BASCULE_CUDA_ENTRY cuStreamGetDevice(CUstream hStream, CUdevice *device) {
  return call("cuStreamGetDevice", [&] {
    need(device, "where the device goes");
    *device = stream_of(hStream)->context()->device.ordinal;
  });
}

BASCULE_CUDA_ENTRY cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  return call("cuStreamWaitEvent", [&] {
    if (Flags != CU_EVENT_WAIT_DEFAULT && Flags != CU_EVENT_WAIT_EXTERNAL) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}", Flags);
    const auto event = event_of(hEvent);
    const auto stream = stream_of(hStream);
    if (Flags == CU_EVENT_WAIT_EXTERNAL) {
      if (stream->capture == nullptr) refuse(CUDA_ERROR_INVALID_VALUE, "an external wait for an event is for captured streams");
      stream->enqueue(Work(WaitWork{event}));
      return;
    }
    stream->wait_for(event);
  });
}

BASCULE_CUDA_ENTRY cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags) {
  return call("cuStreamAddCallback", [&] {
    if (callback == nullptr) refuse(CUDA_ERROR_INVALID_VALUE, "the callback is null");
    if (flags != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}; they must be 0", flags);
    const auto stream = stream_of(hStream);
    refuse_if_captured(*stream, "a callback");
    stream->enqueue(Work(HostWork{nullptr, userData, callback, hStream}));
  });
}

BASCULE_CUDA_ENTRY cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData) {
  return call("cuLaunchHostFunc", [&] {
    if (fn == nullptr) refuse(CUDA_ERROR_INVALID_VALUE, "the function is null");
    stream_of(hStream)->enqueue(Work(HostWork{fn, userData, nullptr, nullptr}));
  });
}

BASCULE_CUDA_ENTRY cuStreamQuery(CUstream hStream) {
  return call("cuStreamQuery", [&] {
    const auto stream = stream_of(hStream);
    refuse_if_captured(*stream, "asking for the end");
    if (!stream->idle()) refuse(CUDA_ERROR_NOT_READY, "work is under way");
    stream->context()->check();
  });
}

BASCULE_CUDA_ENTRY cuStreamSynchronize(CUstream hStream) {
  return call("cuStreamSynchronize", [&] {
    const auto stream = stream_of(hStream);
    refuse_if_captured(*stream, "waiting for the end");
    stream->wait();
    stream->context()->check();
  });
}

BASCULE_CUDA_ENTRY cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
  return call("cuStreamBeginCapture_v2", [&] {
    if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED) refuse(CUDA_ERROR_INVALID_VALUE, "mode {}", static_cast<int>(mode));
    begin_capture(stream_of(hStream), mode);
  });
}

BASCULE_CUDA_ENTRY cuStreamEndCapture(CUstream hStream, CUgraph *phGraph) {
  return call("cuStreamEndCapture", [&] {
    need(phGraph, "where the graph goes");
    *phGraph = nullptr;
    *phGraph = Registry<Graph>::get().add<CUgraph>(end_capture(*stream_of(hStream)));
  });
}

BASCULE_CUDA_ENTRY cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
  return call("cuStreamIsCapturing", [&] { capture_info(hStream, captureStatus, nullptr, nullptr, nullptr, nullptr); });
}

BASCULE_CUDA_ENTRY cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
    const CUgraphNode **dependencies_out, size_t *numDependencies_out) {
  return call("cuStreamGetCaptureInfo_v2", [&] { capture_info(hStream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out); });
}

BASCULE_CUDA_ENTRY cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
    const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out) {
  return call("cuStreamGetCaptureInfo_v3", [&] {
    capture_info(hStream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out);
    if (edgeData_out != nullptr) *edgeData_out = nullptr;  // every dependency is a whole one
  });
}

BASCULE_CUDA_ENTRY cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  return call("cuThreadExchangeStreamCaptureMode", [&] {
    need(mode, "the mode");
    if (*mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) refuse(CUDA_ERROR_INVALID_VALUE, "mode {}", static_cast<int>(*mode));
    *mode = exchange_capture_mode(*mode);
  });
}

BASCULE_CUDA_ENTRY cuEventCreate(CUevent *phEvent, unsigned int Flags) {
  return call("cuEventCreate", [&] {
    need(phEvent, "where the event goes");
    if ((Flags & CU_EVENT_INTERPROCESS) != 0) refuse(CUDA_ERROR_NOT_SUPPORTED, "events of several processes are not supported here");
    if ((Flags & ~unsigned{CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING}) != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}", Flags);
    *phEvent = Registry<Event>::get().add<CUevent>(std::make_shared<Event>(Flags, current_context()));
  });
}

BASCULE_CUDA_ENTRY cuEventDestroy_v2(CUevent hEvent) {
  return call("cuEventDestroy_v2", [&] { Registry<Event>::get().remove(event_of(hEvent).get()); });
}

BASCULE_CUDA_ENTRY cuEventRecord(CUevent hEvent, CUstream hStream) {
  return call("cuEventRecord", [&] { record(hEvent, hStream, CU_EVENT_RECORD_DEFAULT); });
}

BASCULE_CUDA_ENTRY cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  return call("cuEventRecordWithFlags", [&] { record(hEvent, hStream, flags); });
}

BASCULE_CUDA_ENTRY cuEventQuery(CUevent hEvent) {
  return call("cuEventQuery", [&] {
    const auto event = event_of(hEvent);
    if (!Executor::get().done(recorded(event))) refuse(CUDA_ERROR_NOT_READY, "the event has not happened yet");
    check_context_of(*event);
  });
}

BASCULE_CUDA_ENTRY cuEventSynchronize(CUevent hEvent) {
  return call("cuEventSynchronize", [&] {
    const auto event = event_of(hEvent);
    Executor::get().wait(recorded(event));
    check_context_of(*event);
  });
}

BASCULE_CUDA_ENTRY cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  return call("cuEventElapsedTime", [&] {
    need(pMilliseconds, "where the time goes");
    *pMilliseconds = milliseconds_between(hStart, hEnd);
  });
}

BASCULE_CUDA_ENTRY cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  return call("cuEventElapsedTime_v2", [&] {
    need(pMilliseconds, "where the time goes");
    *pMilliseconds = milliseconds_between(hStart, hEnd);
  });
}
