// Every form of the operations between the lanes of a warp, and of ldmatrix and stmatrix, as text against loops over lanes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <functional>
#include <optional>

#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

using Lanes = std::array<std::uint64_t, 32>;
/// What a lane gets: a word, and a predicate as 0 or 1. What the form does not write stays 7.
using Pair = std::array<std::uint32_t, 2>;

struct Form {
  std::string text;
  std::function<Pair(unsigned lane, const Lanes& a)> want;
};

constexpr const char* kNow = ".version 8.8\n.target sm_90a\n.address_size 64\n";
constexpr const char* kLater = ".version 8.8\n.target sm_100f\n.address_size 64\n";
constexpr const char* kBeforeSync = ".version 6.0\n.target sm_60\n.address_size 64\n";

/// %a is a lane's 64-bit value, %w its lower half, %p its lowest bit; %d and %q go out.
std::string kernel(const std::string& name, const std::string& instruction) {
  return ".visible .entry " + name + R"((.param .u64 in, .param .u64 out)
{
  .reg .b64 %a, %in, %out, %step; .reg .b32 %w, %d, %bit, %lane; .reg .pred %p, %q;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
  mov.u32 %lane, %laneid; mul.wide.u32 %step, %lane, 8; add.s64 %in, %in, %step; add.s64 %out, %out, %step;
  ld.global.b64 %a, [%in]; cvt.u32.u64 %w, %a; and.b32 %bit, %w, 1; setp.eq.u32 %p, %bit, 1;
  mov.u32 %d, 7; setp.eq.u32 %q, %lane, 99;
  )" + instruction + R"(
  selp.u32 %bit, 1, 0, %q;
  st.global.u32 [%out], %d; st.global.u32 [%out+4], %bit;
  ret;
}
)";
}

void check_all(const char* head, const std::vector<Form>& forms, std::uint64_t stream) {
  std::string text = head;
  for (std::size_t i = 0; i < forms.size(); ++i) text += kernel("form" + std::to_string(i), forms[i].text);
  everywhere_text(text, "warp.ptx", [&](Program& program) {
    auto random = random_source(stream);
    for (std::size_t i = 0; i < forms.size(); ++i) {
      CAPTURE(forms[i].text);
      for (int round = 0; round < 4; ++round) {
        Buffer<std::uint64_t> in(32);
        // All equal, few values, any.
        const std::uint64_t one = random(), other = random();
        for (std::uint64_t& value : in) value = round == 0 ? one : round == 1 ? (random() % 2 == 0 ? one : other) : random();
        Buffer<Pair> out(32);
        program.run("form" + std::to_string(i), {}, Arguments(in, out));
        Lanes a;
        std::copy(in.begin(), in.end(), a.begin());
        for (unsigned lane = 0; lane < 32; ++lane) {
          CAPTURE(lane);
          CHECK(out[lane] == forms[i].want(lane, a));
        }
      }
    }
  });
}

std::uint32_t word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

std::uint32_t ballot(const Lanes& a, bool flipped = false) {
  std::uint32_t result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) result |= static_cast<std::uint32_t>((a[lane] & 1) != (flipped ? 1u : 0u)) << lane;
  return result;
}

void add_shuffles(std::vector<Form>& forms, const std::string& name, const std::string& tail) {
  forms.push_back({name + ".up.b32 %d|%q, %w, 3, 0" + tail,
                   [](unsigned lane, const Lanes& a) { return Pair{word(a[lane >= 3 ? lane - 3 : lane]), lane >= 3}; }});
  forms.push_back({name + ".down.b32 %d|%q, %w, 5, 31" + tail,
                   [](unsigned lane, const Lanes& a) { return Pair{word(a[lane + 5 < 32 ? lane + 5 : lane]), lane + 5 < 32}; }});
  forms.push_back({name + ".bfly.b32 %d, %w, 17, 31" + tail, [](unsigned lane, const Lanes& a) { return Pair{word(a[lane ^ 17]), 0}; }});
  forms.push_back({name + ".idx.b32 %d|%q, %w, 9, 31" + tail, [](unsigned, const Lanes& a) { return Pair{word(a[9]), 1}; }});
}

void add_votes(std::vector<Form>& forms, const std::string& name, const std::string& tail) {
  forms.push_back({name + ".all.pred %q, %p" + tail, [](unsigned, const Lanes& a) { return Pair{7, ballot(a) == ~0u}; }});
  forms.push_back({name + ".any.pred %q, !%p" + tail, [](unsigned, const Lanes& a) { return Pair{7, ballot(a, true) != 0}; }});
  forms.push_back({name + ".uni.pred %q, %p" + tail, [](unsigned, const Lanes& a) { return Pair{7, ballot(a) == 0 || ballot(a) == ~0u}; }});
  forms.push_back({name + ".ballot.b32 %d, %p" + tail, [](unsigned, const Lanes& a) { return Pair{ballot(a), 0}; }});
  forms.push_back({name + ".ballot.b32 %d, !%p" + tail, [](unsigned, const Lanes& a) { return Pair{ballot(a, true), 0}; }});
}

