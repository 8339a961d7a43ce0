// Joins PTX texts to one, as a linker would: names that are private to a text are made unique, declarations lead to the
// definitions of other texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bascule::emulated {

struct PtxText {
  std::string name;  // for messages
  std::string text;
};

struct LinkedPtx {
  std::string text;
  std::vector<std::string> errors;  // empty: all is well
};

LinkedPtx link_ptx(const std::vector<PtxText>& texts);

}  // namespace bascule::emulated
