// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_coverage/executed.hpp"

#include <algorithm>
#include <fstream>

namespace bascule::ptx_coverage {
namespace {

using namespace simt::ptx;

std::vector<std::string> words_of(const WordGroup& group) {
  std::vector<std::string> words;
  for (const Choice& choice : form_table().choices(group)) words.push_back(spelling_of(choice.word));
  return words;
}

std::string_view operands_of(const Form& form) {
  const std::size_t space = form.text.find(' ');
  return space == std::string_view::npos ? std::string_view() : form.text.substr(space);
}

/// All words with their groups, in any order.
std::vector<std::vector<std::string>> words_of(const Form& form) {
  std::vector<std::vector<std::string>> words;
  for (const WordGroup& group : form_table().groups(form)) words.push_back(words_of(group));
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace

Executed read_folder(const std::filesystem::path& folder, std::filesystem::file_time_type since) {
  Executed executed;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.last_write_time() < since) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::vector<std::string> fields;
      for (std::size_t at = 0; at <= line.size();) {
        const std::size_t tab = std::min(line.find('\t', at), line.size());
        fields.push_back(line.substr(at, tab - at));
        at = tab + 1;
      }
      auto& groups = executed[fields[0]];
      groups.resize(fields.size() - 1);
      for (std::size_t i = 1; i < fields.size(); ++i) groups[i - 1].insert(fields[i]);
    }
  }
  return executed;
}

std::vector<std::set<std::string>> executed_words(const Form& form, const Executed& executed) {
  const FormTable& table = form_table();
  const auto groups = table.groups(form);
  if (const auto own = executed.find(form.text); own != executed.end() && own->second.size() == groups.size()) return own->second;
  for (const std::uint32_t index : table.forms_of(form.operation)) {
    const Form& twin = table.forms()[index];
    if (twin.text == form.text || operands_of(twin) != operands_of(form) || words_of(twin) != words_of(form)) continue;
    const auto found = executed.find(twin.text);
    if (found == executed.end()) continue;
    std::vector<std::set<std::string>> words(groups.size());
    const auto others = table.groups(twin);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t k = 0; k < others.size() && k < found->second.size(); ++k) {
        if (words_of(others[k]) == words_of(groups[i])) words[i].insert(found->second[k].begin(), found->second[k].end());
      }
    }
    return words;
  }
  return {};
}

}  // namespace bascule::ptx_coverage
