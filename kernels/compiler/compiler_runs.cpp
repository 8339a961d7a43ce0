// Running Clang.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/compiler/compiler_runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/platform/file.hpp"
#include "core/platform/process.hpp"
#include "kernels/compiler/failure.hpp"

namespace bascule::compiler {
namespace {

constexpr std::size_t kMaxTree = std::size_t{1} << 30;
constexpr std::size_t kMaxDependencies = std::size_t{1} << 24;
constexpr auto kTimeLimit = std::chrono::minutes(10);

// Clang's directories of standard headers, which it does not search for a GPU by itself.
std::vector<std::string> standard_header_options(const std::string& compiler) {
  core::ProcessOptions process;
  process.program = compiler;
  process.arguments = {"-x", "c++", "-E", "-v", "/dev/null", "-o", "/dev/null"};
  process.time_limit = std::chrono::minutes(1);
  const auto result = core::run_process(process);
  std::vector<std::string> options;
  if (!result.ok()) return options;
  std::istringstream lines(result->errors);
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("#include <...>")) {
      inside = true;
    } else if (line.starts_with("End of search list")) {
      break;
    } else if (inside) {
      options.push_back("-isystem");
      options.push_back(line.substr(line.find_first_not_of(' ')));
    }
  }
  return options;
}

bool is_cuda_source(const std::string& source) { return source.ends_with(".cu") || source.ends_with(".cuh"); }

// The files of a makefile rule; a space in a name is written as "\ ".
void read_rule(const std::string& text, std::set<std::string>& files) {
  std::string name;
  const auto finish = [&] {
    if (!name.empty()) files.insert(name);
    name.clear();
  };
  for (std::size_t i = std::min(text.find(": "), text.size()) + 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size() && text[i + 1] == ' ') {
      name += text[++i];
    } else if (c == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
      finish();
    } else if (c == ' ' || c == '\n') {
      finish();
    } else {
      name += c;
    }
  }
  finish();
}

// 8.0 knows all up to sm_90a; what came later needs 8.8.
std::string ptx_version_feature(const std::string& architecture) {
  return std::atoi(architecture.c_str() + std::string_view("sm_").size()) < 100 ? "+ptx80" : "+ptx88";
}

// Of a compiler that crashed, the line that says why; a backend reports what it cannot do in that way.
std::string short_errors(const std::string& errors) {
  const std::size_t fatal = errors.find("fatal error: error in backend: ");
  if (fatal == std::string::npos) return errors;
  return errors.substr(fatal, errors.find('\n', fatal) - fatal);
}

}  // namespace

Compiler::Compiler(const Options& options) : options_(options), standard_headers_(standard_header_options(options.compiler)) {
  // glibc's headers, which the header-only part of the standard library includes, take any target but x86-64 for a 32-bit
  // one and ask for a file that is not installed; it would hold nothing of use.
  const std::filesystem::path headers = std::filesystem::absolute(std::filesystem::path(options.directory) / "headers");
  std::filesystem::create_directories(headers / "gnu");
  const core::Status written = core::write_file_atomically((headers / "gnu/stubs-32.h").string(), "/* empty on purpose */\n", 0644);
  if (!written.ok()) throw Failure(written.error().message, written.error().remedy);
  standard_headers_.insert(standard_headers_.begin(), {"-isystem", headers.string()});
}

std::vector<std::string> Compiler::target_options(const Target& target) const {
  switch (target.kind) {
    // The PTX version is stated: left to itself, Clang takes it from the CUDA toolkit that it finds, and where there is none a
    // version that no target of today has. The lowest that will do, since drivers refuse PTX newer than they are.
    case Target::Kind::ptx:
      return {"--target=nvptx64-nvidia-cuda", "-march=" + target.architecture, "--cuda-path=/dev/null",
              "-Xclang", "-target-feature", "-Xclang", ptx_version_feature(target.architecture)};
    // Version 4: without the hidden arguments that later versions expect the host to fill.
    case Target::Kind::amdgpu: return {"--target=amdgcn-amd-amdhsa", "-mcpu=" + target.architecture, "-mcode-object-version=4"};
    case Target::Kind::spirv: break;
  }
  return {"--target=spirv64", "-mllvm", "-spirv-ext=+SPV_EXT_shader_atomic_float_add"};
}

// An image names no directory of the machine that made it. Of several options that fit, Clang takes the last.
std::vector<std::string> Compiler::prefix_options() const {
  std::vector<std::string> result = {"-fdebug-compilation-dir=."};
  for (const std::string& root : options_.roots) result.push_back("-ffile-prefix-map=" + root + "/=");
  for (const std::string& root : options_.includes) result.push_back("-ffile-prefix-map=" + root + "/=");
  result.push_back("-ffile-prefix-map=" + std::filesystem::absolute(options_.directory).lexically_normal().string() + "/=");
  return result;
}

