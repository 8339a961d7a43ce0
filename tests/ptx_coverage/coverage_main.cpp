// The table of what the engine runs of PTX, from what the tests of this build executed (backends/simt/execute/coverage.hpp):
//
//   bascule-ptx-coverage FOLDER                 says what has a handler and was executed by no test; exit status 1 if there is any
//   bascule-ptx-coverage FOLDER --table         writes the table of docs/ptx-coverage.md to standard output
//   bascule-ptx-coverage FOLDER --newer FILE    the first, without what tests left before FILE (the engine) was built
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "tests/ptx_coverage/support.hpp"

namespace {

using namespace bascule::simt::ptx;
using bascule::ptx_coverage::Support;
using bascule::ptx_coverage::support_of;

constexpr int kSkipped = 77;  // for ctest: no test has left anything in the folder

/// By form: for each of its groups the words that were executed.
using Executed = std::map<std::string, std::vector<std::set<std::string>>>;

Executed read_folder(const std::filesystem::path& folder, std::filesystem::file_time_type since) {
  Executed executed;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.last_write_time() < since) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::vector<std::string> fields;
      for (std::size_t at = 0; at <= line.size();) {
        const std::size_t tab = std::min(line.find('\t', at), line.size());
        fields.push_back(line.substr(at, tab - at));
        at = tab + 1;
      }
      auto& groups = executed[fields[0]];
      groups.resize(fields.size() - 1);
      for (std::size_t i = 1; i < fields.size(); ++i) groups[i - 1].insert(fields[i]);
    }
  }
  return executed;
}

struct State {
  bool runs = false;      // was executed at least once
  bool has_handler = false;
  std::string untested;   // words with a handler that no test executed
  std::string parsed;     // words that only parse
};

State state_of(const Form& form, const Executed& executed) {
  const FormTable& table = form_table();
  const Support support = support_of(form);
  const auto found = executed.find(std::string(form.text));
  State state;
  state.has_handler = support.any;
  state.runs = found != executed.end();
  const auto groups = table.groups(form);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto choices = table.choices(groups[i]);
    for (std::size_t w = 0; w < choices.size(); ++w) {
      const std::string word = spelling_of(choices[w].word);
      const bool ran = state.runs && found->second[i].count(word) != 0;
      if (!ran && choices[w].word.variant == 0) (support.words[i][w] ? state.untested : state.parsed) += " " + word;
    }
  }
  return state;
}

// The notation of the table of forms has | in it.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

void write_table(const Executed& executed) {
  std::puts("# What the engine runs of PTX\n");
  std::puts("Generated from the coverage of a test run (`tests/ptx_coverage`); not written by hand. A form is *runs* when tests");
  std::puts("have executed it with each of its words, *untested* when it has a handler that no test has executed, and *parsed*");
  std::puts("when a module with it is refused at load by name. The notation is that of `backends/simt/ptx/forms.hpp`.\n");
  std::puts("| form | state | words that only parse |\n|---|---|---|");
  for (const Form& form : form_table().forms()) {
    const State state = state_of(form, executed);
    const std::string how = !state.has_handler                         ? "parsed"
                            : state.runs && state.untested.empty() ? "runs"
                            : state.runs                               ? "runs; untested:" + state.untested
                                                                       : "untested";
    std::printf("| `%s` | %s | %s |\n", escaped(form.text).c_str(), how.c_str(), state.has_handler ? state.parsed.c_str() : "");
  }
}

int check(const Executed& executed) {
  int missing = 0;
  for (const Form& form : form_table().forms()) {
    const State state = state_of(form, executed);
    if (!state.has_handler || (state.runs && state.untested.empty())) continue;
    ++missing;
    const std::string what = state.runs ? state.untested : " (all of it)";
    std::printf("untested: %s:%s\n", std::string(form.text).c_str(), what.c_str());
  }
  std::printf("%d of %zu forms have something that no test executes\n", missing, form_table().forms().size());
  return missing == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: bascule-ptx-coverage FOLDER [--table | --newer FILE]\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  const std::string mode = count > 2 ? arguments[2] : "";
  if (!std::filesystem::is_directory(folder) || std::filesystem::is_empty(folder)) {
    std::puts("no test has left its coverage there: run the whole suite");
    return kSkipped;
  }
  std::filesystem::file_time_type since = std::filesystem::file_time_type::min();
  if (mode == "--newer" && count > 3) since = std::filesystem::last_write_time(arguments[3]);
  const Executed executed = read_folder(folder, since);
  if (mode == "--table") {
    write_table(executed);
    return 0;
  }
  return check(executed);
}
