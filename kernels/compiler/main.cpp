// bascule-kernel-compiler: kernels in Bascule's dialect to a package and what a program includes. Started by the CMake
// function bascule_add_kernels().
//
//   bascule-kernel-compiler --name demo --directory OUT --target cuda:sm_80 --target cpu --compiler /usr/bin/clang++-22
//                           --include PREFIX/include [--reference x.reference.cpp] [--contract x.json] x.kernel.cpp...
//
// writes OUT/demo.bpkg, OUT/demo.kernels.hpp, OUT/demo.kernels.cpp. Exit codes: 0; 1 something is wrong with a kernel, a
// description or the compiler; 2 with the command line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "core/package/pack.hpp"
#include "core/platform/file.hpp"
#include "kernels/compiler/compiler_runs.hpp"
#include "kernels/compiler/cubins.hpp"
#include "kernels/compiler/description.hpp"
#include "kernels/compiler/entries.hpp"
#include "kernels/compiler/failure.hpp"
#include "kernels/compiler/options.hpp"
#include "kernels/ptx/expander.hpp"

namespace bascule::compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDescription = std::size_t{1} << 27;

void write(const std::string& path, const std::string& text) {
  const core::Status status = core::write_file_atomically(path, text, 0644);
  if (!status.ok()) throw Failure(status.error().message, status.error().remedy);
}

// "axpb" of "dir/axpb.kernel.cpp"
std::string stem(const std::string& source) {
  const std::string name = fs::path(source).filename();
  return name.substr(0, name.find('.'));
}

class Build {
 public:
  explicit Build(const Options& options) : options_(options) {
    if (!options.compiler.empty()) compiler_.emplace(options);
    if (!options.cubins.empty()) ptxas_.emplace(options.ptxas);
  }

  void run() {
    fs::create_directories(options_.directory);
    std::vector<std::string> descriptions;
    for (const std::string& contract : options_.contracts) descriptions.push_back(expand(contract));
    if (!options_.sources.empty()) descriptions.push_back(derive());
    const std::string package = (fs::path(options_.directory) / (options_.name + ".bpkg")).string();
    const core::Status packed = core::pack_to_file(descriptions, package);
    if (!packed.ok()) throw Failure(packed.error().message, packed.error().remedy);
    if (!options_.package_only) {
      write(path_of(options_.name + ".kernels.hpp"), header_text(options_, derived_));
      write(path_of(options_.name + ".kernels.cpp"), embedding_text(options_, fs::absolute(package)));
    }
    if (!options_.dependency_file.empty()) write_dependencies(package);
  }

 private:
  std::string path_of(const std::string& name) const { return (fs::path(options_.directory) / name).string(); }

  // One image per target, in the output directory.
  std::vector<Image> make_images(const std::string& source, const std::string& shown, const std::vector<KernelSignature>& kernels) {
    if (!stems_.insert(stem(source)).second) {
      throw Failure(source + ": another source has the same name up to the first dot", "rename one of them");
    }
    const std::string entries = path_of(stem(source) + ".entries.cpp");
    write(entries, entries_text(fs::absolute(source), kernels));
    std::vector<Image> images;
    for (const Target& target : options_.targets) {
      check_for_target(kernels, target);
      const std::string file = stem(source) + target.file_end();
      compiler_->image(source, entries, target, path_of(file));
      images.push_back({shown, target, file});
    }
    return images;
  }

  static void check_for_target(const std::vector<KernelSignature>& kernels, const Target& target) {
    if (target.kind != Target::Kind::spirv) return;
    for (const KernelSignature& kernel : kernels) {
      for (const KernelParameter& parameter : kernel.parameters) {
        if (parameter.form != KernelParameter::Form::pointer) continue;
        throw Failure(kernel.source + ": kernel " + kernel.name + ": parameter '" + parameter.name + "' is a plain pointer, which SPIR-V has not",
                      "use bsc::in, bsc::out or bsc::inout, or leave spirv out of the targets");
      }
    }
  }

  std::vector<KernelSignature> signatures_of(const std::string& source) {
    dependencies_.insert(fs::absolute(source));
    std::vector<KernelSignature> kernels = compiler_->signatures(source);
    if (kernels.empty()) throw Failure(source + ": there is no BASCULE_KERNEL in this file", "mark the functions that are launched with BASCULE_KERNEL");
    return kernels;
  }

