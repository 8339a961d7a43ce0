// The dotted parts of an instruction's name: modifiers, types, state spaces and vector sizes as one kind of word, so
// that the table of forms can say in which order they stand. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt::ptx {

struct Word {
  enum class Kind : std::uint8_t { modifier, type, space, vector };
  Kind kind = Kind::modifier;
  std::uint8_t variant = 0;  // spaces: 1 param::entry, 2 param::func; those two become Space::param in the typed form
  std::uint16_t value = 0;   // of Modifier, Type, Space; the number of elements

  friend bool operator==(const Word&, const Word&) = default;
};

/// With its leading dot.
[[nodiscard]] std::string spelling_of(Word word);

struct FoundWord {
  Word word;
  std::size_t parts = 0;  // dotted parts that it takes: proxy.async.global takes three
};

/// The longest word at the beginning of `parts` (spellings without dots).
[[nodiscard]] std::optional<FoundWord> find_word(const std::string_view* parts, std::size_t count);

struct FoundOperation {
  Operation operation = Operation::none;
  std::size_t parts = 0;
  Modifier implied = Modifier::none;  // match.any.sync: `any` stands before the operation's last part
};

/// The longest operation at the beginning of `parts`.
[[nodiscard]] std::optional<FoundOperation> find_operation(const std::string_view* parts, std::size_t count);

/// All spellings, for suggestions.
[[nodiscard]] const std::vector<std::string_view>& operation_spellings();

/// The candidate that is nearest to `word` by edit distance, where it is near enough to be meant; else empty.
[[nodiscard]] std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace bascule::simt::ptx
