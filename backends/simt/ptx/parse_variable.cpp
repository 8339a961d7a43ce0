// Variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>

#include "backends/simt/ptx/parse.hpp"

namespace bascule::simt::ptx {
namespace {

constexpr std::size_t kMaxDimensions = 16;

Space space_of(std::string_view word) {
  if (word == "reg") return Space::reg;
  if (word == "const") return Space::constant;
  if (word == "global") return Space::global;
  if (word == "local") return Space::local;
  if (word == "param") return Space::param;
  if (word == "shared") return Space::shared;
  if (word == "shared::cta") return Space::shared_cta;
  if (word == "shared::cluster") return Space::shared_cluster;
  return Space::generic;
}

// Types that a variable or a register may be declared with.
bool is_fundamental(Type type) {
  switch (type) {
    case Type::pred:
    case Type::b8:
    case Type::b16:
    case Type::b32:
    case Type::b64:
    case Type::b128:
    case Type::u8:
    case Type::u16:
    case Type::u32:
    case Type::u64:
    case Type::s8:
    case Type::s16:
    case Type::s32:
    case Type::s64:
    case Type::f16:
    case Type::f16x2:
    case Type::f32:
    case Type::f64:
    case Type::bf16:
    case Type::bf16x2:
      return true;
    default:
      return is_opaque(type);
  }
}

}  // namespace

bool Parser::at_space() const {
  return tokens_.current().kind == TokenKind::dot_word && space_of(tokens_.current().text) != Space::generic;
}

void Parser::alignment(Variable& variable) {
  const Token at = tokens_.current();
  const std::uint64_t bytes = tokens_.expect_integer("the alignment in bytes");
  if (!std::has_single_bit(bytes) || bytes > 1u << 16)
    tokens_.fail(at, "an alignment is a power of two, at most 65536");
  variable.alignment = bytes;
}

// .attribute(.managed), .attribute(.unified(1, 2)): nothing here depends on them.
void Parser::attributes() {
  while (tokens_.accept_word("attribute")) {
    const Token open = tokens_.current();
    tokens_.expect('(', "after .attribute");
    for (std::size_t depth = 1; depth > 0; tokens_.advance()) {
      if (tokens_.at_end() || tokens_.at('{') || tokens_.at(';')) tokens_.fail(open, "this '(' is never closed");
      if (tokens_.at('(')) ++depth;
      if (tokens_.at(')')) --depth;
    }
  }
}

Variable Parser::variable_type(Space space) {
  Variable variable;
  variable.space = space;
  for (;;) {
    const Token at = tokens_.current();
    if (at.kind != TokenKind::dot_word) tokens_.fail_expected("a type", "in a declaration");
    if (tokens_.accept_word("align")) {
      alignment(variable);
    } else if (at.text == "v2" || at.text == "v4" || at.text == "v8") {
      tokens_.advance();
      variable.vector = static_cast<std::uint8_t>(at.text[1] - '0');
    } else if (at.text == "attribute") {
      attributes();
    } else {
      break;
    }
  }
  const Token at = tokens_.take();
  const std::string_view text = at.text;
  const auto word = find_word(&text, 1);
  if (!word || word->word.kind != Word::Kind::type || !is_fundamental(static_cast<Type>(word->word.value))) {
    static const std::vector<std::string_view> known = {"pred", "b8",  "b16", "b32", "b64", "b128",
                                                        "u8",   "u16", "u32", "u64", "s8",  "s16",
                                                        "s32",  "s64", "f16", "f32", "f64", "f16x2"};
    const std::string_view best = nearest(text, known);
    tokens_.fail(at,
                 "'." + std::string(text) + "' is no type of " + (space == Space::reg ? "a register" : "a variable"),
                 best.empty() ? "" : "did you mean '." + std::string(best) + "'?");
  }
  variable.type = static_cast<Type>(word->word.value);
  const Requirement needed = Requirement::parse(variable.type == Type::b128 ? "83/70" : "");
  if (!needed.met(platform_)) tokens_.fail(at, "'.b128' " + needed.explain(platform_));
  if (variable.type == Type::pred && space != Space::reg) tokens_.fail(at, "predicates live in registers only");
  if (space == Space::reg) return variable;
  const std::uint64_t natural = element_bytes(variable);
  if (variable.alignment < natural) variable.alignment = natural;
  return variable;
}

std::uint64_t Parser::element_bytes(const Variable& variable) {
  return std::uint64_t{bits_of(variable.type)} / 8 * variable.vector;
}

void Parser::dimensions(Variable& variable, bool unsized_allowed) {
  while (tokens_.at('[')) {
    const Token at = tokens_.take();
    if (variable.dimensions.size() == kMaxDimensions) tokens_.fail(at, "an array has at most 16 dimensions");
    std::uint64_t size = 0;
    if (tokens_.at(']')) {
      if (!unsized_allowed || !variable.dimensions.empty()) tokens_.fail(at, "an array needs a size here");
    } else {
      const Token value = tokens_.current();
      const Constant constant = parse_integer_constant(tokens_, "the size of an array");
      size = constant.bits;
      if (size == 0 || size > kMaxVariableBytes)
        tokens_.fail(value, "the size of an array must be 1 or more, and at most 2^40 bytes");
    }
    tokens_.expect(']', "after the size of an array");
    variable.dimensions.push_back(size);
  }
}

void Parser::finish_size(Variable& variable, const Token& name) {
  std::uint64_t bytes = element_bytes(variable);
  for (const std::uint64_t size : variable.dimensions) {
    if (size != 0 && bytes > kMaxVariableBytes / size) {
      tokens_.fail(name, "'" + std::string(name.text) + "' is too large", "a variable has at most 2^40 bytes");
    }
    bytes *= size;
  }
  variable.bytes = bytes;
}

void Parser::variable_statement(Linkage linkage) {
  const Token at = tokens_.take();
  Space space = at.text == "tex" ? Space::global : space_of(at.text);
  if (space == Space::shared_cta) space = Space::shared;
  const bool inside = function_ != nullptr;
  if ((space == Space::local || space == Space::param) && !inside) {
    tokens_.fail(at, "a variable in ." + std::string(at.text) + " belongs into a function");
  }
  if (space == Space::reg && !inside) tokens_.fail(at, "registers belong into a function");
  if (space == Space::reg) return register_statement();
  attributes();
  const Variable type = variable_type(space);
  do {
    Variable variable = type;
    variable.linkage = linkage;
    const Token name = tokens_.expect_identifier("the name of a variable");
    variable.name = std::string(name.text);
    variable.location = name.location();
    std::uint64_t count = 0;
    if (tokens_.accept('<')) {  // name<4>: name0 ... name3
      count = tokens_.expect_integer("a number of variables");
      tokens_.expect('>', "after a number of variables");
      if (count == 0 || count > 4096) tokens_.fail(name, "between 1 and 4096 variables can be declared at once");
    }
    dimensions(variable, true);
    finish_size(variable, name);
    if (tokens_.at('=')) {
      if (space != Space::global && space != Space::constant)
        tokens_.fail(name, "only variables in .global and .const have initial values");
      initializer(variable);
    }
    if (!variable.dimensions.empty() && variable.bytes == 0 && linkage != Linkage::external && space != Space::shared) {
      tokens_.fail(name, "the array '" + variable.name + "' has no size");
    }
    if (count == 0) {
      declare_variable(std::move(variable), name);
      continue;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      Variable numbered = variable;
      joined_names_.push_back(std::make_unique<std::string>(variable.name + std::to_string(i)));
      numbered.name = *joined_names_.back();
      Token numbered_name = name;
      numbered_name.text = *joined_names_.back();
      declare_variable(std::move(numbered), numbered_name);
    }
  } while (tokens_.accept(','));
  tokens_.expect_semicolon("after a declaration");
}

void Parser::declare_variable(Variable variable, const Token& name) {
  const bool inside = function_ != nullptr;
  std::vector<Variable>& variables = inside ? function_->variables : module_->variables;
  Binding binding;
  binding.kind = inside ? Binding::Kind::local_variable : Binding::Kind::variable;
  binding.index = static_cast<std::uint32_t>(variables.size());
  binding.location = name.location();
  const Binding* before = names_.bind(name.text, binding);
  if (before == nullptr) {
    variables.push_back(std::move(variable));
    return;
  }
  // At module scope an extern declaration and the definition may both stand.
  if (!inside && before->kind == Binding::Kind::variable) {
    Variable& known = module_->variables[before->index];
    const bool same = known.space == variable.space && known.type == variable.type && known.vector == variable.vector;
    if (same && (known.linkage == Linkage::external || variable.linkage == Linkage::external)) {
      if (known.linkage == Linkage::external) known = std::move(variable);
      return;
    }
  }
  tokens_.fail(name,
               "'" + std::string(name.text) + "' is already declared in line " + std::to_string(before->location.line));
}

}  // namespace bascule::simt::ptx
