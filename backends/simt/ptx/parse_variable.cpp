// Variables and their initial values, and registers.
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

bool is_opaque(Type type) { return type == Type::texref || type == Type::samplerref || type == Type::surfref; }

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

// ---- registers -----------------------------------------------------------------------------------------------------

void Parser::register_statement() {
  const Variable type = variable_type(Space::reg);
  do {
    const Token name = tokens_.expect_identifier("the name of a register");
    std::uint32_t range = 0;
    if (tokens_.accept('<')) {
      const Token at = tokens_.current();
      const std::uint64_t count = tokens_.expect_integer("a number of registers");
      tokens_.expect('>', "after a number of registers");
      if (count == 0 || count > 0xffffffffu)
        tokens_.fail(at, "the number of registers must be between 1 and 4294967295");
      range = static_cast<std::uint32_t>(count);
    }
    declare_registers(name, type.type, type.vector, range);
  } while (tokens_.accept(','));
  tokens_.expect_semicolon("after a declaration of registers");
}

void Parser::declare_registers(const Token& name, Type type, std::uint8_t vector, std::uint32_t range) {
  const Binding* clash = nullptr;
  if (range != 0) {
    RegisterRange declared;
    declared.count = range;
    declared.type = type;
    declared.vector = vector;
    declared.location = name.location();
    const RegisterRange* before = names_.bind_range(name.text, std::move(declared));
    if (before == nullptr) return;
    tokens_.fail(name, "'" + std::string(name.text) + "<" + std::to_string(range) + ">' is already declared in line " +
                           std::to_string(before->location.line));
  }
  Binding binding;
  binding.kind = vector > 1 ? Binding::Kind::vector_register : Binding::Kind::reg;
  binding.count = vector;
  binding.index = static_cast<std::uint32_t>(function_->registers.size());
  binding.location = name.location();
  clash = names_.bind(name.text, binding);
  if (clash != nullptr) {
    tokens_.fail(
        name, "'" + std::string(name.text) + "' is already declared in line " + std::to_string(clash->location.line));
  }
  add_register(std::string(name.text), type, vector, name.location());
}

// Vector registers are as many plain ones: v.x, v.y, ...
std::uint32_t Parser::add_register(std::string name, Type type, std::uint8_t vector, Location location) {
  constexpr std::string_view kComponents[] = {".x", ".y", ".z", ".w", ".4", ".5", ".6", ".7"};
  const auto first = static_cast<std::uint32_t>(function_->registers.size());
  for (std::size_t i = 0; i < vector; ++i) {
    Register added;
    added.name = vector > 1 ? name + std::string(kComponents[i]) : name;
    added.type = type;
    added.location = location;
    function_->registers.push_back(std::move(added));
  }
  return first;
}

// ---- initial values ------------------------------------------------------------------------------------------------

void Parser::initializer(Variable& variable) {
  const Token at = tokens_.take();
  if (is_opaque(variable.type)) return opaque_initializer();
  const std::uint64_t unit = element_bytes(variable);
  if (variable.bytes == 0) {  // the size is what is there
    std::uint64_t row = unit;
    for (std::size_t i = 1; i < variable.dimensions.size(); ++i) row *= variable.dimensions[i];
    std::uint64_t end = 0;
    initializer_list(variable, 0, end, kMaxVariableBytes);
    variable.bytes = (end + row - 1) / row * row;
    variable.dimensions[0] = variable.bytes / row;
    if (variable.bytes == 0) tokens_.fail(at, "the array has neither a size nor initial values");
    return;
  }
  std::uint64_t position = 0;
  if (tokens_.at('{'))
    initializer_list(variable, 0, position, variable.bytes);
  else
    initializer_value(variable, 0);
}

// { a, b, {c, d} }: an inner list fills one element of its level, the rest of which is zero.
void Parser::initializer_list(Variable& variable, std::size_t level, std::uint64_t& at, std::uint64_t end) {
  const Token open = tokens_.current();
  tokens_.expect('{', "before a list of initial values");
  const std::uint64_t scalar = std::uint64_t{bits_of(variable.type)} / 8;
  if (level > variable.dimensions.size() + 1)
    tokens_.fail(open, "the initial values are nested more deeply than the array");
  std::uint64_t inner = scalar;  // bytes of what an inner list stands for
  if (level < variable.dimensions.size()) {
    inner = element_bytes(variable);
    for (std::size_t i = level + 1; i < variable.dimensions.size(); ++i) inner *= variable.dimensions[i];
  }
  while (!tokens_.at('}')) {
    if (tokens_.at('{')) {
      if (at + inner > end) tokens_.fail(tokens_.current(), "there are more initial values than elements");
      std::uint64_t inner_at = at;
      initializer_list(variable, level + 1, inner_at, at + inner);
      at += inner;
    } else {
      if (at + scalar > end) tokens_.fail(tokens_.current(), "there are more initial values than elements");
      initializer_value(variable, at);
      at += scalar;
    }
    if (!tokens_.accept(',')) break;
  }
  tokens_.expect('}', "after initial values");
}

