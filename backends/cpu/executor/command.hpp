// One command of a queue: what is to be done, and over what range.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace bascule::cpu {

/// Why something failed. Status BSC_OK means that nothing did.
struct Failure {
  bsc_status status = BSC_OK;
  std::int64_t vendor_code = 0;
  std::uint64_t last_completed = 0;    // asynchronous: the fault lies in (last_completed, first_incomplete]
  std::uint64_t first_incomplete = 0;
  std::string message;

  explicit operator bool() const noexcept { return status != BSC_OK; }
};

/// The part of a command that one call does. See bsc_host_function for what the fields mean.
struct Slice {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t worker = 0;
  void* scratch = nullptr;
  bsc_host_team* team = nullptr;
};

/// How a command is cut into calls.
struct Extent {
  enum class Kind { range, team, wait };

  Kind kind = Kind::range;
  std::uint64_t items = 1;          // 0: nothing runs, the command completes
  std::uint64_t grain = 1;          // range: every slice but the last is a multiple of it
  std::uint64_t scratch_bytes = 0;  // for each call at a time
  std::uint64_t shared_bytes = 0;   // team: memory common to the members
  std::uint32_t team_limit = 0;     // team: most members; 0: as many as there are compute units
};

class Command {
 public:
  explicit Command(const Extent& extent) noexcept : extent_(extent) {}
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Does one slice. May run on several threads at once with disjoint slices. Returns BSC_OK or fills `failure` and
  /// returns its status; an exception counts as BSC_LAUNCH_FAILED with its text.
  virtual bsc_status run(const Slice& slice, Failure& failure) = 0;

  [[nodiscard]] const Extent& extent() const noexcept { return extent_; }

 private:
  friend class CommandList;
  friend class Executor;

  Extent extent_;
  std::unique_ptr<Command> next_;
  std::uint64_t value_ = 0;  // of its submission
  bool first_ = false;       // of its submission
  bool last_ = false;
  bool timed_ = false;
};

/// Commands in order, linked through themselves so that queueing one allocates nothing.
class CommandList {
 public:
  CommandList() noexcept = default;
  CommandList(CommandList&& other) noexcept
      : head_(std::move(other.head_)), tail_(std::exchange(other.tail_, nullptr)) {}
  CommandList& operator=(CommandList&&) = delete;
  ~CommandList() {
    while (head_) pop_front();  // one after another: a long list must not recurse
  }

  [[nodiscard]] bool empty() const noexcept { return head_ == nullptr; }
  [[nodiscard]] Command* front() const noexcept { return head_.get(); }

  void push_back(std::unique_ptr<Command> command) noexcept {
    Command* added = command.get();
    (tail_ != nullptr ? tail_->next_ : head_) = std::move(command);
    tail_ = added;
  }

  void append(CommandList&& other) noexcept {
    if (other.empty()) return;
    Command* last = std::exchange(other.tail_, nullptr);
    (tail_ != nullptr ? tail_->next_ : head_) = std::move(other.head_);
    tail_ = last;
  }

  std::unique_ptr<Command> pop_front() noexcept {
    std::unique_ptr<Command> command = std::move(head_);
    head_ = std::move(command->next_);
    if (!head_) tail_ = nullptr;
    return command;
  }

 private:
  friend class Executor;
  std::unique_ptr<Command> head_;
  Command* tail_ = nullptr;
};

}  // namespace bascule::cpu
