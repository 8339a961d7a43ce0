// A stand-in for the drivers of the cuda, hip and musa plugins: devices whose memory is the host's, with streams, events, copies
// and fills that work, and every function able to fail or to wait. It computes nothing: launches are refused. What a test sets
// and reads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bascule::standin {

struct DeviceSettings {
  std::string name = "Stand-in GPU (computes nothing)";
  std::string architecture = "gfx90a:sramecc+:xnack-";  // where the driver says one
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  int compute_units = 8;
};

struct Failure {
  int after = 0;   // calls that still succeed
  int code = 0;
  int times = -1;  // -1: from then on
};

struct Standin {
  int version = 0;  // what the driver says; 0: a current one
  std::vector<DeviceSettings> devices = {DeviceSettings{}, DeviceSettings{}};
  std::map<std::string, Failure> failures;        // by the vendor's name of the function
  std::map<std::string, int> delays_microseconds;  // likewise
  std::map<std::string, int> calls;
  bool hold = false;          // commands stay unfinished until release()
  int fault = 0;              // a code that every call gives from now on, as after a kernel's fault
  bool refuse_machine_code = false;  // modules that were compiled before
  bool refuse_graph_updates = false;
  std::int64_t objects = 0;   // created and not yet released, contexts included
  std::uint64_t allocated_bytes = 0;
  std::uint64_t pooled_bytes = 0;  // freed, and kept by pools
  int contexts = 0;           // retained

  void (*reset)() = nullptr;
  void (*release)() = nullptr;  // finishes what was held
  void* (*context_now)() = nullptr;  // the calling thread's
  void (*set_context)(void*) = nullptr;
};

using StandinFunction = Standin* (*)();
inline constexpr const char* kStandinSymbol = "bascule_standin_gpu";

}  // namespace bascule::standin
