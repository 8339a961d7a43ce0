// Reads the table of forms. The notation is explained in forms.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/forms.hpp"

#include <string>
#include <unordered_map>

namespace bascule::simt::ptx {
namespace {

struct Line {
  std::string_view requirement;  // of the whole form
  std::string_view text;
};

constexpr Line kLines[] = {
#include "backends/simt/ptx/forms_arithmetic.inc"
#include "backends/simt/ptx/forms_async.inc"
#include "backends/simt/ptx/forms_control.inc"
#include "backends/simt/ptx/forms_conversion.inc"
#include "backends/simt/ptx/forms_logic.inc"
#include "backends/simt/ptx/forms_matrix.inc"
#include "backends/simt/ptx/forms_memory.inc"
#include "backends/simt/ptx/forms_tcgen05.inc"
#include "backends/simt/ptx/forms_texture.inc"
#include "backends/simt/ptx/forms_video.inc"
};

struct List {
  std::string_view name;
  std::string_view words;
};

// The shapes of wgmma for one k. Integers and bits have n in steps of 8 up to 32 and of 16 from there on.
std::string_view wgmma_shapes(std::string_view list) {
  static const auto make = [](unsigned size, bool integer) {
    std::string words;
    for (unsigned n = 8; n <= 256; n += integer && n >= 32 ? 16 : 8) {
      words += (n == 8 ? "m64n" : "|m64n") + std::to_string(n) + "k" + std::to_string(size);
    }
    return words;
  };
  static const std::unordered_map<std::string_view, std::string> shapes = {
      {"8", make(8, false)},   {"16", make(16, false)}, {"32", make(32, false)},  {"64", make(64, false)},
      {"i32", make(32, true)}, {"i64", make(64, true)}, {"i256", make(256, true)}};
  const auto found = shapes.find(list);
  return found == shapes.end() ? std::string_view() : std::string_view(found->second);
}

constexpr List kLists[] = {
    {"rnd", "rn|rz|rm|rp"},
    {"int", "u16|u32|u64|s16|s32|s64"},
    {"cmp", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"fcmp", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"bool", "and|or|xor"},
    {"scope", "cta|cluster!78/90|gpu|sys"},
    {"shared", "shared|shared::cta!78/30|shared::cluster!78/90"},
    {"evict1", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"evict2", "L2::evict_normal!88/80|L2::evict_first!88/80|L2::evict_last!88/80"},
    {"prefetch", "L2::64B!74/75|L2::128B!74/75|L2::256B!74/80"},
    {"memtype", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"stspace", "global|local|param|param::func|shared|shared::cta!78/30|shared::cluster!78/90"},
    {"space", "const|global|local|param|param::entry|param::func|shared|shared::cta!78/30|shared::cluster!78/90"},
};

std::string_view words_of(std::string_view list) {
  if (list.starts_with("wgmma")) return wgmma_shapes(list.substr(5));
  for (const List& entry : kLists) {
    if (entry.name == list) return entry.words;
  }
  return {};
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':' || c == '.';
}
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_requirement_character(char c) { return (c >= '0' && c <= '9') || c == '/' || c == '+' || c == 'a' || c == 'f'; }

}  // namespace

class FormReader {
 public:
  explicit FormReader(FormTable& table) : table_(table) {}

  void read(const Line& line) {
    rest_ = text_ = line.text;
    failed_ = false;
    form_ = Form{};
    form_.text = line.text;
    form_.requirement = requirement(line.requirement);
    form_.first_group = size(table_.groups_);
    form_.first_operand = size(table_.operands_);
    operation();
    while (!failed_ && !rest_.empty() && rest_[0] != ' ') group();
    operands();
    form_.groups = size(table_.groups_) - form_.first_group;
    form_.operands = size(table_.operands_) - form_.first_operand;
    if (failed_) return;
    table_.of_operation_[static_cast<std::size_t>(form_.operation)].push_back(size(table_.forms_));
    table_.forms_.push_back(form_);
  }

