// What a form or a word of PTX needs: a version of the language and one of several targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace bascule::simt::ptx {

/// sm_90 (90 and later), sm_90a (this one alone), sm_100f (its family from there on).
struct Target {
  std::uint32_t number = 0;
  char suffix = 0;
};

/// The version and target that a module declares. Version: 10 * major + minor.
struct Platform {
  std::uint32_t version = 0;
  Target target;
};

struct Requirement {
  std::uint32_t version = 0;        // 0: any
  std::uint32_t target_count = 0;   // 0: any
  std::array<Target, 6> targets{};  // one of them

  /// "80/90a", "86/100f+110f+120f", "42" (any target): as the tables of forms write it. Malformed: an empty
  /// requirement.
  [[nodiscard]] static Requirement parse(std::string_view text);
  [[nodiscard]] bool empty() const { return version == 0 && target_count == 0; }
  [[nodiscard]] bool version_met(const Platform& platform) const { return platform.version >= version; }
  [[nodiscard]] bool target_met(const Platform& platform) const;
  [[nodiscard]] bool met(const Platform& platform) const { return version_met(platform) && target_met(platform); }
  /// "needs PTX 8.0 and sm_90a; this module is PTX 7.0 for sm_80"
  [[nodiscard]] std::string explain(const Platform& platform) const;
};

/// Whether code for `platform` may use what `needed` introduced.
[[nodiscard]] bool offers(Target platform, Target needed);
[[nodiscard]] std::string name_of(Target target);
/// 88 → "8.8"
[[nodiscard]] std::string version_text(std::uint32_t version);

}  // namespace bascule::simt::ptx
