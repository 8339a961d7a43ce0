// See ptx_items.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/ptx_items.hpp"

#include <cctype>
#include <cstdlib>

#include "backends/emulated/cuda/image.hpp"

namespace bascule::emulated {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

// Comments become spaces, so that lines stay what they were.
std::string without_comments(std::string_view text) {
  std::string clean(text);
  bool quoted = false;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    if (clean[i] == '"') quoted = !quoted;
    if (quoted || clean[i] != '/' || i + 1 == clean.size()) continue;
    if (clean[i + 1] == '/') {
      while (i < clean.size() && clean[i] != '\n') clean[i++] = ' ';
    } else if (clean[i + 1] == '*') {
      std::size_t end = clean.find("*/", i + 2);
      end = end == std::string::npos ? clean.size() : end + 2;
      for (; i < end; ++i) clean[i] = clean[i] == '\n' ? '\n' : ' ';
      --i;
    }
  }
  return clean;
}

// Where the item that begins with token `first` ends: behind its last token.
std::size_t end_of_item(const std::vector<PtxToken>& tokens, std::size_t first, std::string_view text) {
  if (tokens[first].text == ".file") {  // ends with its line
    const std::size_t line = text.find('\n', tokens[first].begin);
    std::size_t i = first;
    while (i < tokens.size() && tokens[i].begin < line) ++i;
    return i;
  }
  bool braces_end = false;
  int depth = 0;
  for (std::size_t i = first; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i].text;
    if (token == ".func" || token == ".entry" || token == ".section") braces_end = true;
    if (token == "(" || token == "{" || token == "[") ++depth;
    if (token == ")" || token == "}" || token == "]") --depth;
    if (depth == 0 && (token == ";" || (token == "}" && braces_end))) return i + 1;
  }
  return tokens.size();
}

void describe(PtxItem& item, const std::vector<PtxToken>& tokens, std::size_t first, std::size_t end) {
  bool function = false, variable = false;
  int depth = 0;
  for (std::size_t i = first; i < end; ++i) {
    const std::string_view token = tokens[i].text;
    if (token == "(" || token == "{" || token == "[") ++depth;
    if (token == ")" || token == "}" || token == "]") --depth;
    if (token == "{" && function) item.kind = PtxItem::Kind::kFunction;
    if (depth != 0 || !item.name.empty()) continue;
    if (token == ".visible") item.linkage = PtxItem::Linkage::kVisible;
    if (token == ".weak") item.linkage = PtxItem::Linkage::kWeak;
    if (token == ".common") item.linkage = PtxItem::Linkage::kCommon;
    if (token == ".extern") item.linkage = PtxItem::Linkage::kExtern;
    if (token == ".file") item.kind = PtxItem::Kind::kFile;
    if (token == ".func" || token == ".entry") {
      function = true;
      item.kind = PtxItem::Kind::kPrototype;
      item.entry = token == ".entry";
    }
    if (token == ".global" || token == ".const" || token == ".shared") {
      variable = true;
      item.kind = PtxItem::Kind::kVariable;
      item.shared = token == ".shared";
    }
    if ((function || variable) && tokens[i].is_name()) item.name = token;
  }
}

}  // namespace

bool PtxToken::is_name() const { return !text.empty() && starts_name(text.front()); }

std::vector<PtxToken> ptx_tokens(std::string_view text) {
  std::vector<PtxToken> tokens;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (c == '"') {
      end = text.find('"', i + 1);
      end = end == std::string_view::npos ? text.size() : end + 1;
    } else if (starts_name(c) || (c == '.' && end < text.size() && starts_name(text[end]))) {
      while (end < text.size() && (in_name(text[end]) || (text[end] == '.' && end + 1 < text.size() && in_name(text[end + 1])) ||
                                   (text[end] == ':' && end + 2 < text.size() && text[end + 1] == ':' && in_name(text[end + 2])) ||
                                   (text[end] == ':' && text[end - 1] == ':'))) {
        ++end;
      }
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (end < text.size() && (in_name(text[end]) || text[end] == '.')) ++end;
    }
    tokens.push_back({text.substr(i, end - i), i});
    i = end;
  }
  return tokens;
}

PtxItems cut_ptx(std::string_view given) {
  const std::string text = without_comments(given);
  const PtxHeader header = read_ptx_header(text);
  PtxItems items;
  items.version = header.version;
  items.version_text = std::to_string(header.version / 10) + "." + std::to_string(header.version % 10);
  items.target = header.target;
  const std::vector<PtxToken> tokens = ptx_tokens(text);
  std::size_t i = 0;
  while (i < tokens.size()) {  // the header
    if (tokens[i].text == ".version" || tokens[i].text == ".address_size") {
      i += 2;
    } else if (tokens[i].text == ".target" && i + 1 < tokens.size()) {
      items.target_text = tokens[i + 1].text;
      i += 2;
      while (i + 1 < tokens.size() && tokens[i].text == ",") i += 2;
    } else {
      break;
    }
  }
  while (i < tokens.size()) {
    const std::size_t end = end_of_item(tokens, i, text);
    const std::size_t to = end < tokens.size() ? tokens[end].begin : text.size();
    PtxItem item;
    item.text = text.substr(tokens[i].begin, to - tokens[i].begin);
    describe(item, tokens, i, end);
    if (tokens[i].text != ".section") items.items.push_back(std::move(item));
    i = end;
  }
  return items;
}

}  // namespace bascule::emulated
