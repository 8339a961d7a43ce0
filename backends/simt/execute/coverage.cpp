// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/coverage.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <string>

#include "backends/simt/ptx/form_use.hpp"

namespace bascule::simt {

struct CoverageCell {
  mutable std::atomic<bool> executed{false};  // Op::side is const, and so is all that operations point to
  bool written = false;
};

namespace {

/// Lives as long as the process: modules may be unloaded at its very end.
struct Coverage {
  std::string folder;
  // Of this process and no earlier one with its number: what is read must not be older than the file says.
  std::string suffix = "-" + std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) + ".txt";
  std::mutex mutex;
  std::map<std::string, CoverageCell> cells;
};

Coverage* coverage() {
  static Coverage* const all = []() -> Coverage* {
    const char* const folder = std::getenv("BASCULE_SIMT_COVERAGE");
    if (folder == nullptr || *folder == '\0') return nullptr;
    auto* const made = new Coverage;
    made->folder = folder;
    return made;
  }();
  return all;
}

std::string line_of(const ptx::FormUse& use) {
  const ptx::FormTable& table = ptx::form_table();
  std::string line(use.form->text);
  const auto groups = table.groups(*use.form);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    line += '\t';
    line += use.choices[i] < 0 ? "-" : ptx::spelling_of(table.choices(groups[i])[static_cast<std::size_t>(use.choices[i])].word);
  }
  return line;
}

}  // namespace

CoverageCell* coverage_cell(const ptx::Instruction& instruction, const ptx::Function& function) {
  Coverage* const all = coverage();
  if (all == nullptr) return nullptr;
  const auto use = ptx::find_form_use(instruction, function);
  if (!use) return nullptr;
  const std::lock_guard lock(all->mutex);
  return &all->cells[line_of(*use)];
}

const Op* run_covered(const Op* op, Context& context) {
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    std::uint32_t guard;
    std::memcpy(&guard, context.registers + std::size_t{warp} * context.frame_bytes + op->guard, sizeof guard);
    if ((context.active[warp] & (guard ^ op->guard_flip)) == 0) continue;
    static_cast<const CoverageCell*>(op->side)->executed.store(true, std::memory_order_relaxed);
    break;
  }
  return op + 1;
}

void write_coverage() {
  Coverage* const all = coverage();
  if (all == nullptr) return;
  const std::lock_guard lock(all->mutex);
  std::ofstream file(all->folder + "/" + std::to_string(getpid()) + all->suffix, std::ios::app);
  for (auto& [line, cell] : all->cells) {
    if (cell.written || !cell.executed.load(std::memory_order_relaxed)) continue;
    cell.written = true;
    file << line << '\n';
  }
}

}  // namespace bascule::simt
