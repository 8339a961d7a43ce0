// See clock.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/sanitizer/clock.hpp"

#include <algorithm>

namespace bascule::simt {
namespace {

template <class List>
auto place_of(List& list, std::uint32_t block) {
  return std::lower_bound(list.begin(), list.end(), block,
                          [](const BlockTimes& entry, std::uint32_t wanted) { return entry.block < wanted; });
}

bool covers(const Times& a, const Times& b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    if ((i < a.size() ? a[i] : 0) < b[i]) return false;
  }
  return true;
}

void join_others(Knowledge& into, const BlockTimes& from) {
  if (into.others != nullptr) {
    const auto at = place_of(*into.others, from.block);
    if (at != into.others->end() && at->block == from.block && (at->times == from.times || covers(*at->times, *from.times))) return;
  }
  auto copy = into.others != nullptr ? std::make_shared<Message>(*into.others) : std::make_shared<Message>();
  join(*copy, from);
  into.others = std::move(copy);
}

}  // namespace

std::uint32_t Knowledge::of(std::uint32_t own_block, std::uint32_t block, std::uint32_t thread) const {
  const Times* times = nullptr;
  if (block == own_block) {
    times = own.get();
  } else if (others != nullptr) {
    const auto at = place_of(*others, block);
    if (at != others->end() && at->block == block) times = at->times.get();
  }
  return times != nullptr && thread < times->size() ? (*times)[thread] : 0;
}

void join(TimesRef& into, const TimesRef& from) {
  if (from == nullptr || into == from) return;
  if (into == nullptr || covers(*from, *into)) {
    into = from;
    return;
  }
  if (covers(*into, *from)) return;
  auto both = std::make_shared<Times>(*into);
  if (both->size() < from->size()) both->resize(from->size());
  for (std::size_t i = 0; i < from->size(); ++i) (*both)[i] = std::max((*both)[i], (*from)[i]);
  into = std::move(both);
}

void join(Message& into, const BlockTimes& from) {
  if (from.times == nullptr) return;
  const auto at = place_of(into, from.block);
  if (at != into.end() && at->block == from.block) {
    join(at->times, from.times);
  } else {
    into.insert(at, from);
  }
}

void join(Message& into, const Message& from) {
  for (const BlockTimes& entry : from) join(into, entry);
}

void join(Knowledge& into, const Knowledge& from) {
  join(into.own, from.own);
  if (from.others == nullptr || into.others == from.others) return;
  if (into.others == nullptr) {
    into.others = from.others;
    return;
  }
  for (const BlockTimes& entry : *from.others) join_others(into, entry);
}

void join(Knowledge& into, std::uint32_t own_block, const Message& from) {
  for (const BlockTimes& entry : from) {
    if (entry.block == own_block) {
      join(into.own, entry.times);
    } else {
      join_others(into, entry);
    }
  }
}

void join(Message& into, std::uint32_t own_block, const Knowledge& from) {
  join(into, BlockTimes{own_block, from.own});
  if (from.others == nullptr) return;
  for (const BlockTimes& entry : *from.others) join(into, entry);
}

Message hand_over(ThreadClock& clock, std::uint32_t block, std::uint32_t thread, std::uint32_t threads) {
  auto times = clock.known.own != nullptr ? std::make_shared<Times>(*clock.known.own) : std::make_shared<Times>();
  if (times->size() < threads) times->resize(threads);
  (*times)[thread] = clock.now++;
  Message message;
  if (clock.known.others != nullptr) message = *clock.known.others;
  join(message, BlockTimes{block, std::move(times)});
  return message;
}

}  // namespace bascule::simt
