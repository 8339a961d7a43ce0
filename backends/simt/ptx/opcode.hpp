// From the dotted name of an instruction to its operation, its words and the forms that it may have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "backends/simt/ptx/forms.hpp"

namespace bascule::simt::ptx {

/// A name that was looked up once; thousands of instructions share it.
struct Opcode {
  Instruction instruction;           // operation, modifiers, types, spaces, vector; the rest is for the caller
  std::vector<std::uint32_t> forms;  // whose words agree and whose requirements are met
  bool param_entry = false, param_func = false;  // .param::entry, .param::func
  std::string problem;                           // not empty: why there is no form
  std::string hint;
  std::size_t problem_part = 0;  // which dotted part is wrong, 0 the first
};

/// Adds a word to an instruction's modifiers, types or spaces; false where there is no room for it.
bool append_word(Instruction& instruction, Word word);

class OpcodeCache {
 public:
  explicit OpcodeCache(const Platform& platform) : platform_(platform) {}
  /// `name` is the parts joined by dots; it must live as long as the cache. The result stays valid.
  const Opcode& find(std::string_view name);

 private:
  [[nodiscard]] Opcode resolve(std::string_view name) const;

  Platform platform_;
  std::unordered_map<std::string_view, Opcode> opcodes_;
};

}  // namespace bascule::simt::ptx
