// What an error looks like.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/diagnostic.hpp"

#include <doctest/doctest.h>

#include "backends/simt/ptx/test_parsing.hpp"

namespace bascule::simt::ptx {
namespace {

std::string first_error(std::string_view text) {
  const Parsed parsed = parse(text, "k.ptx");
  REQUIRE_FALSE(parsed.diagnostics.empty());
  return render(parsed.diagnostics[0], "k.ptx", text);
}

}  // namespace

TEST_CASE("an error shows its place, the line, a mark under the part that is wrong, and what was meant") {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n.reg .f32 %f<4>;\n";
  CHECK(first_error(head + "  fmaa.rn.f32 %f1, %f2, %f3, %f1;\nret;\n}\n") ==
        "k.ptx:6:3: error: unknown operation 'fmaa'\n"
        "    fmaa.rn.f32 %f1, %f2, %f3, %f1;\n"
        "    ^~~~~~~~~~~\n"
        "  hint: did you mean 'fma'?\n");
  CHECK(first_error(head + "\tadd.rm.ftzz.f32 %f1, %f2, %f3;\nret;\n}\n") ==
        "k.ptx:6:9: error: 'add' has no '.ftzz'\n"
        "   add.rm.ftzz.f32 %f1, %f2, %f3;\n"
        "          ^~~~\n"
        "  hint: did you mean '.ftz'?\n");
  CHECK(first_error(head + "add.f32 %f1, %f2, %g3;\nret;\n}\n") ==
        "k.ptx:6:19: error: '%g3' is not declared\n"
        "  add.f32 %f1, %f2, %g3;\n"
        "                    ^~~\n");
}

TEST_CASE("an error behind a line marker names the source's line as well") {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n# 40 \"x_sm80.ptx\"\n.entry k() {\n.reg .f32 %f<4>;\n";
  CHECK(first_error(head + "fmaa.rn.f32 %f1, %f2, %f3, %f1;\nret;\n}\n").find("k.ptx:7:1: error: unknown operation 'fmaa'") == 0);
  CHECK(first_error(head + "fmaa.rn.f32 %f1, %f2, %f3, %f1;\nret;\n}\n").find("\n  from x_sm80.ptx:42\n") != std::string::npos);
  CHECK(first_error(head + "# 7 \"lib.ptx\"\nfmaa.rn.f32 %f1, %f2, %f3, %f1;\nret;\n}\n").find("\n  from lib.ptx:7\n") != std::string::npos);
}

TEST_CASE("a name that is near to what is declared is suggested") {
  CHECK(errors_in(".reg .b32 counter; add.s32 countr, %r1, %r2;").find("did you mean 'counter'?") != std::string::npos);
  CHECK(errors_in("Loop: bra Lopp;").find("did you mean 'Loop'?") != std::string::npos);
}

TEST_CASE("a missing semicolon is reported at the end of the statement, and the next one is read") {
  const std::string text = kernel_text("add.s32 %r1, %r2, %r3\nmov.b32 %r1, nothing;");
  const Parsed parsed = parse(text, "k.ptx");
  REQUIRE(parsed.diagnostics.size() == 2);
  CHECK(parsed.diagnostics[0].message == "';' was expected after an instruction");
  CHECK(parsed.diagnostics[0].location.column == 22);
  CHECK(parsed.diagnostics[1].message == "'nothing' is not declared");
}

TEST_CASE("a long line is cut around the place, and bytes that are not text are shown as ?") {
  const std::string text = ".version 8.0\n.target sm_80\n" + std::string(5000, ' ') + "\x01" + std::string(5000, ' ');
  const std::string error = first_error(text);
  CHECK(error.size() < 1000);
  CHECK(error.find('\x01') == std::string::npos);
  CHECK(error.find('?') != std::string::npos);
}

}  // namespace bascule::simt::ptx
