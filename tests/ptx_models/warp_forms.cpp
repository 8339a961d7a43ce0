// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/warp_forms.hpp"

#include <utility>

#include "tests/ptx_models/bits.hpp"

namespace bascule::ptx_models {
namespace {

enum class Shuffle { up, down, butterfly, index };

void shuffle(Shuffle mode, const WarpStep& step, WarpResult& result) {
  for (int lane = 0; lane < 32; ++lane) {
    const auto i = static_cast<std::size_t>(lane);
    const int offset = static_cast<int>(step.in[1][i] & 31);
    const int clamp = static_cast<int>(step.in[2][i] & 31);
    const int segment = static_cast<int>(step.in[2][i] >> 8 & 31);
    const int last = (lane & segment) | (clamp & ~segment & 31);
    int source = 0;
    bool valid = false;
    switch (mode) {
      case Shuffle::up:
        source = lane - offset;
        valid = source >= last;
        break;
      case Shuffle::down:
        source = lane + offset;
        valid = source <= last;
        break;
      case Shuffle::butterfly:
        source = lane ^ offset;
        valid = source <= last;
        break;
      case Shuffle::index:
        source = (lane & segment) | (offset & ~segment & 31);
        valid = source <= last;
        break;
    }
    if (!valid) source = lane;
    const auto from = static_cast<unsigned>(source);
    result.out[0][i] = step.in[0][from];
    result.open[0][i] = !step.has(from);  // what a lane outside holds is anyone's guess
    result.out[1][i] = valid ? 1 : 0;
  }
}

/// The same result in all lanes.
void everywhere(WarpResult& result, std::size_t output, std::uint64_t value) { result.out[output].fill(value); }

std::uint32_t ballot(const WarpStep& step, bool negate) {
  std::uint32_t votes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (step.has(lane) && (step.in[0][lane] != 0) != negate) votes |= 1u << lane;
  }
  return votes;
}

void add_votes(std::vector<WarpForm>& forms) {
  for (const bool negate : {false, true}) {
    const std::string operand = negate ? "!$a" : "$a";
    const auto add = [&](const char* mode, int width, auto decide) {
      const auto model = [=](const WarpStep& step, WarpResult& result) { everywhere(result, 0, decide(ballot(step, negate), step.lanes)); };
      const std::string rest = std::string(mode) + (width == 1 ? ".pred" : ".b32") + " $d, " + operand;
      forms.push_back({"vote.sync." + rest + ", $m", {LaneInput::predicate}, {width}, model});
      // Before sm_70 the lanes that execute it vote.
      WarpForm older{"vote." + rest, {LaneInput::predicate}, {width}, model};
      older.target = 60;
      forms.push_back(older);
    };
    add("all", 1, [](std::uint32_t votes, std::uint32_t lanes) -> std::uint64_t { return votes == lanes ? 1 : 0; });
    add("any", 1, [](std::uint32_t votes, std::uint32_t) -> std::uint64_t { return votes != 0 ? 1 : 0; });
    add("uni", 1, [](std::uint32_t votes, std::uint32_t lanes) -> std::uint64_t { return votes == 0 || votes == lanes ? 1 : 0; });
    add("ballot", 32, [](std::uint32_t votes, std::uint32_t) -> std::uint64_t { return votes; });
  }
}

void add_matches(std::vector<WarpForm>& forms) {
  for (const bool wide : {false, true}) {
    const LaneInput input = wide ? LaneInput::few64 : LaneInput::few32;
    const std::string type = wide ? ".b64" : ".b32";
    forms.push_back({"match.any.sync" + type + " $d, $a, $m", {input}, {32}, [](const WarpStep& step, WarpResult& result) {
                       for (unsigned lane = 0; lane < 32; ++lane) {
                         for (unsigned other = 0; other < 32; ++other) {
                           if (step.has(other) && step.in[0][other] == step.in[0][lane]) result.out[0][lane] |= 1u << other;
                         }
                       }
                     }});
    for (const bool predicate : {false, true}) {
      forms.push_back({"match.all.sync" + type + (predicate ? " $d|$e" : " $d") + ", $a, $m", {input},
                       predicate ? std::vector<int>{32, 1} : std::vector<int>{32}, [](const WarpStep& step, WarpResult& result) {
                         bool same = true;
                         for (unsigned a = 0; a < 32; ++a) {
                           for (unsigned b = 0; b < 32; ++b) {
                             if (step.has(a) && step.has(b) && step.in[0][a] != step.in[0][b]) same = false;
                           }
                         }
                         everywhere(result, 0, same ? step.lanes : 0);
                         everywhere(result, 1, same ? 1 : 0);
                       }});
    }
  }
}

void add_reductions(std::vector<WarpForm>& forms) {
  using Fold = Signed128 (*)(Signed128 a, Signed128 b);
  const auto add = [&](const std::string& name, bool is_signed, Fold fold) {
    forms.push_back({"redux.sync." + name + " $d, $a, $m", {LaneInput::bits32}, {32}, [=](const WarpStep& step, WarpResult& result) {
                       bool first = true;
                       Signed128 total = 0;
                       for (unsigned lane = 0; lane < 32; ++lane) {
                         if (!step.has(lane)) continue;
                         const Signed128 value = value_of(step.in[0][lane], 32, is_signed);
                         total = first ? value : fold(total, value);
                         first = false;
                       }
                       everywhere(result, 0, wrapped(total, 32));
                     }});
  };
  const Fold least = [](Signed128 a, Signed128 b) { return a < b ? a : b; };
  const Fold greatest = [](Signed128 a, Signed128 b) { return a > b ? a : b; };
  const Fold sum = [](Signed128 a, Signed128 b) { return a + b; };
  for (const bool is_signed : {false, true}) {
    const std::string type = is_signed ? ".s32" : ".u32";
    add("add" + type, is_signed, sum);
    add("min" + type, is_signed, least);
    add("max" + type, is_signed, greatest);
  }
  add("and.b32", false, [](Signed128 a, Signed128 b) { return a & b; });
  add("or.b32", false, [](Signed128 a, Signed128 b) { return a | b; });
  add("xor.b32", false, [](Signed128 a, Signed128 b) { return a ^ b; });
}

void add_float_reductions(std::vector<WarpForm>& forms) {
  for (int variant = 0; variant < 8; ++variant) {
    const bool greatest = (variant & 1) != 0, magnitudes = (variant & 2) != 0, propagate = (variant & 4) != 0;
    WarpForm form{std::string("redux.sync.") + (greatest ? "max" : "min") + (magnitudes ? ".abs" : "") + (propagate ? ".NaN" : "") +
                      ".f32 $d, $a, $m",
                  {LaneInput::f32}, {32}, [=](const WarpStep& step, WarpResult& result) {
                    const auto key = [](std::uint64_t bits) {
                      const auto size = static_cast<std::int64_t>(bits & 0x7fffffff);
                      return (bits >> 31 & 1) != 0 ? -size - 1 : size;
                    };
                    std::uint64_t best = kF32.canonical_nan;
                    bool nan = false;
                    for (unsigned lane = 0; lane < 32; ++lane) {
                      if (!step.has(lane)) continue;
                      const std::uint64_t value = magnitudes ? step.in[0][lane] & 0x7fffffff : step.in[0][lane];
                      if (kF32.is_nan(value)) {
                        nan = true;
                      } else if (kF32.is_nan(best) || (greatest ? key(value) > key(best) : key(value) < key(best))) {
                        best = value;
                      }
                    }
                    everywhere(result, 0, propagate && nan ? kF32.canonical_nan : best);
                  }};
    form.target = 100;
    forms.push_back(form);
  }
}

}  // namespace

