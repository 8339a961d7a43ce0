// Warp-level instructions against models of whole warps: all lanes, some lanes while the others go around or have left, and two
// disjoint sets of lanes at one place and at two places, and lanes at two places that execute it together.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "tests/ptx_models/engine.hpp"
#include "tests/ptx_models/inputs.hpp"
#include "tests/ptx_models/sweep.hpp"
#include "tests/ptx_models/warp_forms.hpp"
#include "tests/support/seed.hpp"

namespace bascule::ptx_models {
namespace {

/// Who executes the instruction, and with which mask.
enum class Arrangement {
  all,          // every lane, mask of ones
  around,       // the chosen ones; the others branch around it
  guarded,      // the chosen ones let through by a guard
  exited,       // the others have exited; the mask still names them
  two_places,   // the chosen ones at one place, the others at another one, each set with its mask
  two_masks,    // all at the same place, each set with its mask
  meeting       // the chosen ones at one place, the others at another one, with one mask of ones: they execute it together
};
constexpr Arrangement kArrangements[] = {Arrangement::all,    Arrangement::around,     Arrangement::guarded,
                                         Arrangement::exited, Arrangement::two_places, Arrangement::two_masks, Arrangement::meeting};
constexpr std::size_t kWarps = 64;
constexpr std::size_t kThreads = 32 * kWarps;
constexpr std::uint64_t kUntouched = 0x5a5a5a5au;

int width_of(LaneInput input) { return input == LaneInput::predicate ? 1 : input == LaneInput::few64 ? 64 : 32; }

std::string named(std::string code) {
  for (char& c : code) {
    if (c == '$') c = '%';
  }
  return code + ";\n";
}

std::string instruction_text(const WarpForm& form, Arrangement arrangement, const std::string& name) {
  const std::string code = named(form.code);
  switch (arrangement) {
    case Arrangement::around: return "@!%chosen bra around_" + name + ";\n" + code + "around_" + name + ":\n";
    case Arrangement::guarded: return "@%chosen " + code;
    case Arrangement::exited: return "@!%chosen exit;\n" + code;
    case Arrangement::two_places:
    case Arrangement::meeting:
      return "@!%chosen bra other_" + name + ";\n" + code + "bra join_" + name + ";\nother_" + name + ":\n" + code + "join_" + name + ":\n";
    default: return code;
  }
}

std::string kernel_text(const WarpForm& form, Arrangement arrangement, const std::string& name) {
  static constexpr char kInputs[] = {'a', 'b', 'c'};
  std::string text = ".visible .entry " + name + "(.param .u64 inputs, .param .u64 outputs)\n{\n"
                     ".reg .pred %chosen;\n.reg .b32 %x, %y, %index, %m, %word, %store;\n.reg .b64 %in, %out, %offset;\n";
  for (std::size_t i = 0; i < form.inputs.size(); ++i) {
    const int width = width_of(form.inputs[i]);
    text += std::string(".reg ") + (width == 1 ? ".pred" : width == 64 ? ".b64" : ".b32") + " %" + kInputs[i] + ";\n";
  }
  text += std::string(form.outputs[0] == 1 ? ".reg .pred" : ".reg .b32") + " %d;\n.reg .pred %e;\n";
  text += "ld.param.u64 %in, [inputs];\nld.param.u64 %out, [outputs];\nmov.u32 %x, %ctaid.x;\nmov.u32 %y, %tid.x;\n"
          "mad.lo.u32 %index, %x, 256, %y;\nmul.wide.u32 %offset, %index, 40;\nadd.u64 %in, %in, %offset;\n"
          "mul.wide.u32 %offset, %index, 8;\nadd.u64 %out, %out, %offset;\n"
          "ld.global.u32 %word, [%in];\nsetp.ne.u32 %chosen, %word, 0;\nld.global.u32 %m, [%in+8];\n";
  for (std::size_t i = 0; i < form.inputs.size(); ++i) {
    const std::string at = "[%in+" + std::to_string(16 + 8 * i) + "]";
    const int width = width_of(form.inputs[i]);
    const std::string input = std::string("%") + kInputs[i];
    text += width == 1 ? "ld.global.u32 %word, " + at + ";\nsetp.ne.u32 " + input + ", %word, 0;\n"
                       : "ld.global.b" + std::to_string(width) + " " + input + ", " + at + ";\n";
  }
  text += form.outputs[0] == 1 ? "setp.ne.u32 %d, 0, 0;\n" : "mov.b32 %d, " + std::to_string(kUntouched) + ";\n";
  text += "setp.ne.u32 %e, 0, 0;\n" + instruction_text(form, arrangement, name);
  text += form.outputs[0] == 1 ? "selp.b32 %store, 1, 0, %d;\nst.global.u32 [%out], %store;\n" : "st.global.u32 [%out], %d;\n";
  return text + "selp.b32 %store, 1, 0, %e;\nst.global.u32 [%out+4], %store;\nret;\n}\n";
}

std::uint64_t lane_value(LaneInput input, std::uint64_t warp_kind, Random& random) {
  switch (input) {
    case LaneInput::predicate: return warp_kind % 4 == 0 ? 0 : warp_kind % 4 == 1 ? 1 : random.below(2);
    case LaneInput::few32: return warp_kind % 3 == 0 ? 7 : 0x80000000u + random.below(3);
    case LaneInput::few64: return warp_kind % 3 == 0 ? 7 : (random.below(2) << 40) + random.below(2);
    case LaneInput::lane_number: return random.below(4) == 0 ? random.below(100) : random.below(32);
    case LaneInput::segments: {
      static constexpr std::uint64_t kUsual[] = {0x1f, 0x0, 0x1c1f, 0x181f, 0x1c00, 0x1807, 0x101f, 0x1e1f, 0xf1f};
      return random.below(3) != 0 ? kUsual[warp_kind % 9] : random.below(0x2000);
    }
    case LaneInput::f32: {
      const auto& edges = edges_of(Values::f32);
      return warp_kind % 5 == 0 ? 0x7fc00000u + random.below(8) : warp_kind % 2 == 0 ? edges[random.below(edges.size())] : random.next() & 0xffffffffu;
    }
    case LaneInput::bits32: break;
  }
  return warp_kind % 3 == 0 ? (random.below(16) - 8) & 0xffffffffu : random.next() & 0xffffffffu;
}

struct WarpInputs {
  std::array<std::uint32_t, kWarps> chosen{};
  std::vector<std::array<LaneValues, 3>> values = std::vector<std::array<LaneValues, 3>>(kWarps);
};

WarpInputs make_inputs(const WarpForm& form, Arrangement arrangement, Random& random) {
  WarpInputs inputs;
  for (std::size_t w = 0; w < kWarps; ++w) {
    std::uint32_t chosen = static_cast<std::uint32_t>(random.next()) | (w % 3 == 0 ? static_cast<std::uint32_t>(random.next()) : 0);
    if (w % 8 == 1) chosen = 1u << random.below(32);
    if (w % 8 == 2) chosen = 0xffffu << random.below(17);
    if (chosen == 0) chosen = 1;
    if (arrangement == Arrangement::all) chosen = ~0u;
    inputs.chosen[w] = chosen;
    for (std::size_t k = 0; k < form.inputs.size(); ++k) {
      for (auto& value : inputs.values[w][k]) value = lane_value(form.inputs[k], w, random);
    }
  }
  return inputs;
}

bool both_sets(Arrangement arrangement) { return arrangement == Arrangement::two_places || arrangement == Arrangement::two_masks; }

std::vector<std::uint64_t> memory_of(const WarpInputs& inputs, Arrangement arrangement) {
  std::vector<std::uint64_t> memory;
  for (std::size_t w = 0; w < kWarps; ++w) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const bool chosen = (inputs.chosen[w] >> lane & 1) != 0;
      std::uint32_t mask = chosen || !both_sets(arrangement) ? inputs.chosen[w] : ~inputs.chosen[w];
      if (arrangement == Arrangement::exited || arrangement == Arrangement::all || arrangement == Arrangement::meeting) mask = ~0u;
      memory.insert(memory.end(), {chosen ? 1u : 0u, mask, inputs.values[w][0][lane], inputs.values[w][1][lane], inputs.values[w][2][lane]});
    }
  }
  return memory;
}