template <class Equal>
std::uint32_t matching(unsigned lane, const Lanes& a, Equal equal) {
  std::uint32_t result = 0;
  for (unsigned other = 0; other < 32; ++other) result |= static_cast<std::uint32_t>(equal(a[lane], a[other])) << other;
  return result;
}
bool equal_words(std::uint64_t a, std::uint64_t b) { return word(a) == word(b); }
bool equal_values(std::uint64_t a, std::uint64_t b) { return a == b; }

void add_matches(std::vector<Form>& forms) {
  forms.push_back({"match.any.sync.b32 %d, %w, 0xffffffff;", [](unsigned lane, const Lanes& a) { return Pair{matching(lane, a, equal_words), 0}; }});
  forms.push_back({"match.any.sync.b64 %d, %a, 0xffffffff;", [](unsigned lane, const Lanes& a) { return Pair{matching(lane, a, equal_values), 0}; }});
  const auto all = [](std::uint32_t mask) { return mask == ~0u ? Pair{mask, 1} : Pair{0, 0}; };
  forms.push_back({"match.all.sync.b32 %d|%q, %w, 0xffffffff;", [all](unsigned lane, const Lanes& a) { return all(matching(lane, a, equal_words)); }});
  forms.push_back({"match.all.sync.b64 %d|%q, %a, 0xffffffff;", [all](unsigned lane, const Lanes& a) { return all(matching(lane, a, equal_values)); }});
  forms.push_back({"match.all.sync.b64 %d, %a, 0xffffffff;",
                   [all](unsigned lane, const Lanes& a) { return Pair{all(matching(lane, a, equal_values))[0], 0}; }});
}

void add_reductions(std::vector<Form>& forms) {
  using Reduce = std::uint32_t (*)(std::uint32_t, std::uint32_t);
  const auto smaller = [](std::uint32_t x, std::uint32_t y) { return std::min(x, y); };
  const auto larger = [](std::uint32_t x, std::uint32_t y) { return std::max(x, y); };
  const auto smaller_signed = [](std::uint32_t x, std::uint32_t y) { return static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y) ? x : y; };
  const auto larger_signed = [](std::uint32_t x, std::uint32_t y) { return static_cast<std::int32_t>(x) > static_cast<std::int32_t>(y) ? x : y; };
  const auto sum = [](std::uint32_t x, std::uint32_t y) { return x + y; };
  const std::pair<const char*, Reduce> cases[] = {
      {"add.u32", sum}, {"add.s32", sum}, {"min.u32", smaller}, {"max.u32", larger}, {"min.s32", smaller_signed}, {"max.s32", larger_signed},
      {"and.b32", [](std::uint32_t x, std::uint32_t y) { return x & y; }},
      {"or.b32", [](std::uint32_t x, std::uint32_t y) { return x | y; }},
      {"xor.b32", [](std::uint32_t x, std::uint32_t y) { return x ^ y; }}};
  for (const auto& [name, reduce] : cases) {
    forms.push_back({std::string("redux.sync.") + name + " %d, %w, 0xffffffff;", [reduce = reduce](unsigned, const Lanes& a) {
                       std::uint32_t result = word(a[0]);
                       for (unsigned lane = 1; lane < 32; ++lane) result = reduce(result, word(a[lane]));
                       return Pair{result, 0};
                     }});
  }
}

TEST_CASE("each form of shfl.sync, vote.sync, match.sync, redux.sync, elect.sync and activemask") {
  std::vector<Form> forms;
  add_shuffles(forms, "shfl.sync", ", 0xffffffff;");
  add_votes(forms, "vote.sync", ", 0xffffffff;");
  add_matches(forms);
  add_reductions(forms);
  forms.push_back({"elect.sync %d|%q, 0xffffffff;", [](unsigned lane, const Lanes&) { return Pair{0, lane == 0}; }});
  forms.push_back({"setp.ge.u32 %p, %lane, 8; @%p elect.sync _|%q, 0xffffff00;",
                   [](unsigned lane, const Lanes&) { return Pair{7, lane == 8}; }});
  forms.push_back({"activemask.b32 %d;", [](unsigned, const Lanes&) { return Pair{~0u, 0}; }});
  check_all(kNow, forms, 180);
}

/// The smallest or largest of 32 f32, as bits: NaN drops out or decides, +0 is above -0.
std::uint32_t extreme(const Lanes& a, bool largest, bool absolute, bool propagate) {
  std::optional<float> best;
  bool nan = false;
  for (const std::uint64_t value : a) {
    float number;
    const std::uint32_t bits = word(value);
    std::memcpy(&number, &bits, sizeof number);
    if (absolute) number = std::fabs(number);
    nan = nan || std::isnan(number);
    if (std::isnan(number)) continue;
    const bool below = best && (number < *best || (number == *best && std::signbit(number) && !std::signbit(*best)));
    const bool above = best && (number > *best || (number == *best && !std::signbit(number) && std::signbit(*best)));
    if (!best || (largest ? above : below)) best = number;
  }
  if (!best || (propagate && nan)) return 0x7fffffffu;
  std::uint32_t bits;
  std::memcpy(&bits, &*best, sizeof bits);
  return bits;
}

