// From text to nodes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <optional>

#include "kernels/ptx/node.hpp"

namespace bascule::ptx {
namespace {

constexpr std::string_view kLanguageVersion = "1";
constexpr std::array kOwnDirectives = {".expand", ".let", ".for", ".endfor", ".if", ".elif", ".else", ".endif", ".macro", ".endmacro",
                                       ".template", ".endtemplate", ".include", ".assert", ".needed"};
constexpr std::array kLineDirectives = {".version", ".target", ".address_size"};

template <class List>
bool holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

class NodeReader {
 public:
  explicit NodeReader(const std::shared_ptr<const SourceFile>& file) : file_(file), text_(file->text()) {}

  std::vector<Node> run() {
    std::vector<Node> nodes = body({});
    return nodes;
  }

 private:
  Place here(std::size_t offset) const { return {file_, offset}; }

  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  // ".word" at the current place, or nothing.
  std::string_view dot_word(std::size_t at) const {
    if (at >= text_.size() || text_[at] != '.') return {};
    std::size_t end = at + 1;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    return text_.substr(at, end - at);
  }

  // The rest of the line after `skipped` characters.
  Words rest_of_line(std::size_t skipped) {
    std::size_t begin = at_ + skipped;
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    while (begin < end && is_blank(text_[begin])) ++begin;
    at_ = end;
    return {std::string(trimmed(text_.substr(begin, end - begin))), here(begin)};
  }

  // Nodes up to one of the directives `ends`, which stays unread; without any, up to the end of the file.
  std::vector<Node> body(const std::vector<std::string_view>& ends, const Place* opener = nullptr) {
    std::vector<Node> nodes;
    for (skip(); at_ < text_.size(); skip()) {
      const std::string_view word = dot_word(at_);
      if (std::find(ends.begin(), ends.end(), word) != ends.end()) return nodes;
      if (holds(kOwnDirectives, word)) {
        directive(nodes, word);
      } else {
        nodes.push_back(statement(""));
      }
    }
    if (opener != nullptr) fail(*opener, "there is no " + std::string(ends.front()) + " for this");
    return nodes;
  }

  void directive(std::vector<Node>& nodes, std::string_view word) {
    const Place place = here(at_);
    if (word == ".expand") return language(word);
    Node node;
    node.place = place;
    if (word == ".let") let(node, word);
    else if (word == ".for") loop(node, word);
    else if (word == ".if") choice(node);
    else if (word == ".macro" || word == ".template") macro(node, word);
    else if (word == ".include") include(node, word);
    else if (word == ".assert") assertion(node, word);
    else if (word == ".needed") node = needed(word);
    else fail(place, std::string(word) + " ends nothing that is open here");
    nodes.push_back(std::move(node));
  }

  void language(std::string_view word) {
    const Words version = rest_of_line(word.size());
    if (version.text != kLanguageVersion) {
      fail(version.place, "the expander's language has the version 1, this file asks for '" + version.text + "'", "write .expand 1");
    }
  }

  // A name at the beginning of `words`, which is cut off.
  std::string take_name(Words& words, const std::string& what) {
    std::size_t end = 0;
    while (end < words.text.size() && is_name_part(words.text[end])) ++end;
    if (end == 0 || (words.text[0] >= '0' && words.text[0] <= '9')) fail(words.place, "the name of " + what + " is missing");
    std::string name = words.text.substr(0, end);
    while (end < words.text.size() && is_blank(words.text[end])) ++end;
    words = {words.text.substr(end), words.place.at(end)};
    return name;
  }

  void take_text(Words& words, std::string_view text) {
    if (!words.text.starts_with(text)) fail(words.place, "'" + std::string(text) + "' is missing");
    std::size_t end = text.size();
    while (end < words.text.size() && is_blank(words.text[end])) ++end;
    words = {words.text.substr(end), words.place.at(end)};
  }

  void let(Node& node, std::string_view word) {
    node.kind = Node::Kind::let;
    node.words = rest_of_line(word.size());
    node.name = take_name(node.words, "the integer");
    take_text(node.words, "=");
  }

  // .for i in BEGIN .. END [step STEP]
  void loop(Node& node, std::string_view word) {
    node.kind = Node::Kind::loop;
    Words words = rest_of_line(word.size());
    node.name = take_name(words, "the loop's integer");
    take_text(words, "in ");
    const std::size_t dots = words.text.find("..");
    if (dots == std::string::npos) fail(words.place, "a range BEGIN .. END is expected");
    node.words = {words.text.substr(0, dots), words.place};
    node.end = {words.text.substr(dots + 2), words.place.at(dots + 2)};
    node.step = {"1", words.place};
    if (const std::size_t step = node.end.text.find(" step "); step != std::string::npos) {
      node.step = {node.end.text.substr(step + 6), node.end.place.at(step + 6)};
      node.end.text.resize(step);
    }
    node.body = body({".endfor"}, &node.place);
    rest_of_line(7);
  }

