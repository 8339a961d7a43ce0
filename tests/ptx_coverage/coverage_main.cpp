// The table of what the engine runs of PTX, from what the tests of this build executed (backends/simt/execute/coverage.hpp):
//
//   bascule-ptx-coverage FOLDER [--newer FILE] [--table-is FILE]
//       says what the engine takes and no test executed, and whether the table in FILE is out of date; exit status 1 if so
//   bascule-ptx-coverage FOLDER [--newer FILE] --table
//       writes the table of docs/ptx-coverage.md to standard output
//
// --newer: without what tests left before FILE (the engine) was built.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <fstream>
#include <sstream>

#include "tests/ptx_coverage/report.hpp"

namespace {

using namespace bascule::ptx_coverage;

struct Options {
  std::filesystem::path folder;
  std::string newer, table_is;
  bool table = false;
};

bool read_options(int count, char** arguments, Options& options) {
  if (count < 2) return false;
  options.folder = arguments[1];
  for (int i = 2; i < count; ++i) {
    const std::string option = arguments[i];
    const bool valued = option == "--newer" || option == "--table-is";
    if (option == "--table") {
      options.table = true;
    } else if (valued && i + 1 < count) {
      (option == "--newer" ? options.newer : options.table_is) = arguments[++i];
    } else {
      return false;
    }
  }
  return true;
}

int check_table(const std::vector<FormState>& states, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string difference = first_difference(table_of(states), text.str());
  if (difference.empty()) return 0;
  std::printf("%s is out of date, %s\nafter a whole run of the tests, make it with bascule-ptx-coverage FOLDER --table\n", path.c_str(),
              difference.c_str());
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!read_options(count, arguments, options)) {
    std::fputs("usage: bascule-ptx-coverage FOLDER [--newer FILE] [--table | --table-is FILE]\n", stderr);
    return 2;
  }
  Executed executed;
  if (std::filesystem::is_directory(options.folder)) {
    auto since = std::filesystem::file_time_type::min();
    if (!options.newer.empty()) since = std::filesystem::last_write_time(options.newer);
    executed = read_folder(options.folder, since);
  }
  if (executed.empty()) {
    std::puts("no test has left its coverage there since the engine was built: run the tests whose names hold simt or ptx");
    return 1;
  }
  const std::vector<FormState> states = states_of(executed);
  if (options.table) {
    std::fputs(table_of(states).c_str(), stdout);
    return 0;
  }
  const std::vector<std::string> lines = untested_lines(states);
  for (const std::string& line : lines) std::puts(line.c_str());
  std::printf("%zu of %zu forms have something that no test executes\n", lines.size(), states.size());
  const int outdated = options.table_is.empty() ? 0 : check_table(states, options.table_is);
  return lines.empty() && outdated == 0 ? 0 : 1;
}
