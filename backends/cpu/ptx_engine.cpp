// See ptx_engine.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/ptx_engine.hpp"

#include <dlfcn.h>

#include <cstring>

#include "backends/common/error.hpp"
#include "backends/cpu/plugin.hpp"

namespace bascule::cpu {
namespace {

using backend::fill_error;

constexpr const char* kLibrary = "libbascule_simt.so";

std::string own_directory() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&plugin_api), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

bsc_status PtxEngine::open(const bsc_simt_api*& api, bsc_plugin_error* error) {
  const std::lock_guard lock(mutex_);
  if (api_ == nullptr) {
    const std::string path = (directory_.empty() ? own_directory() : directory_) + "/" + kLibrary;
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) {
      const char* const reason = dlerror();
      return fill_error(error, BSC_DRIVER_MISSING, "module.load",
                        "the engine for PTX images, {}, cannot be opened: {}. It is installed beside the cpu plugin; install "
                        "bascule again, whole",
                        path, reason != nullptr ? reason : "unknown");
    }
    const auto query = reinterpret_cast<bsc_simt_query_function>(dlsym(handle, BSC_SIMT_QUERY_SYMBOL));
    const bsc_simt_api* const found = query != nullptr ? query() : nullptr;
    if (found == nullptr || std::strcmp(found->abi, BSC_SIMT_ABI) != 0) {
      return fill_error(error, BSC_ABI_MISMATCH, "module.load",
                        "{} is of another build than the cpu plugin ({} against {}); install both from one build", path,
                        found != nullptr ? found->abi : "none", BSC_SIMT_ABI);
    }
    api_ = found;
  }
  api = api_;
  return BSC_OK;
}

}  // namespace bascule::cpu
