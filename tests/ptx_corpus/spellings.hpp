// Names of instructions put together from groups of words, so that tests execute every word without every combination.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace bascule::test::corpus {

/// Words that may stand at one place of a name, each with its leading dot; "" where none need stand there.
using Words = std::vector<std::string>;

/// Names of one word from each group, each name once. Every word is drawn for `times` names, with others at random, of which
/// only combinations count that `valid` accepts. The same in each run: what is executed must not depend on a seed.
std::vector<Words> spellings(const std::vector<Words>& groups, unsigned times = 1,
                             const std::function<bool(const Words&)>& valid = [](const Words&) { return true; });

/// The words one after the other.
std::string joined(const Words& words);

inline bool is_any_of(const std::string& word, const Words& list) {
  for (const std::string& one : list) {
    if (one == word) return true;
  }
  return false;
}

}  // namespace bascule::test::corpus
