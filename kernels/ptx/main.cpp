// bascule-ptx-expand: hand-written PTX with loops, register arrays and macros to plain PTX. docs/ptx-expander.md.
//
//   bascule-ptx-expand [--root DIR] [--without MARK]... [--set NAME=N]... [--no-markers] SOURCE.ptx [-o OUTPUT.ptx]
//   bascule-ptx-expand --marks SOURCE.ptx
//   bascule-ptx-expand --hash SOURCE
//
// Exit codes: 0; 1 something is wrong with the source; 2 with the command line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <charconv>
#include <cstdio>

#include "core/platform/file.hpp"
#include "kernels/compiler/failure.hpp"
#include "kernels/ptx/expander.hpp"

namespace bascule::ptx {
namespace {

constexpr const char* kUsage =
    "usage: bascule-ptx-expand [--root DIR] [--without MARK]... [--set NAME=N]... [--no-markers] SOURCE.ptx [-o OUTPUT.ptx]\n"
    "       bascule-ptx-expand --marks SOURCE.ptx\n"
    "       bascule-ptx-expand --hash SOURCE\n";

struct CommandLine {
  ExpandOptions options;
  std::string source, output;
  bool marks = false, hash = false, help = false;
};

std::pair<std::string, long long> integer(const std::string& text) {
  const std::size_t equals = text.find('=');
  long long value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data() + std::min(equals, text.size() - 1) + 1, end, value);
  if (equals == std::string::npos || result.ec != std::errc{} || result.ptr != end) throw compiler::Failure("--set takes NAME=N, not '" + text + "'");
  return {text.substr(0, equals), value};
}

CommandLine parse(int count, char** words) {
  CommandLine line;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == count || words[i + 1][0] == '\0') throw compiler::Failure(word + " needs a value");
      return words[++i];
    };
    if (word == "--root") line.options.roots.push_back(value());
    else if (word == "--without") line.options.without.push_back(value());
    else if (word == "--set") line.options.integers.push_back(integer(value()));
    else if (word == "--no-markers") line.options.markers = false;
    else if (word == "--marks") line.marks = true;
    else if (word == "--hash") line.hash = true;
    else if (word == "--help" || word == "-h") line.help = true;
    else if (word == "-o") line.output = value();
    else if (word.starts_with("-") || !line.source.empty()) throw compiler::Failure("'" + word + "' is not expected here", kUsage);
    else line.source = word;
  }
  if (line.source.empty() && !line.help) throw compiler::Failure("the source is missing", kUsage);
  return line;
}

void run(const CommandLine& line) {
  if (line.hash) {
    std::printf("%s\n", evidence_hash(line.source).c_str());
    return;
  }
  const Expansion expansion = expand_file(line.source, line.options);
  if (line.marks) {
    for (const Mark& mark : expansion.marks) std::printf("%s\t%s\n", mark.name.c_str(), mark.place.c_str());
  } else if (line.output.empty()) {
    std::fwrite(expansion.text.data(), 1, expansion.text.size(), stdout);
  } else {
    const core::Status status = core::write_file_atomically(line.output, expansion.text, 0644);
    if (!status.ok()) throw compiler::Failure(status.error().message, status.error().remedy);
  }
}

int report(const compiler::Failure& failure, int code) {
  std::fprintf(stderr, "error: %s\n", failure.what());
  if (!failure.remedy().empty()) std::fprintf(stderr, "remedy: %s\n", failure.remedy().c_str());
  return code;
}

int run_program(int count, char** words) {
  CommandLine line;
  try {
    line = parse(count, words);
  } catch (const compiler::Failure& failure) {
    return report(failure, 2);
  }
  if (line.help) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  try {
    run(line);
    return 0;
  } catch (const compiler::Failure& failure) {
    return report(failure, 1);
  }
}

}  // namespace
}  // namespace bascule::ptx

int main(int count, char** words) { return bascule::ptx::run_program(count, words); }
