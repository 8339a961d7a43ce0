// Who knows what of whom: the order in which accesses happened, as far as the program enforces it (happens-before).
//
// Each thread counts its own synchronisations (`now`). What it knows of the others is a vector of such counts for each block it
// has heard of; an access by thread u at count c happened before thread t's if t knows u's count c. Vectors are shared and
// never changed, since after a barrier all threads of a block know the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace bascule::simt {

using Times = std::vector<std::uint32_t>;  // by thread of a block
using TimesRef = std::shared_ptr<const Times>;

struct BlockTimes {
  std::uint32_t block = 0;
  TimesRef times;
};
/// What can be handed from anybody to anybody: by block, ascending.
using Message = std::vector<BlockTimes>;

struct Knowledge {
  TimesRef own;                           // of the threads of the own block; null: nothing
  std::shared_ptr<const Message> others;  // of other blocks' threads; null: nothing

  [[nodiscard]] std::uint32_t of(std::uint32_t own_block, std::uint32_t block, std::uint32_t thread) const;
};

void join(TimesRef& into, const TimesRef& from);
void join(Message& into, const BlockTimes& from);
void join(Message& into, const Message& from);
/// Of the same block.
void join(Knowledge& into, const Knowledge& from);
void join(Knowledge& into, std::uint32_t own_block, const Message& from);
void join(Message& into, std::uint32_t own_block, const Knowledge& from);

/// How far a synchronisation reaches. Each includes those before it.
enum class Scope : std::uint8_t { block, cluster, everyone };
inline constexpr std::size_t kScopes = 3;
using MessageByScope = std::array<Message, kScopes>;

struct ThreadClock {
  Knowledge known;
  std::uint32_t now = 1;
  MessageByScope fenced;  // at the last fence that reaches so far: what later strong writes hand on
  MessageByScope seen;    // by strong reads from writes that reach so far: the next such fence makes it known
};

/// Everything that the thread knows, its own accesses so far included; later ones are apart.
[[nodiscard]] Message hand_over(ThreadClock& clock, std::uint32_t block, std::uint32_t thread, std::uint32_t threads);

}  // namespace bascule::simt
