// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_coverage/report.hpp"

#include <algorithm>
#include <sstream>

#include "tests/ptx_coverage/support.hpp"

namespace bascule::ptx_coverage {
namespace {

using namespace simt::ptx;

constexpr const char* kIntroduction =
    "# What the engine runs of PTX\n\n"
    "Made by `tests/ptx_coverage` from what a run of the tests executed, not written by hand; the test `ptx_coverage` fails when it\n"
    "differs from what it makes. The notation of forms is that of `backends/simt/ptx/forms.hpp`.\n\n"
    "- *runs*: tests have executed the form with each of its words, but those in the last column: they are refused at load, wherever\n"
    "  they stand in it.\n"
    "- *untested*: the engine takes the form, and no test has executed it or one of its words. No table in which this stands passes\n"
    "  the tests.\n"
    "- *parsed only*: a module with it is read and checked, and refused at load by name.\n\n"
    "What is not in the table is unknown: an error of syntax.\n\n";

// The notation of forms has | in it.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : " ") + word;
  return result;
}

}  // namespace

FormState state_of(const Form& form, const Executed& executed) {
  const FormTable& table = form_table();
  const auto ran = executed_words(form, executed);
  const auto groups = table.groups(form);
  FormState state;
  state.form = &form;
  const bool any_ran = !ran.empty() || (groups.empty() && executed.contains(form.text));
  if (!any_ran) {
    state.state = supports(form) ? State::untested : State::parsed_only;
    return state;
  }
  state.state = State::runs;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto choices = table.choices(groups[i]);
    for (std::size_t w = 0; w < choices.size(); ++w) {
      const std::string word = spelling_of(choices[w].word);
      if (choices[w].word.variant != 0 || ran[i].contains(word)) continue;
      (supports(form, i, w) ? state.untested : state.refused).push_back(word);
    }
  }
  if (!state.untested.empty()) state.state = State::untested;
  return state;
}

std::vector<FormState> states_of(const Executed& executed) {
  std::vector<FormState> states;
  for (const Form& form : form_table().forms()) states.push_back(state_of(form, executed));
  return states;
}

std::vector<std::string> untested_lines(const std::vector<FormState>& states) {
  std::vector<std::string> lines;
  for (const FormState& state : states) {
    if (state.state != State::untested) continue;
    const std::string what = state.untested.empty() ? "(all of it)" : joined(state.untested);
    lines.push_back("untested: " + std::string(state.form->text) + ": " + what);
  }
  return lines;
}

std::string table_of(const std::vector<FormState>& states) {
  const auto count = [&](State which) {
    return std::to_string(std::count_if(states.begin(), states.end(), [&](const FormState& s) { return s.state == which; }));
  };
  std::string text = kIntroduction;
  text += "Of " + std::to_string(states.size()) + " forms " + count(State::runs) + " run, " + count(State::parsed_only) + " are parsed only, " +
          count(State::untested) + " are untested.\n\n| form | state | words that are refused |\n|---|---|---|\n";
  for (const FormState& state : states) {
    std::string how = state.state == State::runs ? "runs" : state.state == State::parsed_only ? "parsed only" : "untested";
    if (!state.untested.empty()) how += ": " + joined(state.untested);
    text += "| `" + escaped(state.form->text) + "` | " + how + " | " + joined(state.refused) + " |\n";
  }
  return text;
}

std::string first_difference(const std::string& wanted, const std::string& got) {
  std::istringstream a(wanted), b(got);
  std::string x, y;
  for (unsigned line = 1;; ++line) {
    const bool more_a = static_cast<bool>(std::getline(a, x)), more_b = static_cast<bool>(std::getline(b, y));
    if (!more_a && !more_b) return {};
    if (more_a != more_b || x != y) return "line " + std::to_string(line) + ": " + (more_b ? y : "(ends)") + "\nmust be: " + (more_a ? x : "(ends)");
  }
}

}  // namespace bascule::ptx_coverage
