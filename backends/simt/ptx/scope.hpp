// Names of a module: what they stand for in the block where they are used.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt::ptx {

struct Binding {
  enum class Kind : std::uint8_t {
    reg,              // index: Function::registers
    vector_register,  // index: the first of count registers
    local_variable,   // Function::variables
    variable,         // Module::variables
    function,         // Module::functions
    label,            // instruction index
    prototype,        // Module::prototypes
    call_targets,     // Names::target_lists
    branch_targets,   // Function::branch_lists
  };
  Kind kind = Kind::reg;
  std::uint8_t count = 0;  // vector_register
  std::uint32_t index = 0;
  std::uint32_t depth = 0;  // of the block that declares it
  Location location;
};

/// Registers declared as %r<100>: they come into being when they are used.
struct RegisterRange {
  std::uint32_t count = 0;
  Type type = Type::none;
  std::uint8_t vector = 1;
  std::uint32_t depth = 0;
  Location location;
  std::unordered_map<std::uint32_t, std::uint32_t> used;  // number → the first of its registers
};

struct FoundRange {
  RegisterRange* range = nullptr;
  std::uint32_t number = 0;
};

/// Blocks nest; an inner declaration hides an outer one until the block is left.
class Names {
 public:
  [[nodiscard]] const Binding* find(std::string_view name) const;
  /// The range that `name` is a register of.
  [[nodiscard]] std::optional<FoundRange> find_range(std::string_view name);
  /// What the current block already has under this name; else binds it and answers null.
  const Binding* bind(std::string_view name, Binding binding);
  const RegisterRange* bind_range(std::string_view base, RegisterRange range);

  void enter();
  void leave();
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(blocks_.size()); }

  /// The bound name that is nearest to `name`; empty where none is near or there are too many.
  [[nodiscard]] std::string_view suggest(std::string_view name) const;

 private:
  struct Block {
    std::vector<std::string_view> names, bases;
  };

  std::unordered_map<std::string_view, std::vector<Binding>> bindings_;
  std::unordered_map<std::string_view, std::vector<RegisterRange>> ranges_;
  std::vector<Block> blocks_;
};

}  // namespace bascule::simt::ptx
