// That the table notices what it is for: with something that nobody executed taken away from a whole run, the form prints
// "untested" and is reported.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_coverage/report.hpp"

#include <doctest/doctest.h>

#include "tests/support/temporary_directory.hpp"

namespace bascule::ptx_coverage {
namespace {

using simt::ptx::Form;
using simt::ptx::form_table;

const Form& form_of(const std::string& text) {
  for (const Form& form : form_table().forms()) {
    if (form.text == text) return form;
  }
  FAIL("there is no such form: " << text);
  return form_table().forms()[0];
}

constexpr const char* kReturn = "ret{.uni}";
constexpr const char* kFence = "membar.cta|gl|sys";
constexpr const char* kParsed = "multimem.red{.relaxed|release.$scope}{.global}.and|or|xor.b32|b64 [a], b";

TEST_CASE("a form that nobody executed is untested, where the engine takes it, and says so") {
  const FormState state = state_of(form_of(kFence), {});
  CHECK(state.state == State::untested);
  const auto lines = untested_lines({state});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == std::string("untested: ") + kFence + ": (all of it)");
  CHECK(table_of({state}).find("| `membar.cta\\|gl\\|sys` | untested |") != std::string::npos);
  CHECK(state_of(form_of("exit"), {}).state == State::untested);
}

TEST_CASE("a form with a word that nobody executed is untested and names the word") {
  const Executed executed = {{kFence, {{".cta", ".sys"}}}, {kReturn, {{"-"}}}};
  const FormState fence = state_of(form_of(kFence), executed), ret = state_of(form_of(kReturn), executed);
  const auto lines = untested_lines({fence, ret});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == std::string("untested: ") + kFence + ": .gl");
  CHECK(lines[1] == std::string("untested: ") + kReturn + ": .uni");
  CHECK(table_of({fence}).find("| untested: .gl |") != std::string::npos);
}

TEST_CASE("a form with all its words executed runs, and what the engine refuses is parsed only") {
  const FormState fence = state_of(form_of(kFence), {{kFence, {{".cta", ".gl", ".sys"}}}});
  CHECK(fence.state == State::runs);
  const FormState parsed = state_of(form_of(kParsed), {});
  CHECK(parsed.state == State::parsed_only);
  CHECK(untested_lines({fence, parsed}).empty());
  CHECK(table_of({fence, parsed}).find("Of 2 forms 1 run, 1 are parsed only, 0 are untested.") != std::string::npos);
}

TEST_CASE("what ran counts for the form that gives the same instruction with its words elsewhere") {
  const std::string before = "mma.sync.aligned.m8n8k4.row.col{.$rnd}.f64.f64.f64.f64 >d(2):f64, a(1):f64, b(1):f64, c(2):f64";
  const std::string behind = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.$rnd >d(2):f64, a(1):f64, b(1):f64, c(2):f64";
  const auto groups = form_table().groups(form_of(before));
  std::vector<std::set<std::string>> words;
  for (const auto& group : groups) {
    words.emplace_back();
    for (const auto& choice : form_table().choices(group)) words.back().insert(spelling_of(choice.word));
  }
  CHECK(state_of(form_of(behind), {{before, words}}).state == State::runs);
  for (auto& group : words) group.erase(".rz");
  CHECK(untested_lines({state_of(form_of(behind), {{before, words}})}) == std::vector<std::string>{"untested: " + behind + ": .rz"});
}

TEST_CASE("files of the folder are read together, those from before the engine was built are not") {
  const test::TemporaryDirectory folder;
  folder.write("1.txt", "ret{.uni}\t-\nexit\n");
  const std::string old = folder.write("2.txt", "ret{.uni}\t.uni\n");
  const auto now = std::filesystem::last_write_time(folder / "1.txt");
  Executed all = read_folder(folder.path(), std::filesystem::file_time_type::min());
  CHECK(all[kReturn][0] == std::set<std::string>{"-", ".uni"});
  CHECK(all.contains("exit"));
  std::filesystem::last_write_time(old, now - std::chrono::hours(1));
  CHECK(read_folder(folder.path(), now)[kReturn][0] == std::set<std::string>{"-"});
}

TEST_CASE("a table that differs is told by its first line that does") {
  CHECK(first_difference("a\nb\nc\n", "a\nb\nc\n").empty());
  CHECK(first_difference("a\nb\nc\n", "a\nx\nc\n") == "line 2: x\nmust be: b");
  CHECK(first_difference("a\nb\n", "a\n") == "line 2: (ends)\nmust be: b");
  CHECK(first_difference("a\n", "a\nb\n") == "line 2: b\nmust be: (ends)");
}

}  // namespace
}  // namespace bascule::ptx_coverage
