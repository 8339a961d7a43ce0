// Compares our cuda.h with a toolkit's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

std::vector<std::pair<std::string, std::string>> facts_of_ours();
std::vector<std::pair<std::string, std::string>> facts_of_theirs();

int main() {
  const auto ours = facts_of_ours(), theirs = facts_of_theirs();
  unsigned different = ours.size() == theirs.size() && ours.size() > 500 ? 0 : 1;
  for (std::size_t i = 0; i < ours.size() && i < theirs.size(); ++i) {
    if (ours[i] == theirs[i]) continue;
    ++different;
    std::printf("%s: ours %s, theirs %s\n", ours[i].first.c_str(), ours[i].second.c_str(), theirs[i].second.c_str());
  }
  std::printf("%zu facts, %u differences\n", ours.size(), different);
  return different == 0 ? 0 : 1;
}
