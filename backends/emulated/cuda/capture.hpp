// Stream capture: what enters a stream becomes nodes of a graph instead of being run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "backends/emulated/cuda/graph.hpp"
#include "backends/emulated/cuda/stream.hpp"

namespace bascule::emulated {

struct Capture {
  std::shared_ptr<Graph> graph;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  std::uint64_t id = 0;
  Stream* origin = nullptr;
  std::vector<std::shared_ptr<Stream>> streams;  // all that take part
  std::atomic<bool> invalid{false};
  std::vector<CUgraphNode> handles;  // what GetCaptureInfo gave out last
};

/// The three below: true when the stream is captured, and the work went into the graph. Throw Refusal where capture forbids it.
bool capture_takes(Stream& stream, Work& work);
bool capture_records(Stream& stream, const std::shared_ptr<Event>& event);
bool capture_waits(Stream& stream, const std::shared_ptr<Event>& event);

void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode);
/// Throws Refusal (STREAM_CAPTURE_*); the capture is over in any case.
std::shared_ptr<Graph> end_capture(Stream& stream);

/// Of calls that a capture cannot take and that would wait for the stream: invalidates it. Throws Refusal.
void refuse_if_captured(Stream& stream, const char* what);
/// Of calls that may wait for other work unseen (allocation, synchronising the context): they are forbidden while a capture is
/// under way that the calling thread's mode does not exempt. Throws Refusal.
void refuse_if_unsafe(const char* what);
/// The thread's mode; gives the one before.
CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode);

}  // namespace bascule::emulated
