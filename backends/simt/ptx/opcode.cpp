// From the dotted name of an instruction to its operation, its words and the forms that it may have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/opcode.hpp"

#include <algorithm>

namespace bascule::simt::ptx {
namespace {

constexpr std::size_t kMaxParts = 32;  // of a name; the longest form has 20

std::vector<std::string_view> split(std::string_view name) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t dot = name.find('.');
    parts.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

// Walks through the groups of a form. Where it fails, it knows how far it came and what could have stood there.
class Matcher {
 public:
  Matcher(const FormTable& table, std::span<const Word> words) : table_(table), words_(words) {}

  // Requirements of the words that were used are put into `used`.
  bool match(const Form& form, std::vector<std::uint32_t>& used) {
    used.clear();
    return step(table_.groups(form), 0, 0, false, used);
  }
  // As match(), but modifiers may stand in any order, as the vendor's assembler lets them; types keep theirs. `order`:
  // the words in the order of the form.
  bool match_loosely(const Form& form, std::vector<std::uint32_t>& used, std::vector<Word>& order) const {
    used.clear();
    order.clear();
    std::vector<bool> taken(words_.size(), false);
    bool previous = false;
    for (const WordGroup& group : table_.groups(form)) {
      const auto choices = table_.choices(group);
      const bool found = (!group.with_previous || previous) && take_any(choices, taken, used, order);
      if (!found && !(group.with_previous ? !previous : group.optional)) return false;
      previous = found;
    }
    return order.size() == words_.size();
  }

  [[nodiscard]] std::size_t furthest() const { return furthest_; }
  [[nodiscard]] const std::vector<Word>& expected() const { return expected_; }

 private:
  bool step(std::span<const WordGroup> groups, std::size_t group, std::size_t word, bool taken,
            std::vector<std::uint32_t>& used) {
    if (group == groups.size()) {
      if (word == words_.size()) return true;
      expect(word, {});
      return false;
    }
    const WordGroup& current = groups[group];
    const auto choices = table_.choices(current);
    const bool allowed = !current.with_previous || taken;
    if (allowed) {
      expect(word, choices);
      if (word < words_.size()) {
        const auto found = std::find_if(choices.begin(), choices.end(),
                                        [&](const Choice& choice) { return choice.word == words_[word]; });
        if (found != choices.end()) {
          used.push_back(found->requirement);
          if (step(groups, group + 1, word + 1, true, used)) return true;
          used.pop_back();
        }
      }
    }
    const bool skippable = current.with_previous ? !taken : current.optional;
    return skippable && step(groups, group + 1, word, false, used);
  }

  bool take_any(std::span<const Choice> choices, std::vector<bool>& taken, std::vector<std::uint32_t>& used,
                std::vector<Word>& order) const {
    bool type_seen = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (taken[i]) continue;
      const bool is_type = words_[i].kind == Word::Kind::type;
      if (is_type && type_seen) continue;
      type_seen = type_seen || is_type;
      const auto found =
          std::find_if(choices.begin(), choices.end(), [&](const Choice& choice) { return choice.word == words_[i]; });
      if (found == choices.end()) continue;
      taken[i] = true;
      used.push_back(found->requirement);
      order.push_back(words_[i]);
      return true;
    }
    return false;
  }

  void expect(std::size_t word, std::span<const Choice> choices) {
    if (word < furthest_) return;
    if (word > furthest_) {
      furthest_ = word;
      expected_.clear();
    }
    for (const Choice& choice : choices) {
      if (std::find(expected_.begin(), expected_.end(), choice.word) == expected_.end())
        expected_.push_back(choice.word);
    }
  }

  const FormTable& table_;
  std::span<const Word> words_;
  std::size_t furthest_ = 0;
  std::vector<Word> expected_;
};

std::string list_of(const std::vector<Word>& words) {
  constexpr std::size_t kMost = 14;
  std::string text;
  for (std::size_t i = 0; i < words.size() && i < kMost; ++i) text += (i == 0 ? "" : ", ") + spelling_of(words[i]);
  if (words.size() > kMost) text += ", ...";
  return text;
}

// The word that was meant, among all that the operation knows.
std::string suggest(const FormTable& table, Operation operation, std::string_view part) {
  std::vector<std::string> spellings;
  for (const std::uint32_t form : table.forms_of(operation)) {
    for (const WordGroup& group : table.groups(table.forms()[form])) {
      for (const Choice& choice : table.choices(group)) spellings.push_back(spelling_of(choice.word));
    }
  }
  const std::vector<std::string_view> views(spellings.begin(), spellings.end());
  const std::string_view best = nearest("." + std::string(part), views);
  return best.empty() ? std::string() : "did you mean '" + std::string(best) + "'?";
}

}  // namespace