  // The contracts that come from signatures: the path of their description.
  std::string derive() {
    if (!compiler_) throw Failure("kernels without a JSON contract need a compiler for their signatures", "set BASCULE_KERNEL_COMPILER to a clang++ 22");
    std::vector<Image> images;
    for (const std::string& source : options_.sources) {
      const std::vector<KernelSignature> kernels = signatures_of(source);
      const std::vector<Image> made = make_images(source, source, kernels);
      images.insert(images.end(), made.begin(), made.end());
      derived_.insert(derived_.end(), kernels.begin(), kernels.end());
    }
    refuse_repeated_names();
    std::string reference;
    if (!options_.references.empty()) {
      reference = options_.name + ".reference.so";
      std::vector<std::string> files;
      for (const std::string& file : options_.references) files.push_back(fs::absolute(file));
      write(path_of(options_.name + ".reference.cpp"), references_text(files, derived_));
      compiler_->host_library(path_of(options_.name + ".reference.cpp"), path_of(reference));
    }
    const std::string path = path_of(options_.name + ".json");
    write(path, with_cubins(derive_description(options_, derived_, images, reference)));
    return path;
  }

  void refuse_repeated_names() const {
    std::map<std::string, std::string> seen;
    for (const KernelSignature& kernel : derived_) {
      const auto [place, added] = seen.emplace(kernel.name, kernel.source);
      if (!added) throw Failure(kernel.source + ": the kernel " + kernel.name + " is also in " + place->second, "rename one of them; a package's names are without namespaces");
    }
  }

  // An author's own description, with its dialect variants expanded: the path of the result.
  std::string expand(const std::string& contract) {
    const auto text = core::read_file(contract, kMaxDescription);
    if (!text.ok()) throw Failure(text.error().message, text.error().remedy);
    dependencies_.insert(fs::absolute(contract));
    const fs::path folder = fs::path(contract).parent_path();
    std::map<std::string, std::vector<KernelSignature>> kernels;
    std::vector<Image> images;
    if (compiler_) {
      for (const std::string& source : dialect_sources(*text, contract)) {
        kernels[source] = signatures_of((folder / source).string());
        const std::vector<Image> made = make_images((folder / source).string(), source, kernels[source]);
        images.insert(images.end(), made.begin(), made.end());
      }
    }
    for (const std::string& image : other_images(*text, contract)) {
      const fs::path copy = fs::path(options_.directory) / image;
      dependencies_.insert(fs::absolute(folder / image));
      fs::create_directories(copy.parent_path());
      if (!expand_ptx((folder / image).string(), copy.string())) fs::copy_file(folder / image, copy, fs::copy_options::overwrite_existing);
    }
    const std::string path = path_of(fs::path(contract).filename());
    write(path, with_cubins(expand_description(*text, contract, kernels, images)));
    return path;
  }

  std::string with_cubins(const std::string& description) {
    if (!ptxas_) return description;
    return add_cubins(description, options_.cubins, ptxas_->minimum_driver(), [this](const std::string& image, const std::string& architecture) {
      const std::string cubin = image + "." + architecture + ".cubin";
      if (cubins_.insert(cubin).second) ptxas_->assemble(path_of(image), architecture, path_of(cubin));
      return cubin;
    });
  }

  // Hand-written PTX that asks for it becomes plain PTX; whether it did.
  bool expand_ptx(const std::string& source, const std::string& output) {
    if (!source.ends_with(".ptx")) return false;
    const auto text = core::read_file(source, kMaxDescription);
    if (!text.ok()) throw Failure(text.error().message, text.error().remedy);
    if (!ptx::is_expandable(*text)) return false;
    ptx::ExpandOptions expand_options;
    expand_options.roots = options_.roots;
    const ptx::Expansion expansion = ptx::expand_file(source, expand_options);
    for (const std::string& file : expansion.files) dependencies_.insert(fs::absolute(file));
    write(output, expansion.text);
    return true;
  }

  void write_dependencies(const std::string& package) {
    std::string text = package + ":";
    std::set<std::string> files = dependencies_;
    if (compiler_) files.insert(compiler_->dependencies().begin(), compiler_->dependencies().end());
    for (const std::string& file : files) {
      text += " \\\n ";
      for (const char c : file) text += c == ' ' ? std::string("\\ ") : std::string(1, c);
    }
    write(options_.dependency_file, text + "\n");
  }

  const Options& options_;
  std::optional<Compiler> compiler_;
  std::optional<Ptxas> ptxas_;
  std::vector<KernelSignature> derived_;
  std::set<std::string> dependencies_, stems_, cubins_;
};

int run_program(int count, char** words) {
  try {
    const Options options = parse_options(count, words);
    try {
      Build(options).run();
      return 0;
    } catch (const Failure& failure) {
      std::fprintf(stderr, "error: %s\n", failure.what());
      if (!failure.remedy().empty()) std::fprintf(stderr, "remedy: %s\n", failure.remedy().c_str());
    } catch (const fs::filesystem_error& error) {
      std::fprintf(stderr, "error: %s\n", error.what());
    }
    return 1;
  } catch (const Failure& failure) {
    std::fprintf(stderr, "error: %s\n", failure.what());
    if (!failure.remedy().empty()) std::fprintf(stderr, "remedy: %s\n", failure.remedy().c_str());
    return 2;
  }
}

}  // namespace
}  // namespace bascule::compiler

int main(int count, char** words) { return bascule::compiler::run_program(count, words); }
