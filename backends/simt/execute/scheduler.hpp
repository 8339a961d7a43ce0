// The warps of a group as fragments: sets of lanes with one place in the program and one call frame; who runs next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/simt/execute/group.hpp"
#include "backends/simt/execute/program.hpp"
#include "backends/simt/execute/rendezvous.hpp"

namespace bascule::simt {

struct BlockRun;
using LaneMasks = std::array<std::uint32_t, kMaxWarps>;

[[nodiscard]] inline bool any_lane(const LaneMasks& masks) {
  std::uint32_t all = 0;
  for (const std::uint32_t mask : masks) all |= mask;
  return all != 0;
}

/// One activation of a function, for all lanes that made the call together.
struct Frame {
  const FunctionCode* code = nullptr;
  Frame* parent = nullptr;
  const Op* call = nullptr;       // in the parent
  std::byte* registers = nullptr;
  std::uint32_t depth = 0;
  std::uint32_t local_frame = 0;  // where its part of local memory starts
  LaneMasks lanes{};              // not yet returned
};

struct Fragment {
  enum class State : std::uint8_t { ready, barrier, meeting };
  const Op* at = nullptr;
  Frame* frame = nullptr;
  LaneMasks lanes{};
  State state = State::ready;
  std::uint8_t slices = 0;      // how often it has used up the budget since it last lost its turn
  std::uint32_t barrier = 0;    // State::barrier: which one
  std::uint64_t turn = 0;       // lower ones run first; 0: in the order of the program
  Meeting meeting;              // State::meeting
};

/// Whether `a` comes before `b` in the laid-out program, callers' places first.
[[nodiscard]] bool comes_before(const Fragment& a, const Fragment& b);

class WarpGroup : public Group {
 public:
  enum class Progress : std::uint8_t {
    done,      // every thread has exited
    waiting,   // for other groups of the block
    spinning,  // it gave up its turn, or keeps looking at memory
    busy,      // its turn is over
    fault,
  };

  /// Storage is kept from block to block.
  void start(BlockRun& owner, const Program& program, const std::byte* constants, std::uint32_t first, std::uint32_t count,
             std::byte* local_memory);
  Progress run();

  /// For handlers. Lanes that wait at an operation until it's their turn.
  void add(const Op* at, Frame* in, const LaneMasks& lanes);
  void add(Fragment fragment) { waiting_.push_back(std::move(fragment)); }
  /// The running fragment has come to `at`, where or beyond where others wait. Takes in those that wait right there and says
  /// true, if the scheduler would do the same; false: it must decide.
  bool meet(const Op* at);
  [[nodiscard]] bool alone() const { return waiting_.empty(); }
  [[nodiscard]] std::vector<Fragment>& waiting() { return waiting_; }
  [[nodiscard]] const std::vector<Fragment>& waiting() const { return waiting_; }
  [[nodiscard]] Frame& frame() { return *current_.frame; }
  [[nodiscard]] const Program& program() const { return *program_; }
  [[nodiscard]] BlockRun& run_of_block() const { return *run_; }
  /// Makes `code` the running function for the running fragment. False when local memory is used up.
  bool enter(const FunctionCode& code, const Op* call, std::uint32_t local_frame, const LaneMasks& lanes);
  /// Takes lanes out of a frame (and, `all_the_way`, out of its callers); frames without lanes are given back.
  void leave_frame(Frame* from, const LaneMasks& lanes, bool all_the_way);
  /// Goes on in `to` (the caller's frame).
  void show(Frame& to);
  /// Threads have exited, or lanes have come to a meeting: who waits must be looked at again.
  void meetings_changed() { meetings_changed_ = true; }
  [[nodiscard]] Context& context() { return context_; }
  std::uint64_t executed_operations = 0;
  std::uint64_t executed_lanes = 0;

 private:
  friend class Meetings;
  bool pick();
  void load(Fragment fragment);
  void put_back(std::uint8_t slices, std::uint64_t turn);
  Frame& new_frame(const FunctionCode& code);
  bool interpret();

  BlockRun* run_ = nullptr;
  const Program* program_ = nullptr;
  Context context_;
  Fragment current_;
  std::vector<Fragment> waiting_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<Frame*> free_frames_;
  std::vector<std::vector<std::byte*>> free_registers_;  // by function
  std::vector<std::unique_ptr<ConstantPool::Line[]>> storage_;
  std::uint64_t turns_ = 0;
  bool meetings_changed_ = false;
};

/// Lanes that have met are made ready again. False: a handler that was run for them has failed.
bool resolve_meetings(WarpGroup& group);

/// Operations go over Context::warps warps: up to the last one with an active lane, which saves much where few lanes go on.
inline void fit_warps(Context& context, std::uint32_t all) {
  while (all > 1 && context.active[all - 1] == 0) --all;
  context.warps = all;
}

[[nodiscard]] inline WarpGroup& group_of(Context& context) { return static_cast<WarpGroup&>(*context.group); }

/// The lanes of each warp that an operation runs for.
[[nodiscard]] LaneMasks lanes_of(const Op& op, const Context& context);

/// A value of one lane. `registers`: of the warp.
[[nodiscard]] std::uint64_t read_lane(const std::byte* registers, const std::byte* constants, Slot slot, unsigned bytes,
                                      unsigned lane);

}  // namespace bascule::simt
