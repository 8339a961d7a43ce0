// See spellings.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spellings.hpp"

#include <doctest/doctest.h>

#include <random>

namespace bascule::test::corpus {

std::vector<Words> spellings(const std::vector<Words>& groups, unsigned times, const std::function<bool(const Words&)>& valid) {
  constexpr unsigned kMostTries = 100000;
  std::mt19937 random(1);
  std::set<Words> found;
  for (std::size_t fixed = 0; fixed < groups.size(); ++fixed) {
    for (const std::string& word : groups[fixed]) {
      unsigned left = times;
      for (unsigned tries = 0; left > 0; ++tries) {
        REQUIRE_MESSAGE(tries < kMostTries, "no combination is valid with '" << word << "'");
        Words name;
        for (const Words& group : groups) name.push_back(group[random() % group.size()]);
        name[fixed] = word;
        if (!valid(name)) continue;
        found.insert(std::move(name));
        --left;
      }
    }
  }
  return {found.begin(), found.end()};
}

std::string joined(const Words& words) {
  std::string result;
  for (const std::string& word : words) result += word;
  return result;
}

}  // namespace bascule::test::corpus
