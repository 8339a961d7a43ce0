/* Errors of the C++ wrapper: bascule::Error, Result and Outcome. Include <bascule/bascule.hpp>.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CPP_ERROR_HPP
#define BASCULE_CPP_ERROR_HPP

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../bascule.h"

#if !defined(BASCULE_NO_EXCEPTIONS) && !defined(__cpp_exceptions)
#define BASCULE_NO_EXCEPTIONS
#endif
#ifdef BASCULE_NO_EXCEPTIONS
#define BASCULE_ERROR_FORM results
#else
#define BASCULE_ERROR_FORM exceptions
#endif

namespace bascule {
inline namespace BASCULE_ERROR_FORM {

/// A failure, with all that is known about it. Copying does not allocate.
class Error : public std::exception {
 public:
  /// Takes over `error` (may be null).
  Error(bsc_status status, bsc_error* error) : status_(status), error_(error, &bsc_error_release) {
    set_text(error ? bsc_error_message(error) : "", error ? bsc_error_remedy(error) : "");
  }
  Error(bsc_status status, const std::string& message, const std::string& remedy = {}) : status_(status) {
    set_text(message.c_str(), remedy.c_str());
  }

  /// "OUT_OF_MEMORY: cpu: allocating 8 bytes failed (release buffers)": name, message and remedy.
  const char* what() const noexcept override { return text_ ? text_->what.c_str() : bsc_status_name(status_); }
  bsc_status status() const noexcept { return status_; }
  /// The cause, one or more lines.
  const char* message() const noexcept { return text_ ? text_->message.c_str() : ""; }
  /// What to do about it; "" if unknown.
  const char* remedy() const noexcept { return text_ ? text_->remedy.c_str() : ""; }
  /// The backend it is about; "" if none.
  const char* backend() const noexcept { return bsc_error_backend(error_.get()); }
  /// The failing vendor or system call; "" if none.
  const char* call() const noexcept { return bsc_error_call(error_.get()); }
  std::int64_t vendor_code() const noexcept { return bsc_error_vendor_code(error_.get()); }
  /// "CL_OUT_OF_RESOURCES"; "" if none.
  const char* vendor_name() const noexcept { return bsc_error_vendor_name(error_.get()); }
  /// True if the same call may succeed later.
  bool retryable() const noexcept { return bsc_error_retryable(error_.get()) != 0; }
  /// Asynchronous errors lie in a submission in (last_completed, first_incomplete]; both 0 otherwise.
  std::uint64_t last_completed() const noexcept { return interval().first; }
  std::uint64_t first_incomplete() const noexcept { return interval().second; }

 private:
  struct Text {
    std::string message, remedy, what;
  };
  void set_text(const char* message, const char* remedy) {
    Text text{message, remedy, std::string(bsc_status_name(status_)) + ": " + message};
    if (!text.remedy.empty()) text.what += " (" + text.remedy + ")";
    text_ = std::make_shared<const Text>(std::move(text));
  }
  std::pair<std::uint64_t, std::uint64_t> interval() const noexcept {
    std::uint64_t last = 0, first = 0;
    bsc_error_interval(error_.get(), &last, &first);
    return {last, first};
  }

  bsc_status status_;
  std::shared_ptr<bsc_error> error_;
  std::shared_ptr<const Text> text_;
};

/// A value or an Error; what fallible calls return where there are no exceptions. Reading the value of a failed result
/// is a programming error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}
  bool ok() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const Error& error() const { return *error_; }

 private:
  std::optional<T> value_;
  std::optional<Error> error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  bool ok() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

#ifdef BASCULE_NO_EXCEPTIONS
template <class T>
using Outcome = Result<T>;
#else
template <class T>
using Outcome = T;
#endif

namespace internal {

#ifdef BASCULE_NO_EXCEPTIONS
template <class T>
Outcome<T> fail(Error error) {
  return error;
}
inline Outcome<void> success() { return {}; }
#else
template <class T>
[[noreturn]] Outcome<T> fail(Error error) {
  throw error;
}
inline void success() {}
#endif

inline Outcome<void> check(bsc_status status, bsc_error* error) {
  if (status != BSC_OK) return fail<void>(Error(status, error));
  return success();
}

}  // namespace internal

}  // namespace BASCULE_ERROR_FORM
}  // namespace bascule
#endif
