// bsc_error and its accessors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/error_handle.hpp"

#include <memory>

#include "core/runtime/object.hpp"

namespace bascule::core {
namespace {

// Handed out when there is no memory for a new error object. It is never destroyed (errors may be read while the
// process exits), and its message needs no allocation: short enough for the string's own storage.
bsc_error* out_of_memory_error() noexcept {
  alignas(bsc_error) static unsigned char storage[sizeof(bsc_error)];
  static bsc_error* const error =
      new (storage) bsc_error{Error{.status = BSC_OUT_OF_MEMORY, .message = "no host memory"}};
  return error;
}

}  // namespace

bsc_status report(bsc_error** out, Error error) noexcept {
  const bsc_status status = error.status;
  if (!out) return status;
  auto* handle = new (std::nothrow) bsc_error{std::move(error)};
  *out = handle ? handle : out_of_memory_error();
  return status;
}

bsc_status report_out_of_memory(bsc_error** out) noexcept {
  if (out) *out = out_of_memory_error();
  return BSC_OUT_OF_MEMORY;
}

bsc_status report_exception(bsc_error** out, const char* what) noexcept {
  try {
    return report(out, Error{.status = BSC_INTERNAL,
                             .message = std::string("unexpected failure inside the library: ") + what,
                             .remedy = "please report this with the call that led to it"});
  } catch (...) {
    return report_out_of_memory(out);
  }
}

Error handle_error(const void* handle, const char* parameter) {
  if (!handle) return invalid_argument(std::string(parameter) + " is NULL");
  return Error{.status = BSC_INVALID_HANDLE,
               .message = std::string(parameter) + " is not a living handle of this kind",
               .remedy = "it was released, or is a handle of another kind or of another library"};
}

}  // namespace bascule::core

extern "C" {

bsc_status bsc_error_status(const bsc_error* error) { return error ? error->error.status : BSC_OK; }
const char* bsc_error_message(const bsc_error* error) { return error ? error->error.message.c_str() : ""; }
const char* bsc_error_remedy(const bsc_error* error) { return error ? error->error.remedy.c_str() : ""; }
const char* bsc_error_call(const bsc_error* error) { return error ? error->error.call.c_str() : ""; }
const char* bsc_error_backend(const bsc_error* error) { return error ? error->error.backend.c_str() : ""; }
int64_t bsc_error_vendor_code(const bsc_error* error) { return error ? error->error.vendor_code : 0; }
const char* bsc_error_vendor_name(const bsc_error* error) { return error ? error->error.vendor_name.c_str() : ""; }
int bsc_error_retryable(const bsc_error* error) { return error && error->error.retryable ? 1 : 0; }

void bsc_error_interval(const bsc_error* error, uint64_t* out_last_completed, uint64_t* out_first_incomplete) {
  if (out_last_completed) *out_last_completed = error ? error->error.last_completed : 0;
  if (out_first_incomplete) *out_first_incomplete = error ? error->error.first_incomplete : 0;
}

void bsc_error_release(bsc_error* error) {
  if (error != bascule::core::out_of_memory_error()) delete error;
}

}  // extern "C"
