// Doctor: the state of every known and every installed backend, found by probing each one in a child process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "core/config/config.hpp"
#include "core/loader/discovery.hpp"
#include "core/loader/verdict.hpp"

namespace bascule::core {

struct DoctorEntry {
  std::string name;
  Verdict verdict;
  std::string manifest_path;          // "" if there is none
  std::string package;                // that provides the backend
  std::vector<std::string> formats;   // of images, by the manifest
  std::vector<std::string> shadowed;  // manifests of the same name that do not count
  bool automatic = false;             // a part of auto
  bool configured = false;            // named in `backends`, or a part of auto where that is configured
  std::string option_fault;           // a configured option that the backend refuses; "" if none
  std::string note;                   // what the project says of the backend: "untested on hardware"
};

struct DoctorReport {
  std::vector<DoctorEntry> backends;  // known ones first, in the order of auto
  Discovery discovery;
  std::string cache_directory;  // "": in memory
};

struct DoctorOptions {
  std::vector<SearchDirectory> directories;  // instead of search_directories(config), for tests
  std::string probe_program;                 // "": find_probe_program()
  bool use_cache = true;                     // false: probe anew
};

// Loads nothing into this process. INVALID_CONFIG if the configuration names a backend that does not exist.
Result<DoctorReport> examine(const Config& config, const Environment& environment, const Log& log,
                             const DoctorOptions& options = {});

std::string doctor_to_json(const DoctorReport& report);

}  // namespace bascule::core