bool append_word(Instruction& instruction, Word word) {
  switch (word.kind) {
    case Word::Kind::modifier:
      if (instruction.modifier_count == kMaxModifiers) return false;
      instruction.modifiers[instruction.modifier_count++] = static_cast<Modifier>(word.value);
      return true;
    case Word::Kind::type:
      if (instruction.type_count == kMaxTypes) return false;
      instruction.types[instruction.type_count++] = static_cast<Type>(word.value);
      return true;
    case Word::Kind::vector:
      instruction.vector = static_cast<std::uint8_t>(word.value);
      return true;
    case Word::Kind::space:
      if (instruction.space_count == instruction.spaces.size()) return false;
      instruction.spaces[instruction.space_count++] = static_cast<Space>(word.value);
      return true;
  }
  return false;
}

const Opcode& OpcodeCache::find(std::string_view name) {
  const auto found = opcodes_.find(name);
  if (found != opcodes_.end()) return found->second;
  return opcodes_.emplace(name, resolve(name)).first->second;
}

Opcode OpcodeCache::resolve(std::string_view name) const {
  const FormTable& table = form_table();
  Opcode opcode;
  const auto fail = [&](std::string problem, std::string hint, std::size_t part) {
    opcode.problem = std::move(problem);
    opcode.hint = std::move(hint);
    opcode.problem_part = part;
    return opcode;
  };
  const std::vector<std::string_view> parts = split(name);
  if (parts.size() > kMaxParts) return fail("an instruction's name has at most 32 parts", "", 0);
  const auto operation = find_operation(parts.data(), parts.size());
  if (!operation) {
    // Families such as `bar` exist only with what follows them.
    std::vector<std::string_view> family;
    for (const std::string_view spelling : operation_spellings()) {
      if (spelling.size() > parts[0].size() && spelling.starts_with(parts[0]) && spelling[parts[0].size()] == '.') {
        family.push_back(spelling);
      }
    }
    if (family.empty()) {
      const std::string_view best = nearest(parts[0], operation_spellings());
      return fail("unknown operation '" + std::string(parts[0]) + "'",
                  best.empty() ? std::string() : "did you mean '" + std::string(best) + "'?", 0);
    }
    std::string known;
    for (const std::string_view spelling : family) known += (known.empty() ? "" : ", ") + std::string(spelling);
    return fail("unknown operation '" + std::string(name) + "'", "known are " + known, 0);
  }
  opcode.instruction.operation = operation->operation;
  const std::string_view spelled = name_of(operation->operation);

  std::vector<Word> words;
  std::vector<std::size_t> part_of_word;
  if (operation->implied != Modifier::none) {
    words.push_back({Word::Kind::modifier, 0, static_cast<std::uint16_t>(operation->implied)});
    part_of_word.push_back(0);
  }
  for (std::size_t i = operation->parts; i < parts.size();) {
    const auto word = find_word(parts.data() + i, parts.size() - i);
    if (!word) {
      return fail("'" + std::string(spelled) + "' has no '." + std::string(parts[i]) + "'",
                  suggest(table, operation->operation, parts[i]), i);
    }
    words.push_back(word->word);
    part_of_word.push_back(i);
    i += word->parts;
  }
  Matcher matcher(table, words);
  std::vector<std::uint32_t> used;
  std::vector<Word> order = words, candidate;
  const Requirement* unmet = nullptr;
  for (const bool loosely : {false, true}) {
    for (const std::uint32_t index : table.forms_of(operation->operation)) {
      const Form& form = table.forms()[index];
      if (!(loosely ? matcher.match_loosely(form, used, candidate) : matcher.match(form, used))) continue;
      if (loosely && opcode.forms.empty()) order = candidate;
      used.push_back(form.requirement);
      const auto missing = std::find_if(used.begin(), used.end(), [&](std::uint32_t requirement) {
        return !table.requirement(requirement).met(platform_);
      });
      if (missing == used.end())
        opcode.forms.push_back(index);
      else if (unmet == nullptr)
        unmet = &table.requirement(*missing);
    }
    if (!opcode.forms.empty() || unmet != nullptr) break;
  }
  for (const Word& word : order) {
    if (!append_word(opcode.instruction, word)) return fail("too many modifiers or types", "", 0);
    const bool space = word.kind == Word::Kind::space;
    opcode.param_entry = opcode.param_entry || (space && word.variant == 1);
    opcode.param_func = opcode.param_func || (space && word.variant == 2);
  }
  if (!opcode.forms.empty()) return opcode;
  if (unmet != nullptr) return fail("'" + std::string(name) + "' " + unmet->explain(platform_), "", 0);
  const std::string expected = list_of(matcher.expected());
  if (matcher.furthest() == words.size()) {
    return fail("'" + std::string(name) + "' is incomplete", "what may follow: " + expected, parts.size() - 1);
  }
  const std::size_t part = part_of_word[matcher.furthest()];
  return fail("'" + spelling_of(words[matcher.furthest()]) + "' may not stand here in '" + std::string(name) + "'",
              expected.empty() ? "nothing may follow" : "what may stand here: " + expected, part);
}

}  // namespace bascule::simt::ptx
