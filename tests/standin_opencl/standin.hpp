// A stand-in for libOpenCL.so.1: two devices in memory whose commands take effect when they are enqueued, and whose every
// function can be told to fail at its n-th call. What a test sets and reads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bascule::standin {

struct DeviceSettings {
  std::string name = "Stand-in";
  std::string version = "OpenCL 3.0 stand-in";
  std::string profile = "FULL_PROFILE";
  std::string extensions = "cl_khr_device_uuid cl_khr_pci_bus_info cl_intel_required_subgroup_size";
  std::uint64_t type = 1 << 2;  // GPU
  bool available = true;
  bool compiler = true;
  bool shared_memory = true;  // fine-grained
  std::uint32_t base_align_bits = 1024;
};

struct Failure {
  int after = 0;  // calls that still succeed
  std::int32_t code = 0;
};

struct Standin {
  int platforms = 1;
  std::vector<DeviceSettings> devices = {DeviceSettings{}, DeviceSettings{}};
  std::map<std::string, Failure> failures;  // by function; stays until the test takes it out
  std::map<std::string, int> calls;
  std::int32_t execution_status = 0;  // what commands end with
  bool hold = false;                  // commands stay unfinished until release()
  bool reject_binaries = false;
  std::int64_t objects = 0;  // created and not yet released
  std::string last_options;  // of clBuildProgram

  void (*reset)() = nullptr;
  void (*release)() = nullptr;  // finishes what was held
};

using StandinFunction = Standin* (*)();
inline constexpr const char* kStandinSymbol = "bascule_standin_opencl";

}  // namespace bascule::standin
