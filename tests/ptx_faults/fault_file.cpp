// See fault_file.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_faults/fault_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tests/support/simt_call.hpp"

extern "C" const bsc_simt_api* bascule_simt_query(void);

namespace bascule::simt::test {
namespace {

using bascule::test::empty_error;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) {
    part.erase(0, part.find_first_not_of(' '));
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string value_of(const std::string& line, const std::string& key) {
  const std::string head = "// " + key + ": ";
  return line.compare(0, head.size(), head) == 0 ? line.substr(head.size()) : std::string();
}

FaultFile read(const std::filesystem::path& path) {
  FaultFile file;
  file.name = path.stem().string();
  std::ifstream in(path);
  std::uint32_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    file.text += line + "\n";
    if (line.find("<-- fault") != std::string::npos) file.lines.push_back(number);
    if (const std::string kind = value_of(line, "kind"); !kind.empty()) file.kinds = split(kind, '|');
    if (const std::string launch = value_of(line, "launch"); !launch.empty()) {
      std::istringstream words(launch);
      for (std::string word; words >> word;) words >> (word == "grid" ? file.grid : file.block);
    }
    if (const std::string arguments = value_of(line, "arguments"); !arguments.empty()) {
      for (const std::string& argument : split(arguments, ',')) file.buffers.push_back(std::stoull(argument.substr(argument.find(' '))));
    }
    if (const std::string least = value_of(line, "at least"); !least.empty()) file.at_least = static_cast<unsigned>(std::stoul(least));
  }
  if (file.kinds.empty() || file.repaired() != file.lines.empty()) throw std::runtime_error(path.string() + ": the head and the marks do not fit");
  return file;
}

/// Unloads it in the end.
class Module {
 public:
  Module(const bsc_simt_api* api, bsc_simt_module* module) : api_(api), module_(module) {}
  ~Module() {
    if (module_ != nullptr) api_->unload(module_);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  operator bsc_simt_module*() const { return module_; }

 private:
  const bsc_simt_api* api_;
  bsc_simt_module* module_;
};

void read_report(const bsc_simt_api* api, bsc_simt_module* module, FaultRun& result) {
  char* text = nullptr;
  bsc_plugin_error error = empty_error();
  if (api->report(module, &text, &error) != BSC_OK) throw std::runtime_error(error.message);
  const nlohmann::json report = nlohmann::json::parse(text);
  api->release_text(text);
  for (const auto& finding : report.at("findings")) {
    result.findings.push_back({finding.at("kind"), finding.at("line"), finding.value("other_line", 0u)});
  }
}

}  // namespace

std::vector<FaultFile> read_fault_files() {
  std::vector<FaultFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(BASCULE_PTX_FAULTS)) {
    if (entry.path().extension() == ".ptx") files.push_back(read(entry.path()));
  }
  std::sort(files.begin(), files.end(), [](const FaultFile& a, const FaultFile& b) { return a.name < b.name; });
  return files;
}

FaultRun run_fault(const std::string& text, const FaultFile& how, std::uint64_t seed, unsigned threads, std::uint64_t watchdog_ns) {
  const bsc_simt_api* const api = bascule_simt_query();
  bsc_simt_options options = {};
  options.sanitize = 1;
  options.seed = seed;
  options.workers = threads;
  options.watchdog_ns = watchdog_ns;
  bsc_plugin_error error = empty_error();
  bsc_simt_module* loaded = nullptr;
  const std::string name = how.name + ".ptx";
  if (api->load(text.data(), text.size(), name.c_str(), &options, nullptr, &loaded, &error) != BSC_OK) return {"refused", error.message, {}};
  const Module module(api, loaded);

  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<std::vector<Line>> memory;
  std::vector<std::uint64_t> arguments;
  std::vector<bsc_simt_range> ranges;
  for (const std::uint64_t bytes : how.buffers) {
    memory.emplace_back(bytes / sizeof(Line) + 1);
    arguments.push_back(reinterpret_cast<std::uintptr_t>(memory.back().data()));
    ranges.push_back({arguments.back(), bytes});
  }
  bsc_simt_function_info info = {};
  bsc_simt_launch launch = {};
  if (!bascule::test::find_kernel(*api, module, "kernel", launch.function, info)) return {"refused", "no kernel named kernel", {}};
  arguments.resize(std::max<std::size_t>(arguments.size(), info.argument_bytes / 8 + 1));
  launch.grid[0] = how.grid;
  launch.block[0] = how.block;
  launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
  launch.arguments = arguments.data();
  launch.argument_bytes = info.argument_bytes;
  launch.ranges = ranges.data();
  launch.range_count = ranges.size();
  bsc_simt_job* job = nullptr;
  if (api->prepare(module, &launch, &job, &error) != BSC_OK) return {"refused", error.message, {}};
  FaultRun result;
  const bsc_status status = bascule::test::run_job(*api, job, threads, error);
  result.status = status == BSC_OK ? "ok" : status == BSC_TIMED_OUT ? "timeout" : status == BSC_LAUNCH_FAILED ? "finding" : "error";
  if (status != BSC_OK) result.message = error.message;
  read_report(api, module, result);
  return result;
}

}  // namespace bascule::simt::test
