// Spellings and sizes of types, operations, modifiers and spaces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt::ptx {
namespace {

struct TypeInfo {
  std::string_view spelling;
  unsigned bits;
  char kind;
};

constexpr TypeInfo kTypes[] = {
    {"", 0, ' '},
#define BSC_PTX_TYPE(name, spelling, bits, kind) {spelling, bits, kind},
#include "backends/simt/ptx/types.inc"
#undef BSC_PTX_TYPE
};

constexpr std::string_view kOperations[] = {
    "",
#define BSC_PTX_OPERATION(name, spelling) spelling,
#include "backends/simt/ptx/operations.inc"
#undef BSC_PTX_OPERATION
};

constexpr std::string_view kModifiers[] = {
    "",
#define BSC_PTX_MODIFIER(name, spelling) spelling,
#include "backends/simt/ptx/modifiers.inc"
#undef BSC_PTX_MODIFIER
};

constexpr std::string_view kSpaces[] = {"",      "reg",    "const",       "global",         "local",
                                        "param", "shared", "shared::cta", "shared::cluster"};

}  // namespace

std::string_view name_of(Type type) { return kTypes[static_cast<std::size_t>(type)].spelling; }
unsigned bits_of(Type type) { return kTypes[static_cast<std::size_t>(type)].bits; }
char kind_of(Type type) { return kTypes[static_cast<std::size_t>(type)].kind; }
std::string_view name_of(Operation operation) { return kOperations[static_cast<std::size_t>(operation)]; }
std::string_view name_of(Modifier modifier) { return kModifiers[static_cast<std::size_t>(modifier)]; }
std::string_view name_of(Space space) { return kSpaces[static_cast<std::size_t>(space)]; }

}  // namespace bascule::simt::ptx
