// A library of cases: see case_library.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case_library.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace bascule::cli {

CaseLibrary::CaseLibrary(const std::string& path) : path_(path) {
  std::error_code error;
  if (path_.empty()) {
    // Without the development files there is no libbascule_kernels.so, only the name that programs are linked with.
    const std::filesystem::path plain = std::filesystem::path(library_directory()) / "libbascule_kernels.so";
    path_ = std::filesystem::exists(plain, error) ? plain.string() : plain.string() + ".0";
  }
  path_ = std::filesystem::absolute(path_, error).string();
  void* handle = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Failure(ExitCode::kUnavailable, "cannot open the case library: " + std::string(dlerror()),
                  "build or install the kernel library, or name one with --cases");
  }
  const auto function = reinterpret_cast<bsc_cases_function>(dlsym(handle, BSC_CASES_SYMBOL));
  table_ = function != nullptr ? function() : nullptr;
  if (table_ == nullptr || table_->size < sizeof(bsc_case_library) || table_->abi_version != BSC_CASES_ABI_VERSION) {
    throw Failure(ExitCode::kUsage, path_ + ": is not a case library of this version (it must export " BSC_CASES_SYMBOL ")",
                  "rebuild it against this version's bascule/cases.h");
  }
}

std::string CaseLibrary::suite_names() const {
  std::string names;
  for (std::uint32_t i = 0; i < table_->suite_count; ++i) names += (i ? ", " : "") + std::string(table_->suites[i]);
  return names;
}

PackageHandle CaseLibrary::package(bsc_instance* instance) const {
  return make<PackageHandle>([&](auto** out, auto** error) { return table_->package(instance, out, error); });
}

std::vector<const bsc_case*> CaseLibrary::cases(const std::string& suite, std::uint64_t max_device_bytes,
                                                double max_operations) const {
  std::vector<const bsc_case*> found;
  const bsc_case_request request = {sizeof request, suite.c_str(), max_device_bytes, max_operations};
  const auto visit = [](void* user, const bsc_case* description) {
    static_cast<std::vector<const bsc_case*>*>(user)->push_back(description);
    return 1;
  };
  const bsc_status status = table_->enumerate(&request, visit, &found);
  if (status == BSC_NOT_FOUND) {
    throw Failure(ExitCode::kUsage, "unknown suite '" + suite + "'", "the suites are " + suite_names());
  }
  if (status != BSC_OK) throw Failure(ExitCode::kFailed, path_ + ": listing its cases failed: " + bsc_status_name(status));
  return found;
}

CaseDataHandle make_case_data(const bsc_case& description, std::uint64_t seed) {
  bsc_case_data* data = nullptr;
  const bsc_status status = description.create(&description, seed, &data);
  if (status != BSC_OK) {
    throw Failure(ExitCode::kFailed, std::string("making the inputs of ") + description.label + " failed: " + bsc_status_name(status));
  }
  return {data, description.release};
}

}  // namespace bascule::cli
