// PTX text from hostile bytes: parsed, verified, described. Whatever parses must keep its indices within its lists.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "backends/simt/ptx/describe.hpp"
#include "backends/simt/ptx/parser.hpp"
#include "backends/simt/ptx/test_wellformed.hpp"

using namespace bascule::simt::ptx;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A plain byte first says whether the header is given, so that mutations need not keep it intact.
  if (size == 0) return 0;
  std::string text = data[0] % 4 == 0 ? "" : ".version 9.0\n.target sm_90a\n.address_size 64\n";
  text.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Parsed parsed = parse(text, "fuzz.ptx");
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    if (render(diagnostic, "fuzz.ptx", text).empty()) __builtin_trap();
  }
  if (parsed.module == nullptr) {
    if (parsed.diagnostics.empty()) __builtin_trap();
    return 0;
  }
  if (!malformation(*parsed.module).empty()) __builtin_trap();
  if (describe_json(*parsed.module, parsed.diagnostics, {}).empty()) __builtin_trap();
  return 0;
}
