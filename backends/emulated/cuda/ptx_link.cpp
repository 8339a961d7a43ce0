// See ptx_link.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/ptx_link.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "backends/emulated/cuda/ptx_items.hpp"

namespace bascule::emulated {
namespace {

using Kind = PtxItem::Kind;
using Linkage = PtxItem::Linkage;

// What the device's runtime brings.
const std::set<std::string_view> kRuntime = {"vprintf", "malloc", "free", "__assertfail"};

bool defines(const PtxItem& item) {
  return item.linkage != Linkage::kExtern && (item.kind == Kind::kFunction || item.kind == Kind::kVariable);
}

std::string replace_names(std::string_view text, const std::map<std::string, std::string, std::less<>>& names) {
  std::string result;
  std::size_t copied = 0;
  for (const PtxToken& token : ptx_tokens(text)) {
    const auto found = names.find(token.text);
    if (found == names.end()) continue;
    result += text.substr(copied, token.begin - copied);
    result += found->second;
    copied = token.begin + token.text.size();
  }
  result += text.substr(copied);
  return result;
}

// .file and .loc count files per text.
std::string shift_files(std::string_view text, int first) {
  if (first == 0) return std::string(text);
  std::string result;
  std::size_t copied = 0;
  const auto tokens = ptx_tokens(text);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text != ".file" && tokens[i].text != ".loc" && tokens[i].text != "inlined_at") continue;
    const PtxToken& number = tokens[i + 1];
    result += text.substr(copied, number.begin - copied);
    result += std::to_string(first + std::atoi(std::string(number.text).c_str()));
    copied = number.begin + number.text.size();
  }
  result += text.substr(copied);
  return result;
}

int files_of(const PtxItems& items) {
  int most = 0;
  for (const PtxItem& item : items.items) {
    if (item.kind == Kind::kFile) most = std::max(most, std::atoi(std::string(ptx_tokens(item.text)[1].text).c_str()));
  }
  return most;
}

class Linker {
 public:
  explicit Linker(const std::vector<PtxText>& texts) : texts_(texts) {
    for (const PtxText& text : texts) cut_.push_back(cut_ptx(text.text));
  }

  LinkedPtx link() {
    rename_internal();
    choose_definitions();
    resolve();
    if (result_.errors.empty()) write();
    return std::move(result_);
  }

 private:
  // A name that only one text sees gets a new one where another text uses it too.
  void rename_internal() {
    std::map<std::string, std::set<std::size_t>, std::less<>> users;
    for (std::size_t t = 0; t < cut_.size(); ++t) {
      for (const PtxItem& item : cut_[t].items) {
        for (const PtxToken& token : ptx_tokens(item.text)) {
          if (token.is_name()) users[std::string(token.text)].insert(t);
        }
      }
    }
    int first_file = 0;
    for (std::size_t t = 0; t < cut_.size(); ++t) {
      std::map<std::string, std::string, std::less<>> names;
      for (const PtxItem& item : cut_[t].items) {
        if (item.linkage != Linkage::kInternal || item.entry || item.name.empty() || users[item.name].size() == 1) continue;
        names[item.name] = item.name + "$text" + std::to_string(t + 1);
      }
      const int files = files_of(cut_[t]);
      for (PtxItem& item : cut_[t].items) {
        item.text = shift_files(replace_names(item.text, names), first_file);
        if (const auto found = names.find(item.name); found != names.end()) item.name = found->second;
      }
      first_file += files;
    }
  }

  void choose_definitions() {
    for (std::size_t t = 0; t < cut_.size(); ++t) {
      for (const PtxItem& item : cut_[t].items) {
        if (!defines(item)) continue;
        const auto [found, fresh] = definitions_.try_emplace(item.name, &item);
        if (fresh) {
          defined_in_[item.name] = t;
          continue;
        }
        const auto replaceable = [](const PtxItem& other) { return other.linkage == Linkage::kWeak || other.linkage == Linkage::kCommon; };
        if (replaceable(item)) continue;
        if (replaceable(*found->second)) {
          found->second = &item;
          defined_in_[item.name] = t;
          continue;
        }
        result_.errors.push_back("multiple definition of '" + item.name + "' in '" + texts_[t].name + "', first defined in '" +
                                 texts_[defined_in_[item.name]].name + "'");
      }
    }
  }

