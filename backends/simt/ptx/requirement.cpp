// What a form or a word of PTX needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/requirement.hpp"

namespace bascule::simt::ptx {
namespace {

std::uint32_t read_number(std::string_view& text) {
  std::uint32_t value = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    value = value * 10 + static_cast<std::uint32_t>(text[0] - '0');
    text.remove_prefix(1);
  }
  return value;
}

// sm_101 was renamed sm_110 in PTX 9.0; both names mean the same family.
std::uint32_t family(std::uint32_t number) { return number == 101 ? 11 : number / 10; }

}  // namespace

bool offers(Target platform, Target needed) {
  if (needed.suffix == 0) return platform.number >= needed.number;
  if (needed.suffix == 'a') {
    const bool same =
        platform.number == needed.number || (family(platform.number) == 11 && family(needed.number) == 11);
    return platform.suffix == 'a' && same;
  }
  return platform.suffix != 0 && family(platform.number) == family(needed.number) && platform.number >= needed.number;
}

Requirement Requirement::parse(std::string_view text) {
  Requirement requirement;
  requirement.version = read_number(text);
  while (!text.empty() && (text[0] == '/' || text[0] == '+') && requirement.target_count < requirement.targets.size()) {
    text.remove_prefix(1);
    Target& target = requirement.targets[requirement.target_count++];
    target.number = read_number(text);
    if (!text.empty() && (text[0] == 'a' || text[0] == 'f')) {
      target.suffix = text[0];
      text.remove_prefix(1);
    }
  }
  return requirement;
}

bool Requirement::target_met(const Platform& platform) const {
  for (std::uint32_t i = 0; i < target_count; ++i) {
    if (offers(platform.target, targets[i])) return true;
  }
  return target_count == 0;
}

std::string Requirement::explain(const Platform& platform) const {
  std::string text = "needs ";
  if (!version_met(platform)) text += "PTX " + version_text(version);
  if (!target_met(platform)) {
    if (!version_met(platform)) text += " and ";
    for (std::uint32_t i = 0; i < target_count; ++i) {
      if (i != 0) text += i + 1 == target_count ? " or " : ", ";
      text += name_of(targets[i]);
    }
    if (target_count == 1 && targets[0].suffix == 0) text += " or later";
  }
  return text + "; this module is PTX " + version_text(platform.version) + " for " + name_of(platform.target);
}

std::string name_of(Target target) {
  return "sm_" + std::to_string(target.number) + (target.suffix != 0 ? std::string(1, target.suffix) : std::string());
}

std::string version_text(std::uint32_t version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

}  // namespace bascule::simt::ptx
