// Entries about the driver itself: start, version, names of results, addresses of the other entries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <string>
#include <string_view>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/driver.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/faults.hpp"

using namespace bascule::emulated;

namespace {

struct Symbol {
  std::string_view name;
  int since;
  void* function;
  int per_thread_since;
  void* per_thread;
};

const Symbol kSymbols[] = {
#define BASCULE_SYMBOL(name, since, function) {#name, since, reinterpret_cast<void*>(&function), 0, nullptr},
#define BASCULE_SYMBOL_PER_THREAD(name, since, function, per_thread_since, per_thread) \
  {#name, since, reinterpret_cast<void*>(&function), per_thread_since, reinterpret_cast<void*>(&per_thread)},
#include "backends/emulated/cuda/symbols.inc"
#undef BASCULE_SYMBOL
#undef BASCULE_SYMBOL_PER_THREAD
};

CUdriverProcAddressQueryResult find_symbol(std::string_view name, int version, bool per_thread, void*& function) {
  function = nullptr;
  bool known = false;
  for (const Symbol& symbol : kSymbols) {  // later lines are of later versions
    if (symbol.name != name) continue;
    known = true;
    if (symbol.since > version) continue;
    const bool own = per_thread && symbol.per_thread != nullptr && symbol.per_thread_since <= version;
    function = own ? symbol.per_thread : symbol.function;
  }
  if (function != nullptr) return CU_GET_PROC_ADDRESS_SUCCESS;
  return known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
}

CUdriverProcAddressQueryResult look_up(const char* symbol, void** function, int version, cuuint64_t flags) {
  need(symbol, "the symbol");
  need(function, "where the function goes");
  if ((flags & ~cuuint64_t{3}) != 0 || flags == 3) refuse(CUDA_ERROR_INVALID_VALUE, "unknown flags {:#x}", flags);
  const Driver& driver = Driver::get();
  if (driver.initialised() && version > driver.gpu().driver_version) {
    refuse(CUDA_ERROR_INVALID_VALUE, "version {} is beyond the driver's, {}", version, driver.gpu().driver_version);
  }
  return find_symbol(symbol, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, *function);
}

// "CUDA_ERROR_OUT_OF_MEMORY" -> "out of memory"
std::string words_of(std::string_view name) {
  if (name.starts_with("CUDA_ERROR_")) name.remove_prefix(11);
  if (name == "CUDA_SUCCESS") return "no error";
  std::string words(name);
  std::transform(words.begin(), words.end(), words.begin(), [](char c) { return c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return words;
}

}  // namespace

BASCULE_CUDA_ENTRY cuInit(unsigned int Flags) {
  return call_anytime("cuInit", [&] {
    if (Flags != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}; they must be 0", Flags);
    if (Driver::get().forked()) refuse(CUDA_ERROR_NOT_INITIALIZED, "the process forked after cuInit");
    Driver::get().initialise();
  });
}

BASCULE_CUDA_ENTRY cuDriverGetVersion(int *driverVersion) {
  return call_anytime("cuDriverGetVersion", [&] {
    need(driverVersion, "the version");
    constexpr int kWithoutDescription = 13000;  // before cuInit nothing has been read
    const int described = Driver::get().initialised() ? Driver::get().gpu().driver_version : 0;
    *driverVersion = described != 0 ? described : kWithoutDescription;
  });
}

BASCULE_CUDA_ENTRY cuGetErrorName(CUresult error, const char **pStr) {
  return call_anytime("cuGetErrorName", [&] {
    need(pStr, "where the name goes");
    *pStr = name_of_result(error);
    if (*pStr == nullptr) refuse(CUDA_ERROR_INVALID_VALUE, "{} is no result", static_cast<int>(error));
  });
}

BASCULE_CUDA_ENTRY cuGetErrorString(CUresult error, const char **pStr) {
  return call_anytime("cuGetErrorString", [&] {
    need(pStr, "where the text goes");
    *pStr = nullptr;
    const char* const name = name_of_result(error);
    if (name == nullptr) refuse(CUDA_ERROR_INVALID_VALUE, "{} is no result", static_cast<int>(error));
    constexpr std::size_t kMost = 1000;  // above every code
    static const auto& texts = *[] {
      auto* const all = new std::string[kMost];
      for (int code = 0; code < static_cast<int>(kMost); ++code) {
        if (const char* const known = name_of_result(static_cast<CUresult>(code))) all[code] = words_of(known);
      }
      return reinterpret_cast<const std::string(*)[kMost]>(all);
    }();
    *pStr = texts[static_cast<std::size_t>(error)].c_str();
  });
}

BASCULE_CUDA_ENTRY cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
  return call_anytime("cuGetProcAddress", [&] {
    if (look_up(symbol, pfn, cudaVersion, flags) != CU_GET_PROC_ADDRESS_SUCCESS) {
      refuse(CUDA_ERROR_NOT_FOUND, "{} of version {} is not known", symbol, cudaVersion);
    }
  });
}

BASCULE_CUDA_ENTRY cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
    CUdriverProcAddressQueryResult *symbolStatus) {
  return call_anytime("cuGetProcAddress_v2", [&] {
    const CUdriverProcAddressQueryResult result = look_up(symbol, pfn, cudaVersion, flags);
    if (symbolStatus != nullptr) {
      *symbolStatus = result;
    } else if (result != CU_GET_PROC_ADDRESS_SUCCESS) {
      refuse(CUDA_ERROR_NOT_FOUND, "{} of version {} is not known", symbol, cudaVersion);
    }
  });
}