  void resolve() {
    for (std::size_t t = 0; t < cut_.size(); ++t) {
      for (const PtxItem& item : cut_[t].items) {
        if (item.linkage != Linkage::kExtern || definitions_.contains(item.name) || kRuntime.contains(item.name)) continue;
        if (item.kind == Kind::kVariable && item.shared) continue;  // dynamic shared memory
        if (item.kind != Kind::kVariable && item.kind != Kind::kPrototype) continue;
        result_.errors.push_back("undefined reference to '" + item.name + "' in '" + texts_[t].name + "'");
      }
    }
  }

  // The head of a function, as a declaration.
  static std::string declaration_of(const PtxItem& function) {
    std::string head = function.text.substr(0, function.text.find('{'));
    while (!head.empty() && (head.back() == ' ' || head.back() == '\n' || head.back() == '\t' || head.back() == '\r')) head.pop_back();
    return head + ";\n";
  }

  void write() {
    const auto newest = std::max_element(cut_.begin(), cut_.end(), [](const PtxItems& a, const PtxItems& b) { return a.version < b.version; });
    const auto target = std::max_element(cut_.begin(), cut_.end(), [](const PtxItems& a, const PtxItems& b) { return a.target < b.target; });
    std::string& out = result_.text;
    out = ".version " + newest->version_text + "\n.target " + target->target_text + "\n.address_size 64\n";
    write_files(out);
    write_declarations(out);
    for (const PtxItems& items : cut_) {
      for (const PtxItem& item : items.items) {
        if (item.kind == Kind::kVariable) write_variable(item, out);
      }
    }
    for (const PtxItems& items : cut_) {
      for (const PtxItem& item : items.items) {
        const bool chosen = item.kind == Kind::kFunction && definitions_[item.name] == &item;
        if (chosen || item.kind == Kind::kOther) out += item.text + "\n";
      }
    }
  }

  void write_files(std::string& out) const {
    for (const PtxItems& items : cut_) {
      for (const PtxItem& item : items.items) {
        if (item.kind == Kind::kFile) out += item.text + "\n";
      }
    }
  }

  // Every function that is not an entry, so that texts may be in any order.
  void write_declarations(std::string& out) {
    std::set<std::string> declared;
    for (const PtxItems& items : cut_) {
      for (const PtxItem& item : items.items) {
        if (item.entry || (item.kind != Kind::kFunction && item.kind != Kind::kPrototype) || !declared.insert(item.name).second) continue;
        const auto found = definitions_.find(item.name);
        out += found != definitions_.end() ? declaration_of(*found->second) : item.text + "\n";
      }
    }
  }

  // Behind those that its initial value names.
  void write_variable(const PtxItem& item, std::string& out) {
    const auto found = definitions_.find(item.name);
    const PtxItem& chosen = found != definitions_.end() ? *found->second : item;  // else dynamic shared memory
    if (!written_.insert(chosen.name).second) return;
    for (const PtxToken& token : ptx_tokens(chosen.text)) {
      const auto other = definitions_.find(std::string(token.text));
      if (other != definitions_.end() && other->second->kind == Kind::kVariable) write_variable(*other->second, out);
    }
    out += chosen.text + "\n";
  }

  const std::vector<PtxText>& texts_;
  std::vector<PtxItems> cut_;
  std::map<std::string, const PtxItem*> definitions_;
  std::map<std::string, std::size_t> defined_in_;
  std::set<std::string> written_;
  LinkedPtx result_;
};

}  // namespace

LinkedPtx link_ptx(const std::vector<PtxText>& texts) { return Linker(texts).link(); }

}  // namespace bascule::emulated
