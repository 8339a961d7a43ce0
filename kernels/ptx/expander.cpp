// Walking the nodes: loops and branches are run, macros put in place, names replaced, statements written.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/ptx/expander.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/base/hash.hpp"
#include "core/platform/file.hpp"
#include "kernels/compiler/failure.hpp"
#include "kernels/ptx/scope.hpp"
#include "kernels/ptx/writer.hpp"

namespace bascule::ptx {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxStatements = 1'000'000;
constexpr std::size_t kMaxScopes = 256;
constexpr std::size_t kMaxIncludes = 16;
constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;

// White space and line ends to one blank each.
std::string on_one_line(const std::string& text) {
  std::string result;
  for (const char c : trimmed(text)) {
    if (!is_blank(c)) result += c;
    else if (result.back() != ' ') result += ' ';
  }
  return result;
}

// What stands between the commas outside of all brackets.
std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != ',' || (depth != 0 && i < text.size())) continue;
    parts.emplace_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (parts.size() == 1 && parts[0].empty()) parts.clear();
  return parts;
}

class Expander {
 public:
  Expander(const ExpandOptions& options, const ReadFile& read) : options_(options), read_(read), writer_(options.markers) {}

  Expansion run(const std::string& path) {
    std::vector<Node> nodes = load(path);
    if (nodes.empty()) throw compiler::Failure(path + ": the file holds nothing");
    walk(nodes);
    if (writer_.depth() != 0) fail(opened_.back(), "this '{' is never closed");
    for (const std::string& name : options_.without) {
      const auto is_it = [&](const Mark& mark) { return mark.name == name; };
      if (std::none_of(result_.marks.begin(), result_.marks.end(), is_it)) throw compiler::Failure(path + ": there is no .needed " + name, "see --marks");
    }
    result_.text = writer_.finish("// Expanded from " + shown(path) + " by bascule-ptx-expand.\n");
    return std::move(result_);
  }

 private:
  std::string shown(const std::string& path) const {
    for (const std::string& root : options_.roots) {
      const fs::path relative = fs::absolute(path).lexically_normal().lexically_relative(fs::absolute(root).lexically_normal());
      if (!relative.empty() && *relative.begin() != "..") return relative.string();
    }
    return fs::path(path).filename().string();
  }

  std::vector<Node> load(const std::string& path) {
    result_.files.insert(path);
    folders_.push_back(fs::path(path).parent_path().string());
    std::vector<Node> nodes = read_nodes(std::make_shared<const SourceFile>(shown(path), read_(path)));
    for (const Node& node : nodes) {
      if (node.kind == Node::Kind::macro) define(node);  // so that they may stand behind their use
    }
    return nodes;
  }

