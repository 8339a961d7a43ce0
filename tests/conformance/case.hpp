// A conformance case: one rule of plugin.h and the function that checks it. A case file lists its cases with
//
//   CONFORMANCE_CASE(core, memory_allocate, zero_bytes_give_a_handle) { Session session(context); ... }
//
// which makes the case "memory_allocate.zero_bytes_give_a_handle". A case ends normally (passed), by CaseFailed, or by
// CaseSkipped when what it checks is optional and absent. Each case runs in a process of its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bascule::conformance {

class PluginLibrary;

enum class Level { core, async, graph, peer };
std::string_view level_name(Level level);

using OptionList = std::vector<std::pair<std::string, std::string>>;

// What a case has to work with.
struct Context {
  const PluginLibrary& plugin;
  const OptionList& options;  // from the command line, for every instance that is opened
};

struct Case {
  std::string name;
  Level level;
  void (*run)(Context&);
};

// All cases, sorted by name.
std::span<const Case> all_cases();
const Case* find_case(std::string_view name);

struct CaseFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct CaseSkipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] void skip(const std::string& reason);

struct CaseRegistration {
  CaseRegistration(Level level, const char* entry, const char* rule, void (*run)(Context&));
};

#define CONFORMANCE_CASE(level, entry, rule)                                                                     \
  static void entry##_##rule(::bascule::conformance::Context& context);                                         \
  static const ::bascule::conformance::CaseRegistration entry##_##rule##_registration(                          \
      ::bascule::conformance::Level::level, #entry, #rule, entry##_##rule);                                     \
  static void entry##_##rule([[maybe_unused]] ::bascule::conformance::Context& context)

}  // namespace bascule::conformance