 private:
  template <typename T>
  static std::uint32_t size(const std::vector<T>& vector) {
    return static_cast<std::uint32_t>(vector.size());
  }
  void fail(std::string_view what) {
    if (!failed_) table_.problems_.push_back(std::string(text_) + ": " + std::string(what));
    failed_ = true;
    rest_ = {};
  }
  bool accept(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  template <typename Predicate>
  std::string_view take(Predicate predicate) {
    std::size_t length = 0;
    while (length < rest_.size() && predicate(rest_[length])) ++length;
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  std::uint32_t requirement(std::string_view text) {
    if (text.empty()) return 0;
    const auto [entry, inserted] = requirement_index_.try_emplace(text, size(table_.requirements_));
    if (inserted) table_.requirements_.push_back(Requirement::parse(text));
    return entry->second;
  }
  std::uint32_t requirement_mark() {
    if (!accept('!')) return 0;
    return requirement(take(is_requirement_character));
  }

  static std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
      const std::size_t dot = text.find('.');
      parts.push_back(text.substr(0, dot));
      text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
    }
    return parts;
  }
  static std::size_t length_of(const std::vector<std::string_view>& parts, std::size_t count) {
    std::size_t length = count - 1;  // the dots between them
    for (std::size_t i = 0; i < count; ++i) length += parts[i].size();
    return length;
  }

  void operation() {
    std::size_t length = 0;
    while (length < rest_.size() && is_word_character(rest_[length])) ++length;
    const auto parts = split(rest_.substr(0, length));
    const auto found = find_operation(parts.data(), parts.size());
    if (!found) return fail("no such operation");
    form_.operation = found->operation;
    rest_.remove_prefix(length_of(parts, found->parts));
  }

  void group() {
    const bool optional = accept('{');
    if (!accept('.')) return fail("a dot was expected");
    bool with_previous = false;
    do {
      WordGroup group;
      group.optional = optional;
      group.with_previous = with_previous;
      group.first = size(table_.choices_);
      do {
        if (accept('$'))
          list();
        else
          choice();
      } while (!failed_ && accept('|'));
      group.count = size(table_.choices_) - group.first;
      table_.groups_.push_back(group);
      with_previous = true;
    } while (optional && !failed_ && accept('.'));
    if (optional && !accept('}')) return fail("a } was expected");
  }

  void list() {
    const std::string_view name = take([](char c) { return is_name_start(c) || (c >= '0' && c <= '9'); });
    const std::string_view words = words_of(name);
    if (words.empty()) return fail("no such list");
    const std::string_view after = rest_;
    rest_ = words;
    do choice();
    while (!failed_ && accept('|'));
    if (!failed_) rest_ = after;
  }

  void choice() {
    std::size_t length = 0;
    while (length < rest_.size() && is_word_character(rest_[length])) ++length;
    const auto parts = split(rest_.substr(0, length));
    const auto found = find_word(parts.data(), parts.size());
    if (!found) return fail("no such word as '" + std::string(rest_.substr(0, length)) + "'");
    rest_.remove_prefix(length_of(parts, found->parts));
    table_.choices_.push_back({found->word, requirement_mark()});
  }

  void operands() {
    bool optional = false, piped = false, opens = false, inside = false;
    while (!failed_ && !rest_.empty()) {
      if (accept(' ')) continue;
      if (accept(','))
        piped = false;
      else if (accept('|'))
        piped = true;
      else if (accept('{'))
        optional = true;
      else if (accept('}'))
        optional = false;
      else if (accept('['))
        opens = true;
      else if (accept(']'))
        table_.operands_.back().closes = true, inside = false;
      else {
        OperandSpec spec;
        spec.optional = optional;
        spec.piped = piped;
        spec.opens = opens;
        spec.inside = inside;
        inside = inside || opens;
        piped = opens = false;
        operand(spec);
      }
    }
  }

