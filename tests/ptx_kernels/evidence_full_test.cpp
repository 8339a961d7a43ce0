// The pages of evidence are about the kernels as they are.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernels/ptx/expander.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path kKernels = BASCULE_KERNEL_SOURCES;

std::string page(const std::string& name) {
  std::ifstream file(kKernels.parent_path() / "docs" / name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Whether the page has the source's section with its present hash; every section's source is there.
void check_page(const std::string& name, const std::string& ending) {
  const std::string text = page(name);
  REQUIRE_FALSE(text.empty());
  std::size_t sources = 0, sections = 0;
  for (std::size_t at = text.find("\n## "); at != std::string::npos; at = text.find("\n## ", at + 1)) ++sections;
  for (const fs::directory_entry& folder : fs::directory_iterator(kKernels)) {
    if (!folder.is_directory()) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string file = entry.path().filename().string();
      if (!file.ends_with(ending) || file.find('.') == 0) continue;
      ++sources;
      const std::string section =
          "\n## " + fs::relative(entry.path(), kKernels.parent_path()).string() + "\n\nHash `" + bascule::ptx::evidence_hash(entry.path().string()) + "`.";
      CHECK_MESSAGE(text.find(section) != std::string::npos, "docs/", name, " is not about ", file, " as it is now; run make evidence");
    }
  }
  CHECK(sources == sections);
}

}  // namespace

TEST_CASE("docs/nvidia-kernels.md is about the PTX sources as they are") { check_page("nvidia-kernels.md", ".ptx"); }

TEST_CASE("docs/amd-kernels.md is about the portable sources as they are") { check_page("amd-kernels.md", ".kernel.cpp"); }