void Parser::initializer_value(Variable& variable, std::uint64_t at) {
  if (initializer_address(variable, at)) return;
  const Token token = tokens_.current();
  const Constant constant = parse_constant(tokens_);
  Type type = variable.type;
  if (type == Type::f16 || type == Type::bf16 || type == Type::f16x2 || type == Type::bf16x2) {  // their bits
    type = bits_of(type) == 16 ? Type::b16 : Type::b32;
  }
  const std::string problem = constant_problem(constant, type);
  if (!problem.empty()) tokens_.fail(token, "the initial value " + problem);
  store_initial(variable, at, convert_constant(constant, type), bits_of(type) / 8);
}

void Parser::store_initial(Variable& variable, std::uint64_t at, std::uint64_t bits, unsigned bytes) {
  if (bits == 0) return;
  if (variable.initial.size() < at + bytes) {
    initial_bytes_ += at + bytes - variable.initial.size();
    if (initial_bytes_ > kMaxInitialBytes) {
      tokens_.fail(tokens_.current(),
                   "a module's initial values, up to the last that is not zero, have at most 256 MiB");
    }
    variable.initial.resize(at + bytes);
  }
  for (unsigned i = 0; i < bytes && i < 8; ++i)
    variable.initial[at + i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
}

// name, name+4, generic(name)+4, mask(name), mask(generic(name)): false where a constant stands here.
bool Parser::initializer_address(Variable& variable, std::uint64_t at) {
  const Token start = tokens_.current();
  Relocation relocation;
  relocation.offset = at;
  relocation.bytes = static_cast<std::uint8_t>(bits_of(variable.type) / 8);
  unsigned parentheses = 0;
  const auto call = [&](std::string_view name) {
    if (tokens_.current().kind != TokenKind::identifier || tokens_.current().text != name || !tokens_.peek().is('('))
      return false;
    tokens_.advance();
    tokens_.advance();
    ++parentheses;
    return true;
  };
  if (start.kind == TokenKind::integer && tokens_.peek().is('(')) {  // 0xFF00(address): the byte that the mask selects
    const std::uint64_t mask = tokens_.take().bits;
    const int shift = mask == 0 ? -1 : std::countr_zero(mask);
    if (shift < 0 || shift % 8 != 0 || mask != std::uint64_t{0xff} << shift) {
      tokens_.fail(start, "a mask selects one byte of an address: 0xFF, 0xFF00, ...");
    }
    relocation.shift = static_cast<std::uint8_t>(shift);
    relocation.bytes = 1;
    tokens_.advance();
    ++parentheses;
  }
  relocation.generic = call("generic");
  const Token name = tokens_.current();
  if (name.kind != TokenKind::identifier || name.text == "WARP_SZ") {
    if (parentheses != 0) tokens_.fail_expected("the name of a variable or function", "here");
    return false;
  }
  tokens_.advance();
  const Binding* binding = names_.find(name.text);
  if (binding == nullptr || (binding->kind != Binding::Kind::variable && binding->kind != Binding::Kind::function)) {
    tokens_.fail(name, "'" + std::string(name.text) + "' is not the name of a variable or function of the module");
  }
  relocation.function = binding->kind == Binding::Kind::function;
  relocation.symbol = binding->index;
  const auto read_addend = [&] {
    if (tokens_.at('+') || tokens_.at('-'))
      relocation.addend += static_cast<std::int64_t>(parse_integer_constant(tokens_, "an offset").bits);
  };
  read_addend();
  for (; parentheses > 0; --parentheses) {
    tokens_.expect(')', "after an address");
    read_addend();
  }
  if (relocation.shift == 0 && relocation.bytes != 8 && relocation.bytes != 4 && relocation.bytes != 1) {
    tokens_.fail(name, "an address does not fit ." + std::string(name_of(variable.type)));
  }
  variable.relocations.push_back(relocation);
  return true;
}

// Textures and samplers are configured with name = value; they are not supported, so nothing of it is kept.
void Parser::opaque_initializer() { skip_braces(); }

}  // namespace bascule::simt::ptx
