// The dotted parts of an instruction's name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/words.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace bascule::simt::ptx {
namespace {

constexpr std::size_t kMaxParts = 6;  // of a word or an operation

// Spellings of one or more dotted parts; finds the longest one that a list of parts begins with.
template <typename Value>
class Spellings {
 public:
  void add(std::string_view spelling, Value value) {
    const auto parts = 1 + static_cast<std::size_t>(std::count(spelling.begin(), spelling.end(), '.'));
    if (parts > 1) {  // most spellings have one part: only the beginnings of others need a second look
      std::size_t& most = longer_[std::string(spelling.substr(0, spelling.find('.')))];
      most = std::max(most, parts);
    }
    values_.emplace(std::string(spelling), value);
  }
  [[nodiscard]] std::optional<std::pair<Value, std::size_t>> longest(const std::string_view* parts,
                                                                     std::size_t count) const {
    if (count == 0) return std::nullopt;
    std::string joined(parts[0]);
    std::size_t most = 1;
    if (const auto found = longer_.find(joined); found != longer_.end()) most = std::min(found->second, count);
    std::array<std::size_t, kMaxParts> lengths{joined.size()};
    for (std::size_t i = 1; i < most; ++i) {
      joined += '.';
      joined += parts[i];
      lengths[i] = joined.size();
    }
    for (std::size_t used = most; used > 0; --used) {
      joined.resize(lengths[used - 1]);
      if (const auto found = values_.find(joined); found != values_.end()) return std::pair{found->second, used};
    }
    return std::nullopt;
  }

 private:
  std::unordered_map<std::string, Value> values_;
  std::unordered_map<std::string, std::size_t> longer_;
};

Spellings<Word> make_words() {
  Spellings<Word> words;
#define BSC_PTX_TYPE(name, spelling, bits, kind) \
  words.add(spelling, {Word::Kind::type, 0, static_cast<std::uint16_t>(Type::name)});
#include "backends/simt/ptx/types.inc"
#undef BSC_PTX_TYPE
#define BSC_PTX_MODIFIER(name, spelling) \
  words.add(spelling, {Word::Kind::modifier, 0, static_cast<std::uint16_t>(Modifier::name)});
#include "backends/simt/ptx/modifiers.inc"
#undef BSC_PTX_MODIFIER
  const auto space = [&](std::string_view spelling, Space value, std::uint8_t variant = 0) {
    words.add(spelling, {Word::Kind::space, variant, static_cast<std::uint16_t>(value)});
  };
  space("const", Space::constant);
  space("global", Space::global);
  space("local", Space::local);
  space("param", Space::param);
  space("param::entry", Space::param, 1);
  space("param::func", Space::param, 2);
  space("shared", Space::shared);
  space("shared::cta", Space::shared_cta);
  space("shared::cluster", Space::shared_cluster);
  words.add("v2", {Word::Kind::vector, 0, 2});
  words.add("v4", {Word::Kind::vector, 0, 4});
  words.add("v8", {Word::Kind::vector, 0, 8});
  return words;
}

struct OperationValue {
  Operation operation;
  Modifier implied;
};

Spellings<OperationValue> make_operations() {
  Spellings<OperationValue> operations;
#define BSC_PTX_OPERATION(name, spelling) operations.add(spelling, {Operation::name, Modifier::none});
#include "backends/simt/ptx/operations.inc"
#undef BSC_PTX_OPERATION
  operations.add("match.any.sync", {Operation::match_sync, Modifier::any});
  operations.add("match.all.sync", {Operation::match_sync, Modifier::all});
  operations.add("vote.all.sync", {Operation::vote_sync, Modifier::all});  // written so in older code
  operations.add("vote.any.sync", {Operation::vote_sync, Modifier::any});
  operations.add("vote.uni.sync", {Operation::vote_sync, Modifier::uni});
  operations.add("vote.ballot.sync", {Operation::vote_sync, Modifier::ballot});
  operations.add("shfl.up.sync", {Operation::shfl_sync, Modifier::up});
  operations.add("shfl.down.sync", {Operation::shfl_sync, Modifier::down});
  operations.add("shfl.bfly.sync", {Operation::shfl_sync, Modifier::bfly});
  operations.add("shfl.idx.sync", {Operation::shfl_sync, Modifier::idx});
  operations.add("mma.sp::ordered_metadata", {Operation::mma_sp, Modifier::sp_ordered});
  // Plain `bar` and `barrier` operate within the block whether `.cta` says so or not.
  operations.add("bar.cta.arrive", {Operation::bar_arrive, Modifier::none});
  operations.add("bar.cta.red", {Operation::bar_red, Modifier::none});
  operations.add("bar.cta.sync", {Operation::bar_sync, Modifier::none});
  operations.add("barrier.cta.arrive", {Operation::barrier_arrive, Modifier::none});
  operations.add("barrier.cta.red", {Operation::barrier_red, Modifier::none});
  operations.add("barrier.cta.sync", {Operation::barrier_sync, Modifier::none});
  return operations;
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string spelling_of(Word word) {
  switch (word.kind) {
    case Word::Kind::modifier:
      return "." + std::string(name_of(static_cast<Modifier>(word.value)));
    case Word::Kind::type:
      return "." + std::string(name_of(static_cast<Type>(word.value)));
    case Word::Kind::vector:
      return ".v" + std::to_string(word.value);
    case Word::Kind::space:
      break;
  }
  constexpr std::string_view kVariants[] = {"", "::entry", "::func"};
  return "." + std::string(name_of(static_cast<Space>(word.value))) + std::string(kVariants[word.variant]);
}

std::optional<FoundWord> find_word(const std::string_view* parts, std::size_t count) {
  static const Spellings<Word> words = make_words();
  const auto found = words.longest(parts, count);
  if (!found) return std::nullopt;
  return FoundWord{found->first, found->second};
}

std::optional<FoundOperation> find_operation(const std::string_view* parts, std::size_t count) {
  static const Spellings<OperationValue> operations = make_operations();
  const auto found = operations.longest(parts, count);
  if (!found) return std::nullopt;
  return FoundOperation{found->first.operation, found->second, found->first.implied};
}

const std::vector<std::string_view>& operation_spellings() {
  static const std::vector<std::string_view> spellings = {
#define BSC_PTX_OPERATION(name, spelling) spelling,
#include "backends/simt/ptx/operations.inc"
#undef BSC_PTX_OPERATION
  };
  return spellings;
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kLongest = 64;  // what is longer was not mistyped
  if (word.size() > kLongest) return {};
  const std::size_t limit = word.size() <= 3 ? 1 : word.size() <= 8 ? 2 : 3;
  std::string_view best;
  std::size_t best_distance = limit + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t distance = edit_distance(word, candidate, limit);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

}  // namespace bascule::simt::ptx