std::vector<WarpForm> warp_forms() {
  std::vector<WarpForm> forms;
  const struct {
    const char* name;
    Shuffle mode;
  } shuffles[] = {{"up", Shuffle::up}, {"down", Shuffle::down}, {"bfly", Shuffle::butterfly}, {"idx", Shuffle::index}};
  for (const auto& [name, mode] : shuffles) {
    for (const bool predicate : {false, true}) {
      forms.push_back({std::string("shfl.sync.") + name + (predicate ? ".b32 $d|$e" : ".b32 $d") + ", $a, $b, $c, $m",
                       {LaneInput::bits32, LaneInput::lane_number, LaneInput::segments}, predicate ? std::vector<int>{32, 1} : std::vector<int>{32},
                       [mode = mode](const WarpStep& step, WarpResult& result) { shuffle(mode, step, result); }});
    }
    // Constants for the lane, the segment or both.
    for (const auto& [b, c] : {std::pair<int, int>{3, -1}, {-1, 0x1c1f}, {-1, 0x180f}, {5, 0x1f}, {1, 0}}) {
      forms.push_back({std::string("shfl.sync.") + name + ".b32 $d|$e, $a, " + (b < 0 ? "$b" : std::to_string(b)) + ", " + (c < 0 ? "$c" : std::to_string(c)) + ", $m",
                       {LaneInput::bits32, LaneInput::lane_number, LaneInput::segments}, {32, 1},
                       [mode = mode, b = b, c = c](const WarpStep& step, WarpResult& result) {
                         WarpStep with_constants = step;
                         if (b >= 0) with_constants.in[1].fill(static_cast<std::uint64_t>(b));
                         if (c >= 0) with_constants.in[2].fill(static_cast<std::uint64_t>(c));
                         shuffle(mode, with_constants, result);
                       }});
    }
  }
  add_votes(forms);
  add_matches(forms);
  add_reductions(forms);
  add_float_reductions(forms);
  // Which lane is elected is not said, only that it is one of the mask and the same each time; the lowest is what we have.
  WarpForm elect{"elect.sync $d|$e, $m", {}, {32, 1}, [](const WarpStep& step, WarpResult& result) {
                   const auto leader = static_cast<unsigned>(__builtin_ctz(step.lanes));
                   everywhere(result, 0, leader);
                   result.out[1][leader] = 1;
                 }};
  elect.target = 90;
  elect.counts_exited = true;
  forms.push_back(elect);
  return forms;
}

}  // namespace bascule::ptx_models
