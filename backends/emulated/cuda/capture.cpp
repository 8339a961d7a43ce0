// See capture.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/capture.hpp"

#include <algorithm>
#include <set>

#include "backends/emulated/cuda/call.hpp"

namespace bascule::emulated {
namespace {

std::mutex captures_mutex;
std::vector<std::shared_ptr<Capture>>& captures() {
  static auto& all = *new std::vector<std::shared_ptr<Capture>>;
  return all;
}

std::atomic<std::uint64_t> next_id{1};
thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

std::vector<GraphNode*> pointers(const GraphNodes& nodes) {
  std::vector<GraphNode*> plain;
  for (const auto& node : nodes) plain.push_back(node.get());
  return plain;
}

void check_valid(const Capture& capture) {
  if (capture.invalid) refuse(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture was invalidated by an earlier call");
}

// Work in the default stream would have to wait for streams that are being captured.
void check_implicit(Stream& legacy) {
  const auto of = legacy.context();
  const std::lock_guard lock(captures_mutex);
  for (const auto& capture : captures()) {
    for (const auto& stream : capture->streams) {
      if ((stream->flags & CU_STREAM_NON_BLOCKING) != 0 || stream->context() != of) continue;
      capture->invalid = true;
      refuse(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "work in the default stream depends on a stream that is being captured");
    }
  }
}

}  // namespace

bool capture_takes(Stream& stream, Work& work) {
  if (stream.capture == nullptr) {
    if (stream.kind == Stream::Kind::kLegacy) check_implicit(stream);
    return false;
  }
  check_valid(*stream.capture);
  if (std::holds_alternative<FreeWork>(work)) {
    stream.capture->invalid = true;
    refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "memory cannot be freed in a captured stream here");
  }
  stream.captured_at = {stream.capture->graph->add(std::move(work), pointers(stream.captured_at))};
  return true;
}

bool capture_records(Stream& stream, const std::shared_ptr<Event>& event) {
  if (stream.capture == nullptr) {
    if (stream.kind == Stream::Kind::kLegacy) check_implicit(stream);
    return false;
  }
  check_valid(*stream.capture);
  const std::lock_guard lock(event->mutex);
  event->capture = stream.capture;
  event->captured_at = stream.captured_at;
  event->recorded = nullptr;
  return true;
}

bool capture_waits(Stream& stream, const std::shared_ptr<Event>& event) {
  std::shared_ptr<Capture> capture;
  GraphNodes at;
  {
    const std::lock_guard lock(event->mutex);
    capture = event->capture;
    at = event->captured_at;
  }
  if (capture == nullptr) {
    if (stream.capture == nullptr) return false;
    stream.capture->invalid = true;
    refuse(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "a captured stream waits for an event that was recorded outside of the capture");
  }
  check_valid(*capture);
  if (stream.kind == Stream::Kind::kLegacy) refuse(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the default stream cannot take part in a capture");
  if (stream.capture != nullptr && stream.capture != capture) {
    stream.capture->invalid = capture->invalid = true;
    refuse(CUDA_ERROR_STREAM_CAPTURE_MERGE, "two captures would become one");
  }
  if (stream.capture == nullptr) {
    stream.capture = capture;
    stream.captured_at.clear();
    const std::lock_guard lock(captures_mutex);
    capture->streams.push_back(stream.shared_from_this());
  }
  for (const auto& node : at) {
    if (std::find(stream.captured_at.begin(), stream.captured_at.end(), node) == stream.captured_at.end()) stream.captured_at.push_back(node);
  }
  return true;
}

void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode) {
  if (stream->kind == Stream::Kind::kLegacy) refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the default stream cannot be captured");
  if (stream->capture != nullptr) refuse(CUDA_ERROR_ILLEGAL_STATE, "the stream is being captured already");
  auto capture = std::make_shared<Capture>();
  capture->graph = std::make_shared<Graph>();
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->id = next_id++;
  capture->origin = stream.get();
  capture->streams = {stream};
  stream->capture = capture;
  stream->captured_at.clear();
  const std::lock_guard lock(captures_mutex);
  captures().push_back(std::move(capture));
}

std::shared_ptr<Graph> end_capture(Stream& stream) {
  const std::shared_ptr<Capture> capture = stream.capture;
  if (capture == nullptr) refuse(CUDA_ERROR_ILLEGAL_STATE, "the stream is not being captured");
  if (capture->origin != &stream) {
    capture->invalid = true;
    refuse(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "the capture was begun in another stream");
  }
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != std::this_thread::get_id()) {
    refuse(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "the capture was begun by another thread");
  }
  // All that was captured must lead to where the origin ends.
  std::set<const GraphNode*> reached;
  std::vector<GraphNode*> left = pointers(stream.captured_at);
  while (!left.empty()) {
    const GraphNode* const node = left.back();
    left.pop_back();
    if (reached.insert(node).second) left.insert(left.end(), node->after.begin(), node->after.end());
  }
  bool joined = true;
  for (const auto& other : capture->streams) {
    for (const auto& node : other->captured_at) joined = joined && reached.contains(node.get());
  }
  {
    const std::lock_guard lock(captures_mutex);
    std::erase(captures(), capture);
  }
  for (const auto& other : std::vector<std::shared_ptr<Stream>>(capture->streams)) {
    other->capture = nullptr;
    other->captured_at.clear();
  }
  const bool invalid = capture->invalid.exchange(true);  // events that were recorded in it lead nowhere now
  if (invalid || !joined) capture->graph->unregister();
  if (invalid) refuse(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture was invalidated by an earlier call");
  if (!joined) refuse(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "a stream that took part was not joined to the one where the capture began");
  return capture->graph;
}

void refuse_if_captured(Stream& stream, const char* what) {
  if (stream.capture == nullptr) return;
  stream.capture->invalid = true;
  refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "{} while the stream is being captured", what);
}

void refuse_if_unsafe(const char* what) {
  if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return;
  const std::lock_guard lock(captures_mutex);
  for (const auto& capture : captures()) {
    if (capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED) continue;
    const bool own = capture->thread == std::this_thread::get_id();
    if (!own && (capture->mode != CU_STREAM_CAPTURE_MODE_GLOBAL || thread_mode != CU_STREAM_CAPTURE_MODE_GLOBAL)) continue;
    capture->invalid = true;
    refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "{} while a stream is being captured", what);
  }
}

CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode) { return std::exchange(thread_mode, mode); }

}  // namespace bascule::emulated
