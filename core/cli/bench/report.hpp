// The data of a benchmark run: everything that a table, a page or a later comparison needs, and every sample.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bascule::cli {

// Of one measured operation, in nanoseconds of wall time on the host, each phase apart.
struct Phases {
  double load = 0;      // choosing a variant, compiling and loading it
  double upload = 0;    // allocating buffers and copying inputs
  double first_call = 0;
  double warm_up = 0;
  double timed = 0;
  double download = 0;  // reading the outputs that were checked
  std::uint64_t warm_up_calls = 0;
};

struct CheckResult {
  bool pass = false;
  double worst_ratio = 0;        // largest |error| / allowed error
  std::uint64_t checked = 0;     // elements compared with the float64 reference
  std::uint64_t total = 0;       // elements there are; the rest is checked for having been written
  std::string message;           // why it failed
};

enum class RowState {
  measured,   // the result is right and there are times
  wrong,      // the result is wrong: no times
  failed,     // an error: no times
  checked,    // the result is right, and no times were taken: an emulated device's would say nothing about the one it stands for
  overhead,   // submit and wait only; of a backend that computes nothing, the only number there is
  unsupported,  // the kernel has no variant for the device: no times, and no fault
};

struct Row {
  std::string kernel, label, shape, shrunk;
  std::string device;            // index into Report::devices by id
  std::string variant, variant_class, variant_hash;
  std::string number_format, math_mode, distribution, cache_mode, clock;
  double bytes = 0;              // least traffic of one call
  double operations = 0;         // least operations of one call
  std::string operation_unit;
  std::uint64_t seed = 0;
  RowState state = RowState::failed;
  std::string error;             // of state failed; of state unsupported: why
  CheckResult check;
  Phases phases;
  std::uint64_t calls_per_sample = 1;
  std::vector<double> samples;   // ns per call, each > 0
  std::string stopped_by;        // "noise", "time limit", "sample count"
};

struct DeviceRecord {
  std::string id, backend, name, vendor, driver, driver_version, architecture, type, uuid, pci;
  bool emulated = false;
  std::uint64_t memory_bytes = 0, compute_units = 0;
};

struct Report {
  std::string suite;
  std::string cache_mode;
  std::string started;                        // UTC, ISO 8601
  std::string case_library, case_library_version;
  std::map<std::string, std::string> environment;  // host, processor, governor, kernel, library version, command line ...
  std::vector<DeviceRecord> devices;
  std::vector<Row> rows;

  const DeviceRecord* find_device(const std::string& id) const;
};

std::string_view name_of(RowState state);

// Text form: JSON, schema "bascule-bench-1". read throws Failure (usage) naming the file, the place and the cause.
std::string to_json(const Report& report);
Report read_report(const std::string& path);

}  // namespace bascule::cli
