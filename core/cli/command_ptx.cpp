// `bascule ptx check`: what is in a PTX file, and what of it cannot run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "core/platform/process.hpp"

namespace bascule::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kShownOperations = 20;

std::string describe(const std::string& file) {
  core::ProcessOptions process;
  process.program = helper_program("bascule-ptx-check");
  process.arguments = {library_directory() + "/bascule/plugins/libbascule_simt.so", file};
  process.time_limit = std::chrono::minutes(2);
  process.max_output_bytes = std::size_t{1} << 28;
  auto result = core::run_process(process);
  if (!result.ok()) throw Failure(ExitCode::kFailed, result.error().message, result.error().remedy);
  if (result->end == core::ProcessResult::End::kExit && result->code == 0) return std::move(result->output);
  if (result->end != core::ProcessResult::End::kExit) {
    throw Failure(ExitCode::kFailed, file + ": the front end ended without an answer", "report this file as a fault of Bascule");
  }
  const bool ours = result->code == 2;  // the library is missing
  throw Failure(ours ? ExitCode::kUnavailable : ExitCode::kUsage, result->errors,
                ours ? "install the cpu plugin with its engine" : "give a PTX text for sm_50 to sm_90a, PTX ISA up to 9.0");
}

std::string text_of(const Json& value, const char* key) {
  const auto found = value.find(key);
  return found == value.end() ? "" : found->is_string() ? found->get<std::string>() : found->dump();
}

void print_kernel(const Json& kernel) {
  std::printf("kernel %s\n", printable(text_of(kernel, "name")).c_str());
  for (const Json& parameter : kernel.value("parameters", Json::array())) {
    std::printf("  parameter %s: %s\n", printable(text_of(parameter, "name")).c_str(), printable(text_of(parameter, "type")).c_str());
  }
  for (const auto& [key, value] : kernel.items()) {
    if (key == "name" || key == "parameters" || value.is_array() || value.is_object() || value.is_null()) continue;
    std::printf("  %s: %s\n", key.c_str(), printable(text_of(kernel, key.c_str())).c_str());
  }
}

bool is_error(const Json& diagnostic) { return text_of(diagnostic, "severity") == "error"; }

bool has_errors(const Json& report) {
  const Json diagnostics = report.value("diagnostics", Json::array());
  return std::any_of(diagnostics.begin(), diagnostics.end(), is_error);
}

void print(const Json& report, const std::string& file) {
  // Of a text with errors nothing is known but them.
  if (!has_errors(report)) std::printf("PTX %s for %s\n", text_of(report, "version").c_str(), printable(text_of(report, "target")).c_str());
  for (const Json& kernel : report.value("kernels", Json::array())) print_kernel(kernel);
  for (const Json& diagnostic : report.value("diagnostics", Json::array())) {
    std::printf("%s:%s:%s: %s: %s\n", printable(file).c_str(), text_of(diagnostic, "line").c_str(), text_of(diagnostic, "column").c_str(), text_of(diagnostic, "severity").c_str(),
                printable(text_of(diagnostic, "message")).c_str());
  }
  std::uint64_t shown = 0;
  for (const Json& place : report.value("unsupported", Json::array())) {
    if (shown++ == kShownOperations) break;
    std::printf("unsupported: %s in %s, line %s\n", printable(text_of(place, "form")).c_str(), printable(text_of(place, "function")).c_str(), text_of(place, "line").c_str());
  }
  const std::uint64_t unsupported = report.value("unsupported_count", std::uint64_t{0});
  if (has_errors(report)) return;
  std::printf("%zu kernels, %llu instructions that cannot run\n", report.value("kernels", Json::array()).size(), static_cast<unsigned long long>(unsupported));
}

}  // namespace

ExitCode run_ptx_check(const CommonOptions& common, const PtxCheckOptions& options) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(options.file, error)) {
    throw Failure(ExitCode::kUsage, options.file + ": " + (error ? error.message() : "is not a regular file"), "give the path of a PTX file");
  }
  const std::string text = describe(options.file);
  const Json report = Json::parse(text, nullptr, false);
  if (report.is_discarded()) throw Failure(ExitCode::kFailed, "the engine's report is no JSON", "install bascule again, whole");
  if (common.json) {
    std::printf("%s", text.c_str());
  } else {
    print(report, options.file);
  }
  if (has_errors(report)) return ExitCode::kUsage;
  return report.value("unsupported_count", std::uint64_t{0}) == 0 ? ExitCode::kSuccess : ExitCode::kFailed;
}

}  // namespace bascule::cli
