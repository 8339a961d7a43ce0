// The expander's language.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <map>

#include "kernels/compiler/failure.hpp"
#include "kernels/ptx/expander.hpp"

using namespace bascule::ptx;

namespace {

const std::map<std::string, std::string> kNoFiles;

Expansion expand_text(const std::string& text, const ExpandOptions& options, const std::map<std::string, std::string>& files = kNoFiles) {
  return expand("x.ptx", options, [&](const std::string& path) {
    if (path == "x.ptx") return ".expand 1\n" + text;
    const auto found = files.find(path);
    if (found == files.end()) throw bascule::compiler::Failure(path + " does not exist");
    return found->second;
  });
}

// Without markers and without the first line.
std::string expanded(const std::string& text, const std::vector<std::string>& without = {}) {
  ExpandOptions options;
  options.markers = false;
  options.without = without;
  const std::string all = expand_text(text, options).text;
  return all.substr(all.find('\n') + 1);
}

std::string problem(const std::string& text, const std::map<std::string, std::string>& files = kNoFiles) {
  try {
    expand_text(text, {}, files);
  } catch (const bascule::compiler::Failure& failure) {
    return failure.what();
  }
  return {};
}

}  // namespace

TEST_CASE("loops repeat their body with the integer's value") {
  CHECK(expanded(".for i in 0 .. 3\nmov.b32 %r$i, $(i * i);\n.endfor\n") == "mov.b32 %r0, 0;\nmov.b32 %r1, 1;\nmov.b32 %r2, 4;\n");
  CHECK(expanded(".for i in 1 .. 8 step 3\nbar.sync $i;\n.endfor\n") == "bar.sync 1;\nbar.sync 4;\nbar.sync 7;\n");
  CHECK(expanded(".for i in 5 .. 5\nret;\n.endfor\n.version 7.4\n") == ".version 7.4\n");
}

TEST_CASE("statements may share a line or take several; comments go") {
  CHECK(expanded("ret; /* a; */ exit; // more;\nmma.sync\n   {%r1,\n %r2};") == "ret;\nexit;\nmma.sync {%r1, %r2};\n");
}

TEST_CASE("register arrays are indexed by expressions, and a range gives a list") {
  CHECK(expanded("{\n.let n = 2\n.reg .f32 %acc[n][4], %x, %y<3>;\nmov.f32 %acc[1][n], %x;\nld.v4.f32 {%acc[1][0..4]}, [%y1];\n}\n") ==
        "{\n  .reg .f32 %acc<8>, %x, %y<3>;\n  mov.f32 %acc6, %x;\n  ld.v4.f32 {%acc4, %acc5, %acc6, %acc7}, [%y1];\n}\n");
  CHECK(problem("{\n.reg .b32 %a[4];\n  mov.b32 %a[4], 0;\n}") == "x.ptx:4:3: %a: index 4 is outside of 0 .. 4");
  CHECK(problem("{\n.reg .b32 %a[4];\n}\nmov.b32 %a[0], 0;").find("%a is no register array here") != std::string::npos);
  CHECK(problem("{\n.reg .b32 %a[4];\nmov.b32 %a, 0;\n}").find("1 dimensions, which all need an index") != std::string::npos);
}

TEST_CASE("macros put their statements in braces, so that their registers are theirs") {
  CHECK(expanded("twice %a, 3;\n.macro twice x, n\n.reg .b32 %t;\nadd.s32 %t, $x, $n;\nmov.b32 $x, %t;\n.endmacro\n") ==
        "{\n  .reg .b32 %t;\n  add.s32 %t, %a, 3;\n  mov.b32 %a, %t;\n}\n");
  CHECK(problem(".macro f x\n.reg .b32 %t;\nmov.b32 %t, $x;\n.endmacro\nf %t;").find("x.ptx:6:1: the argument '%t' names %t, which the macro declares") == 0);
  CHECK(problem(".macro f x\n.endmacro\nf %a, %b;").find("f takes 1 arguments, not 2") != std::string::npos);
}

TEST_CASE("a macro takes register arrays whole, and reads numbers among its arguments as integers") {
  CHECK(expanded("{\n.reg .b32 %a[2];\nclear %a, 2;\n}\n.macro clear x, n\n.for i in 0 .. n\nmov.b32 $x[i], 0;\n.endfor\n.endmacro\n") ==
        "{\n  .reg .b32 %a<2>;\n  {\n    mov.b32 %a0, 0;\n    mov.b32 %a1, 0;\n  }\n}\n");
}

TEST_CASE("a macro does not see the integers of its caller, but those of the file") {
  CHECK(expanded(".let n = 7\n.macro f\nbar.sync $n;\n.endmacro\n.for i in 0 .. 1\nf;\n.endfor\n") == "{\n  bar.sync 7;\n}\n");
  CHECK(problem(".macro f\nbar.sync $i;\n.endmacro\n.for i in 0 .. 1\nf;\n.endfor\n").find("'$i' is neither") != std::string::npos);
}

TEST_CASE("templates are put in place without braces") {
  CHECK(expanded(".template kernel name, op\n.visible .entry $name(.param .u64 n)\n{\n$op.f32 %a, %b, %c;\n}\n.endtemplate\nkernel k_add, add;\n") ==
        ".visible .entry k_add(.param .u64 n)\n{\n  add.f32 %a, %b, %c;\n}\n");
}

