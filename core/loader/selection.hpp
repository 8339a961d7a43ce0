// Selection: opens the backends that the configuration names, in its order, and records why each one is or is not used.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.hpp"
#include "core/loader/discovery.hpp"
#include "core/loader/opened_backend.hpp"
#include "core/loader/verdict.hpp"

namespace bascule::core {

struct BackendRecord {
  std::string name;
  bsc_status state = BSC_PLUGIN_MISSING;  // BSC_OK: usable; BSC_INVALID_STATE: installed, not looked at
  std::string reason;
  std::string remedy;
  std::string plugin_path;  // "" if none was found
  std::string version;
  std::string driver_path;
  std::size_t device_count = 0;
  bool considered = false;  // named by the configuration, or by auto
  bool selected = false;    // considered, usable, and open
};

struct Selection {
  std::vector<std::unique_ptr<OpenedBackend>> backends;  // in the configuration's order; never empty
  // All considered backends in that order, then the other known and found ones (which were not loaded).
  std::vector<BackendRecord> records;
  Discovery discovery;
  // Configured options of backends that were not opened: "backend.hip.streams (config.toml:3:1)".
  std::vector<std::string> unused;

  // Why the backends that are not used are not: "cuda: PLUGIN_MISSING; opencl: NO_DEVICE (...)". "" if all are.
  std::string skipped_text() const;
};

struct SelectionOptions {
  CacheStore* cache = nullptr;  // for the plugins' compiled code; must outlive the selection, like the log
  // Searched instead of search_directories(config), for tests.
  std::vector<SearchDirectory> directories;
  std::string probe_program;  // "": find_probe_program()
};

// The rules (docs/design/foundation.md): the list is tried exactly in its order, and nothing else is ever opened. A
// backend that is absent (plugin or driver missing, no device) is skipped with its reason; one that is present but
// broken is an error, in auto a warning; a single named one is required. Errors: the state of a required or broken
// backend, INVALID_CONFIG for a name that no backend has or a wrong option, NO_BACKEND with one line per backend.
Result<Selection> select_backends(const Config& config, const Environment& environment, const Log& log,
                                  const SelectionOptions& options = {});

// The library that a backend's plugin is to open, "" for its own list: the configured one, or the emulated driver that its
// manifest offers if `device` is "emulated:ARCHITECTURE".
std::string driver_of(const Config& config, const Manifest& manifest);

// Whether a backend in this state is simply not there, as opposed to broken.
bool is_absent(bsc_status state);

// The names that auto stands for, in order.
std::vector<std::string> automatic_backends();

// All names that a configuration may use: the known ones and those with a manifest.
std::vector<std::string> valid_backend_names(const Discovery& discovery);

// PLUGIN_MISSING with every searched directory and what was found there, or BROKEN for a manifest that cannot be read.
Verdict missing_plugin(const std::string& name, const Discovery& discovery);

// INVALID_CONFIG if a list or an option names a backend that does not exist, with the nearest valid name.
Status check_backend_names(const Config& config, const Discovery& discovery);

}  // namespace bascule::core