/// Compares the lanes of one set with the model; says the first difference.
std::string compare_set(const WarpForm& form, const WarpInputs& inputs, std::size_t warp, std::uint32_t lanes,
                        const std::vector<std::uint32_t>& out) {
  WarpStep step{lanes, lanes, inputs.values[warp]};
  WarpResult result;
  form.model(step, result);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!step.has(lane)) continue;
    for (std::size_t o = 0; o < form.outputs.size(); ++o) {
      const std::uint64_t got = out[(32 * warp + lane) * 2 + o];
      if (result.open[o][lane] || got == result.out[o][lane]) continue;
      char text[200];
      std::snprintf(text, sizeof text, "lanes %08x, lane %u, a=%llx b=%llx c=%llx: output %zu is %llx, expected %llx", lanes, lane,
                    static_cast<unsigned long long>(step.in[0][lane]), static_cast<unsigned long long>(step.in[1][lane]),
                    static_cast<unsigned long long>(step.in[2][lane]), o, static_cast<unsigned long long>(got),
                    static_cast<unsigned long long>(result.out[o][lane]));
      return text;
    }
  }
  return {};
}

/// What lanes that did not execute the instruction are left with.
bool untouched(const WarpForm& form, Arrangement arrangement, const std::uint32_t* pair) {
  if (arrangement == Arrangement::exited) return pair[0] == 0xa5a5a5a5u;
  return pair[0] == (form.outputs[0] == 1 ? 0 : kUntouched) && pair[1] == 0;
}

