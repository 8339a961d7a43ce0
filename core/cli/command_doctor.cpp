// `bascule doctor`: the state of every known and installed backend, why, and what to do about it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"

namespace bascule::cli {
namespace {

using Json = nlohmann::json;

std::string text(const Json& object, const char* key) { return printable(object.value(key, "")); }

// A long reason goes below its line, indented; each of its lines keeps its own.
void print_indented(const char* title, const std::string& message) {
  if (message.empty()) return;
  std::printf("    %s: ", title);
  for (const char c : message) {
    std::putchar(c);
    if (c == '\n') std::printf("      ");
  }
  std::putchar('\n');
}

void print_backend(const Json& backend, bool with_options) {
  const std::string version = text(backend, "version");
  std::printf("%-12s %s%s\n", text(backend, "name").c_str(), text(backend, "state").c_str(),
              version.empty() ? "" : ("  plugin " + version).c_str());
  print_indented("note", text(backend, "note"));
  print_indented("reason", printable_lines(backend.value("reason", "")));
  print_indented("remedy", printable_lines(backend.value("remedy", "")));
  print_indented("option refused", printable_lines(backend.value("option_fault", "")));
  print_indented("plugin", text(backend, "path"));
  print_indented("driver", text(backend, "driver_path"));
  for (const Json& device : backend.at("devices")) {
    std::printf("    device: %s (%s, %s%s) %s\n", text(device, "name").c_str(), text(device, "type").c_str(),
                text(device, "architecture").c_str(), device.value("emulated", false) ? ", EMULATED" : "", text(device, "driver").c_str());
  }
  if (with_options) {
    for (const Json& option : backend.at("options")) {
      const std::string fallback = text(option, "default");
      std::printf("    option %s (%s%s): %s\n", text(option, "name").c_str(), text(option, "type").c_str(),
                  fallback.empty() ? "" : (", default " + fallback).c_str(), text(option, "description").c_str());
    }
  }
  for (const Json& shadowed : backend.at("shadowed")) {
    std::printf("    not used: %s (another of this name was found first)\n", printable(shadowed.get<std::string>()).c_str());
  }
}

void print_report(const Json& report, bool with_options) {
  std::printf("Bascule %s\n\n", text(report, "version").c_str());
  for (const Json& backend : report.at("backends")) print_backend(backend, with_options);
  std::printf("\nplugin directories, in order:\n");
  for (const Json& directory : report.at("directories")) {
    const std::string note = text(directory, "note");
    std::printf("    %s (%s): %llu manifests%s\n", text(directory, "path").c_str(), text(directory, "origin").c_str(),
                static_cast<unsigned long long>(directory.value("manifests", std::uint64_t{0})), note.empty() ? "" : (", " + note).c_str());
  }
  for (const Json& problem : report.at("problems")) {
    std::printf("    problem: %s: %s\n", text(problem, "path").c_str(), text(problem, "message").c_str());
  }
  const std::string cache = text(report, "cache_directory");
  std::printf("cache: %s\n", cache.empty() ? "in memory only" : cache.c_str());
}

void require_usable(const Json& report, const std::string& name) {
  std::string names;
  for (const Json& backend : report.at("backends")) {
    if (backend.at("name") == name) {
      if (backend.at("state") == "OK") return;
      throw Failure(ExitCode::kUnavailable, "backend " + name + " is required and is " + backend.value("state", "") + ": " + backend.value("reason", ""),
                    backend.value("remedy", ""));
    }
    names += (names.empty() ? "" : ", ") + backend.value("name", "");
  }
  throw Failure(ExitCode::kUsage, "--require '" + name + "': no backend of that name", "the known ones are " + names);
}

}  // namespace

ExitCode run_doctor(const CommonOptions& common, const DoctorOptions& options) {
  const InstanceOptions instance_options(common);
  const std::string answer =
      make_text([&](char** out, bsc_error** error) { return bsc_query(instance_options.get(), "doctor", out, error); });
  const Json report = Json::parse(answer);
  if (common.json) {
    std::printf("%s\n", answer.c_str());
  } else {
    print_report(report, common.verbosity > 0);
  }
  for (const std::string& name : options.required) require_usable(report, name);
  return ExitCode::kSuccess;
}

}  // namespace bascule::cli