  void walk(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) visit(node);
  }

  void visit(const Node& node) {
    switch (node.kind) {
      case Node::Kind::statement: return statement(node);
      case Node::Kind::open: return open(node.place);
      case Node::Kind::close: return close(node.place);
      case Node::Kind::let: return let(node);
      case Node::Kind::loop: return loop(node);
      case Node::Kind::choice: return choice(node);
      case Node::Kind::macro: return macros_.count(node.name) == 0 || macros_.at(node.name).place.shown() != node.place.shown() ? define(node) : void();
      case Node::Kind::include: return include(node);
      case Node::Kind::assertion:
        if (scopes_.evaluate_text(node.words.text, node.words.place) == 0) fail(node.place, node.message + " (" + node.words.text + ")");
    }
  }

  void push(const Place& place, bool of_macro = false) {
    if (scopes_.depth() >= kMaxScopes) fail(place, "macros and blocks are nested more than " + std::to_string(kMaxScopes) + " deep");
    scopes_.push(of_macro, &place);
  }

  void open(const Place& place) {
    count(place);
    writer_.open(place);
    push(place);
    opened_.push_back(place);
  }
  void close(const Place& place) {
    writer_.close(place);
    scopes_.pop();
    opened_.pop_back();
  }

  void let(const Node& node) {
    const auto given = std::find_if(options_.integers.begin(), options_.integers.end(), [&](const auto& pair) { return pair.first == node.name; });
    const bool replaced = given != options_.integers.end() && scopes_.depth() == 1;
    scopes_.set_integer(node.name, replaced ? given->second : scopes_.evaluate_text(node.words.text, node.words.place));
  }

  void loop(const Node& node) {
    const std::int64_t begin = scopes_.evaluate_text(node.words.text, node.words.place);
    const std::int64_t end = scopes_.evaluate_text(node.end.text, node.end.place);
    const std::int64_t step = scopes_.evaluate_text(node.step.text, node.step.place);
    if (step <= 0) fail(node.step.place, "the step is " + std::to_string(step) + "; it must be above 0");
    for (std::int64_t i = begin; i < end; i += step) {
      push(node.place);
      scopes_.set_integer(node.name, i);
      const int depth = writer_.depth();
      walk(node.body);
      if (writer_.depth() != depth) fail(node.place, "the braces in the loop's body do not match");
      scopes_.pop();
      count(node.place);
    }
  }

  void choice(const Node& node) {
    for (const Branch& branch : node.branches) {
      if (scopes_.evaluate_text(branch.condition.text, branch.condition.place) == 0) continue;
      const int depth = writer_.depth();
      walk(branch.body);
      if (writer_.depth() != depth) fail(node.place, "the braces in the branch do not match");
      return;
    }
  }

  void define(const Node& node) {
    const auto [place, added] = macros_.emplace(node.name, node);
    if (!added) fail(node.place, "the macro " + node.name + " is also defined in " + place->second.place.shown());
  }

  void include(const Node& node) {
    if (folders_.size() >= kMaxIncludes) fail(node.place, "files include each other more than " + std::to_string(kMaxIncludes) + " deep");
    const std::string path = (fs::path(folders_.back()) / node.words.text).lexically_normal().string();
    std::vector<Node> nodes;
    try {
      nodes = load(path);
    } catch (const compiler::Failure& failure) {
      if (folders_.empty() || result_.files.count(path) == 0) throw;
      throw compiler::Failure(failure.what() + std::string("\n") + node.place.shown() + ": included here", failure.remedy());
    }
    walk(nodes);
    folders_.pop_back();
  }

  void count(const Place& place) {
    if (++statements_ > kMaxStatements) fail(place, "the expansion has more than " + std::to_string(kMaxStatements) + " statements");
  }

  void statement(const Node& node) {
    std::string text = on_one_line(scopes_.substitute(node.words.text, node.words.place));
    if (text.starts_with(".reg")) return registers(node, text);
    const auto macro = macros_.find(first_word(text));
    const bool is_call = macro != macros_.end() && text.back() == ';';
    text = scopes_.index_arrays(text, node.words.place, is_call);
    if (!node.name.empty() && marked(node, text)) return;
    if (is_call) return call(node, macro->second, text);
    count(node.place);
    writer_.statement(text, node.place);
  }

  static std::string first_word(const std::string& text) {
    std::size_t end = 0;
    while (end < text.size() && is_name_part(text[end])) ++end;
    return text.substr(0, end);
  }

  // Takes note of a mark; whether the statement is to be left out. Of a guarded one the guard goes.
  bool marked(const Node& node, std::string& text) {
    const auto is_it = [&](const Mark& mark) { return mark.name == node.name; };
    if (std::none_of(result_.marks.begin(), result_.marks.end(), is_it)) result_.marks.push_back({node.name, node.place.shown()});
    if (std::find(options_.without.begin(), options_.without.end(), node.name) == options_.without.end()) return false;
    if (text.front() != '@') return true;
    text = std::string(trimmed(std::string_view(text).substr(text.find(' '))));
    return false;
  }

  // .reg .f32 %acc[8][8], %x, %t<4>;
  void registers(const Node& node, const std::string& text) {
    const std::size_t begin = text.find('%');
    if (begin == std::string::npos) fail(node.place, ".reg declares nothing: a register's name begins with '%'");
    std::string result = text.substr(0, begin);
    bool first = true;
    for (const std::string& part : split_arguments(std::string_view(text).substr(begin, text.size() - begin - 1))) {
      const std::size_t bracket = part.find('[');
      const std::string name = part.substr(0, std::min(bracket, part.find('<')));
      std::vector<std::int64_t> dimensions;
      std::int64_t total = 1;
      for (std::size_t at = bracket; at < part.size(); at = part.find('[', at + 1)) {
        const std::size_t close = std::min(part.find(']', at), part.size());
        dimensions.push_back(scopes_.evaluate_text(std::string_view(part).substr(at + 1, close - at - 1), node.place));
        if (dimensions.back() <= 0 || dimensions.back() > 65536) fail(node.place, name + ": a dimension of " + std::to_string(dimensions.back()));
        total *= dimensions.back();
      }
      result += (first ? "" : ", ") + (dimensions.empty() ? part : name + "<" + std::to_string(total) + ">");
      first = false;
      scopes_.declare(name, std::move(dimensions), node.place);
    }
    count(node.place);
    writer_.statement(result + ";", node.place);
  }

  void call(const Node& node, const Node& macro, const std::string& text) {
    const std::vector<std::string> arguments = split_arguments(std::string_view(text).substr(macro.name.size(), text.size() - macro.name.size() - 1));
    if (arguments.size() != macro.parameters.size()) {
      fail(node.place, macro.name + " takes " + std::to_string(macro.parameters.size()) + " arguments, not " + std::to_string(arguments.size()));
    }
    if (!macro.is_template) writer_.open(node.place);
    push(node.place, true);
    for (std::size_t i = 0; i < arguments.size(); ++i) scopes_.set_parameter(macro.parameters[i], arguments[i]);
    const int depth = writer_.depth();
    try {
      walk(macro.body);
    } catch (const compiler::Failure& failure) {
      if (++traced_ > 8) throw;
      throw compiler::Failure(failure.what() + std::string("\n") + node.place.shown() + ": in this use of " + macro.name, failure.remedy());
    }
    if (writer_.depth() != depth) fail(macro.place, "the braces in " + macro.name + " do not match");
    scopes_.pop();
    if (!macro.is_template) writer_.close(node.place);
  }

  const ExpandOptions& options_;
  const ReadFile& read_;
  Writer writer_;
  Scopes scopes_;
  Expansion result_;
  std::map<std::string, Node> macros_;
  std::vector<std::string> folders_;
  std::vector<Place> opened_;
  std::size_t statements_ = 0;
  int traced_ = 0;
};

}  // namespace

Expansion expand(const std::string& path, const ExpandOptions& options, const ReadFile& read) { return Expander(options, read).run(path); }

namespace {
std::string read(const std::string& file) {
  const auto text = core::read_file(file, kMaxFileBytes);
  if (!text.ok()) throw compiler::Failure(text.error().message, text.error().remedy);
  return *text;
}
}  // namespace

Expansion expand_file(const std::string& path, const ExpandOptions& options) { return expand(path, options, read); }

std::string evidence_hash(const std::string& path) {
  std::string text = read(path);
  if (path.ends_with(".ptx") && is_expandable(text)) {
    ExpandOptions options;
    options.markers = false;
    text = expand_file(path, options).text;
  }
  return core::hash128(text).hex();
}

}  // namespace bascule::ptx