  void choice(Node& node) {
    node.kind = Node::Kind::choice;
    for (;;) {
      const std::string_view word = dot_word(at_);
      Branch branch;
      branch.condition = rest_of_line(word.size());
      const bool last = word == ".else";
      if (last) branch.condition = {"1", node.place};
      branch.body = last ? body({".endif"}, &node.place) : body({".endif", ".elif", ".else"}, &node.place);
      node.branches.push_back(std::move(branch));
      if (dot_word(at_) == ".endif") break;
    }
    rest_of_line(6);
  }

  void macro(Node& node, std::string_view word) {
    node.kind = Node::Kind::macro;
    node.is_template = word == ".template";
    Words words = rest_of_line(word.size());
    node.name = take_name(words, "the macro");
    while (!words.text.empty()) {
      node.parameters.push_back(take_name(words, "a parameter"));
      if (!words.text.empty()) take_text(words, ",");
    }
    const std::string_view end = node.is_template ? ".endtemplate" : ".endmacro";
    node.body = body({end}, &node.place);
    rest_of_line(end.size());
  }

  std::string quoted(const Words& words) {
    if (words.text.size() < 2 || words.text.front() != '"' || words.text.back() != '"') fail(words.place, "a text in quotes is expected");
    return words.text.substr(1, words.text.size() - 2);
  }

  void include(Node& node, std::string_view word) {
    node.kind = Node::Kind::include;
    node.words = rest_of_line(word.size());
    node.words.text = quoted(node.words);
  }

  // .assert CONDITION, "message"
  void assertion(Node& node, std::string_view word) {
    node.kind = Node::Kind::assertion;
    node.words = rest_of_line(word.size());
    const std::size_t comma = node.words.text.rfind(", \"");
    if (comma == std::string::npos) fail(node.words.place, "a condition, a comma and a text in quotes are expected");
    node.message = quoted({node.words.text.substr(comma + 2), node.words.place.at(comma + 2)});
    node.words.text.resize(comma);
  }

  // .needed NAME: statement
  Node needed(std::string_view word) {
    at_ += word.size();
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    if (at_ == begin || at_ >= text_.size() || text_[at_] != ':') fail(here(begin), ".needed NAME: STATEMENT is expected");
    const std::string name(text_.substr(begin, at_ - begin));
    ++at_;
    skip();
    return statement(name);
  }

  Node statement(const std::string& mark) {
    Node node;
    node.place = here(at_);
    node.name = mark;
    if (at_ >= text_.size()) fail(node.place, "a statement is missing at the end of the file");
    if (text_[at_] == '{' || text_[at_] == '}') {
      node.kind = text_[at_] == '{' ? Node::Kind::open : Node::Kind::close;
      ++at_;
      return node;
    }
    if (holds(kLineDirectives, dot_word(at_))) {
      node.words = rest_of_line(0);
      return node;
    }
    const std::size_t end = end_of_statement();
    node.words = {std::string(text_.substr(at_, end - at_)), node.place};
    at_ = end;
    return node;
  }

  // Behind the ';' or the label's ':', or at the '{' after a function's head.
  std::size_t end_of_statement() const {
    bool only_name = true;  // so far: a label may be meant
    int depth = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') {
        i = std::min(text_.find('"', i + 1), text_.size());
      } else if (c == ';') {
        return i + 1;
      } else if (c == ':' && only_name && i > at_) {
        return i + 1;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')') {
        --depth;
      } else if (c == '{' && depth == 0 && is_head(text_.substr(at_, i - at_))) {
        return i;
      } else if (c == '\n') {
        refuse_directive_after(i);
      }
      only_name = only_name && (is_name_part(c) || c == '$' || c == '(' || c == ')');
    }
    fail(here(at_), "the statement that begins here has no ';'");
  }

  static bool is_head(std::string_view text) {
    return text.starts_with(".") && (text.find(".entry") != std::string_view::npos || text.find(".func") != std::string_view::npos);
  }

  void refuse_directive_after(std::size_t at) const {
    while (at < text_.size() && is_blank(text_[at])) ++at;
    const std::string_view word = dot_word(at);
    if (holds(kOwnDirectives, word) || holds(kLineDirectives, word)) fail(here(at_), "the statement that begins here has no ';' before " + std::string(word));
  }

  std::shared_ptr<const SourceFile> file_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Node> read_nodes(const std::shared_ptr<const SourceFile>& file) { return NodeReader(file).run(); }

bool is_expandable(const std::string& text) {
  const SourceFile file("", text);
  return trimmed(file.text()).starts_with(".expand");
}

}  // namespace bascule::ptx
