// kernels/control.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

TEST_CASE("recursion to different depths in each lane") {
  if (!have_compiled()) return;
  everywhere(compiled("control"), [](Program& program) {
    const std::uint32_t n = 77;
    Buffer<std::uint32_t> out(n);
    program.run("recursion", {{2, 1, 1}, {64, 1, 1}}, Arguments(out, n));
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t m = i % 3, x = i % 5;
      CHECK(out[i] == (m == 0 ? x + 1 : m == 1 ? x + 2 : 2 * x + 3));
    }
  });
}

TEST_CASE("calls through pointers that differ by lane") {
  if (!have_compiled()) return;
  everywhere(compiled("control"), [](Program& program) {
    auto random = random_source(130);
    const std::uint32_t n = 100;
    const auto which = random_words(random, n);
    Buffer<std::uint32_t> out(n);
    program.run("indirect_calls", {{1, 1, 1}, {128, 1, 1}}, Arguments(which, out, n));
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t a = i, b = 3 * i + 1;
      const std::uint32_t want[] = {a + b, a * b, a ^ b, (a & 1) != 0 ? a : b};
      CHECK(out[i] == want[which[i] % 4]);
    }
  });
}

TEST_CASE("a spin lock between lanes, warps and blocks") {
  if (!have_compiled()) return;
  everywhere(compiled("control"), [](Program& program) {
    Buffer<std::uint32_t> lock(1, 0), counter(1, 0);
    program.run("spin_lock", {{2, 1, 1}, {64, 1, 1}}, Arguments(lock, counter, 2u));
    CHECK(counter[0] == 2 * 64 * 2);
    CHECK(lock[0] == 0);
  });
}

TEST_CASE("a barrier of the whole grid") {
  if (!have_compiled()) return;
  everywhere(compiled("control"), [](Program& program) {
    auto random = random_source(131);
    const std::uint32_t n = 701, steps = 5;
    auto current = random_words(random, n), next = current, want = current;
    Buffer<std::uint32_t> arrived(1, 0);
    program.run("ring_steps", {{4, 1, 1}, {64, 1, 1}, 0, BSC_LAUNCH_COOPERATIVE}, Arguments(current, next, arrived, n, steps));
    for (std::uint32_t step = 0; step < steps; ++step) {
      const auto before = want;
      for (std::uint32_t i = 0; i < n; ++i) want[i] = before[(i + n - 1) % n] * 3 + before[(i + 1) % n] + before[i];
    }
    CHECK((steps % 2 == 0 ? current : next) == want);
  });
}

TEST_CASE("printing: one line for each thread") {
  if (!have_compiled()) return;
  everywhere(compiled("control"), [](Program& program) {
    program.run("print", {{1, 1, 1}, {64, 1, 1}}, Arguments(40u));
    std::vector<std::string> want;
    for (int i = 0; i < 40; ++i) want.push_back("thread " + std::to_string(i) + " has " + std::to_string(i / 2) + (i % 2 == 0 ? ".00" : ".50"));
    std::vector<std::string> got;
    for (const std::string& line : program.printed()) {
      if (line.rfind("thread ", 0) == 0) got.push_back(line);
    }
    std::sort(want.begin(), want.end());
    std::sort(got.begin(), got.end());
    CHECK(got == want);
  });
}

TEST_CASE("loops that lanes leave early, by break and by return") {
  if (!have_compiled()) return;
  everywhere(compiled("control"), [](Program& program) {
    auto random = random_source(132);
    const std::uint32_t n = 200;
    const auto limits = random_words(random, n, 300);
    Buffer<std::uint32_t> out(n, 0xffffffffu), last(1, 0);
    program.run("early_exit", {{blocks_for(n, 96), 1, 1}, {96, 1, 1}}, Arguments(limits, out, last, n));
    bool any = false;
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint32_t steps = 0, want = 0xffffffffu;
      bool done = false, left = false;
      for (int outer = 0; outer < 64 && !done && !left; ++outer) {
        for (int inner = 0; inner < 8; ++inner) {
          if (steps == limits[i]) {
            done = true;
            break;
          }
          ++steps;
          if ((steps * 2654435761u >> 28) == 3) break;
        }
        left = steps > 100 && limits[i] % 2 != 0;
      }
      if (!left) want = steps;
      any = any || !left;
      REQUIRE(out[i] == want);
    }
    CHECK((last[0] != 0) == any);
  });
}

}  // namespace
