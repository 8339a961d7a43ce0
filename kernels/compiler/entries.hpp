// The generated C++: entry functions of the images, the library of references, and what the program includes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "kernels/compiler/options.hpp"
#include "kernels/compiler/signature.hpp"

namespace bascule::compiler {

// Includes the source and adds, for each kernel, the function that is launched. Each buffer is three parameters there.
std::string entries_text(const std::string& source, const std::vector<KernelSignature>& kernels);

// Includes the files with references and adds a table of host functions (host_kernel.h) that call them.
std::string references_text(const std::vector<std::string>& files, const std::vector<KernelSignature>& kernels);

// NAME.kernels.hpp: namespace NAME with a typed handle per kernel and package().
std::string header_text(const Options& options, const std::vector<KernelSignature>& kernels);
// NAME.kernels.cpp: the package's bytes.
std::string embedding_text(const Options& options, const std::string& package_file);

// One sentence of the contract, or "".
std::string doc_of(const KernelSignature& kernel);

}  // namespace bascule::compiler