std::vector<std::string> Compiler::common_options(const std::string& source) const {
  std::vector<std::string> arguments = {"-std=c++20", "-O3", "-ffreestanding", "-nogpulib", "-fno-exceptions", "-fno-rtti", "-fdeclspec",
                                        // the same bits everywhere: fma only where it is written
                                        "-ffp-contract=off", "-fno-math-errno", "-gline-tables-only", "-Wall", "-Wextra",
                                        "-Wno-unknown-cuda-version"};
  for (const std::string& directory : options_.includes) {
    arguments.push_back("-isystem");
    arguments.push_back(directory);
  }
  arguments.insert(arguments.end(), standard_headers_.begin(), standard_headers_.end());
  const std::vector<std::string> prefixes = prefix_options();
  arguments.insert(arguments.end(), prefixes.begin(), prefixes.end());
  if (options_.check_bounds) arguments.push_back("-DBASCULE_CHECK_BOUNDS");
  if (is_cuda_source(source)) {
    arguments.push_back("-include");
    arguments.push_back("bascule/cuda_spelling.hpp");
  }
  arguments.insert(arguments.end(), options_.extra.begin(), options_.extra.end());
  return arguments;
}

std::string Compiler::run(std::vector<std::string> arguments, const std::string& what) {
  core::ProcessOptions process;
  process.program = options_.compiler;
  process.arguments = std::move(arguments);
  process.time_limit = kTimeLimit;
  process.max_output_bytes = kMaxTree;
  auto result = core::run_process(process);
  if (!result.ok()) throw Failure(options_.compiler + ": " + result.error().message, "set BASCULE_KERNEL_COMPILER to a clang++ 22");
  if (result->end != core::ProcessResult::End::kExit || result->code != 0) {
    const std::string errors = short_errors(result->errors);
    throw Failure(what + " failed" + (errors.empty() ? "" : ":\n" + errors));
  }
  if (!result->errors.empty()) std::fputs(result->errors.c_str(), stderr);  // warnings
  return std::move(result->output);
}

std::vector<KernelSignature> Compiler::signatures(const std::string& source) {
  const std::string rule = options_.directory + "/signature.d";
  std::vector<std::string> arguments = target_options(options_.targets.front());
  const std::vector<std::string> common = common_options(source);
  arguments.insert(arguments.end(), common.begin(), common.end());
  for (const char* word : {"-fsyntax-only", "-w", "-DBASCULE_SIGNATURE_PASS", "-Xclang", "-ast-dump=json", "-MD", "-MF"}) arguments.push_back(word);
  arguments.push_back(rule);
  for (const char* word : {"-MT", "x", "-x", "c++"}) arguments.push_back(word);
  arguments.push_back(source);
  const std::string tree = run(std::move(arguments), source + ": reading its kernels");
  if (const auto text = core::read_file(rule, kMaxDependencies); text.ok()) read_rule(*text, dependencies_);
  return read_signatures(tree, source);
}

void Compiler::image(const std::string& source, const std::string& entries, const Target& target, const std::string& image) {
  std::vector<std::string> arguments = target_options(target);
  const std::vector<std::string> common = common_options(source);
  arguments.insert(arguments.end(), common.begin(), common.end());
  const bool amdgpu = target.kind == Target::Kind::amdgpu;
  arguments.push_back(target.kind == Target::Kind::ptx ? "-S" : "-c");
  const std::string object = amdgpu ? image + ".o" : image;
  for (const std::string& word : {std::string("-o"), object, std::string("-x"), std::string("c++"), entries}) arguments.push_back(word);
  run(std::move(arguments), source + ": compiling for " + target.suffix());
  if (!amdgpu) return;
  core::ProcessOptions link;
  link.program = options_.linker;
  link.arguments = {"-flavor", "gnu", "-shared", "--no-undefined", object, "-o", image};
  if (!options_.linker.ends_with("/lld")) link.arguments.erase(link.arguments.begin(), link.arguments.begin() + 2);
  link.time_limit = kTimeLimit;
  const auto result = core::run_process(link);
  if (!result.ok() || result->end != core::ProcessResult::End::kExit || result->code != 0) {
    throw Failure(source + ": linking for " + target.suffix() + " with '" + options_.linker + "' failed" +
                      (result.ok() ? ":\n" + result->errors : ": " + result.error().message),
                  "install lld 22, or leave hip out of the targets");
  }
}

void Compiler::host_library(const std::string& source, const std::string& image) {
  std::vector<std::string> arguments = {"-std=c++20", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-fno-math-errno", "-Wall", "-Wextra",
                                        "-fvisibility=hidden", "-static-libstdc++", "-static-libgcc", "-gline-tables-only", "-MD", "-MF"};
  const std::string rule = options_.directory + "/reference.d";
  for (const std::string& word : {rule, std::string("-MT"), std::string("x")}) arguments.push_back(word);
  const std::vector<std::string> prefixes = prefix_options();
  arguments.insert(arguments.end(), prefixes.begin(), prefixes.end());
  for (const std::string& directory : options_.includes) {
    arguments.push_back("-isystem");
    arguments.push_back(directory);
  }
  for (const std::string& word : {std::string("-o"), image, source}) arguments.push_back(word);
  run(std::move(arguments), "the references of " + options_.name + ": compiling");
  if (const auto text = core::read_file(rule, kMaxDependencies); text.ok()) read_rule(*text, dependencies_);
}

}  // namespace bascule::compiler