TEST_CASE("branches are chosen by integers and texts") {
  CHECK(expanded(".macro f op\n.if \"$op\" == \"a\"\nret;\n.elif \"$op\" == \"b\"\nexit;\n.else\ntrap;\n.endif\n.endmacro\nf a; f b; f c;\n") ==
        "{\n  ret;\n}\n{\n  exit;\n}\n{\n  trap;\n}\n");
}

TEST_CASE("a marked statement can be left out, and of a guarded one the guard") {
  const std::string text = ".needed fence: membar.gl;\n.needed bound: @%p st.global.b32 [%a], %x;\nret;\n";
  CHECK(expanded(text) == "membar.gl;\n@%p st.global.b32 [%a], %x;\nret;\n");
  CHECK(expanded(text, {"fence"}) == "@%p st.global.b32 [%a], %x;\nret;\n");
  CHECK(expanded(text, {"bound"}) == "membar.gl;\nst.global.b32 [%a], %x;\nret;\n");
  CHECK_THROWS_WITH(expanded(text, {"barrier"}), "x.ptx: there is no .needed barrier");
  const Expansion expansion = expand_text(text, {});
  REQUIRE(expansion.marks.size() == 2);
  CHECK(expansion.marks[1].name == "bound");
  CHECK(expansion.marks[1].place == "x.ptx:3:16");
}

TEST_CASE("included files are part of the text, from the folder of what includes them") {
  const std::map<std::string, std::string> files = {{"lib/a.ptx", ".include \"b.ptx\"\n.let m = n + 1\n"}, {"lib/b.ptx", ".expand 1\n.let n = 4\n"}};
  ExpandOptions options;
  options.markers = false;
  const Expansion expansion = expand_text(".include \"lib/a.ptx\"\nbar.sync $m;\n", options, files);
  CHECK(expansion.text.ends_with("\nbar.sync 5;\n"));
  CHECK(expansion.files == std::set<std::string>{"x.ptx", "lib/a.ptx", "lib/b.ptx"});
  CHECK(problem(".include \"x.ptx\"\n").find("include each other") != std::string::npos);
}

TEST_CASE("integers of the file can be set from outside") {
  ExpandOptions options;
  options.markers = false;
  options.integers = {{"n", 9}};
  CHECK(expand_text(".let n = 4\nbar.sync $n;\n", options).text.ends_with("bar.sync 9;\n"));
}

TEST_CASE("each line of the output says which line of the source it comes from") {
  const std::string text = expand_text(".version 7.4\n.entry k()\n{\n\n  add.s32 %a,\n  %b, %c; ret;\n}\n", {}).text;
  CHECK(text.find(".version 7.4\n.file 1 \"x.ptx\"\n# 3 \"x.ptx\"\n.entry k()\n{\n.loc 1 6 3\n  add.s32 %a, %b, %c;\n") != std::string::npos);
  CHECK(text.find(".loc 1 7 11\n# 7 \"x.ptx\"\n  ret;\n}\n") != std::string::npos);
}

TEST_CASE("mistakes are refused with file, line and column") {
  CHECK(problem(".for i in 0 .. 2\nret;\n") == "x.ptx:2:1: there is no .endfor for this");
  CHECK(problem("ret;\n.endfor\n") == "x.ptx:3:1: .endfor ends nothing that is open here");
  CHECK(problem("{\nret;\n") == "x.ptx:2:1: this '{' is never closed");
  CHECK(problem("}\n") == "x.ptx:2:1: this '}' closes nothing");
  CHECK(problem("ret\n.let a = 1\n") == "x.ptx:2:1: the statement that begins here has no ';' before .let");
  CHECK(problem("  ret\n") == "x.ptx:2:3: the statement that begins here has no ';'");
  CHECK(problem("bar.sync $n;\n") == "x.ptx:2:10: '$n' is neither a parameter nor a compile-time integer here");
  CHECK(problem("/* never\n") == "x.ptx:2:1: a comment that begins here never ends");
  CHECK(problem(".let n = 3\n.assert n == 4, \"n must be 4\"\n") == "x.ptx:3:1: n must be 4 (n == 4)");
  CHECK(problem(".let n 3\n") == "x.ptx:2:8: '=' is missing");
  CHECK(problem(".for i in 0 .. 2 step 0\n.endfor\n").find("the step is 0") != std::string::npos);
  CHECK(problem(".macro f\nf;\n.endmacro\nf;\n").find("nested more than") != std::string::npos);
  CHECK(problem(".macro f\n.endmacro\n.macro f\n.endmacro\n").find("also defined in x.ptx:2:1") != std::string::npos);
  CHECK(problem(".for i in 0 .. 2000000\nret;\n.endfor\n").find("more than 1000000 statements") != std::string::npos);
  CHECK(problem(".include \"missing.ptx\"\n").find("missing.ptx does not exist") != std::string::npos);
}

TEST_CASE("a failure in a macro names the place of its use as well") {
  CHECK(problem(".macro f n\n.assert n > 0, \"no rows\"\n.endmacro\nf 0;\n") == "x.ptx:3:1: no rows (n > 0)\nx.ptx:5:1: in this use of f");
}

TEST_CASE("only text that asks for it is expanded") {
  CHECK(is_expandable("// comment\n.expand 1\n.version 7.4\n"));
  CHECK_FALSE(is_expandable("//\n.version 7.4\n$L__BB0: ret;\n"));
  CHECK(problem("\n.expand 2\n").find("has the version 1") != std::string::npos);
}
