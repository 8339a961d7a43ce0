// Short ways to parse a few statements. For tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "backends/simt/ptx/parser.hpp"

namespace bascule::simt::ptx {

/// A module with one kernel, whose body is `statements` after declarations of registers of every kind: %p (pred), %h
/// (b16), %r (b32), %u (u32), %s (s32), %f (f32), %d (f64), %rd (b64), %q (b128) and %c (b8), 16 each; variables gv
/// (.global), cv
/// (.const), sv (.shared) and lv (.local), parameters p (.u64) and q (.u32).
[[nodiscard]] std::string kernel_text(std::string_view statements, std::string_view version = "9.0",
                                      std::string_view target = "sm_90a");

[[nodiscard]] Parsed parse_statements(std::string_view statements, std::string_view version = "9.0",
                                      std::string_view target = "sm_90a");

/// The errors, rendered; empty where there are none.
[[nodiscard]] std::string errors_of(const Parsed& parsed);

/// The errors in a kernel of these statements.
[[nodiscard]] std::string errors_in(std::string_view statements, std::string_view version = "9.0",
                                    std::string_view target = "sm_90a");

/// The kernel of a module that parsed.
[[nodiscard]] const Function& kernel_of(const Parsed& parsed);

}  // namespace bascule::simt::ptx
