// See call.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/call.hpp"

#include <string>
#include <string_view>

#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/driver.hpp"
#include "backends/emulated/cuda/faults.hpp"

namespace bascule::emulated {
namespace {

thread_local bool per_thread_default = false;
thread_local unsigned host_functions = 0;

}  // namespace

PerThreadDefault::PerThreadDefault() : before_(per_thread_default) { per_thread_default = true; }
PerThreadDefault::~PerThreadDefault() { per_thread_default = before_; }
bool PerThreadDefault::active() { return per_thread_default; }

InsideHostFunction::InsideHostFunction() { ++host_functions; }
InsideHostFunction::~InsideHostFunction() { --host_functions; }

namespace call_details {

CUresult begin(const char* name, bool initialised) {
  const Driver& driver = Driver::get();
  if (initialised && (!driver.initialised() || driver.forked())) {
    return answer(name, CUDA_ERROR_NOT_INITIALIZED, driver.initialised() ? "the process forked after cuInit" : "cuInit was not called");
  }
  if (initialised && host_functions != 0) return answer(name, CUDA_ERROR_NOT_PERMITTED, "called from a function that a stream runs");
  const CUresult wanted = Faults::get().meet(name);
  if (wanted == CUDA_SUCCESS) return CUDA_SUCCESS;
  if (is_sticky(wanted)) {
    if (const auto context = current_context_if_any()) context->fail(wanted, std::string(name) + ": asked for by BASCULE_EMULATED_FAIL");
  }
  return answer(name, wanted, "asked for by BASCULE_EMULATED_FAIL");
}

CUresult answer(const char* name, CUresult code, const char* message) {
  const Driver& driver = Driver::get();
  // Work that is under way and names that are looked for are no failures.
  const bool look_up = code == CUDA_ERROR_NOT_FOUND && std::string_view(name).starts_with("cuGetProcAddress");
  if (driver.logs() && code != CUDA_ERROR_NOT_READY && !look_up) {
    const char* const result = name_of_result(code);
    driver.say(std::string(name) + " gives " + (result != nullptr ? result : "an unknown code") + ": " + message);
  }
  return code;
}

}  // namespace call_details
}  // namespace bascule::emulated
