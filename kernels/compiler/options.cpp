// The kernel compiler's command line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/compiler/options.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "kernels/compiler/failure.hpp"

namespace bascule::compiler {
namespace {

constexpr const char* kTargets = "cuda:sm_80 (any sm_XY), hip:gfx942,gfx1100, spirv, cpu";

bool is_word(const std::string& text, const std::string& prefix) {
  const auto letter = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-'; };
  return text.size() > prefix.size() && text.starts_with(prefix) &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(prefix.size()), text.end(), letter);
}

bool is_identifier(const std::string& text) {
  const auto letter = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::all_of(text.begin(), text.end(), letter);
}

void add(std::vector<Target>& targets, Target target) {
  const auto same = [&](const Target& other) { return other.suffix() == target.suffix(); };
  if (std::none_of(targets.begin(), targets.end(), same)) targets.push_back(std::move(target));
}

void add_architectures(std::vector<Target>& targets, Target::Kind kind, const std::string& list, const std::string& prefix, const std::string& word) {
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    const std::string name = list.substr(start, comma - start);
    if (!is_word(name, prefix)) {
      throw Failure("target '" + word + "': '" + name + "' is no architecture of the form " + prefix + "...", std::string("the targets are ") + kTargets);
    }
    add(targets, {kind, name});
    start = comma + 1;
  }
}

}  // namespace

std::string Target::format() const {
  return kind == Kind::ptx ? "ptx" : kind == Kind::amdgpu ? "hsaco" : "spirv";
}
std::string Target::suffix() const { return kind == Kind::spirv ? "spirv" : format() + "_" + architecture; }
std::string Target::file_end() const {
  return kind == Kind::ptx ? "." + architecture + ".ptx" : kind == Kind::amdgpu ? "." + architecture + ".hsaco" : ".spv";
}

std::vector<Target> parse_targets(const std::vector<std::string>& words) {
  std::vector<Target> targets;
  bool cpu = false;
  for (const std::string& word : words) {
    if (word.starts_with("cuda:")) {
      add_architectures(targets, Target::Kind::ptx, word.substr(5), "sm_", word);
    } else if (word.starts_with("hip:")) {
      add_architectures(targets, Target::Kind::amdgpu, word.substr(4), "gfx", word);
    } else if (word == "spirv") {
      add(targets, {Target::Kind::spirv, ""});
    } else if (word == "cpu") {
      cpu = true;
    } else {
      throw Failure("'" + word + "' is no target", std::string("the targets are ") + kTargets);
    }
  }
  const auto is_ptx = [](const Target& target) { return target.kind == Target::Kind::ptx; };
  if (cpu && std::none_of(targets.begin(), targets.end(), is_ptx)) add(targets, {Target::Kind::ptx, "sm_80"});
  return targets;
}

Options parse_options(int count, char** words) {
  Options options;
  std::vector<std::string> targets;
  const auto set = [](std::string& field) { return [&field](const std::string& value) { field = value; }; };
  const auto append = [](std::vector<std::string>& list) { return [&list](const std::string& value) { list.push_back(value); }; };
  const std::map<std::string, std::function<void(const std::string&)>> known = {
      {"--name", set(options.name)},           {"--package-version", set(options.version)},
      {"--directory", set(options.directory)}, {"--reference", append(options.references)},
      {"--contract", append(options.contracts)}, {"--target", append(targets)},
      {"--compiler", set(options.compiler)},   {"--linker", set(options.linker)},
      {"--include", append(options.includes)}, {"--option", append(options.extra)},
      {"--root", append(options.roots)},       {"--ptxas", set(options.ptxas)},
      {"--cubin", append(options.cubins)},
      {"--depfile", set(options.dependency_file)}};
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--check-bounds") {
      options.check_bounds = true;
    } else if (word == "--package-only") {
      options.package_only = true;
    } else if (const auto found = known.find(word); found != known.end()) {
      if (i + 1 == count) throw Failure(word + " needs a value");
      found->second(words[++i]);
    } else if (word.starts_with("-")) {
      throw Failure("unknown option " + word, "see docs/kernel-guide.md; bascule_add_kernels() writes this command line");
    } else {
      options.sources.push_back(word);
    }
  }
  if (!is_identifier(options.name)) {
    throw Failure("the package's name '" + options.name + "' cannot be a C++ namespace", "use letters, digits and _");
  }
  if (options.directory.empty()) throw Failure("--directory is missing");
  if (options.sources.empty() && options.contracts.empty()) throw Failure("there is neither a source nor a contract");
  if (!options.cubins.empty() && options.ptxas.empty()) throw Failure("--cubin needs --ptxas", "name the program with --ptxas");
  options.targets = parse_targets(targets);
  if (options.targets.empty() && !options.compiler.empty()) throw Failure("no target is given", std::string("the targets are ") + kTargets);
  return options;
}

}  // namespace bascule::compiler