std::string compare(const WarpForm& form, Arrangement arrangement, const WarpInputs& inputs, const std::vector<std::uint32_t>& out) {
  for (std::size_t w = 0; w < kWarps; ++w) {
    const bool together = arrangement == Arrangement::meeting;
    std::string difference = compare_set(form, inputs, w, together ? ~0u : inputs.chosen[w], out);
    if (!difference.empty()) return difference;
    const std::uint32_t others = together ? 0 : ~inputs.chosen[w];
    if (others != 0 && both_sets(arrangement)) {
      difference = compare_set(form, inputs, w, others, out);
      if (!difference.empty()) return "the other set: " + difference;
      continue;
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((others >> lane & 1) != 0 && !untouched(form, arrangement, &out[(32 * w + lane) * 2])) return "a lane that stood aside was written";
    }
  }
  return {};
}

void check_form(const WarpForm& form, std::uint32_t level) {
  Random random(test::seed() ^ level);
  std::string text = module_header(form.target);
  int number = 0;
  for (const Arrangement arrangement : kArrangements) text += kernel_text(form, arrangement, "k" + std::to_string(number++));
  Module module(text, options_for_level(level));
  REQUIRE_MESSAGE(module.loaded(), form.code << ": " << module.error());
  number = 0;
  for (const Arrangement arrangement : kArrangements) {
    const std::string name = "k" + std::to_string(number++);
    if (form.counts_exited && arrangement == Arrangement::exited) continue;
    const bool needs_masks = arrangement == Arrangement::meeting || arrangement == Arrangement::two_masks;
    if (needs_masks && form.code.find(".sync") == std::string::npos) continue;
    for (int round = 0; round < 4; ++round) {
      const WarpInputs inputs = make_inputs(form, arrangement, random);
      const std::vector<std::uint64_t> in = memory_of(inputs, arrangement);
      std::vector<std::uint32_t> out(2 * kThreads, 0xa5a5a5a5u);
      const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(in.data()), reinterpret_cast<std::uint64_t>(out.data())};
      const bsc_status status = module.launch(name, {kThreads / 256, 256}, arguments, sizeof arguments);
      REQUIRE_MESSAGE(status == BSC_OK, form.code << " in arrangement " << static_cast<int>(arrangement) << ": " << module.error());
      const std::string difference = compare(form, arrangement, inputs, out);
      CHECK_MESSAGE(difference.empty(), form.code << " in arrangement " << static_cast<int>(arrangement) << ", level " << level << ": " << difference);
      if (!difference.empty()) break;
    }
  }
}

}  // namespace

TEST_CASE("chapter warp: shuffles, votes, matches, reductions and elections agree with models of whole warps") {
  for (const std::uint32_t level : cpu_levels()) {
    for (const WarpForm& form : warp_forms()) check_form(form, level);
  }
}

}  // namespace bascule::ptx_models
