// What stands between the head of a function and its body: limits and demands of its launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>

#include "backends/simt/ptx/parse.hpp"

namespace bascule::simt::ptx {
namespace {

struct Directive {
  std::string_view name;
  enum class Of : std::uint8_t { kernels, functions, both } of = Of::kernels;
  std::string_view needs = {};  // Requirement::parse
};
using Of = Directive::Of;

constexpr std::array<Directive, 13> kDirectives = {{
    {"maxntid"},
    {"reqntid"},
    {"reqnctapercluster", Of::kernels, "78/90"},
    {"explicitcluster", Of::kernels, "78/90"},
    {"maxclusterrank", Of::kernels, "78/90"},
    {"blocksareclusters", Of::kernels, "90/90"},
    {"minnctapersm"},
    {"maxnctapersm"},
    {"maxnreg"},
    {"noreturn", Of::functions},
    {"pragma", Of::both},
    {"abi_preserve", Of::both},
    {"abi_preserve_control", Of::both},
}};

}  // namespace

void Parser::function_directives(Function& function) {
  while (tokens_.current().kind == TokenKind::dot_word) {
    const Token at = tokens_.take();
    check_directive(function, at);
    if (at.text == "maxntid") {
      function.max_threads = read_dimensions();
    } else if (at.text == "reqntid") {
      function.required_threads = read_dimensions();
    } else if (at.text == "reqnctapercluster") {
      function.required_cluster = read_dimensions();
    } else if (at.text == "explicitcluster") {
      function.explicit_cluster = true;
    } else if (at.text == "blocksareclusters") {
      function.blocks_are_clusters = true;
    } else if (at.text == "maxclusterrank") {
      function.max_cluster_rank = directive_number("a number of blocks");
    } else if (at.text == "minnctapersm" || at.text == "maxnctapersm") {
      function.min_blocks = directive_number("a number of blocks");
    } else if (at.text == "maxnreg") {
      function.max_registers = directive_number("a number of registers");
    } else if (at.text == "noreturn") {
      function.noreturn = true;
    } else if (at.text == "pragma") {
      while (tokens_.current().kind == TokenKind::string) {
        tokens_.advance();
        if (!tokens_.accept(',')) break;
      }
      static_cast<void>(tokens_.accept(';'));
    } else {
      static_cast<void>(directive_number("a number of registers"));  // .abi_preserve
    }
    check_cluster_directives(function, at);
  }
  if (function.blocks_are_clusters && (function.required_threads.x == 0 || function.required_cluster.x == 0)) {
    reporter_.error(function.location, static_cast<std::uint32_t>(function.name.size()),
                    "'.blocksareclusters' needs '.reqntid' and '.reqnctapercluster' beside it");
  }
}

void Parser::check_directive(const Function& function, const Token& at) {
  const auto found =
      std::find_if(kDirectives.begin(), kDirectives.end(), [&](const Directive& known) { return known.name == at.text; });
  const std::string name = "'." + std::string(at.text) + "'";
  if (found == kDirectives.end()) {
    std::vector<std::string_view> names;
    for (const Directive& known : kDirectives) names.push_back(known.name);
    const std::string_view best = nearest(at.text, names);
    tokens_.fail(at, "unknown directive " + name + " of a function",
                 best.empty() ? "" : "did you mean '." + std::string(best) + "'?");
  }
  if (found->of == Of::kernels && !function.entry) tokens_.fail(at, name + " belongs to kernels (.entry)");
  if (found->of == Of::functions && function.entry) tokens_.fail(at, name + " belongs to functions (.func), not to kernels");
  const Requirement needed = Requirement::parse(found->needs);
  if (!needed.met(platform_)) tokens_.fail(at, name + " " + needed.explain(platform_));
}

void Parser::check_cluster_directives(const Function& function, const Token& at) {
  if (function.required_cluster.x == 0 || function.max_cluster_rank == 0) return;
  tokens_.fail(at, "'.reqnctapercluster' and '.maxclusterrank' exclude each other");
}

std::uint32_t Parser::directive_number(std::string_view what) {
  const Token at = tokens_.current();
  const std::uint64_t value = tokens_.expect_integer(what);
  if (value > 0x7fffffffu) tokens_.fail(at, "the number is too large");
  return static_cast<std::uint32_t>(value);
}

Dimensions Parser::read_dimensions() {
  std::uint32_t values[3] = {1, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    const Token at = tokens_.current();
    const std::uint64_t value = tokens_.expect_integer("a number of threads or blocks");
    if (value == 0 || value > 0x7fffffffu) tokens_.fail(at, "the number must be between 1 and 2147483647");
    values[i] = static_cast<std::uint32_t>(value);
    if (!tokens_.accept(',')) break;
  }
  return {values[0], values[1], values[2]};
}

}  // namespace bascule::simt::ptx
