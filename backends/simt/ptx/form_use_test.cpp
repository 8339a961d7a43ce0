// Finding the line of the table of forms that an instruction is written by.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/form_use.hpp"

#include <doctest/doctest.h>

#include <string>

#include "backends/simt/ptx/parser.hpp"

namespace bascule::simt::ptx {
namespace {

constexpr const char* kHeader =
    ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n"
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .f32 %f<4>;\n";

/// The form's words of the first instruction of a kernel, with - for groups that have none, after the form's operation.
std::string words_of(const std::string& instruction) {
  const std::string text = kHeader + instruction + "\nend: ret;\n}\n";
  const Parsed parsed = parse(text, "test");
  REQUIRE_MESSAGE(parsed.module != nullptr, instruction);
  const Function& function = parsed.module->functions[0];
  const auto use = find_form_use(function.instructions[0], function);
  REQUIRE_MESSAGE(use.has_value(), instruction);
  CHECK(use->form->operation == function.instructions[0].operation);
  const FormTable& table = form_table();
  std::string words;
  for (std::size_t i = 0; i < use->choices.size(); ++i) {
    const auto choices = table.choices(table.groups(*use->form)[i]);
    words += use->choices[i] < 0 ? "-" : spelling_of(choices[static_cast<std::size_t>(use->choices[i])].word);
    words += ' ';
  }
  return words;
}

TEST_CASE("the words of an instruction are found group by group, and groups that were left out stay empty") {
  CHECK(words_of("setp.lt.and.u32 %p1, %r1, %r2, !%p2;") == ".lt .and .u32 ");
  CHECK(words_of("setp.geu.ftz.f32 %p1|%p2, %f1, %f2;") == ".geu .ftz .f32 ");
  CHECK(words_of("setp.geu.f32 %p1, %f1, %f2;") == ".geu - .f32 ");
  CHECK(words_of("mul.wide.u16 %r1, %h1, %h2;").find(".wide") != std::string::npos);
  CHECK(words_of("{ list: .branchtargets end, end; brx.idx.uni %r1, list; }") == ".uni ");
  CHECK(words_of("lop3.b32 %r1, %r2, %r3, %r4, 0x80;") == ".b32 ");
  CHECK(words_of("lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x80, %p2;") == ".or .b32 ");
}

TEST_CASE("forms that share their words are told apart by their operands") {
  const auto form_of = [](const std::string& instruction) {
    const Parsed parsed = parse(kHeader + instruction + "\nend: ret;\n}\n", "test");
    REQUIRE(parsed.module != nullptr);
    const auto use = find_form_use(parsed.module->functions[0].instructions[0], parsed.module->functions[0]);
    REQUIRE(use.has_value());
    return std::string(use->form->text);
  };
  CHECK(form_of("mov.b64 %d1, {%r1, %r2};") != form_of("mov.b64 %d1, %d2;"));
  CHECK(form_of("and.pred %p1, %p2, %p3;") != form_of("and.b32 %r1, %r2, %r3;"));
}

}  // namespace
}  // namespace bascule::simt::ptx
