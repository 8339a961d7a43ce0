// The command line of a run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/settings.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>

namespace bascule::gpu_run {

const char* const kHelp =
    "usage: run [--vendor nvidia|amd|mthreads|cpu] [--time-limit SECONDS] [--out DIR] [OPTION]...\n"
    "\n"
    "Checks and measures everything on this machine's GPU, unattended, inside the time limit: identifies card and driver,\n"
    "runs the conformance suite on the backend, then for each kernel, cheapest first, one child process that checks each\n"
    "variant against float64, one that measures it, and one that measures the vendor's BLAS library on the same inputs.\n"
    "A child that hangs or crashes ends alone. After each child the results so far are written again, so a run that is\n"
    "killed leaves what it had done. Needs a driver and glibc 2.35; no compiler, no SDK, no Python.\n"
    "\n"
    "  --vendor NAME         nvidia (as if nothing is given), amd, mthreads; cpu runs the same on this machine's processor\n"
    "  --time-limit SECONDS  for everything together (480); what does not fit is skipped and listed\n"
    "  --out DIR             where results go (./gpu-results); what an earlier run left there is replaced\n"
    "  --device SELECTOR     which device (the backend's first): cuda:1, uuid:HEX, pci:ADDRESS\n"
    "  --driver FILE         open this library instead of the vendor's\n"
    "  --emulated            the emulated CUDA driver that is part of the bundle: results are right, times are not a GPU's\n"
    "  --kernel NAME         only this kernel; may be repeated\n"
    "  --suite NAME          which shapes to measure: quick, llm, stream; auto (the default) takes what was made for each kernel\n"
    "  --bench-time SECONDS  of sampling per shape at the most (1)\n"
    "  --child-limit SECONDS the most that any one child may take (each kind has a limit of its own)\n"
    "  --peer-directory DIR  where libcublasLt.so or libhipblaslt.so is, such as nvidia/cublas/lib of a Python environment\n"
    "  --no-conformance --no-bench --no-peers   leave these out\n"
    "\n"
    "Writes into DIR: run.json (everything), report.html (to read), bench.json (for `bascule compare`), bench/ and logs/.\n"
    "\n"
    "Exit codes: 0 all passed; 1 a step failed, crashed or took too long; 2 wrong usage; 3 no device of this vendor can be used\n"
    "here (and the reason is printed); 4 a result is wrong; 5 all that ran passed, but the time was up before the end;\n"
    "6 interrupted; 7 DIR cannot be written.\n";

namespace {

double seconds(const std::string& option, const std::string& text, double least) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value) || value < least || value > 86400) {
    throw UsageError(option + " " + text + ": not a number of seconds from " + std::to_string(static_cast<int>(std::ceil(least))) + " to 86400");
  }
  return value;
}

std::string backend_of(const std::string& vendor) {
  static const std::map<std::string, std::string> kBackends = {{"nvidia", "cuda"}, {"amd", "hip"}, {"mthreads", "musa"}, {"cpu", "cpu"}};
  const auto found = kBackends.find(vendor);
  if (found == kBackends.end()) throw UsageError("--vendor " + vendor + ": the vendors are nvidia, amd, mthreads, and cpu for this machine's processor");
  return found->second;
}

// PREFIX of PREFIX/libexec/bascule/bascule-gpu-run
std::string own_prefix() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : self.parent_path().parent_path().parent_path().string();
}

std::string absolute(const std::string& path) { return path.empty() ? "" : std::filesystem::absolute(path).lexically_normal().string(); }

}  // namespace

Settings parse_settings(const std::vector<std::string>& words) {
  Settings s;
  bool emulated = false;
  s.vendor = "nvidia";
  const auto set = [](std::string& field) { return [&field](const std::string&, const std::string& value) { field = value; }; };
  const std::map<std::string, std::function<void(const std::string&, const std::string&)>> valued = {
      {"--vendor", set(s.vendor)},
      {"--out", set(s.out)},
      {"--device", set(s.selector)},
      {"--driver", set(s.driver)},
      {"--suite", set(s.suite)},
      {"--peer-directory", set(s.peer_directory)},
      {"--prefix", set(s.prefix)},
      {"--kernel", [&](const std::string&, const std::string& value) { s.kernels.push_back(value); }},
      {"--time-limit", [&](const std::string& option, const std::string& value) { s.time_limit = seconds(option, value, 1); }},
      {"--bench-time", [&](const std::string& option, const std::string& value) { s.bench_time = seconds(option, value, 0.01); }},
      {"--child-limit", [&](const std::string& option, const std::string& value) { s.child_limit = seconds(option, value, 0.1); }}};
  const std::map<std::string, std::function<void()>> flags = {{"--emulated", [&] { emulated = true; }},
                                                              {"--no-conformance", [&] { s.conformance = false; }},
                                                              {"--no-bench", [&] { s.bench = false; }},
                                                              {"--no-peers", [&] { s.peers = false; }},
                                                              {"--help", [&] { s.help = true; }},
                                                              {"-h", [&] { s.help = true; }}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i], value;
    const std::size_t equals = word.find('=');
    const bool joined = word.starts_with("--") && equals != std::string::npos;
    if (joined) {
      value = word.substr(equals + 1);
      word.resize(equals);
    }
    if (const auto flag = flags.find(word); flag != flags.end() && !joined) {
      flag->second();
      continue;
    }
    const auto option = valued.find(word);
    if (option == valued.end()) throw UsageError("unknown option " + words[i] + "; --help lists them");
    if (!joined && i + 1 == words.size()) throw UsageError(word + " needs a value");
    if (!joined) value = words[++i];
    if (value.empty()) throw UsageError(word + " needs a value");
    option->second(word, value);
  }
  s.backend = backend_of(s.vendor);
  if (s.selector.empty()) s.selector = s.backend + ":0";
  s.prefix = s.prefix.empty() ? own_prefix() : absolute(s.prefix);
  if (emulated) {
    if (s.vendor != "nvidia") throw UsageError("--emulated: only NVIDIA's driver can be emulated");
    if (!s.driver.empty()) throw UsageError("--emulated and --driver exclude each other");
    s.driver = s.prefix + "/lib/bascule/emulated/cuda/libcuda.so.1";
  }
  if (!s.driver.empty() && s.backend == "cpu") throw UsageError("--driver: the processor has none");
  s.driver = absolute(s.driver);
  s.out = absolute(s.out);
  s.peer_directory = absolute(s.peer_directory);
  return s;
}

}  // namespace bascule::gpu_run
