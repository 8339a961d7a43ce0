// bsc_error, and the guard that every public function's body runs in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <new>

#include "bascule/bascule.h"
#include "core/base/error.hpp"

struct bsc_error {
  bascule::core::Error error;
};

namespace bascule::core {

// Stores a new bsc_error in *out (if out is not NULL) and returns the status.
bsc_status report(bsc_error** out, Error error) noexcept;
bsc_status report_out_of_memory(bsc_error** out) noexcept;
bsc_status report_exception(bsc_error** out, const char* what) noexcept;

// Runs a body that returns Status; nothing it throws gets out.
template <class Body>
bsc_status guarded(bsc_error** error, Body&& body) noexcept {
  try {
    Status status = body();
    if (status.ok()) [[likely]]
      return BSC_OK;
    return report(error, status.take_error());
  } catch (const std::bad_alloc&) {
    return report_out_of_memory(error);
  } catch (const std::exception& exception) {
    return report_exception(error, exception.what());
  } catch (...) {
    return report_exception(error, "an exception of unknown type");
  }
}

inline Error invalid_argument(std::string message, std::string remedy = {}) {
  return Error{.status = BSC_INVALID_ARGUMENT, .message = std::move(message), .remedy = std::move(remedy)};
}

}  // namespace bascule::core
