// Filling bsc_plugin_error within the size that its owner compiled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "backends/common/object.hpp"

namespace bascule::backend {
namespace {

// Cuts at the start of a character: a text that ends in half a UTF-8 sequence breaks JSON reports.
std::size_t cut_to(std::string_view text, std::size_t room) {
  if (text.size() <= room) return text.size();
  std::size_t length = room;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  return length;
}

void write_text(char* destination, std::size_t capacity, std::string_view text) {
  constexpr std::string_view kMark = "...";
  const std::size_t room = capacity - 1;
  std::size_t length = cut_to(text, room);
  if (length < text.size() && room > 2 * kMark.size()) {
    length = cut_to(text, room - kMark.size());
    std::memcpy(destination, text.data(), length);
    std::memcpy(destination + length, kMark.data(), kMark.size());
    length += kMark.size();
  } else if (length > 0) {
    std::memcpy(destination, text.data(), length);
  }
  destination[length] = '\0';
}

// Whether the owner's struct reaches to the end of a member.
#define BSC_HAS_MEMBER(error, member) \
  ((error)->header.size >= offsetof(bsc_plugin_error, member) + sizeof((error)->member))

bool is_retryable(bsc_status status) { return status == BSC_OUT_OF_MEMORY || status == BSC_TIMED_OUT; }

}  // namespace

bsc_status set_error(bsc_plugin_error* error, bsc_status status, std::string_view call, VendorError vendor,
                     std::string_view message) noexcept {
  if (error == nullptr) return status;
  if (BSC_HAS_MEMBER(error, code)) error->code = status;
  if (BSC_HAS_MEMBER(error, retryable)) error->retryable = is_retryable(status) ? 1 : 0;
  if (BSC_HAS_MEMBER(error, vendor_code)) error->vendor_code = vendor.code;
  set_error_interval(error, 0, 0);
  if (BSC_HAS_MEMBER(error, vendor_name)) write_text(error->vendor_name, sizeof error->vendor_name, vendor.name);
  if (BSC_HAS_MEMBER(error, call)) write_text(error->call, sizeof error->call, call);
  if (BSC_HAS_MEMBER(error, message)) write_text(error->message, sizeof error->message, message);
  return status;
}

void set_error_interval(bsc_plugin_error* error, std::uint64_t last_completed, std::uint64_t first_incomplete) noexcept {
  if (error == nullptr) return;
  if (BSC_HAS_MEMBER(error, last_completed)) error->last_completed = last_completed;
  if (BSC_HAS_MEMBER(error, first_incomplete)) error->first_incomplete = first_incomplete;
}

bsc_plugin_error own_error() noexcept {
  bsc_plugin_error error;  // 3 KiB of text, written when there is one
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  set_error(&error, BSC_OK, "", {}, "");
  return error;
}

bsc_status copy_error(bsc_plugin_error* error, const bsc_plugin_error& own) noexcept {
  set_error(error, own.code, own.call, {own.vendor_code, own.vendor_name}, own.message);
  set_error_interval(error, own.last_completed, own.first_incomplete);
  return own.code;
}

bsc_status fill_handle_error(bsc_plugin_error* error, std::string_view call, const bsc_plugin_object* handle,
                             std::uint32_t expected_kind) noexcept {
  const char* const expected = object_kind_name(expected_kind);
  if (handle == nullptr) return fill_error(error, BSC_INVALID_HANDLE, call, "the {} handle is null", expected);
  if (handle->magic != BSC_OBJECT_MAGIC) {
    return fill_error(error, BSC_INVALID_HANDLE, call,
                      "the {} handle was released already, or never was a handle of this plugin", expected);
  }
  if (handle->kind != expected_kind) {
    return fill_error(error, BSC_INVALID_HANDLE, call, "expected a {} handle, got a {} handle", expected,
                      object_kind_name(handle->kind));
  }
  return fill_error(error, BSC_INVALID_HANDLE, call, "the {} handle belongs to another plugin", expected);
}

}  // namespace bascule::backend
