// How a plugin's entries fail: one call that fills bsc_plugin_error where the cause is known and returns the status, one
// macro that passes a failure on, one that checks a vendor call and records its name, and the guard that keeps C++
// exceptions from crossing the ABI.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>
#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace bascule::backend {

// What a vendor library said.
struct VendorError {
  std::int64_t code = 0;
  std::string_view name = {};  // "CL_OUT_OF_RESOURCES"
};

// Writes what the receiver's struct has room for; texts are cut at a UTF-8 character and marked with "...". `error` may be
// nullptr. Returns `status`. Out of memory, a busy device and a time-out are marked retryable.
bsc_status set_error(bsc_plugin_error* error, bsc_status status, std::string_view call, VendorError vendor,
                     std::string_view message) noexcept;

// The interval (last_completed, first_incomplete] of submissions in which an asynchronous error lies.
void set_error_interval(bsc_plugin_error* error, std::uint64_t last_completed, std::uint64_t first_incomplete) noexcept;

// An error struct of the plugin's own, for work that may yet succeed: a caller's struct stays untouched where a call does.
// Texts and numbers are written by whoever fails; copy_error hands them on. `error` may be nullptr. Returns the code.
bsc_plugin_error own_error() noexcept;
bsc_status copy_error(bsc_plugin_error* error, const bsc_plugin_error& own) noexcept;

// A failure found by the plugin itself. `call`: the plugin entry or system call that failed ("queue.submit", "dlopen").
template <class... Arguments>
bsc_status fill_error(bsc_plugin_error* error, bsc_status status, std::string_view call,
                      fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  if (error == nullptr) return status;
  return set_error(error, status, call, {}, fmt::format(format, std::forward<Arguments>(arguments)...));
}

// A failure of a vendor call.
template <class... Arguments>
bsc_status fill_vendor_error(bsc_plugin_error* error, bsc_status status, std::string_view call, VendorError vendor,
                             fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  if (error == nullptr) return status;
  return set_error(error, status, call, vendor, fmt::format(format, std::forward<Arguments>(arguments)...));
}

// A handle that object_cast refused: says what was expected and what is known about the handle.
bsc_status fill_handle_error(bsc_plugin_error* error, std::string_view call, const bsc_plugin_object* handle,
                             std::uint32_t expected_kind) noexcept;

// Runs the body of an entry. Nothing that it throws leaves.
template <class Body>
bsc_status guarded(bsc_plugin_error* error, std::string_view call, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return set_error(error, BSC_OUT_OF_MEMORY, call, {}, "the host is out of memory");
  } catch (const std::exception& exception) {
    return set_error(error, BSC_INTERNAL, call, {}, exception.what());
  } catch (...) {
    return set_error(error, BSC_INTERNAL, call, {}, "an exception of unknown type; this is a fault of the plugin");
  }
}

// Passes on the failure of an expression that gives a bsc_status.
#define BSC_PLUGIN_RETURN_IF_ERROR(expression)                         \
  do {                                                                 \
    if (const bsc_status bsc_status_ = (expression); bsc_status_ != BSC_OK) return bsc_status_; \
  } while (false)

// Calls `table.function(...)` and, where it fails, returns what `check(code, "function")` made of it. `check` gives BSC_OK
// for the vendor's success code, else fills the error; so a message always carries the failing call's name.
#define BSC_VENDOR_RETURN_IF_ERROR(check, table, function, ...) \
  BSC_PLUGIN_RETURN_IF_ERROR((check)((table).function(__VA_ARGS__), #function))

}  // namespace bascule::backend
