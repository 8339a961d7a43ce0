// For the tests of this folder: packages from JSON text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/package/container.hpp"
#include "core/package/metadata.hpp"
#include "core/package/package.hpp"

namespace bascule::core::testing {

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The text with the first occurrence of `from` replaced; `from` must be there.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t place = text.find(from);
  REQUIRE_MESSAGE(place != std::string::npos, from);
  return text.replace(place, from.size(), to);
}

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

inline std::vector<std::byte> packed(std::string_view metadata, const std::vector<std::string>& images = {}) {
  std::vector<std::span<const std::byte>> contents;
  for (const std::string& image : images) contents.push_back(bytes_of(image));
  auto data = write_container(metadata, contents);
  REQUIRE(data.ok());
  return *data;
}

inline std::shared_ptr<const Package> load(std::string_view metadata, const std::vector<std::string>& images = {},
                                           const bsc_host_table* table = nullptr) {
  auto package = Package::load(packed(metadata, images), table, "test");
  REQUIRE_MESSAGE(package.ok(), package.error().message);
  return *package;
}

// Two variants: one of a host table, one with an image.
inline constexpr std::string_view kAxpb = R"json({"package": {"name": "demo", "version": "1.0.0"},
 "kernels": [{
   "name": "axpb_f32", "version": "1.2", "doc": "y = a*x + b",
   "parameters": [
     {"name": "a", "kind": "scalar", "type": "f32"},
     {"name": "n", "kind": "scalar", "type": "u64"},
     {"name": "x", "kind": "buffer", "type": "f32", "access": "in",  "length": "n"},
     {"name": "y", "kind": "buffer", "type": "f32", "access": "out", "length": "n"}],
   "requires": [{"expression": "n < 1 << 40", "message": "n must be below 2^40"}],
   "nan": "propagate", "determinism": "threads",
   "math": {"precision": "f32", "contraction": "off", "denormals": "keep"},
   "tolerance": {"rule": "R2", "ulps": 2},
   "variants": [{
     "name": "host_v3", "format": "host", "target": "x86-64-v3", "class": "tuned",
     "capabilities": [{"name": "avx2", "at_least": 1}],
     "constants": {"GRAIN": 4096},
     "launches": [{"function": "axpb_f32_v3", "grid": ["n"], "block": ["GRAIN"],
                   "arguments": [{"parameter": "a"}, {"parameter": "n"}, {"parameter": "x"}, {"parameter": "y"}]}]
   }, {
     "name": "opencl", "format": "opencl-c", "target": "", "class": "portable", "image": 0, "options": "-cl-std=CL1.2",
     "constants": {"BLOCK": 256}, "binding": "define",
     "workspace": "0", "workspace_init": "none",
     "launches": [{"function": "axpb_f32", "grid": ["ceildiv(n, BLOCK)"], "block": ["BLOCK"], "shared": "0", "linear_grid": true,
                   "arguments": [{"parameter": "a"}, {"parameter": "n"}, {"parameter": "x"}, {"parameter": "y"}]}]
   }]}]})json";

}  // namespace bascule::core::testing
