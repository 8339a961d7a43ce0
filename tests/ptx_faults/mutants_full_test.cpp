// PTX that has been damaged at random is refused or runs under the sanitizer to a result, a finding or the watchdog: a process
// that does so never dies by a signal, and needs neither ten seconds of processor time nor a gigabyte.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/ptx_faults/fault_file.hpp"
#include "tests/support/seed.hpp"

namespace bascule::simt::test {
namespace {

constexpr std::uint64_t kWatchdog = 1'000'000'000;
#if defined(BASCULE_SANITIZED)  // ten times as slow
constexpr unsigned kMutants = 100;
constexpr rlim_t kSeconds = 200;
#else
constexpr unsigned kMutants = 1500;
constexpr rlim_t kSeconds = 10;
#endif

using Random = std::mt19937_64;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return lines;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%'; }

/// The words of a line by where they are.
std::vector<std::pair<std::size_t, std::size_t>> words_of(const std::string& line) {
  std::vector<std::pair<std::size_t, std::size_t>> words;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i;
    while (end < line.size() && is_word(line[end])) ++end;
    if (end != i) words.push_back({i, end - i});
    i = end == i ? i + 1 : end;
  }
  return words;
}

std::string random_number(Random& random) {
  static const char* const kNumbers[] = {"0", "1", "2", "-1", "4", "7", "8", "16", "31", "32", "33", "64", "255", "256", "4096",
                                         "65535", "0x7fffffff", "0x80000000", "0xffffffff", "0x7fffffffffffffff", "1048576"};
  return kNumbers[random() % std::size(kNumbers)];
}

/// A word of the same sort from anywhere in the folder's files: registers for registers, names for names.
class Words {
 public:
  explicit Words(const std::vector<FaultFile>& files) {
    for (const FaultFile& file : files) {
      for (const std::string& line : lines_of(file.text)) {
        if (line.compare(0, 2, "//") == 0) continue;
        for (const auto& [at, size] : words_of(line)) add(line.substr(at, size));
      }
    }
  }
  std::string like(const std::string& word, Random& random) {
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) return random_number(random);
    const auto& same = words_[word[0] == '%'];
    return same[random() % same.size()];
  }

 private:
  void add(const std::string& word) {
    if (std::isdigit(static_cast<unsigned char>(word[0])) == 0) words_[word[0] == '%'].push_back(word);
  }
  std::array<std::vector<std::string>, 2> words_;
};

void mutate_once(std::vector<std::string>& lines, Words& words, Random& random) {
  const std::size_t at = random() % lines.size();
  switch (random() % 8) {
    case 0: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size()), lines[at]); break;
    case 2: std::swap(lines[at], lines[random() % lines.size()]); break;
    case 3:
      if (!lines[at].empty()) lines[at][random() % lines[at].size()] = static_cast<char>(32 + random() % 95);
      break;
    default: {
      const auto found = words_of(lines[at]);
      if (found.empty()) break;
      const auto [first, size] = found[random() % found.size()];
      lines[at].replace(first, size, words.like(lines[at].substr(first, size), random));
    }
  }
  if (lines.empty()) lines.emplace_back();
}

std::string mutant(const FaultFile& file, Words& words, Random& random) {
  std::vector<std::string> lines = lines_of(file.text);
  for (std::uint64_t changes = 1 + random() % 3; changes != 0; --changes) mutate_once(lines, words, random);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Runs it in a child; its wait status.
int run_in_child(const std::string& text, const FaultFile& file, std::uint64_t seed) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit seconds{kSeconds, kSeconds};
    setrlimit(RLIMIT_CPU, &seconds);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
#if !defined(BASCULE_SANITIZED)  // whose shadow memory alone is larger
    const rlimit bytes{std::uint64_t{1} << 30, std::uint64_t{1} << 30};
    setrlimit(RLIMIT_DATA, &bytes);
#endif
    try {
      const FaultRun run = run_fault(text, file, seed, 1, kWatchdog);
      const std::map<std::string, int> codes{{"ok", 0}, {"finding", 1}, {"timeout", 2}, {"refused", 3}, {"error", 4}};
      _exit(codes.at(run.status));
    } catch (...) {
      _exit(5);
    }
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

TEST_CASE("damaged PTX never takes the process down") {
  const std::vector<FaultFile> files = read_fault_files();
  Words words(files);
  Random random(bascule::test::seed());
  std::array<unsigned, 6> ends{};
  for (unsigned i = 0; i < kMutants; ++i) {
    const FaultFile& file = files[random() % files.size()];
    const std::string text = mutant(file, words, random);
    const int status = run_in_child(text, file, i);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 3) {
      CAPTURE(file.name);
      CAPTURE(text);
      CAPTURE(WTERMSIG(status));
      CHECK(WIFEXITED(status));
      CHECK(WEXITSTATUS(status) <= 3);
      continue;
    }
    ++ends[static_cast<std::size_t>(WEXITSTATUS(status))];
  }
  MESSAGE("ran: ", ends[0], ", findings: ", ends[1], ", watchdog: ", ends[2], ", refused: ", ends[3]);
  // Mutants must get as far as running, or nothing would be tested.
  CHECK(ends[0] + ends[1] >= kMutants / 10);
}

}  // namespace
}  // namespace bascule::simt::test
