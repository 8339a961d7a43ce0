// What an instruction does to memory, read from its modifiers: for the checks before and after it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "backends/simt/operations/memory_reach.hpp"
#include "backends/simt/sanitizer/shadow.hpp"

namespace bascule::simt {

struct AccessForm {
  enum class Kind : std::uint8_t { load, store, atomic, copy_source, copy_target };
  Kind kind = Kind::load;
  Where where = Where::host;
  bool wide = true;
  unsigned bytes = 0;         // of one lane
  unsigned alignment = 0;
  unsigned address_slot = 0;  // among the op's slots
  unsigned slot_count = 0;
  Strength strength = Strength::weak;
  bool acquires = false;
  bool releases = false;
  bool copies = false;        // some of what it reads is never looked at
  unsigned lanes = kLanes;    // only the first so many have an address (ldmatrix)

  [[nodiscard]] bool reads() const { return kind == Kind::load || kind == Kind::copy_source; }
  [[nodiscard]] bool writes() const { return !reads(); }
};

/// `function`: the one whose instruction it is.
[[nodiscard]] AccessForm access_form(const ptx::Instruction& instruction, const ptx::Function& function);

/// Whether the instruction accesses memory in a way that access_form() describes.
[[nodiscard]] bool is_checked_access(const ptx::Instruction& instruction);
/// Whether it is strong: volatile, relaxed, acquire, release or atomic.
[[nodiscard]] bool is_strong(const ptx::Instruction& instruction);

/// Handlers.
const Op* check_access(const Op* op, Context& context);
/// The same for loads that may be copies of structures: holes in these are not written, and harmless.
const Op* check_copying_access(const Op* op, Context& context);
const Op* after_strong_access(const Op* op, Context& context);

}  // namespace bascule::simt
