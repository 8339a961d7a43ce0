// The package's description as JSON (docs/package-format.md): derived from signatures, or an author's own with its
// variants of the format "dialect" replaced by one for each target.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/compiler/options.hpp"
#include "kernels/compiler/signature.hpp"

namespace bascule::compiler {

// An image that was made: which source, for what, and the file in the output directory.
struct Image {
  std::string source;
  Target target;
  std::string file;
};

// A whole description with a kernel for each signature. `reference_image`: the file with host functions, or "".
std::string derive_description(const Options& options, const std::vector<KernelSignature>& kernels, const std::vector<Image>& images,
                               const std::string& reference_image);

// The sources (as given in "image") that a description's dialect variants name. `file` is for messages.
std::vector<std::string> dialect_sources(const std::string& json, const std::string& file);

// The images other than dialect sources that it names.
std::vector<std::string> other_images(const std::string& json, const std::string& file);

// With the dialect's variants expanded. `kernels` by the name of their source; checks that each launch passes what the
// signature takes. No images: the variants are left out.
std::string expand_description(const std::string& json, const std::string& file, const std::map<std::string, std::vector<KernelSignature>>& kernels,
                               const std::vector<Image>& images);

}  // namespace bascule::compiler
