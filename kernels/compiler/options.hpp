// What the kernel compiler is told on its command line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace bascule::compiler {

// One architecture to compile for.
struct Target {
  enum class Kind { ptx, amdgpu, spirv };
  Kind kind = Kind::ptx;
  std::string architecture;  // "sm_80", "gfx942"; "" for SPIR-V

  std::string format() const;   // of the package: "ptx", "hsaco", "spirv"
  std::string suffix() const;   // "ptx_sm_80", "hsaco_gfx942", "spirv"
  std::string file_end() const; // ".sm_80.ptx"
};

struct Options {
  std::string name;                   // of the package, and of the generated namespace
  std::string version = "1.0.0";
  std::string directory;              // where everything is written
  std::vector<std::string> sources;   // *.kernel.cpp, *.cu
  std::vector<std::string> references;// *.reference.cpp
  std::vector<std::string> contracts; // JSON descriptions with variants of the format "dialect"
  std::vector<Target> targets;        // without repetition, in order
  std::string compiler;               // clang++; "": none, variants of the dialect are left out
  std::string linker;                 // ld.lld, for AMD
  std::string ptxas;                  // "": none
  std::vector<std::string> cubins;    // architectures that PTX becomes machine code for, with ptxas
  std::vector<std::string> includes;  // directories, the SDK's first
  std::vector<std::string> extra;     // further options of the compiler
  std::vector<std::string> roots;     // directories that file names in debug information are given relative to
  std::string dependency_file;
  bool check_bounds = false;
  bool package_only = false;          // no C++ header and source
};

// "cuda:sm_80", "hip:gfx942,gfx1100", "spirv", "cpu" (PTX that the cpu device runs: sm_80 where no other PTX is asked for).
std::vector<Target> parse_targets(const std::vector<std::string>& words);

Options parse_options(int count, char** words);

}  // namespace bascule::compiler
