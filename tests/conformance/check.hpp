// What cases check with. A failed check throws CaseFailed with the place and what was seen.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>

namespace bascule::conformance {

[[noreturn]] void fail(std::string_view message, std::source_location where = std::source_location::current());
void expect(bool condition, std::string_view message, std::source_location where = std::source_location::current());

std::string status_name(bsc_status status);

// An error struct whose every byte is known before a call, so that afterwards it is known what was written.
class Error {
 public:
  Error() { reset(); }
  void reset();
  bsc_plugin_error* get() { return &raw_; }
  bool untouched() const;
  const bsc_plugin_error& raw() const { return raw_; }
  std::string message() const;
  bool says(std::string_view text) const { return message().find(text) != std::string::npos; }

 private:
  bsc_plugin_error raw_;
};

// A call must have succeeded and left the error as it was.
void expect_ok(bsc_status status, const Error& error, std::string_view what,
               std::source_location where = std::source_location::current());

// A call must have failed with one of `allowed` and filled the error: code, call and a message, all terminated.
void expect_refused(bsc_status status, const Error& error, std::initializer_list<bsc_status> allowed,
                    std::string_view what, std::source_location where = std::source_location::current());

void expect_message(const Error& error, std::string_view part, std::string_view what,
                    std::source_location where = std::source_location::current());

// Room for a struct with a guard behind every size of it: what a plugin writes beyond the size it was given is seen.
template <class T>
class Guarded {
 public:
  // `known`: how many bytes of the struct its reader claims to have compiled.
  Guarded(std::uint32_t type, std::size_t known) : known_(known) {
    std::memset(bytes_, kGuard, sizeof bytes_);
    const bsc_struct header = {static_cast<std::uint32_t>(known), type, nullptr};
    std::memcpy(bytes_, &header, sizeof header);
  }
  T* get() { return reinterpret_cast<T*>(bytes_); }
  bool guard_intact() const {
    for (std::size_t i = known_; i < sizeof bytes_; ++i) {
      if (bytes_[i] != kGuard) return false;
    }
    return true;
  }

 private:
  static constexpr unsigned char kGuard = 0xA7;
  std::size_t known_;
  alignas(T) unsigned char bytes_[sizeof(T) + 256];
};

}  // namespace bascule::conformance
