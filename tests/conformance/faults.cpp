// Running the table of faults.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/faults.hpp"

#include <fmt/format.h>

#include "tests/conformance/expectations.hpp"

namespace bascule::conformance {

std::vector<PlantedFault> read_faults(const std::string& path, std::string& problem) {
  std::vector<PlantedFault> faults;
  std::vector<std::string> lines;
  if (!read_lines(path, lines)) problem = fmt::format("the table {} cannot be read", path);
  for (std::size_t i = 0; i < lines.size() && problem.empty(); ++i) {
    const auto words = words_of(lines[i]);
    if (words.empty()) continue;
    const Case* const item = words.size() >= 2 ? find_case(words[1]) : nullptr;
    if (item == nullptr) {
      problem = fmt::format("{}:{}: expected FAULT CASE [OPTION=VALUE ...] with an existing case", path, i + 1);
      break;
    }
    PlantedFault fault = {words[0], item, {}};
    for (std::size_t word = 2; word < words.size(); ++word) {
      const std::size_t equals = words[word].find('=');
      fault.options.emplace_back(words[word].substr(0, equals),
                                 equals == std::string::npos ? "" : words[word].substr(equals + 1));
    }
    faults.push_back(std::move(fault));
  }
  return faults;
}

std::size_t run_faults(const RunSettings& settings, const std::vector<PlantedFault>& faults, std::string& text) {
  std::vector<Task> tasks;
  for (const PlantedFault& fault : faults) {
    tasks.push_back({fault.item, fault.options});
    tasks.push_back({fault.item, fault.options});
    tasks.back().options.emplace_back("fault", fault.fault);
  }
  const std::vector<Result> results = run_tasks(settings, tasks);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const Result& without = results[2 * i];
    const Result& with = results[2 * i + 1];
    const bool caught = with.outcome == Outcome::failed && without.outcome == Outcome::passed;
    if (!caught) ++wrong;
    text += fmt::format("{:<8}{:<36} {}\n", caught ? "caught" : "MISSED", faults[i].fault, faults[i].item->name);
    text += fmt::format("        {}\n", with.outcome == Outcome::failed
                                            ? with.reason
                                            : fmt::format("{} with the fault", outcome_name(with.outcome)));
    if (without.outcome != Outcome::passed) {
      text += fmt::format("        without the fault: {} {}\n", outcome_name(without.outcome), without.reason);
    }
  }
  text += fmt::format("{} of {} planted faults caught\n", faults.size() - wrong, faults.size());
  return wrong;
}

}  // namespace bascule::conformance
