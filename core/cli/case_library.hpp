// A library of benchmark and self-test cases, opened at run time: the tools know no kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api.hpp"
#include "bascule/cases.h"

namespace bascule::cli {

class CaseLibrary {
 public:
  // path empty: libbascule_kernels.so beside libbascule.so. Throws Failure naming the file and the cause.
  explicit CaseLibrary(const std::string& path);
  CaseLibrary(const CaseLibrary&) = delete;
  CaseLibrary& operator=(const CaseLibrary&) = delete;

  const std::string& path() const { return path_; }
  const bsc_case_library& table() const { return *table_; }
  // "quick, llm, stream"
  std::string suite_names() const;
  PackageHandle package(bsc_instance* instance) const;
  // Throws Failure naming the suites there are.
  std::vector<const bsc_case*> cases(const std::string& suite, std::uint64_t max_device_bytes, double max_operations) const;

 private:
  std::string path_;
  const bsc_case_library* table_ = nullptr;  // the library stays loaded: its kernels may run until the process ends
};

// Inputs of one case and its judge.
using CaseDataHandle = std::unique_ptr<bsc_case_data, void (*)(bsc_case_data*)>;
CaseDataHandle make_case_data(const bsc_case& description, std::uint64_t seed);

}  // namespace bascule::cli
