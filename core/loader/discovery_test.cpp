// Tests of looking for plugins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/discovery.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/loader/selection.hpp"
#include "core/loader/test_plugins.hpp"
#include "core/platform/file.hpp"

using namespace bascule::core;
using bascule::test::config_from;
using bascule::test::LogLines;
using bascule::test::PluginDirectory;
using bascule::test::Spy;
using bascule::test::TemporaryDirectory;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string problem_of(const Discovery& discovery, const std::string& stem) {
  const FileProblem* problem = discovery.find_problem(stem);
  return problem == nullptr ? "none" : problem->message;
}

}  // namespace

TEST_CASE(
    "dangling links, FIFOs, directories, unreadable and malformed files in a plugin directory are recorded, not "
    "fatal") {
  const PluginDirectory directory;
  directory.add("good");
  std::filesystem::create_symlink("nowhere", directory.plugins() + "/dangling.json");
  std::filesystem::create_symlink("loop.json", directory.plugins() + "/loop.json");
  std::filesystem::create_directory(directory.plugins() + "/folder.json");
  std::filesystem::create_directory(directory.plugins() + "/libx.so");
  REQUIRE(mkfifo((directory.plugins() + "/fifo.json").c_str(), 0600) == 0);
  directory.write("plugins/text.json", "this is no JSON");
  directory.write("plugins/binary.json", std::string("\0\x7f"
                                                     "ELF\xff",
                                                     6));
  directory.write("plugins/empty.json", "");
  directory.write("plugins/huge.json", std::string(100'000, ' '));
  directory.write("plugins/README", "not looked at");
  directory.write("plugins/.json", "not looked at");
  directory.write("plugins/unreadable.json", PluginDirectory::manifest("unreadable"));
  std::filesystem::permissions(directory.plugins() + "/unreadable.json", std::filesystem::perms::none);

  const Discovery discovery = discover(directory.search());
  CHECK(discovery.find("good") != nullptr);
  CHECK(contains(problem_of(discovery, "dangling"), "ENOENT"));
  CHECK(contains(problem_of(discovery, "loop"), "ELOOP"));
  CHECK(contains(problem_of(discovery, "folder"), "is a directory"));
  CHECK(contains(problem_of(discovery, "fifo"), "is a FIFO"));
  CHECK(contains(problem_of(discovery, "text"), "no valid JSON"));
  CHECK(contains(problem_of(discovery, "binary"), "no valid JSON"));
  CHECK(contains(problem_of(discovery, "empty"), "no valid JSON"));
  CHECK(contains(problem_of(discovery, "huge"), "larger than"));
  if (geteuid() != 0) CHECK(contains(problem_of(discovery, "unreadable"), "EACCES"));
  CHECK(discovery.problems.size() == (geteuid() == 0 ? 8 : 9));
  for (const FileProblem& problem : discovery.problems) CHECK(contains(problem.message, problem.path));
}

TEST_CASE("a directory that is missing, a file, or empty is itself recorded with what is the matter") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("file", "");
  std::filesystem::create_directory(directory / "empty");
  const std::vector<SearchDirectory> searched{{directory / "absent", "a"}, {file, "b"}, {directory / "empty", "c"}};
  const Discovery discovery = discover(searched);
  REQUIRE(discovery.directories.size() == 3);
  CHECK(discovery.directories[0].note == "does not exist");
  CHECK(contains(discovery.directories[1].note, "is a file, a directory is wanted"));
  CHECK(discovery.directories[2].note == "no manifest in it");
  CHECK(discovery.directories[2].origin == "c");
  CHECK_FALSE(discovery.directories[0].usable);
  CHECK(discovery.directories[2].usable);
}

TEST_CASE("a plugin directory that every user may write to is not searched") {
  const PluginDirectory directory;
  directory.add("good");
  REQUIRE(chmod(directory.plugins().c_str(), 01777) == 0);
  const Discovery discovery = discover(directory.search());
  CHECK(discovery.candidates.empty());
  CHECK(contains(discovery.directories[0].note, "writable by every user"));
}

TEST_CASE("of two manifests of one name the first wins, and the other is shown as shadowed") {
  const PluginDirectory first, second;
  const std::string winner = first.add("cuda"), loser = second.add("cuda");
  second.add("hip");
  const std::vector<SearchDirectory> searched{first.search()[0], second.search()[0]};
  const Discovery discovery = discover(searched);
  REQUIRE(discovery.candidates.size() == 3);
  CHECK(discovery.find("cuda")->path == winner);
  CHECK(discovery.candidates[1].manifest.path == loser);
  CHECK(discovery.candidates[1].shadowed_by == winner);
  CHECK(discovery.names() == std::vector<std::string>{"cuda", "hip"});
}

TEST_CASE("a directory named twice, also through a link, is searched once") {
  const PluginDirectory directory;
  directory.add("cuda");
  std::filesystem::create_directory_symlink(directory.plugins(), directory / "link");
  const std::vector<SearchDirectory> searched{{directory.plugins(), "a"}, {directory / "link", "b"}};
  const Discovery discovery = discover(searched);
  CHECK(discovery.candidates.size() == 1);
  CHECK(contains(discovery.directories[1].note, "already searched"));
}

TEST_CASE("the directories searched are plugins.path, beside the library, installed, the user's, in this order") {
  ConfigSources sources;
  sources.ignore_files = true;
  sources.text = "plugins.path = ['/first', '/second']";
  const Config config =
      Config::load(sources, Environment(Environment::Variables{{"HOME", "/h"}, {"USER", "u"}})).value();
  const auto directories = search_directories(config);
  REQUIRE(directories.size() == 5);
  CHECK(directories[0].path == "/first");
  CHECK(directories[0].origin == "config_text:1:9");
  CHECK(directories[1].path == "/second");
  CHECK(directories[2].path == own_library_directory() + "/bascule/plugins");
  CHECK(directories[4].path == "/h/.local/share/bascule/plugins");
  for (const SearchDirectory& directory : directories) CHECK(directory.path.starts_with('/'));
}

TEST_CASE("a plugin planted in the working directory is never opened") {
  const PluginDirectory planted;
  planted.add("cuda");
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(planted.plugins());
  const Spy spy;
  LogLines lines;
  const Log log(LogLevel::kDebug, &LogLines::sink, &lines);
  const auto selection = select_backends(config_from("backends = ['cuda']").value(), Environment(), log);
  std::filesystem::current_path(before);
  CHECK_FALSE(selection.ok());
  CHECK(spy.seen() == "");
  CHECK_FALSE(contains(lines.text(), planted.path()));
}

TEST_CASE("an installed plugin is found from any working directory, also from a removed one") {
  const PluginDirectory directory;
  directory.add("cuda");
  const std::string before = std::filesystem::current_path();
  {
    const TemporaryDirectory gone;
    std::filesystem::current_path(gone.path());
  }
  const Log log(LogLevel::kOff);
  SelectionOptions options;
  options.directories = directory.search();
  const bool found = select_backends(config_from("backends = ['cuda']").value(), Environment(), log, options).ok();
  std::filesystem::current_path(before);
  CHECK(found);
}

TEST_CASE("a configured plugin directory that is not there is a warning, a usual place that is not there is none") {
  LogLines lines;
  const Log log(LogLevel::kWarning, &LogLines::sink, &lines);
  (void)select_backends(config_from("plugins.path = ['/nonexistent/plugins']").value(), Environment(), log);
  CHECK(lines.text() == "plugin directory /nonexistent/plugins (set by config_text:1:9) does not exist\n");
}
