// Discovery: looks through the plugin directories and records everything it meets, usable or not. Nothing is loaded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.hpp"
#include "core/loader/manifest.hpp"

namespace bascule::core {

// A directory to search, and why.
struct SearchDirectory {
  std::string path;
  std::string origin;  // "BASCULE_PLUGIN_PATH", "beside the library", ...
};

// What a directory held.
struct DirectoryReport {
  std::string path;
  std::string origin;
  std::size_t manifests = 0;  // valid ones
  bool usable = false;        // it could be searched
  std::string note;           // "does not exist", "no manifest in it", "is writable by every user: not searched", ...
};

struct Candidate {
  Manifest manifest;
  std::string shadowed_by;  // path of the manifest of the same name that was found first; "": this one counts
};

// An entry NAME.json that is no valid manifest.
struct FileProblem {
  std::string path;
  std::string stem;  // NAME
  std::string message;
};

struct Discovery {
  std::vector<DirectoryReport> directories;
  std::vector<Candidate> candidates;
  std::vector<FileProblem> problems;

  // The manifest that counts for a backend, or nullptr.
  const Manifest* find(std::string_view name) const;
  // The problem of a file that would have been the backend's manifest, or nullptr.
  const FileProblem* find_problem(std::string_view name) const;
  // Names of all backends that have a manifest, in the order found.
  std::vector<std::string> names() const;
};

// plugins.path, the directory beside our library, the installed one, the user's. Never the working directory.
std::vector<SearchDirectory> search_directories(const Config& config);

// Never fails: what cannot be read is recorded.
Discovery discover(std::span<const SearchDirectory> directories);

}  // namespace bascule::core
