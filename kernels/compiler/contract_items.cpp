// Reading what stands in BASCULE_CONTRACT(...): `key(argument, ...)`, separated by commas.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/compiler/failure.hpp"
#include "kernels/compiler/signature.hpp"

namespace bascule::compiler {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

// Parts between the commas that stand outside of parentheses and string literals.
std::vector<std::string> split_at_commas(std::string_view text, const std::string& where) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.push_back(trimmed(text.substr(start, i - start)));
      start = i + 1;
    }
  }
  if (quoted || depth != 0) throw Failure(where + ": BASCULE_CONTRACT has an unfinished " + (quoted ? "text" : "parenthesis"));
  const std::string last = trimmed(text.substr(start));
  if (!last.empty() || !parts.empty()) parts.push_back(last);
  return parts;
}

// "a" "b" is ab; anything else stays as it is.
std::string without_quotes(const std::string& text) {
  if (text.empty() || text.front() != '"') return text;
  std::string result;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      quoted = !quoted;
    } else if (quoted && text[i] == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      result += next == 'n' ? '\n' : next == 't' ? '\t' : next;
    } else if (quoted) {
      result += text[i];
    }
  }
  return result;
}

}  // namespace

std::vector<ContractItem> parse_contract_items(std::string_view text, const std::string& where) {
  std::vector<ContractItem> items;
  for (const std::string& part : split_at_commas(text, where)) {
    const std::size_t open = part.find('(');
    if (open == std::string::npos || part.back() != ')') {
      throw Failure(where + ": BASCULE_CONTRACT: '" + part + "' is not of the form key(...)", "for example nan(propagate) or length(x, y.length)");
    }
    ContractItem item{trimmed(std::string_view(part).substr(0, open)), {}};
    const std::string_view inside = std::string_view(part).substr(open + 1, part.size() - open - 2);
    for (const std::string& argument : split_at_commas(inside, where)) item.arguments.push_back(without_quotes(argument));
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace bascule::compiler
