// What the device's printf prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace bascule::simt {

struct Formatted {
  std::string text;
  int arguments = 0;  // how many conversions took one; `*` counts
};

/// `arguments`: packed as vprintf gets them: each at its natural alignment, float as double, less than int as int.
/// `read(to, address, bytes)` reads guest memory; `string(address)` a string for %s.
struct GuestReader {
  std::function<void(void* to, std::uint64_t address, std::size_t bytes)> read;
  std::function<std::string(std::uint64_t address)> string;
};
[[nodiscard]] Formatted format_for_device(const std::string& format, std::uint64_t arguments, const GuestReader& guest);

}  // namespace bascule::simt
