// Checking a submission as a whole before anything of it is accepted.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>

#include "backends/null/objects.hpp"

namespace bascule::null_backend {

// Element `index` of an ABI array. Where its writer knew all of today's fields it is read in place; an older, shorter one
// is copied to `room` with the rest zero.
template <class T>
const T& strided_element(const T* first, std::uint64_t stride, std::uint64_t index, T& room) {
  const auto* const at = reinterpret_cast<const T*>(reinterpret_cast<const char*>(first) + index * stride);
  std::uint64_t known = stride;
  if constexpr (requires { at->header; }) known = known < at->header.size ? known : at->header.size;
  if (known >= sizeof(T)) [[likely]] return *at;
  std::memset(static_cast<void*>(&room), 0, sizeof room);
  std::memcpy(static_cast<void*>(&room), at, known);
  return room;
}

bsc_status check_command(const Device& device, const bsc_plugin_command& command, Entry entry, bsc_plugin_error* error);
bsc_status check_submission(const Device& device, const bsc_plugin_submission& submission, Entry entry,
                            bsc_plugin_error* error);

}  // namespace bascule::null_backend
