// Discovery: see discovery.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/discovery.hpp"

#include <sys/stat.h>

#include <map>

#include "core/platform/file.hpp"
#include "core/platform/paths.hpp"

namespace bascule::core {
namespace {

constexpr std::string_view kSuffix = ".json";

// Who may write there can have us run their code. Sticky or not makes no difference: adding a file is enough.
bool writable_by_everybody(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0;
}

void add_candidate(Discovery& discovery, Manifest manifest) {
  const Manifest* first = discovery.find(manifest.name);
  Candidate candidate{std::move(manifest), first == nullptr ? "" : first->path};
  discovery.candidates.push_back(std::move(candidate));
}

void search(const SearchDirectory& directory, DirectoryReport& report, Discovery& discovery) {
  auto names = list_directory(directory.path);
  if (!names.ok()) {
    report.note = names.error().status == BSC_NOT_FOUND ? "does not exist" : names.error().message;
    return;
  }
  if (writable_by_everybody(directory.path)) {
    report.note = "is writable by every user: not searched (run: chmod o-w " + directory.path + ")";
    return;
  }
  report.usable = true;
  for (const std::string& name : *names) {
    if (!name.ends_with(kSuffix) || name.size() == kSuffix.size()) continue;
    auto manifest = read_manifest(anchored(name, directory.path));
    if (manifest.ok()) {
      ++report.manifests;
      add_candidate(discovery, std::move(*manifest));
    } else {
      discovery.problems.push_back(
          {anchored(name, directory.path), name.substr(0, name.size() - kSuffix.size()), manifest.error().message});
    }
  }
  if (report.manifests == 0) report.note = "no manifest in it";
}

}  // namespace

const Manifest* Discovery::find(std::string_view name) const {
  for (const Candidate& candidate : candidates) {
    if (candidate.manifest.name == name) return &candidate.manifest;
  }
  return nullptr;
}

const FileProblem* Discovery::find_problem(std::string_view name) const {
  for (const FileProblem& problem : problems) {
    if (problem.stem == name) return &problem;
  }
  return nullptr;
}

std::vector<std::string> Discovery::names() const {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates) {
    if (candidate.shadowed_by.empty()) names.push_back(candidate.manifest.name);
  }
  return names;
}

std::vector<SearchDirectory> search_directories(const Config& config) {
  std::vector<SearchDirectory> directories;
  for (const std::string& path : config.plugin_path()) directories.push_back({path, config.origin("plugins.path")});
  if (const std::string own = own_library_directory(); !own.empty()) {
    directories.push_back({own + "/bascule/plugins", "beside the library"});
  }
  directories.push_back({BASCULE_INSTALLED_PLUGIN_DIRECTORY, "installed"});
  if (!config.user_plugin_directory().empty()) directories.push_back({config.user_plugin_directory(), "user's"});
  return directories;
}

Discovery discover(std::span<const SearchDirectory> directories) {
  Discovery discovery;
  std::map<std::string, std::string> searched;  // real path -> as written
  for (const SearchDirectory& directory : directories) {
    DirectoryReport report;
    report.path = directory.path;
    report.origin = directory.origin;
    const auto [first, is_new] = searched.emplace(real_path(directory.path), directory.path);
    if (is_new) {
      search(directory, report, discovery);
    } else {
      report.usable = true;
      report.note = "already searched as " + first->second;
    }
    discovery.directories.push_back(std::move(report));
  }
  return discovery;
}

}  // namespace bascule::core
