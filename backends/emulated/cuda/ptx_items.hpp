// A PTX text cut into what stands at module scope, as far as a linker has to know it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bascule::emulated {

struct PtxToken {
  std::string_view text;
  std::size_t begin = 0;  // in the item's text

  /// A name, not a directive, a number or punctuation.
  [[nodiscard]] bool is_name() const;
};

std::vector<PtxToken> ptx_tokens(std::string_view text);

struct PtxItem {
  enum class Kind { kFunction, kPrototype, kVariable, kFile, kOther };
  enum class Linkage { kInternal, kVisible, kWeak, kCommon, kExtern };

  Kind kind = Kind::kOther;
  Linkage linkage = Linkage::kInternal;
  bool entry = false;
  bool shared = false;
  std::string name;  // of functions and variables
  std::string text;  // without comments
};

struct PtxItems {
  int version = 0;             // 80 for 8.0
  std::string version_text;    // "8.0"
  int target = 0;
  std::string target_text;     // "sm_80"
  std::vector<PtxItem> items;
};

/// Sections of debugging information are left out.
PtxItems cut_ptx(std::string_view text);

}  // namespace bascule::emulated
