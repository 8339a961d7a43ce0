// What every fallible function inside core returns: an Error made where the cause is known, or a Result.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bascule/status.h"

namespace bascule::core {

// A failure as the user will read it. `message` names the cause with the values involved, `remedy` what to do about it.
struct Error {
  bsc_status status = BSC_INTERNAL;
  std::string message;
  std::string remedy = {};
  std::string backend = {};      // which backend it is about, if one
  std::string call = {};         // the failing vendor or system call
  std::string vendor_name = {};  // e.g. "CL_OUT_OF_RESOURCES"
  std::int64_t vendor_code = 0;
  bool retryable = false;
  std::uint64_t last_completed = 0;    // asynchronous errors: the fault lies in
  std::uint64_t first_incomplete = 0;  // (last_completed, first_incomplete]
};

// A value or an Error. Moves only; the error is behind a pointer so that success costs nothing.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }

  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

  const Error& error() const { return *error_; }
  Error take_error() { return std::move(*error_); }

 private:
  std::optional<T> value_;
  std::unique_ptr<Error> error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }
  Error take_error() { return std::move(*error_); }

 private:
  std::unique_ptr<Error> error_;
};

using Status = Result<void>;

// Propagates the error of a Status or Result expression.
#define BSC_RETURN_IF_ERROR(expression)                  \
  do {                                                   \
    auto bsc_result_ = (expression);                     \
    if (!bsc_result_.ok()) return bsc_result_.take_error(); \
  } while (false)

}  // namespace bascule::core
