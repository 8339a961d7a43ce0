// Checks and their messages.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/check.hpp"

#include <algorithm>

#include "tests/conformance/case.hpp"

namespace bascule::conformance {
namespace {

constexpr unsigned char kPattern = 0x5C;

constexpr std::pair<bsc_status, const char*> kNames[] = {
    {BSC_OK, "OK"},
    {BSC_INVALID_ARGUMENT, "INVALID_ARGUMENT"},
    {BSC_INVALID_HANDLE, "INVALID_HANDLE"},
    {BSC_NOT_FOUND, "NOT_FOUND"},
    {BSC_UNSUPPORTED, "UNSUPPORTED"},
    {BSC_LIMIT_EXCEEDED, "LIMIT_EXCEEDED"},
    {BSC_INVALID_STATE, "INVALID_STATE"},
    {BSC_INVALID_CONFIG, "INVALID_CONFIG"},
    {BSC_INVALID_PACKAGE, "INVALID_PACKAGE"},
    {BSC_INVALID_IMAGE, "INVALID_IMAGE"},
    {BSC_BUILD_FAILED, "BUILD_FAILED"},
    {BSC_NO_VARIANT, "NO_VARIANT"},
    {BSC_IO_ERROR, "IO_ERROR"},
    {BSC_OUT_OF_MEMORY, "OUT_OF_MEMORY"},
    {BSC_TIMED_OUT, "TIMED_OUT"},
    {BSC_LAUNCH_FAILED, "LAUNCH_FAILED"},
    {BSC_DEVICE_LOST, "DEVICE_LOST"},
    {BSC_INTERNAL, "INTERNAL"},
    {BSC_PLUGIN_MISSING, "PLUGIN_MISSING"},
    {BSC_DRIVER_MISSING, "DRIVER_MISSING"},
    {BSC_STUB, "STUB"},
    {BSC_TOO_OLD, "TOO_OLD"},
    {BSC_BROKEN, "BROKEN"},
    {BSC_NO_DEVICE, "NO_DEVICE"},
    {BSC_NO_PERMISSION, "NO_PERMISSION"},
    {BSC_ABI_MISMATCH, "ABI_MISMATCH"},
    {BSC_CRASHED, "CRASHED"},
    {BSC_PROBE_TIMED_OUT, "PROBE_TIMED_OUT"},
    {BSC_FORKED, "FORKED"},
    {BSC_NO_BACKEND, "NO_BACKEND"},
};

template <std::size_t kSize>
bool terminated(const char (&text)[kSize]) {
  return std::memchr(text, '\0', kSize) != nullptr;
}

std::string describe(const Error& error) { return error.untouched() ? "no error text" : error.message(); }

}  // namespace

void fail(std::string_view message, std::source_location where) {
  std::string_view file = where.file_name();
  file.remove_prefix(file.rfind('/') + 1);
  throw CaseFailed(fmt::format("{}:{}: {}", file, where.line(), message));
}

void expect(bool condition, std::string_view message, std::source_location where) {
  if (!condition) fail(message, where);
}

std::string status_name(bsc_status status) {
  for (const auto& [value, name] : kNames) {
    if (value == status) return name;
  }
  return fmt::format("status {}", status);
}

void Error::reset() {
  std::memset(static_cast<void*>(&raw_), kPattern, sizeof raw_);
  raw_.header = {sizeof raw_, BSC_STRUCT_ERROR, nullptr};
}

bool Error::untouched() const {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&raw_);
  return raw_.header.size == sizeof raw_ && raw_.header.type == BSC_STRUCT_ERROR && raw_.header.next == nullptr &&
         std::all_of(bytes + sizeof(bsc_struct), bytes + sizeof raw_, [](unsigned char byte) { return byte == kPattern; });
}

std::string Error::message() const {
  return std::string(raw_.message, strnlen(raw_.message, sizeof raw_.message));
}

void expect_ok(bsc_status status, const Error& error, std::string_view what, std::source_location where) {
  if (status != BSC_OK) {
    fail(fmt::format("{}: expected OK, got {} ({})", what, status_name(status), describe(error)), where);
  }
  if (!error.untouched()) fail(fmt::format("{}: succeeded, but wrote to the error struct", what), where);
}

void expect_refused(bsc_status status, const Error& error, std::initializer_list<bsc_status> allowed,
                    std::string_view what, std::source_location where) {
  if (std::find(allowed.begin(), allowed.end(), status) == allowed.end()) {
    std::string names;
    for (const bsc_status item : allowed) names += (names.empty() ? "" : " or ") + status_name(item);
    fail(fmt::format("{}: expected {}, got {}{}", what, names, status_name(status),
                     status == BSC_OK ? "" : " (" + describe(error) + ")"),
         where);
  }
  const bsc_plugin_error& raw = error.raw();
  if (raw.code != status) {
    fail(fmt::format("{}: returned {}, but the error's code is {}", what, status_name(status), status_name(raw.code)),
         where);
  }
  if (!terminated(raw.message) || !terminated(raw.call) || !terminated(raw.vendor_name)) {
    fail(fmt::format("{}: a text in the error struct has no terminating NUL", what), where);
  }
  if (raw.message[0] == '\0') fail(fmt::format("{}: the error has no message", what), where);
  if (raw.call[0] == '\0') fail(fmt::format("{}: the error does not name the failing call", what), where);
  if (raw.retryable > 1) fail(fmt::format("{}: retryable is {}, not 0 or 1", what, raw.retryable), where);
}

void expect_message(const Error& error, std::string_view part, std::string_view what, std::source_location where) {
  if (!error.says(part)) {
    fail(fmt::format("{}: the message does not contain \"{}\": {}", what, part, error.message()), where);
  }
}

}  // namespace bascule::conformance
