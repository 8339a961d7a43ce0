// VerdictCache: remembers what probes found, so that a driver that is slow to start, or that crashes, is probed once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash.hpp"
#include "core/base/log.hpp"
#include "core/loader/verdict.hpp"
#include "core/platform/environment.hpp"

namespace bascule::core {

struct ProbeRequest {
  Manifest manifest;
  std::string driver;                  // configured path of the vendor's library; "" if none
  std::vector<BackendOption> options;  // configured for this backend
};

// What a verdict depends on, besides the driver that the probe found itself: manifest, plugin, configured driver (path,
// time, size of each), options, kernel release, boot id, user, this library's version, and the variables and files that
// the backend's entry in known_backends.json names.
Hash128 verdict_key(const ProbeRequest& request, const Environment& environment);

class VerdictCache {
 public:
  // `directory`: that of all caches; verdicts are in its "verdicts". "": remembers nothing. A directory that is not
  // ours or that others may write to is not used, with one warning.
  VerdictCache(std::string directory, const Log& log);

  // Nothing for an unknown key, a damaged file, a driver that has changed since, and an outdated failure.
  std::optional<Verdict> get(const Hash128& key) const;
  void put(const Hash128& key, const Verdict& verdict);

 private:
  std::string file(const Hash128& key) const;

  std::string directory_;  // "" once it has turned out unusable
  const Log& log_;
};

// Removes all verdicts below the directory of all caches; the number removed.
std::uint64_t clear_verdicts(const std::string& cache_directory);

}  // namespace bascule::core
