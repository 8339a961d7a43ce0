// What every entry of the library goes through: failures and delays that were asked for, the state of the process, and the
// one place where a refusal becomes a result code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

#include "backends/emulated/cuda/include/cuda_results.h"

#define BASCULE_CUDA_ENTRY extern "C" __attribute__((visibility("default"))) CUresult

namespace bascule::emulated {

/// A call that is answered with something else than success. The text is for people: BASCULE_EMULATED_LOG=1 shows it.
class Refusal : public std::exception {
 public:
  Refusal(CUresult code, std::string message) : code_(code), message_(std::move(message)) {}
  [[nodiscard]] CUresult code() const { return code_; }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  CUresult code_;
  std::string message_;
};

template <class... Arguments>
[[noreturn]] void refuse(CUresult code, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  throw Refusal(code, fmt::format(format, std::forward<Arguments>(arguments)...));
}

inline void need(const void* pointer, const char* what) {
  if (pointer == nullptr) refuse(CUDA_ERROR_INVALID_VALUE, "{} is null", what);
}

/// While it lives, the default stream of this thread's calls is the thread's own.
class PerThreadDefault {
 public:
  PerThreadDefault();
  ~PerThreadDefault();
  PerThreadDefault(const PerThreadDefault&) = delete;
  PerThreadDefault& operator=(const PerThreadDefault&) = delete;

  static bool active();

 private:
  bool before_;
};

/// While it lives, this thread runs a function of the program's for a stream: it may not call the driver.
class InsideHostFunction {
 public:
  InsideHostFunction();
  ~InsideHostFunction();
  InsideHostFunction(const InsideHostFunction&) = delete;
  InsideHostFunction& operator=(const InsideHostFunction&) = delete;
};

namespace call_details {
/// Success, or what the call is to be answered with instead.
CUresult begin(const char* name, bool initialised);
CUresult answer(const char* name, CUresult code, const char* message);
}  // namespace call_details

/// Runs `body`, whose refusals become the result.
template <class Body>
CUresult call_anytime(const char* name, Body&& body, bool initialised = false) noexcept {
  try {
    if (const CUresult result = call_details::begin(name, initialised); result != CUDA_SUCCESS) return result;
    body();
    return CUDA_SUCCESS;
  } catch (const Refusal& refusal) {
    return call_details::answer(name, refusal.code(), refusal.what());
  } catch (const std::bad_alloc&) {
    return call_details::answer(name, CUDA_ERROR_OUT_OF_MEMORY, "the process has no memory left");
  } catch (const std::exception& exception) {
    return call_details::answer(name, CUDA_ERROR_UNKNOWN, exception.what());
  } catch (...) {
    return call_details::answer(name, CUDA_ERROR_UNKNOWN, "an unknown exception");
  }
}

/// The same for what may be called only after cuInit.
template <class Body>
CUresult call(const char* name, Body&& body) noexcept {
  return call_anytime(name, std::forward<Body>(body), true);
}

}  // namespace bascule::emulated
