// The top level of a PTX text: what the module needs, its directives, and where functions and variables begin.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "backends/simt/ptx/parse.hpp"

namespace bascule::simt::ptx {
namespace {

// Every version of the language up to kNewestVersion.
constexpr std::uint32_t kVersions[] = {10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 31, 32, 40, 41,
                                       42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75,
                                       76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90, 91};
constexpr std::uint32_t kTargets[] = {10, 11, 12, 13, 20, 30, 32, 35, 37, 50,  52,  53,  60,  61,  62,
                                      70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
constexpr std::string_view kTargetOptions[] = {"debug", "texmode_unified", "texmode_independent", "map_f64_to_f32"};

template <typename T, std::size_t N>
bool contains(const T (&list)[N], const T& value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

// "sm_90a" → 90, 'a'; number 0: not the name of a target.
Target read_target(std::string_view name) {
  Target target;
  if (!name.starts_with("sm_") || name.size() > 8) return target;
  name.remove_prefix(3);
  while (!name.empty() && name[0] >= '0' && name[0] <= '9') {
    target.number = target.number * 10 + static_cast<std::uint32_t>(name[0] - '0');
    name.remove_prefix(1);
  }
  if (name == "a" || name == "f")
    target.suffix = name[0];
  else if (!name.empty())
    return {};
  return target;
}

}  // namespace

Parser::Parser(std::string_view text, std::string_view name, Reporter& reporter)
    : reporter_(reporter), tokens_(text, reporter), module_(std::make_unique<Module>()) {
  module_->name = std::string(name);
  module_->files.emplace_back();
}

std::unique_ptr<Module> Parser::run() {
  try {
    header();
  } catch (const Recover&) {
    return std::move(module_);  // without version and target nothing else can be judged
  }
  opcodes_ = std::make_unique<OpcodeCache>(platform_);
  while (!tokens_.at_end() && !reporter_.full()) {
    try {
      module_statement();
    } catch (const Recover&) {
      skip_to_directive();
    }
  }
  resolve_aliases();
  forget_unknown_files();
  return std::move(module_);
}

void Parser::header() {
  if (tokens_.at_end())
    tokens_.fail(tokens_.current(), "the text is empty", "a PTX module begins with .version and .target");
  if (!tokens_.current().is_word("version")) {
    tokens_.fail(tokens_.current(),
                 "this is not PTX: .version was expected, not " + tokens_.describe(tokens_.current()),
                 "a PTX module begins with .version and .target");
  }
  version();
  while (tokens_.current().is_word("file") || tokens_.current().is_word("pragma")) module_statement();
  if (!tokens_.current().is_word("target")) tokens_.fail_expected(".target", "after .version");
  target();
  if (tokens_.current().is_word("address_size")) address_size();
}

void Parser::version() {
  tokens_.advance();
  const Token at = tokens_.take();
  const std::string_view text = at.text;
  const std::size_t dot = text.find('.');
  std::uint32_t number = 0;
  if (at.kind == TokenKind::real && dot != std::string_view::npos && dot <= 2 && text.size() == dot + 2) {
    for (const char c : text) {
      if (c != '.') number = number * 10 + static_cast<std::uint32_t>(c - '0');
    }
  } else {
    tokens_.fail(at, "a version such as 8.0 was expected, not " + tokens_.describe(at));
  }
  const std::string newest = version_text(kNewestVersion);
  if (number > kNewestVersion) {
    tokens_.fail(at, "PTX " + std::string(text) + " is newer than this engine, which knows PTX up to " + newest,
                 "compile for an older PTX version");
  }
  if (!contains(kVersions, number))
    tokens_.fail(at, "there is no PTX " + std::string(text), "known are 1.0 to " + newest);
  platform_.version = module_->version = number;
}

void Parser::target() {
  tokens_.advance();
  do {
    const Token name = tokens_.expect_identifier("the name of a target, such as sm_80,");
    if (contains(kTargetOptions, name.text)) {
      module_->target_debug = module_->target_debug || name.text == "debug";
      continue;
    }
    const Target target = read_target(name.text);
    const bool suffix_fits = target.suffix == 0 || target.number >= (target.suffix == 'a' ? 90u : 100u);
    if (target.number == 0 || !contains(kTargets, target.number) || !suffix_fits) {
      std::string known;
      for (const std::uint32_t number : kTargets) {
        if (number >= 50) known += (known.empty() ? "sm_" : ", sm_") + std::to_string(number);
      }
      tokens_.fail(name, "unknown target '" + std::string(name.text) + "'",
                   "known are " + known + "; with 'a' from sm_90 on, with 'f' from sm_100 on");
    }
    platform_.target = target;
    module_->target = std::string(name.text);
    module_->target_number = target.number;
    module_->target_suffix = target.suffix;
  } while (tokens_.accept(','));
  if (module_->target_number == 0) tokens_.fail_expected("the name of a target, such as sm_80,", "after .target");
}

void Parser::address_size() {
  tokens_.advance();
  const Token at = tokens_.current();
  const std::uint64_t bits = tokens_.expect_integer("32 or 64");
  if (bits == 32) tokens_.fail(at, "modules with 32-bit addresses are not supported", "compile with .address_size 64");
  if (bits != 64) tokens_.fail(at, "an address has 32 or 64 bits");
}

void Parser::module_statement() {
  const Token at = tokens_.current();
  if (at.is('@') && tokens_.peek().is('@')) {  // DWARF of old compilers: @@DWARF and the rest of the line
    while (!tokens_.at_end() && tokens_.current().line == at.line) tokens_.advance();
    return;
  }
  if (at.is(';')) return tokens_.advance();
  if (at.kind != TokenKind::dot_word) tokens_.fail_expected("a directive", "here, outside of any function");
  if (tokens_.current().is_word("file")) return file_directive();
  if (tokens_.current().is_word("section")) return section_directive();
  if (tokens_.current().is_word("alias")) return alias_directive();
  if (tokens_.current().is_word("pragma")) return pragma_directive();
  if (at.text == "version" || at.text == "target" || at.text == "address_size") {
    tokens_.fail(at, "." + std::string(at.text) + " stands once, at the beginning of the module");
  }
  Linkage linkage = Linkage::internal;
  if (tokens_.accept_word("extern"))
    linkage = Linkage::external;
  else if (tokens_.accept_word("visible"))
    linkage = Linkage::visible;
  else if (tokens_.accept_word("weak"))
    linkage = Linkage::weak;
  else if (tokens_.accept_word("common"))
    linkage = Linkage::common;
  if (tokens_.accept_word("entry")) return function(true, linkage);
  if (tokens_.accept_word("func")) return function(false, linkage);
  if (at_space() || tokens_.current().is_word("tex")) return variable_statement(linkage);
  if (tokens_.current().kind != TokenKind::dot_word) tokens_.fail_expected(".entry, .func or a variable", "here");
  static const std::vector<std::string_view> known = {"version", "target", "address_size", "file",   "section", "alias",
                                                      "pragma",  "extern", "visible",      "weak",   "common",  "entry",
                                                      "func",    "global", "const",        "shared", "tex"};
  const std::string_view best = nearest(tokens_.current().text, known);
  tokens_.fail(tokens_.current(), "unknown directive " + tokens_.describe(tokens_.current()),
               best.empty() ? "" : "did you mean '." + std::string(best) + "'?");
}

// To something that begins a line and a statement of the module.
void Parser::skip_to_directive() {
  std::size_t depth = 0;
  while (!tokens_.at_end()) {
    const bool begins_line = tokens_.current().line != tokens_.previous_line();
    if (depth == 0 && begins_line && tokens_.current().kind == TokenKind::dot_word) {
      constexpr std::string_view kBegins[] = {"entry", "func",   "visible", "extern",  "weak",  "common", "global",
                                              "const", "shared", "file",    "section", "alias", "pragma"};
      if (contains(kBegins, tokens_.current().text)) return;
    }
    if (tokens_.at('{')) ++depth;
    if (tokens_.at('}') && depth > 0) --depth;
    tokens_.advance();
  }
}

void Parser::file_directive() {
  tokens_.advance();
  const Token at = tokens_.current();
  const std::uint64_t index = tokens_.expect_integer("the number of a file");
  if (tokens_.current().kind != TokenKind::string) tokens_.fail_expected("the name of a file in quotes", "here");
  const std::string name(tokens_.take().text);
  if (tokens_.accept(',')) {
    static_cast<void>(tokens_.expect_integer("a time"));
    tokens_.expect(',', "between the time and the size of a file");
    static_cast<void>(tokens_.expect_integer("a size"));
  }
  if (index > kMaxFileNumber) tokens_.fail(at, "the number of a file is at most " + std::to_string(kMaxFileNumber));
  if (index >= module_->files.size()) module_->files.resize(index + 1);
  module_->files[index] = name;
}

// DWARF: read by debuggers only.
void Parser::section_directive() {
  tokens_.advance();
  if (tokens_.current().kind != TokenKind::dot_word && tokens_.current().kind != TokenKind::identifier) {
    tokens_.fail_expected("the name of a section", "here");
  }
  tokens_.advance();
  skip_braces();
}

void Parser::skip_braces() {
  const Token open = tokens_.current();
  tokens_.expect('{', "here");
  for (std::size_t depth = 1; depth > 0; tokens_.advance()) {
    if (tokens_.at_end()) tokens_.fail(open, "this '{' is never closed");
    if (tokens_.at('{')) ++depth;
    if (tokens_.at('}')) --depth;
  }
}

void Parser::alias_directive() {
  tokens_.advance();
  const Token name = tokens_.expect_identifier("the name of a function");
  tokens_.expect(',', "between the names of an alias");
  const Token target = tokens_.expect_identifier("the name of a function");
  tokens_.expect_semicolon("after .alias");
  const auto found = function_index_.find(name.text);
  if (found == function_index_.end())
    tokens_.fail(name, "'" + std::string(name.text) + "' is not declared as a function");
  if (module_->functions[found->second].defined) tokens_.fail(name, "an alias may not have a body of its own");
  aliases_.emplace_back(found->second, target);
}

void Parser::pragma_directive() {
  tokens_.advance();
  do {
    if (tokens_.current().kind != TokenKind::string) tokens_.fail_expected("a string", "after .pragma");
    tokens_.advance();
  } while (tokens_.accept(','));
  tokens_.expect_semicolon("after .pragma");
}

// What names an alias then names the function that it stands for.
void Parser::resolve_aliases() {
  if (aliases_.empty()) return;
  std::vector<std::uint32_t> stands_for(module_->functions.size());
  for (std::uint32_t i = 0; i < stands_for.size(); ++i) stands_for[i] = i;
  for (const auto& [alias, name] : aliases_) {
    const auto found = function_index_.find(name.text);
    if (found == function_index_.end() || !module_->functions[found->second].defined) {
      reporter_.error(name.location(), static_cast<std::uint32_t>(name.text.size()),
                      "'" + std::string(name.text) + "' is not the name of a function with a body");
      return;
    }
    stands_for[alias] = found->second;
  }
  for (Variable& variable : module_->variables) {
    for (Relocation& relocation : variable.relocations) {
      if (relocation.function) relocation.symbol = stands_for[relocation.symbol];
    }
  }
  for (Function& function : module_->functions) {
    for (Operand& operand : function.operands) {
      if (operand.kind == Operand::Kind::function) operand.index = stands_for[operand.index];
    }
    for (Call& call : function.calls) {
      if (call.function) call.function = stands_for[*call.function];
      for (std::uint32_t& target : call.targets) target = stands_for[target];
    }
  }
}

// .file may stand after the functions whose lines name it; what is named nowhere is unknown.
void Parser::forget_unknown_files() {
  const auto check = [&](SourceLine& source) {
    if (source.file >= module_->files.size()) source.file = 0;
  };
  for (Function& function : module_->functions) {
    check(function.source);
    for (Instruction& instruction : function.instructions) check(instruction.source);
  }
}

Parsed parse(std::string_view text, std::string_view name) {
  Parsed parsed;
  Reporter reporter;
  if (text.size() > kMaxTextBytes) {
    reporter.error({}, 1,
                   "the text has " + std::to_string(text.size()) + " bytes; at most " + std::to_string(kMaxTextBytes) +
                       " are supported");
  } else {
    parsed.module = Parser(text, name, reporter).run();
  }
  if (reporter.failed()) parsed.module.reset();
  parsed.diagnostics = reporter.take();
  return parsed;
}

}  // namespace bascule::simt::ptx
