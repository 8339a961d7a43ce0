// What operations may ask of the launch they run in: where memory is, the device's heap, where printed text goes, the
// sanitizer. Filled by the launch before its first block, shared by all its blocks and threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/simt/execute/group.hpp"

namespace bascule::simt {

class DeviceHeap;       // operations/device_heap.hpp
class LaunchSanitizer;  // sanitizer/launch_sanitizer.hpp

/// Memory that kernels may use, by the host's addresses.
struct MemoryRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::string name;      // of the variable; empty for a buffer of the launch
  bool constant = false; // .const
};

struct LaunchServices {
  virtual ~LaunchServices() = default;
  /// Text that the kernel prints (vprintf), one call per executed vprintf and thread. Thread-safe.
  virtual void print(std::string_view text) = 0;
  /// Keeps a finding after which the kernel goes on; the launch fails with it in the end. Thread-safe.
  virtual void keep(Finding finding) = 0;

  std::uint64_t arguments = 0;       // address of the kernel's parameters
  std::uint64_t argument_bytes = 0;
  std::uint64_t constants = 0;       // all .const variables, one after another
  std::uint64_t constant_bytes = 0;
  std::vector<MemoryRange> ranges;   // buffers of the launch, .global and .const variables; sanitize only
  std::uint64_t seed = 0;
  DeviceHeap* heap = nullptr;        // null: malloc answers null
  LaunchSanitizer* sanitizer = nullptr;  // null: nothing is checked beyond what faults on hardware
};

/// The handler that does what a function of the device's runtime does, called in place of the `call`; null: no such function.
/// Operands of the op, results first: vprintf {d.b32, format.b64, arguments.b64}, malloc {d.b64, bytes.b64}, free {pointer.b64},
/// __assertfail {message.b64, file.b64, line.b32, function.b64, character_bytes.b64}; pointers are generic.
[[nodiscard]] Handler device_function(std::string_view name);

}  // namespace bascule::simt
