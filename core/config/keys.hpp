// The one description of everything that can be configured: names, variables, types, defaults and texts. The reader
// checks against it, and help and `config --show` are printed from it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bascule::core {

enum class ValueType {
  kBackendList,  // names separated by commas, or "auto"
  kSelector,
  kPathList,  // directories separated by colons
  kPath,
  kLogLevel,
  kBoolean,
  kDuration,
  kText,
};

struct KeyDescription {
  const char* key;       // dotted; NAME and OPTION stand for any name
  const char* variable;  // nullptr: none
  ValueType type;
  const char* default_value;  // as it would be written
  const char* description;
  bool names_code;  // names code or caches: refused in ./bascule.toml
};

std::span<const KeyDescription> known_keys();

// BASCULE_CONFIG: it names a file and has no key.
inline constexpr const char* kConfigFileVariable = "BASCULE_CONFIG";
inline constexpr const char* kConfigFileDescription = "path of one more configuration file, read after the others";
// Variables with this prefix belong to test programs; the library does not look at them.
inline constexpr std::string_view kTestVariablePrefix = "BASCULE_TEST_";
// Variables that emulated drivers read, in whatever program they are.
inline constexpr std::string_view kEmulatedVariablePrefix = "BASCULE_EMULATED_";

// What may be written for a value of this type.
std::string_view valid_form(ValueType type);

// The description that a key falls under, or nullptr. "backend.cpu.threads" falls under "backend.NAME.OPTION".
const KeyDescription* describe_key(std::string_view key);
const KeyDescription* describe_variable(std::string_view variable);
// The key that a variable sets: its description's, or "backend.cuda.driver" for BASCULE_CUDA_DRIVER, with any backend's name;
// "" for an unknown one.
std::string key_of_variable(std::string_view variable);

// Whether keys can stand below this name: "cache", "backend.cpu", "kernel".
bool is_key_group(std::string_view name);

// NAME of "backend.NAME.OPTION" and "kernel.NAME.variant"; "" for other keys.
std::string key_subject(std::string_view key);

std::vector<std::string> all_keys();
std::vector<std::string> all_variables();

}  // namespace bascule::core