  void operand(OperandSpec spec) {
    for (; !rest_.empty() && !is_name_start(rest_[0]); rest_.remove_prefix(1)) {
      switch (rest_[0]) {
        case '>':
          spec.destination = true;
          spec.kind = OperandSpec::Kind::reg;
          break;
        case '%':
          spec.kind = OperandSpec::Kind::reg;
          break;
        case '#':
          spec.kind = OperandSpec::Kind::constant;
          break;
        case '!':
          spec.kind = OperandSpec::Kind::predicate;
          break;
        case '@':
          spec.kind = OperandSpec::Kind::label;
          break;
        case '^':
          spec.kind = OperandSpec::Kind::value_or_symbol;
          break;
        case '-':
          spec.minus = true;
          break;
        default:
          return fail("an operand was expected");
      }
    }
    spec.name = take([](char c) { return is_name_start(c) || c == '-' || c == '_' || (c >= '0' && c <= '9'); });
    if (spec.kind == OperandSpec::Kind::predicate) spec.rule = TypeRule::fixed, spec.type = Type::pred;
    spec.sink = accept('?');
    spec.relaxed = accept('~');
    spec.selector = accept('*');
    if (accept('(')) vector(spec);
    if (accept(':')) type(spec);
    spec.requirement = requirement_mark();
    if (!failed_) table_.operands_.push_back(spec);
  }

  void vector(OperandSpec& spec) {
    const std::string_view what = take([](char c) { return c != ')'; });
    if (!accept(')')) return fail("a ) was expected");
    if (what == "v")
      spec.vector = OperandSpec::Vector::as_instruction;
    else if (what == "v1")
      spec.vector = OperandSpec::Vector::as_instruction_or_scalar;
    else if (what == "s+")
      spec.vector = OperandSpec::Vector::scalar_or_any;
    else if (what == "+")
      spec.vector = OperandSpec::Vector::any;
    else {
      spec.vector = OperandSpec::Vector::counted;
      std::size_t at = 0;
      for (const char c : what) {
        if (c == '|')
          ++at;
        else if (at >= spec.counts.size() || c < '0' || c > '9')
          return fail("a list of sizes was expected");
        else
          spec.counts[at] = static_cast<std::uint8_t>(spec.counts[at] * 10 + (c - '0'));
      }
    }
  }

  void type(OperandSpec& spec) {
    if (accept('*')) {
      spec.rule = TypeRule::any;
      return;
    }
    const std::string_view name = take([](char c) { return is_name_start(c) || (c >= '0' && c <= '9'); });
    if (name.size() == 1 && name[0] >= '0' && name[0] <= '9') {
      spec.type_index = static_cast<std::uint8_t>(name[0] - '0');
    } else if (name == "wide") {
      spec.rule = TypeRule::wide;
    } else if (name == "half") {
      spec.rule = TypeRule::half;
    } else if (name == "part") {
      spec.rule = TypeRule::part;
    } else {
      const auto found = find_word(&name, 1);
      if (!found || found->word.kind != Word::Kind::type) return fail("no such type as '" + std::string(name) + "'");
      spec.rule = TypeRule::fixed;
      spec.type = static_cast<Type>(found->word.value);
    }
  }

  FormTable& table_;
  std::string_view text_, rest_;
  bool failed_ = false;
  Form form_;
  std::unordered_map<std::string_view, std::uint32_t> requirement_index_;
};

FormTable::FormTable() {
  std::size_t operations = 1;
#define BSC_PTX_OPERATION(name, spelling) ++operations;
#include "backends/simt/ptx/operations.inc"
#undef BSC_PTX_OPERATION
  of_operation_.resize(operations);
  forms_.reserve(std::size(kLines));
  groups_.reserve(std::size(kLines) * 4);
  choices_.reserve(std::size(kLines) * 16);
  operands_.reserve(std::size(kLines) * 4);
  FormReader reader(*this);
  for (const Line& line : kLines) reader.read(line);
}

std::span<const std::uint32_t> FormTable::forms_of(Operation operation) const {
  return of_operation_[static_cast<std::size_t>(operation)];
}

const FormTable& form_table() {
  static const FormTable table;
  return table;
}

}  // namespace bascule::simt::ptx
