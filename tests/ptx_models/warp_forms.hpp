// Instructions by which the lanes of a warp read each other, as models of a whole warp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bascule::ptx_models {

using LaneValues = std::array<std::uint64_t, 32>;

/// One execution: the lanes that take part, the mask that they name and their inputs $a, $b, $c.
struct WarpStep {
  std::uint32_t lanes = 0;
  std::uint32_t member_mask = 0;
  std::array<LaneValues, 3> in{};
  [[nodiscard]] bool has(unsigned lane) const { return (lanes >> lane & 1) != 0; }
};

/// Results $d, $e of each lane; some are left open by the ISA.
struct WarpResult {
  std::array<LaneValues, 2> out{};
  std::array<std::bitset<32>, 2> open{};
};

enum class LaneInput { bits32, few32, few64, predicate, lane_number, segments, f32 };

struct WarpForm {
  std::string code;  // one instruction; $d, $e outputs, $a, $b, $c inputs, $m the mask
  std::vector<LaneInput> inputs;
  std::vector<int> outputs;  // widths; 1: predicate
  std::function<void(const WarpStep& step, WarpResult& result)> model;
  unsigned target = 80;
  bool counts_exited = false;  // lanes of the mask that have exited are waited for (elect.sync): never run that way
};

std::vector<WarpForm> warp_forms();

}  // namespace bascule::ptx_models
