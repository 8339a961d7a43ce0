// Running Clang: the pass that reads signatures, and the ones that make images.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernels/compiler/options.hpp"
#include "kernels/compiler/signature.hpp"

namespace bascule::compiler {

class Compiler {
 public:
  explicit Compiler(const Options& options);

  // The kernels of a source; notes what it includes.
  std::vector<KernelSignature> signatures(const std::string& source);
  // Compiles `entries`, the text with the entry functions that includes `source`, into `image`.
  void image(const std::string& source, const std::string& entries, const Target& target, const std::string& image);
  // A shared object for this machine's processor from C++ text.
  void host_library(const std::string& source, const std::string& image);

  const std::set<std::string>& dependencies() const { return dependencies_; }

 private:
  std::vector<std::string> target_options(const Target& target) const;
  std::vector<std::string> prefix_options() const;
  std::vector<std::string> common_options(const std::string& source) const;
  std::string run(std::vector<std::string> arguments, const std::string& what);

  const Options& options_;
  std::vector<std::string> standard_headers_;  // options: -isystem DIR
  std::set<std::string> dependencies_;
};

}  // namespace bascule::compiler
