// What ld, st and their kin need to know about an instruction to choose a handler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/execute/select.hpp"
#include "backends/simt/operations/memory_reach.hpp"

namespace bascule::simt {

struct MemoryForm {
  Where where = Where::host;
  bool wide = true;       // 64-bit base
  bool is_signed = false;
  bool sinks = false;     // some element of the vector is `_`
  unsigned count = 1;     // of the vector
  unsigned memory_bytes = 0;
  unsigned register_bytes = 0;
};

/// `value` is the position of what is read or written, `address` that of the address.
[[nodiscard]] MemoryForm memory_form(const ptx::Instruction& instruction, const ptx::Function& function, std::size_t value,
                                     std::size_t address);

/// Calls pick.template operator()<Address, where>() for a form.
template <class Pick>
Handler pick_fast(const MemoryForm& form, Pick pick) {
  const bool shared = form.where == Where::shared;
  if (form.wide) {
    return shared ? pick.template operator()<std::uint64_t, Where::shared>()
                  : pick.template operator()<std::uint64_t, Where::host>();
  }
  return shared ? pick.template operator()<std::uint32_t, Where::shared>()
                : pick.template operator()<std::uint32_t, Where::host>();
}

template <class Pick>
Handler pick_access(const MemoryForm& form, Pick pick) {
  const auto by_width = [&]<Where where>() -> Handler {
    return form.wide ? pick.template operator()<std::uint64_t, where>() : pick.template operator()<std::uint32_t, where>();
  };
  switch (form.where) {
    case Where::host: return by_width.template operator()<Where::host>();
    case Where::shared: return by_width.template operator()<Where::shared>();
    case Where::local: return by_width.template operator()<Where::local>();
    case Where::frame: return by_width.template operator()<Where::frame>();
    case Where::constant: return by_width.template operator()<Where::constant>();
    case Where::parameter: return by_width.template operator()<Where::parameter>();
  }
  return nullptr;
}

#ifdef BASCULE_CPU_NAMESPACE
namespace BASCULE_CPU_NAMESPACE {
[[nodiscard]] Handler load_handler(const MemoryForm& form);
[[nodiscard]] Handler store_handler(const MemoryForm& form);
}  // namespace BASCULE_CPU_NAMESPACE
#endif

}  // namespace bascule::simt
