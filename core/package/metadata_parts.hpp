// Pieces that the files of the metadata reader share: names in scope, expressions, variants.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/package/json_fields.hpp"
#include "core/package/variant.hpp"

namespace bascule::core {

// The names that expressions of one place may use.
class Scope {
 public:
  // Integer scalars and buffer lengths.
  static Scope of_contract(const Contract& contract);
  // Those, the variant's constants, work_items and device.*.
  static Scope of_variant(const Contract& contract, const Variant& variant);

  std::optional<Symbol> find(std::string_view name) const;
  const std::string& listing() const { return listing_; }

 private:
  void add(std::string name, Symbol symbol);

  std::map<std::string, Symbol, std::less<>> symbols_;
  std::string listing_;
};

struct ImageRules {
  bool by_file;       // "image" is a file name
  std::size_t count;  // else an index below this
};

// Of parameters and constants: usable in expressions. Of kernels, variants and packages: usable on a command line.
void check_identifier(std::string_view name, std::string_view path, JsonErrors& errors);
void check_label(std::string_view name, std::string_view path, JsonErrors& errors);

// Text or an integer of at least 0. The constant 0 after an error.
Expression read_expression(const JsonValue& value, const Scope& scope, std::string_view path, JsonErrors& errors);

Variant read_variant(const JsonValue& value, const Contract& contract, const ImageRules& images, const std::string& path,
                     JsonErrors& errors);

void read_launches(JsonFields& fields, const Contract& contract, Variant& variant, JsonErrors& errors);

}  // namespace bascule::core
