// Barriers, meetings of lanes, waiting for other blocks, and what never ends.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <numeric>
#include <string>

#include "backends/simt/execute/test_engine.hpp"

using bascule::simt::test::Arguments;
using bascule::simt::test::Engine;
using bascule::simt::test::Outcome;
using bascule::simt::test::Shape;

namespace {

constexpr const char* kHead =
    "(.param .u64 p) {\n  .reg .b32 %t0, %v, %w, %x; .reg .b64 %out, %at, %f; .reg .pred %q, %s;\n  ld.param.u64 %out, [p];\n"
    "  mov.u32 %t0, %tid.x;\n  mul.wide.u32 %at, %t0, 4;\n  add.s64 %at, %out, %at;\n";

std::string entry(const char* name, const std::string& body) {
  return std::string(".visible .entry ") + name + kHead + body + "\n  st.global.u32 [%at], %v;\n  ret;\n}\n";
}

Outcome run(Engine& engine, const char* kernel, std::uint32_t threads, std::vector<std::uint32_t>& out) {
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  out.assign(threads, 0xdeadbeef);
  return engine.run(kernel, {{1, 1, 1}, {threads, 1, 1}}, Arguments(out.data()));
}

bsc_simt_options watched() {
  bsc_simt_options options = {};
  options.watchdog_ns = 60'000'000'000;
  options.workers = 2;
  return options;
}

}  // namespace

TEST_CASE("a block adds up its numbers in shared memory") {
  Engine engine(R"(
.visible .entry reduce(.param .u64 in, .param .u64 out) {
  .shared .align 4 .b8 part[4096];
  .reg .b32 %r<10>; .reg .b64 %d<6>; .reg .pred %p<3>;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;
  mad.lo.u32 %r4, %r3, %r2, %r1;
  mul.wide.u32 %d3, %r4, 4; add.s64 %d3, %d1, %d3;
  ld.global.u32 %r5, [%d3];
  shl.b32 %r6, %r1, 2; mov.u32 %r7, part; add.u32 %r6, %r6, %r7;
  st.shared.u32 [%r6], %r5;
loop:
  bar.sync 0;
  shr.u32 %r2, %r2, 1;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra done;
  setp.ge.u32 %p2, %r1, %r2;
  @%p2 bra loop;
  shl.b32 %r8, %r2, 2; add.u32 %r8, %r6, %r8;
  ld.shared.u32 %r9, [%r8]; ld.shared.u32 %r5, [%r6];
  add.u32 %r5, %r5, %r9;
  st.shared.u32 [%r6], %r5;
  bra loop;
done:
  setp.ne.u32 %p1, %r1, 0;
  @%p1 exit;
  ld.shared.u32 %r5, [part];
  mul.wide.u32 %d3, %r3, 4; add.s64 %d3, %d2, %d3;
  st.global.u32 [%d3], %r5;
  ret;
})");
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  CHECK(engine.info("reduce").static_shared_bytes == 4096);
  for (const std::uint64_t block : {32u, 64u, 256u, 1024u}) {
    std::vector<std::uint32_t> in(block * 20), out(20);
    std::iota(in.begin(), in.end(), 5u);
    const Outcome outcome = engine.run("reduce", {{20, 1, 1}, {block, 1, 1}, 0, 0, 2}, Arguments(in.data(), out.data()));
    REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
    for (std::uint64_t b = 0; b < 20; ++b) CHECK(out[b] == std::accumulate(&in[b * block], &in[b * block] + block, 0u));
  }
}