TEST_CASE("each form of redux.sync of f32") {
  std::vector<Form> forms;
  for (int i = 0; i < 8; ++i) {
    const bool largest = (i & 1) != 0, absolute = (i & 2) != 0, propagate = (i & 4) != 0;
    forms.push_back({std::string("redux.sync.") + (largest ? "max" : "min") + (absolute ? ".abs" : "") + (propagate ? ".NaN" : "") +
                         ".f32 %d, %w, 0xffffffff;",
                     [=](unsigned, const Lanes& a) { return Pair{extreme(a, largest, absolute, propagate), 0}; }});
  }
  check_all(kLater, forms, 183);
}

TEST_CASE("each form of shfl and vote without .sync") {
  std::vector<Form> forms;
  add_shuffles(forms, "shfl", ";");
  add_votes(forms, "vote", ";");
  check_all(kBeforeSync, forms, 181);
}

// ---- ldmatrix and stmatrix ---------------------------------------------------------------------------------------------------

/// 512 bytes from `in` go through a tile in shared memory to fragments (load), or from fragments through the tile to `out`.
std::string matrix_kernel(const std::string& name, bool load, unsigned count, bool transposed, const std::string& space) {
  const std::string x = "x" + std::to_string(count), address = space.empty() ? "[%generic]" : "[%row]";
  const std::string words = count == 1 ? "{%w0}" : count == 2 ? "{%w0, %w1}" : "{%w0, %w1, %w2, %w3}";
  std::string text = ".visible .entry " + name + R"((.param .u64 in, .param .u64 out)
{
  .reg .b64 %in, %out, %step, %generic; .reg .b32 %lane, %row, %tile, %w<4>;
  .shared .align 16 .b8 tile[512];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
  mov.u32 %lane, %laneid; mul.wide.u32 %step, %lane, 16; add.s64 %in, %in, %step; add.s64 %out, %out, %step;
  mov.u32 %tile, tile; mad.lo.u32 %row, %lane, 16, %tile;
  cvt.u64.u32 %step, %row; cvta.shared.u64 %generic, %step;
  ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%in];
)";
  if (load) {
    text += "  st.shared.v4.b32 [%row], {%w0, %w1, %w2, %w3};\n  bar.warp.sync 0xffffffff;\n  mov.u32 %w0, 0; mov.u32 %w1, 0; mov.u32 %w2, 0; mov.u32 %w3, 0;\n";
  } else {
    text += "  mov.u32 %tile, 0; st.shared.v4.b32 [%row], {%tile, %tile, %tile, %tile};\n  bar.warp.sync 0xffffffff;\n";
  }
  const std::string name_tail = ".sync.aligned.m8n8." + x + (transposed ? ".trans" : "") + space + ".b16 ";
  text += load ? "  ldmatrix" + name_tail + words + ", " + address + ";\n" : "  stmatrix" + name_tail + address + ", " + words + ";\n";
  if (!load) text += "  bar.warp.sync 0xffffffff;\n  ld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%row];\n";
  return text + "  st.global.v4.b32 [%out], {%w0, %w1, %w2, %w3};\n  ret;\n}\n";
}

struct Move {
  bool load;
  unsigned count;
  bool transposed;
};

using Quad = std::array<std::uint32_t, 4>;
std::uint16_t half_in(const Buffer<Quad>& words, unsigned row, unsigned column) {
  return static_cast<std::uint16_t>(words[row][column / 2] >> (16 * (column % 2)));
}

void check_move(const Move& move, const Buffer<Quad>& in, const Buffer<Quad>& out) {
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < 2; ++i) {
        const unsigned g = lane / 4, at = lane % 4 * 2 + i, row = move.transposed ? at : g, column = move.transposed ? g : at;
        // Fragments: register `matrix` of each lane. Tiles: row `matrix` * 8 + row of 16 bytes.
        const auto fragment = static_cast<std::uint16_t>((move.load ? out : in)[lane][matrix] >> (16 * i));
        const std::uint16_t tile = half_in(move.load ? in : out, matrix * 8 + row, column);
        if (matrix < move.count) CHECK(fragment == tile);
        if (matrix >= move.count) CHECK((move.load ? fragment : tile) == 0);
      }
    }
  }
}

TEST_CASE("each form of ldmatrix and stmatrix of 8 x 8 matrices") {
  std::vector<Move> moves;
  std::string text = kNow;
  for (const bool load : {true, false}) {
    for (const unsigned count : {1u, 2u, 4u}) {
      for (const bool transposed : {false, true}) {
        for (const char* space : {"", ".shared", ".shared::cta"}) {
          text += matrix_kernel("form" + std::to_string(moves.size()), load, count, transposed, space);
          moves.push_back({load, count, transposed});
        }
      }
    }
  }
  everywhere_text(text, "moves.ptx", [&](Program& program) {
    auto random = random_source(182);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      CAPTURE(i);
      Buffer<Quad> in(32), out(32);
      for (Quad& quad : in) quad = {word(random()), word(random()), word(random()), word(random())};
      program.run("form" + std::to_string(i), {}, Arguments(in, out));
      check_move(moves[i], in, out);
    }
  });
}

}  // namespace
