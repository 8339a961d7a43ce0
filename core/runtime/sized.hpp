// Public structs that carry their size: an older or newer caller's struct is read and written as far as both sides
// know.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/base/error.hpp"

namespace bascule::core {

// A copy of *source in which fields beyond its size are zero. NULL reads as all zero.
template <class T>
Result<T> read_sized(const T* source, const char* name) {
  T result{};
  if (!source) return result;
  std::uint64_t size = 0;
  std::memcpy(&size, source, sizeof size);
  if (size < sizeof size) {
    return Error{
        .status = BSC_INVALID_ARGUMENT,
        .message = std::string(name) + ".size is " + std::to_string(size) + "; the struct's own size belongs there",
        .remedy = "set .size to sizeof the struct, or use its _INIT macro"};
  }
  std::memcpy(&result, source, std::min<std::uint64_t>(size, sizeof(T)));
  result.size = sizeof(T);
  return result;
}

// Writes `value` into a caller's struct, no byte beyond the size that the caller put there; that size stays.
template <class T>
void write_sized(T* destination, T value) {
  std::uint64_t size = 0;
  std::memcpy(&size, destination, sizeof size);
  value.size = size;
  std::memcpy(static_cast<void*>(destination), &value, std::min<std::uint64_t>(size, sizeof(T)));
}

}  // namespace bascule::core
