// Names while a source is expanded: integers, macro parameters, register arrays.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ptx/source.hpp"

namespace bascule::ptx {

class Scopes {
 public:
  Scopes() { scopes_.emplace_back(); }

  void push(bool of_macro = false, const Place* call = nullptr);
  void pop() { scopes_.pop_back(); }
  std::size_t depth() const { return scopes_.size(); }

  void set_integer(const std::string& name, std::int64_t value) { scopes_.back().integers[name] = value; }
  void set_parameter(const std::string& name, const std::string& text) { scopes_.back().parameters[name] = text; }
  /// Registers that are declared here: an array has dimensions. One that an argument of the macro around it names is refused.
  void declare(const std::string& name, std::vector<std::int64_t> dimensions, const Place& place);

  /// A macro sees its parameters, what stands in it, and the file's own integers.
  std::optional<std::int64_t> integer(std::string_view name) const;
  const std::string* parameter(std::string_view name) const;
  /// Dimensions of a register array, here or around, also around the call of a macro; null: not one.
  const std::vector<std::int64_t>* array(std::string_view name) const;

  /// Replaces $name and $(expression) in what stands at `place`.
  std::string substitute(std::string_view text, const Place& place) const;
  std::int64_t evaluate_text(std::string_view text, const Place& place) const;
  /// whole: an array's name alone stays as it is, as an argument of a macro.
  std::string index_arrays(const std::string& text, const Place& place, bool whole) const;

 private:
  struct Scope {
    bool of_macro = false;
    Place call;
    std::map<std::string, std::int64_t, std::less<>> integers;
    std::map<std::string, std::string, std::less<>> parameters;
    std::map<std::string, std::vector<std::int64_t>, std::less<>> arrays;
  };
  template <class Find>
  auto look_up(Find find) const;

  std::vector<Scope> scopes_;
};

/// Whether the name occurs in the text as a whole.
bool names_register(std::string_view text, std::string_view name);

}  // namespace bascule::ptx
