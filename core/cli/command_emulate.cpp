// `bascule emulate`: runs any program with a vendor's driver emulated, by putting the emulated driver's directory first on the
// program's loader path.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "commands.hpp"
#include "console.hpp"
#include "core/base/text.hpp"

namespace bascule::cli {
namespace {

std::string drivers_directory() { return library_directory() + "/bascule/emulated"; }

// The emulated drivers that are installed: each a directory.
std::string installed_drivers() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(drivers_directory(), error)) {
    if (entry.is_directory(error)) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

std::string directory_of(const std::string& driver) {
  const bool plain = !driver.empty() && driver.find('/') == std::string::npos && driver.front() != '.';
  const std::string directory = drivers_directory() + "/" + driver;
  std::error_code error;
  if (plain && std::filesystem::is_directory(directory, error)) return directory;
  throw Failure(ExitCode::kUsage, "no driver \"" + driver + "\" can be emulated; there are: " + installed_drivers(), "name one of these");
}

// The driver itself refuses a GPU that it does not know only in cuInit, where a program says anything.
void require_gpu(const std::string& gpu, const std::string& directory) {
  if (gpu.empty()) return;
  const bool is_path = gpu.find('/') != std::string::npos || gpu.ends_with(".toml");  // as the driver tells them apart
  std::error_code error;
  if (std::filesystem::is_regular_file(is_path ? gpu : directory + "/" + gpu + ".toml", error)) return;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  throw Failure(ExitCode::kUsage, "--gpu " + gpu + ": " + (is_path ? "there is no such file" : "no GPU of that name is described"),
                "name one of " + core::join(names, ", ") + ", or give the path of a description; " + directory + " has them to copy");
}

void set(const char* name, const std::string& value) {
  if (!value.empty()) setenv(name, value.c_str(), 1);
}

}  // namespace

ExitCode run_emulate(const CommonOptions&, const EmulateOptions& options) {
  if (options.command.empty()) {
    throw Failure(ExitCode::kUsage, "no program is given", "write bascule emulate " + options.driver + " -- PROGRAM [ARGUMENTS]");
  }
  std::string path = directory_of(options.driver);
  require_gpu(options.gpu, path);
  std::fprintf(stderr, "bascule: EMULATED: %s runs with the %s driver of %s; its times say nothing about a GPU\n", printable(options.command.front()).c_str(),
               options.driver.c_str(), path.c_str());
  if (const char* const before = std::getenv("LD_LIBRARY_PATH"); before != nullptr && *before != '\0') path += std::string(":") + before;
  set("LD_LIBRARY_PATH", path);
  set("BASCULE_EMULATED_GPU", options.gpu);
  set("BASCULE_EMULATED_FAIL", options.fail);
  set("BASCULE_EMULATED_DELAY", options.delay);
  if (options.sanitize) set("BASCULE_EMULATED_SANITIZE", "1");
  if (options.explain) set("BASCULE_EMULATED_LOG", "1");

  std::vector<std::string> words = options.command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv.front(), argv.data());
  throw Failure(ExitCode::kFailed, "cannot run " + words.front() + ": " + std::strerror(errno), "check its path and its permissions");
}

}  // namespace bascule::cli
