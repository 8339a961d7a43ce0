// Verdict: what is known about a backend after looking at it, in this process or in a child, and its form as JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/loader/opened_backend.hpp"

namespace bascule::core {

struct Verdict {
  bsc_status state = BSC_PLUGIN_MISSING;  // BSC_OK: usable
  std::string reason;                     // why not; "" if usable
  std::string remedy;
  std::string call;  // that failed
  std::string vendor_name;
  std::int64_t vendor_code = 0;
  std::string plugin_path;  // links resolved
  std::string version;      // of the plugin
  std::string build;
  std::vector<DeviceSummary> devices;
  std::vector<OptionDescription> options;  // that the plugin declares

  // Of the vendor's library that was opened; "" if none or unknown.
  std::string driver_path() const;
};

Verdict verdict_of(const OpenedBackend& backend);
// Remedies that the error leaves open are filled in from what is known about the backend.
Verdict verdict_of(const std::string& backend, const Error& error);

std::string verdict_to_json(const Verdict& verdict);
// INVALID_CONFIG for anything that verdict_to_json did not write.
Result<Verdict> verdict_from_json(std::string_view json);

// What to do about a state, where nothing better is known.
std::string default_remedy(const std::string& backend, bsc_status state);

class JsonWriter;
// The members shared by the JSON of a verdict and of the doctor's report.
void write_devices(JsonWriter& json, const std::vector<DeviceSummary>& devices);
void write_options(JsonWriter& json, const std::vector<OptionDescription>& options);

}  // namespace bascule::core