TEST_CASE("barrier reductions count and combine, threads that have exited left out") {
  Engine engine(entry("popc", R"(
  setp.gt.u32 %q, %t0, 300; @%q exit;
  and.b32 %w, %t0, 1; setp.eq.u32 %q, %w, 1;
  bar.red.popc.u32 %v, 0, %q;)") + entry("logic", R"(
  setp.lt.u32 %q, %t0, 1000;
  bar.red.and.pred %s, 1, %q; selp.u32 %v, 1, 0, %s;
  setp.eq.u32 %q, %t0, 17;
  barrier.cta.red.and.aligned.pred %s, 2, %q; selp.u32 %w, 2, 0, %s; or.b32 %v, %v, %w;
  bar.red.or.pred %s, 2, %q; selp.u32 %w, 4, 0, %s; or.b32 %v, %v, %w;
  bar.red.or.pred %s, 3, !%q; selp.u32 %w, 8, 0, %s; or.b32 %v, %v, %w;)"));
  std::vector<std::uint32_t> out;
  REQUIRE(run(engine, "popc", 400, out).status == BSC_OK);
  for (std::uint32_t i = 0; i < 400; ++i) CHECK(out[i] == (i <= 300 ? 150 : 0xdeadbeef));
  REQUIRE(run(engine, "logic", 400, out).status == BSC_OK);
  for (std::uint32_t i = 0; i < 400; ++i) CHECK(out[i] == (1 | 4 | 8));
}

TEST_CASE("producers arrive at a barrier that consumers wait at") {
  Engine engine(R"(
.visible .entry pipe(.param .u64 p) {
  .shared .align 4 .b8 slot[256];
  .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<3>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; shl.b32 %r3, %r2, 2;
  mov.u32 %r8, slot; add.u32 %r3, %r3, %r8;
  mov.u32 %r4, 0; mov.u32 %r6, 0;
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra consumer;
producer:
  bar.sync 2, 64;
  mul.lo.u32 %r5, %r4, %r2;
  st.shared.u32 [%r3], %r5;
  bar.arrive 1, 64;
  add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 50; @%p2 bra producer;
  exit;
consumer:
  bar.arrive 2, 64;
  bar.sync 1, 64;
  ld.shared.u32 %r5, [%r3];
  add.u32 %r6, %r6, %r5;
  add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 50; @%p2 bra consumer;
  mul.wide.u32 %d2, %r2, 4; add.s64 %d2, %d1, %d2;
  st.global.u32 [%d2], %r6;
  ret;
})");
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  std::vector<std::uint32_t> out(32);
  const Outcome outcome = engine.run("pipe", {{1, 1, 1}, {64, 1, 1}}, Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(out[i] == i * 49 * 50 / 2);
}

TEST_CASE("lanes of a warp meet at the same place and at different places") {
  Engine engine(entry("same", R"(
  and.b32 %w, %t0, 1; setp.eq.u32 %q, %w, 1;
  mov.u32 %x, 10;
  @%q bra odd;
  mov.u32 %x, 20;
  bra both;
odd:
  add.u32 %x, %x, 1;
both:
  shfl.sync.bfly.b32 %v, %x, 1, 31, 0xffffffff;)") + entry("different", R"(
  and.b32 %w, %t0, 1; setp.eq.u32 %q, %w, 1;
  @%q bra odd;
  shfl.sync.bfly.b32 %v, %t0, 1, 31, 0xffffffff;
  add.u32 %v, %v, 1000;
  bar.warp.sync 0xffffffff;
  bra both;
odd:
  add.u32 %x, %t0, 100;
  shfl.sync.bfly.b32 %v, %x, 1, 31, 0xffffffff;
  add.u32 %v, %v, 2000;
  bar.warp.sync 0xffffffff;
both:)"));
  std::vector<std::uint32_t> out;
  Outcome outcome = run(engine, "same", 96, out);
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (std::uint32_t i = 0; i < 96; ++i) CHECK(out[i] == (i % 2 == 0 ? 11 : 20));
  outcome = run(engine, "different", 96, out);
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (std::uint32_t i = 0; i < 96; ++i) CHECK(out[i] == (i % 2 == 0 ? i + 1 + 100 + 1000 : i - 1 + 2000));
}

TEST_CASE("threads that wait for each other in a circle are a deadlock with every place") {
  Engine engine(entry("stuck", R"(
  mov.u32 %v, 0;
  setp.lt.u32 %q, %t0, 32;
  @%q bra one;
  bar.sync 1;
  bra done;
one:
  bar.sync 2;
done:)") + entry("lanes", R"(
  mov.u32 %v, 0;
  setp.eq.u32 %q, %t0, 3;
  @%q bra one;
  bar.warp.sync 0xffffffff;
  bra done;
one:
  bar.sync 0;
done:)"));
  std::vector<std::uint32_t> out;
  Outcome outcome = run(engine, "stuck", 64, out);
  CHECK(outcome.status == BSC_LAUNCH_FAILED);
  CHECK(outcome.message.find("deadlock") != std::string::npos);
  CHECK(outcome.message.find("barrier 1") != std::string::npos);
  CHECK(outcome.message.find("barrier 2") != std::string::npos);
  outcome = run(engine, "lanes", 32, out);
  CHECK(outcome.status == BSC_LAUNCH_FAILED);
  CHECK(outcome.message.find("deadlock") != std::string::npos);
}

TEST_CASE("barrier counts that make no sense are said") {
  Engine engine(entry("odd", "  mov.u32 %w, 33;\n  add.u32 %w, %w, 0;\n  bar.sync 1, %w;\n  mov.u32 %v, 0;") + entry("many", "  bar.sync %t0;\n  mov.u32 %v, 0;"));
  std::vector<std::uint32_t> out;
  CHECK(run(engine, "odd", 64, out).message.find("multiple of 32") != std::string::npos);
  CHECK(run(engine, "many", 64, out).status == BSC_LAUNCH_FAILED);
}

TEST_CASE("a block is a cluster of its own: arriving and waiting are apart") {
  Engine engine(R"(
.visible .entry cluster(.param .u64 p) {
  .shared .align 4 .b8 slot[512];
  .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<3>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, slot; add.u32 %r4, %r2, %r3;
  xor.b32 %r5, %r2, 256; add.u32 %r5, %r5, %r3;
  mov.u32 %r6, 0; mov.u32 %r7, 0;
again:
  add.u32 %r8, %r1, %r6;
  st.shared.u32 [%r4], %r8;
  barrier.cluster.arrive.aligned;
  add.u32 %r6, %r6, 1;
  barrier.cluster.wait.aligned;
  ld.shared.u32 %r8, [%r5];
  add.u32 %r7, %r7, %r8;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.lt.u32 %p1, %r6, 10; @%p1 bra again;
  mul.wide.u32 %d2, %r1, 4; add.s64 %d2, %d1, %d2;
  st.global.u32 [%d2], %r7;
  ret;
})");
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  std::vector<std::uint32_t> out(128);
  const Outcome outcome = engine.run("cluster", {{1, 1, 1}, {128, 1, 1}}, Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (std::uint32_t i = 0; i < 128; ++i) CHECK(out[i] == 10 * (i ^ 64) + 45);
}

TEST_CASE("a lock between lanes, warps and blocks is handed on") {
  Engine engine(R"(
.visible .entry lock(.param .u64 p, .param .u64 c) {
  .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<3>;
  ld.param.u64 %d1, [p]; ld.param.u64 %d2, [c];
again:
  atom.global.cas.b32 %r1, [%d1], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra again;
  ld.volatile.global.u32 %r2, [%d2];
  add.u32 %r2, %r2, 1;
  st.volatile.global.u32 [%d2], %r2;
  membar.gl;
  atom.global.exch.b32 %r1, [%d1], 0;
  ret;
})",
                watched());
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  for (const unsigned threads : {1u, 2u}) {
    std::uint32_t lock = 0, count = 0;
    const Outcome outcome = engine.run("lock", {{6, 1, 1}, {96, 1, 1}, 0, 0, threads}, Arguments(&lock, &count));
    REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
    CHECK(count == 6 * 96);
  }
}

TEST_CASE("lanes that wait for a lock give way to the one that holds it after few looks") {
  bsc_simt_options options = watched();
  options.statistics = 1;
  Engine engine(R"(
.visible .entry lock(.param .u64 p, .param .u64 c) {
  .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<3>;
  ld.param.u64 %d1, [p]; ld.param.u64 %d2, [c];
again:
  atom.acquire.gpu.global.exch.b32 %r1, [%d1], 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra again;
  ld.global.u32 %r2, [%d2];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%d2], %r2;
  st.release.gpu.global.u32 [%d1], 0;
  ret;
})",
                options);
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  constexpr std::uint64_t kThreads = 64;
  std::uint32_t lock = 0, count = 0;
  const Outcome outcome = engine.run("lock", {{1, 1, 1}, {kThreads, 1, 1}, 0, 0, 1}, Arguments(&lock, &count));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  CHECK(count == kThreads);
  const std::string report = engine.report(), key = "\"executed_operations\": ";
  REQUIRE(report.find(key) != std::string::npos);
  const std::uint64_t operations = std::stoull(report.substr(report.find(key) + key.size()));
  // While one holds it, the two warps look some thirty times, by three instructions.
  CHECK(operations >= kThreads * 8);
  CHECK(operations < kThreads * 2 * 3 * 40);
}

TEST_CASE("blocks that wait for blocks before and behind them make progress with one thread") {
  Engine engine(R"(
.visible .entry grid_barrier(.param .u64 counter, .param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %d<5>; .reg .pred %p<3>;
  ld.param.u64 %d1, [counter]; ld.param.u64 %d2, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %nctaid.x;
  mov.u32 %r3, 0;
  mov.u32 %r4, %r2;
round:
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra passed;
  atom.add.release.gpu.global.u32 %r5, [%d1], 1;
wait:
  ld.acquire.gpu.global.u32 %r5, [%d1];
  setp.lt.u32 %p2, %r5, %r4;
  @%p2 bra wait;
passed:
  bar.sync 0;
  add.u32 %r4, %r4, %r2;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, 5;
  @%p1 bra round;
  mov.u32 %r6, %ctaid.x; mul.wide.u32 %d3, %r6, 4; add.s64 %d3, %d2, %d3;
  st.global.u32 [%d3], %r3;
  ret;
})",
                watched());
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  for (const unsigned threads : {1u, 2u}) {
    std::uint32_t counter = 0;
    std::vector<std::uint32_t> out(24);
    const Outcome outcome =
        engine.run("grid_barrier", {{24, 1, 1}, {64, 1, 1}, 0, BSC_LAUNCH_COOPERATIVE, threads}, Arguments(&counter, out.data()));
    REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
    CHECK(counter == 24 * 5);
    for (const std::uint32_t rounds : out) CHECK(rounds == 5);
  }
  std::uint32_t counter = 0, out = 0;
  const Outcome refused = engine.run("grid_barrier", {{4000, 1, 1}, {1024, 1, 1}, 0, BSC_LAUNCH_COOPERATIVE, 1},
                                     Arguments(&counter, &out));
  CHECK(refused.status == BSC_LIMIT_EXCEEDED);
  CHECK(refused.message.find("4000") != std::string::npos);
}

TEST_CASE("what never ends is ended by the watchdog") {
  bsc_simt_options options = {};
  options.watchdog_ns = 20'000'000;
  Engine engine(".visible .entry spin() {\nagain: bra again;\n}\n.visible .entry half() {\n  .reg .pred %p; .reg .b32 %r;\n"
                "  mov.u32 %r, %tid.x;\n  setp.lt.u32 %p, %r, 5;\nagain: @%p bra again;\n  bar.sync 0;\n}\n"
                ".visible .entry barriers() {\nagain: bar.sync 0;\n bra again;\n}\n",
                options);
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  CHECK(engine.run("spin", {{4, 1, 1}, {64, 1, 1}, 0, 0, 2}, Arguments()).status == BSC_TIMED_OUT);
  CHECK(engine.run("half", {{4, 1, 1}, {64, 1, 1}, 0, 0, 2}, Arguments()).status == BSC_TIMED_OUT);
  CHECK(engine.run("barriers", {{4, 1, 1}, {1024, 1, 1}, 0, 0, 2}, Arguments()).status == BSC_TIMED_OUT);
}

TEST_CASE("a wild access is an error of its launch, and the engine goes on") {
  Engine engine(entry("wild", "  ld.global.u32 %v, [64];") + entry("tame", "  mov.u32 %v, 5;"));
  std::vector<std::uint32_t> out;
  for (int round = 0; round < 3; ++round) {
    const Outcome outcome = run(engine, "wild", 64, out);
    CHECK(outcome.status == BSC_LAUNCH_FAILED);
    CHECK(outcome.message.find("0x40") != std::string::npos);
    CHECK(outcome.message.find("test.ptx:") != std::string::npos);
    REQUIRE(run(engine, "tame", 64, out).status == BSC_OK);
    CHECK(out[63] == 5);
  }
}
