// Which values are live where, from uses and definitions of each block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "backends/simt/execute/draft.hpp"
#include "backends/simt/execute/flow.hpp"

namespace bascule::simt {

/// A set of values.
class ValueSet {
 public:
  explicit ValueSet(std::size_t size = 0) : words_((size + 63) / 64) {}
  void insert(std::uint32_t value) { words_[value / 64] |= std::uint64_t{1} << value % 64; }
  void erase(std::uint32_t value) { words_[value / 64] &= ~(std::uint64_t{1} << value % 64); }
  [[nodiscard]] bool contains(std::uint32_t value) const { return (words_[value / 64] >> value % 64 & 1) != 0; }
  /// Adds what `out` holds and `killed` does not; whether anything came in.
  bool add_without(const ValueSet& out, const ValueSet& killed) {
    std::uint64_t added = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t now = words_[i] | (out.words_[i] & ~killed.words_[i]);
      added |= now ^ words_[i];
      words_[i] = now;
    }
    return added != 0;
  }
  void add(const ValueSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  template <class F>
  void each(F f) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        f(static_cast<std::uint32_t>(i * 64 + static_cast<unsigned>(__builtin_ctzll(rest))));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct Liveness {
  std::vector<ValueSet> in;  // by block
  std::vector<ValueSet> out;
};

/// A definition under a guard leaves the old value to the other lanes, so it is a use as well.
[[nodiscard]] Liveness find_liveness(const Drafts& drafts, const FlowGraph& graph);

}  // namespace bascule::simt
