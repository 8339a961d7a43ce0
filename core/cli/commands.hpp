// The commands of `bascule`: what each is told on the command line, and its entry. Each returns the exit code of a run
// that went as it should, and throws Failure otherwise.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api.hpp"

namespace bascule::cli {

struct DoctorOptions {
  std::vector<std::string> required;  // backends that must be usable
};
ExitCode run_doctor(const CommonOptions& common, const DoctorOptions& options);

ExitCode run_devices(const CommonOptions& common);

struct ExplainOptions {
  std::string target;  // kernel name in the case library's package, or a package file
  std::string kernel;  // of a package file: only this one
  std::string cases;
};
ExitCode run_explain(const CommonOptions& common, const ExplainOptions& options);

struct SelftestOptions {
  std::string suite = "selftest";
  std::string kernel;  // "" for all
  std::string variant; // "" for each usable one
  std::string cases;
  std::uint64_t seed = 0;
  bool full_size = false;  // no case is made smaller or left out
};
ExitCode run_selftest(const CommonOptions& common, const SelftestOptions& options);

struct BenchOptions {
  std::string suite;
  std::string kernel;      // only this kernel
  std::string cases;
  std::string json_file, html_file;
  std::string cache_mode = "warm";
  double min_time = 0.3;   // seconds
  double max_time = 2.0;
  double margin = 0.01;
  std::uint64_t seed = 0;
  bool full_size = false;
  std::string command_line;
};
ExitCode run_bench(const CommonOptions& common, const BenchOptions& options);

struct CompareOptions {
  std::string a, b;
  std::string device_a, device_b;
  double margin = 0.01;
};
ExitCode run_compare(const CommonOptions& common, const CompareOptions& options);

ExitCode run_cache_info(const CommonOptions& common);
ExitCode run_cache_clear(const CommonOptions& common);
ExitCode run_config_show(const CommonOptions& common);

struct ConformOptions {
  std::string plugin;
  std::vector<std::string> arguments;  // handed on to the suite
};
ExitCode run_conform(const CommonOptions& common, const ConformOptions& options);

struct EmulateOptions {
  std::string driver;                // a directory of the emulated drivers: "cuda"
  std::vector<std::string> command;  // the program and its arguments
  std::string gpu, fail, delay;
  bool sanitize = false;
  bool explain = false;
};
ExitCode run_emulate(const CommonOptions& common, const EmulateOptions& options);

struct PackOptions {
  std::vector<std::string> specifications;  // JSON files, merged into one package
  std::string output;
};
ExitCode run_pack(const CommonOptions& common, const PackOptions& options);

struct CheckOptions {
  std::string package;
  std::string kernel, variant;  // "" for all
  std::uint64_t seed = 0;       // 0: a fresh one
  std::uint64_t seeds = 3;      // that many
  std::string time_limit = "60s";  // of one launch
};
ExitCode run_check(const CommonOptions& common, const CheckOptions& options);

struct PtxCheckOptions {
  std::string file;
};
ExitCode run_ptx_check(const CommonOptions& common, const PtxCheckOptions& options);

struct RunOptions {
  std::string target;      // FILE[:KERNEL]
  std::string grid, block, cluster;
  std::uint64_t shared_bytes = 0;
  std::string fill = "zero";
  std::string format;      // "" from the file's name
  std::string build_options;
  bool cooperative = false;
  bool time = false;
  bool sanitize = false;   // the next four: PTX on the cpu device
  bool trace = false;
  bool statistics = false;
  std::uint64_t seed = 0;
  std::vector<std::string> arguments;
};
ExitCode run_run(const CommonOptions& common, const RunOptions& options);

}  // namespace bascule::cli
