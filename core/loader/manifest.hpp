// Manifest: the JSON file beside a plugin that says what it is, so that a wrong plugin is refused without being loaded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace bascule::core {

// A driver that computes on the host, for one architecture of GPU.
struct EmulatedDriver {
  std::string architecture;  // "sm_80"
  std::string path;          // of the library; need not exist
};

struct Manifest {
  std::string path;         // of the manifest itself
  std::string name;         // of the backend
  std::string plugin_path;  // of the shared object: in the same directory
  std::int64_t abi_major = 0;
  std::int64_t abi_minor_min = 0;
  std::int64_t abi_minor_max = 0;
  std::vector<std::string> formats;  // of images
  std::string package;               // that it came in; "" if unknown
  bool may_abort = false;            // its driver can end the process: probe it in a child first
  std::vector<EmulatedDriver> emulated;  // what the selector "emulated:ARCHITECTURE" can open instead of the real driver

  // The path of the one for an architecture; "" if there is none.
  std::string emulated_driver(std::string_view architecture) const;
};

// INVALID_CONFIG with the path and what is wrong. `path` is the manifest's, absolute.
Result<Manifest> parse_manifest(std::string_view json, const std::string& path);
// The same from the file; also IO_ERROR and NOT_FOUND.
Result<Manifest> read_manifest(const std::string& path);

// ABI_MISMATCH naming both versions and which side to upgrade, unless this library speaks the plugin's ABI.
Status check_manifest_abi(const Manifest& manifest);

}  // namespace bascule::core
