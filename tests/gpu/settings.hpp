// What a run is told on its command line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace bascule::gpu_run {

struct Settings {
  std::string vendor;               // "nvidia", "amd", "mthreads", "cpu"
  std::string backend;              // "cuda", "hip", "musa", "cpu"
  std::string selector;             // "cuda:0"
  std::string driver;               // "" or the library to open instead of the vendor's
  double time_limit = 480;          // seconds for everything
  std::string out = "gpu-results";
  std::vector<std::string> kernels; // only these
  std::string suite = "auto";       // of bench; auto: the suite made for each kernel
  double bench_time = 1;            // seconds of sampling per case at the most
  double child_limit = 0;           // > 0: the most that any child may take
  std::string peer_directory;       // where the vendor's BLAS is, besides where the loader looks
  bool conformance = true, bench = true, peers = true;
  std::string prefix;               // the bundle: PREFIX/bin/bascule
  bool help = false;
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws UsageError. The prefix is where this program is installed, unless it is given.
Settings parse_settings(const std::vector<std::string>& words);
extern const char* const kHelp;

}  // namespace bascule::gpu_run
