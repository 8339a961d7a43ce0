// Clusters of several blocks: who they are, their barrier, their shared memory, and launches that are refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>

#include "backends/simt/execute/test_engine.hpp"
#include "tests/support/seed.hpp"

using bascule::simt::test::Arguments;
using bascule::simt::test::Engine;
using bascule::simt::test::Outcome;
using bascule::simt::test::Shape;

namespace {

using Extent = std::array<std::uint64_t, 3>;

std::uint64_t volume(const Extent& extent) { return extent[0] * extent[1] * extent[2]; }

bsc_simt_options watched(std::uint64_t nanoseconds = 60'000'000'000) {
  bsc_simt_options options = {};
  options.watchdog_ns = nanoseconds;
  options.workers = 2;
  return options;
}

Shape shape_of(const Extent& grid, std::uint64_t threads, const Extent& cluster, unsigned host_threads = 1) {
  Shape shape;
  shape.grid = grid;
  shape.block = {threads, 1, 1};
  shape.cluster = cluster;
  shape.threads = host_threads;
  return shape;
}

// Each block writes its 16 registers to its place in the grid.
constexpr const char* kIdentity = R"(
.visible .entry identity(.param .u64 out) {
  .reg .b32 %r<32>; .reg .b64 %d<4>; .reg .pred %p<2>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
  mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y;
  mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;
  mul.wide.u32 %d2, %r6, 64; add.s64 %d1, %d1, %d2;
  mov.u32 %r10, %clusterid.x; mov.u32 %r11, %clusterid.y; mov.u32 %r12, %clusterid.z;
  mov.u32 %r13, %nclusterid.x; mov.u32 %r14, %nclusterid.y; mov.u32 %r15, %nclusterid.z;
  mov.u32 %r16, %cluster_ctaid.x; mov.u32 %r17, %cluster_ctaid.y; mov.u32 %r18, %cluster_ctaid.z;
  mov.u32 %r19, %cluster_nctaid.x; mov.u32 %r20, %cluster_nctaid.y; mov.u32 %r21, %cluster_nctaid.z;
  mov.u32 %r22, %cluster_ctarank; mov.u32 %r23, %cluster_nctarank;
  mov.pred %p1, %is_explicit_cluster; selp.u32 %r24, 1, 0, %p1;
  mov.u32 %r25, %cluster_nctaid.w;
  st.global.v4.u32 [%d1], {%r10, %r11, %r12, %r13};
  st.global.v4.u32 [%d1+16], {%r14, %r15, %r16, %r17};
  st.global.v4.u32 [%d1+32], {%r18, %r19, %r20, %r21};
  st.global.v4.u32 [%d1+48], {%r22, %r23, %r24, %r25};
  ret;
}
)";

// Each block puts a number per thread into its shared memory and reads those of the next block of its cluster, twice.
constexpr const char* kRing = R"(
.visible .entry ring(.param .u64 out) {
  .shared .align 4 .b8 slot[256];
  .reg .b32 %r<20>; .reg .b64 %d<4>; .reg .pred %p<3>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, %cluster_nctarank;
  mov.u32 %r5, %ntid.x; mad.lo.u32 %r6, %r2, %r5, %r1;
  mov.u32 %r7, slot; shl.b32 %r8, %r1, 2; add.u32 %r7, %r7, %r8;
  add.u32 %r9, %r3, 1; rem.u32 %r9, %r9, %r4;
  mapa.shared::cluster.u32 %r10, %r7, %r9;
  mov.u32 %r11, 0; mov.u32 %r12, 0;
again:
  add.u32 %r13, %r6, %r11;
  st.shared.u32 [%r7], %r13;
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;
  ld.shared::cluster.u32 %r14, [%r10];
  add.u32 %r12, %r12, %r14;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p1, %r11, 2; @%p1 bra again;
  mul.wide.u32 %d2, %r6, 4; add.s64 %d2, %d1, %d2;
  st.global.u32 [%d2], %r12;
  ret;
}
)";

void check_ring(Engine& engine, std::uint64_t blocks, std::uint64_t cluster, std::uint64_t threads, unsigned host_threads) {
  std::vector<std::uint32_t> out(blocks * threads);
  const Outcome outcome = engine.run("ring", shape_of({blocks, 1, 1}, threads, {cluster, 1, 1}, host_threads), Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const std::uint64_t next = block / cluster * cluster + (block + 1) % cluster;
    for (std::uint64_t thread = 0; thread < threads; ++thread) {
      CHECK(out[block * threads + thread] == 2 * (next * threads + thread) + 1);
    }
  }
}

}  // namespace

TEST_CASE("each block knows its place in its cluster and in the grid, in several shapes") {
  Engine engine(kIdentity);
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  const std::pair<Extent, Extent> shapes[] = {
      {{6, 1, 1}, {2, 1, 1}}, {{4, 6, 2}, {2, 3, 1}}, {{2, 4, 4}, {1, 2, 4}}, {{16, 2, 1}, {16, 1, 1}},
      {{3, 3, 3}, {3, 3, 1}}, {{5, 2, 1}, {1, 1, 1}}, {{4, 1, 1}, {0, 0, 0}}, {{2, 2, 8}, {1, 2, 8}},
  };
  for (const auto& [grid, asked] : shapes) {
    Extent cluster;
    for (std::size_t d = 0; d < 3; ++d) cluster[d] = std::max<std::uint64_t>(asked[d], 1);
    CAPTURE(cluster[0] * 100 + cluster[1] * 10 + cluster[2]);
    std::vector<std::array<std::uint32_t, 16>> out(volume(grid));
    const Outcome outcome = engine.run("identity", shape_of(grid, 1, asked), Arguments(out.data()));
    REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
    for (std::uint32_t i = 0; i < out.size(); ++i) {
      const Extent at = {i % grid[0], i / grid[0] % grid[1], i / grid[0] / grid[1]};
      std::array<std::uint32_t, 16> want{};
      for (std::size_t d = 0; d < 3; ++d) {
        want[d] = static_cast<std::uint32_t>(at[d] / cluster[d]);
        want[3 + d] = static_cast<std::uint32_t>(grid[d] / cluster[d]);
        want[6 + d] = static_cast<std::uint32_t>(at[d] % cluster[d]);
        want[9 + d] = static_cast<std::uint32_t>(cluster[d]);
      }
      want[12] = want[6] + want[9] * (want[7] + want[10] * want[8]);
      want[13] = static_cast<std::uint32_t>(volume(cluster));
      want[14] = volume(cluster) > 1 ? 1 : 0;
      CHECK(out[i] == want);
    }
  }
}

TEST_CASE("blocks of a cluster read each other's shared memory between cluster barriers") {
  Engine engine(kRing, watched());
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  for (const std::uint64_t cluster : {1, 2, 3, 8, 16}) {
    for (const unsigned host_threads : {1u, 3u}) {
      CAPTURE(cluster);
      check_ring(engine, cluster * 5, cluster, 33, host_threads);
    }
  }
}

TEST_CASE("the same under the sanitizer, in many orders of warps and blocks, is clean") {
  const std::uint64_t first = bascule::test::seed();
  for (std::uint64_t i = 0; i < 10; ++i) {
    CAPTURE(first + i);
    bsc_simt_options options = watched();
    options.sanitize = 1;
    options.seed = first + i;
    Engine engine(kRing, options);
    std::vector<std::uint32_t> out(12 * 64);
    const std::vector<bsc_simt_range> ranges = {{reinterpret_cast<std::uintptr_t>(out.data()), out.size() * 4}};
    const Outcome outcome = engine.run("ring", shape_of({12, 1, 1}, 64, {4, 1, 1}, 2), Arguments(out.data()), ranges);
    REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  }
}

TEST_CASE("blocks that exit early are not waited for at the cluster's barrier") {
  Engine engine(R"(
.visible .entry leave(.param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<3>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, %cluster_ctarank;
  setp.eq.u32 %p1, %r3, 1; @%p1 exit;
  setp.ge.u32 %p2, %r2, 40; @%p2 exit;
  barrier.cluster.arrive; barrier.cluster.wait;
  mad.lo.u32 %r4, %r1, 64, %r2; mul.wide.u32 %d2, %r4, 4; add.s64 %d2, %d1, %d2;
  st.global.u32 [%d2], 7;
  ret;
})", watched());
  std::vector<std::uint32_t> out(4 * 64);
  const Outcome outcome = engine.run("leave", shape_of({4, 1, 1}, 64, {2, 1, 1}), Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (std::uint32_t i = 0; i < out.size(); ++i) CHECK(out[i] == (i / 64 % 2 == 0 && i % 64 < 40 ? 7u : 0u));
}

TEST_CASE("what stands between arriving and waiting is not held up") {
  // Rank 0 arrives, tells rank 1 by a flag in global memory, and waits; rank 1 arrives only after it has seen the flag.
  Engine engine(R"(
.visible .entry apart(.param .u64 flag) {
  .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<3>;
  ld.param.u64 %d1, [flag];
  mov.u32 %r3, %cluster_ctarank;
  setp.ne.u32 %p1, %r3, 0; @%p1 bra second;
  barrier.cluster.arrive;
  st.release.cluster.global.u32 [%d1], 1;
  barrier.cluster.wait;
  ret;
second:
  ld.acquire.cluster.global.u32 %r4, [%d1];
  setp.eq.u32 %p2, %r4, 0; @%p2 bra second;
  barrier.cluster.arrive.relaxed; barrier.cluster.wait;
  ret;
})", watched());
  std::uint32_t flag = 0;
  const Outcome outcome = engine.run("apart", shape_of({2, 1, 1}, 1, {2, 1, 1}), Arguments(&flag));
  CHECK_MESSAGE(outcome.status == BSC_OK, outcome.message);
}

TEST_CASE("addresses in a cluster: mapa, getctarank, isspacep, cvta, atomics and generic accesses") {
  Engine engine(R"(
.visible .entry addresses(.param .u64 out) {
  .shared .align 8 .b8 slot[16];
  .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<9>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %cluster_ctarank; mul.wide.u32 %d2, %r1, 64; add.s64 %d1, %d1, %d2;
  st.shared.u32 [slot], 0; st.shared.u32 [slot+4], %r1;
  barrier.cluster.arrive; barrier.cluster.wait;
  xor.b32 %r2, %r1, 3;                                  // the other end of a cluster of four
  mapa.shared::cluster.u32 %r3, slot, %r2;
  mov.u64 %d3, slot; cvta.shared.u64 %d4, %d3;
  mapa.u64 %d5, %d4, %r2;                               // generic
  cvt.u64.u32 %d6, %r3; cvta.shared::cluster.u64 %d7, %d6;
  setp.eq.u64 %p1, %d5, %d7; selp.u32 %r4, 1, 0, %p1; st.global.u32 [%d1], %r4;
  cvta.to.shared::cluster.u64 %d8, %d5; setp.eq.u64 %p1, %d8, %d6; selp.u32 %r4, 1, 0, %p1; st.global.u32 [%d1+4], %r4;
  getctarank.shared::cluster.u32 %r5, %r3; st.global.u32 [%d1+8], %r5;
  getctarank.u64 %r5, %d5; st.global.u32 [%d1+12], %r5;
  getctarank.shared::cluster.u32 %r5, slot; st.global.u32 [%d1+16], %r5;
  isspacep.shared::cluster %p2, %d5; isspacep.shared::cta %p3, %d5; isspacep.global %p4, %d5; isspacep.shared %p5, %d4;
  selp.u32 %r6, 1, 0, %p2; selp.u32 %r7, 2, 0, %p3; selp.u32 %r8, 4, 0, %p4; selp.u32 %r9, 8, 0, %p5;
  or.b32 %r6, %r6, %r7; or.b32 %r6, %r6, %r8; or.b32 %r6, %r6, %r9; st.global.u32 [%d1+20], %r6;
  ld.u32 %r10, [%d5+4]; st.global.u32 [%d1+24], %r10;
  atom.shared::cluster.add.u32 %r11, [%r3], 5;
  red.shared::cluster.add.u32 [%r3], 10;
  atom.add.u32 %r11, [%d5], 100;
  barrier.cluster.arrive; barrier.cluster.wait;
  ld.shared.u32 %r12, [slot]; st.global.u32 [%d1+28], %r12;
  ld.shared::cta.u32 %r13, [4]; st.global.u32 [%d1+32], %r13;   // an offset is one in the own block
  st.shared::cluster.v2.u32 [%r3+8], {%r1, %r2};
  barrier.cluster.arrive; barrier.cluster.wait;
  ld.shared.v2.u32 {%r14, %r15}, [slot+8]; st.global.u32 [%d1+36], %r14; st.global.u32 [%d1+40], %r15;
  ret;
})", watched());
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  std::vector<std::array<std::uint32_t, 16>> out(4);
  const Outcome outcome = engine.run("addresses", shape_of({2, 2, 1}, 1, {2, 2, 1}), Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const std::uint32_t other = rank ^ 3;
    CHECK(out[rank] == std::array<std::uint32_t, 16>{1, 1, other, other, rank, 9, other, 115, rank, other, rank});
  }
}

TEST_CASE("an mbarrier of another block is arrived at, and its own block waits for it") {
  Engine engine(R"(
.visible .entry remote(.param .u64 out) {
  .shared .align 8 .b64 bar; .shared .align 4 .b32 value;
  .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<9>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra ready;
  mbarrier.init.shared.b64 [bar], 96; st.shared.u32 [value], 0;
  fence.mbarrier_init.release.cluster;
ready:
  barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
  setp.eq.u32 %p2, %r1, 0; @%p2 bra wait;
  mapa.shared::cluster.u32 %r3, value, 0;
  red.relaxed.cluster.shared::cluster.add.u32 [%r3], %r1;
  mapa.shared::cluster.u32 %r4, bar, 0;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];
  bra end;
wait:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [bar], 0;
  @!%p3 bra wait;
  mul.wide.u32 %d2, %r2, 4; add.s64 %d2, %d1, %d2;
  ld.shared.u32 %r5, [value]; st.global.u32 [%d2], %r5;
end:
  barrier.cluster.arrive; barrier.cluster.wait;
  ret;
})", watched());
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  std::vector<std::uint32_t> out(32);
  const Outcome outcome = engine.run("remote", shape_of({4, 1, 1}, 32, {4, 1, 1}), Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (const std::uint32_t value : out) CHECK(value == 32 * (1 + 2 + 3));
}

TEST_CASE("clusters that the launch or the kernel does not allow are refused, with the cause") {
  Engine engine(R"(
.visible .entry plain() { ret; }
.visible .entry two_by_two() .reqnctapercluster 2, 2 { ret; }
.visible .entry explicit_one() .explicitcluster { ret; }
.visible .entry at_most() .maxclusterrank 4 { ret; }
)");
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  const auto launch = [&](const char* kernel, const Extent& grid, const Extent& cluster) {
    return engine.run(kernel, shape_of(grid, 32, cluster), Arguments());
  };
  const auto refused = [&](const char* kernel, const Extent& grid, const Extent& cluster, bsc_status status, const char* part) {
    const Outcome outcome = launch(kernel, grid, cluster);
    CHECK(outcome.status == status);
    CHECK_MESSAGE(outcome.message.find(part) != std::string::npos, outcome.message);
  };
  refused("plain", {9, 1, 1}, {2, 1, 1}, BSC_INVALID_ARGUMENT, "whole clusters");
  refused("plain", {4, 3, 1}, {2, 2, 1}, BSC_INVALID_ARGUMENT, "whole clusters");
  refused("plain", {34, 1, 1}, {17, 1, 1}, BSC_LIMIT_EXCEEDED, "at most 16");
  refused("plain", {6, 6, 1}, {6, 3, 1}, BSC_LIMIT_EXCEEDED, "at most 16");
  refused("two_by_two", {4, 4, 1}, {4, 1, 1}, BSC_INVALID_ARGUMENT, ".reqnctapercluster");
  refused("two_by_two", {3, 2, 1}, {}, BSC_INVALID_ARGUMENT, "whole clusters");
  refused("explicit_one", {4, 1, 1}, {}, BSC_INVALID_ARGUMENT, ".explicitcluster");
  refused("at_most", {8, 1, 1}, {8, 1, 1}, BSC_LIMIT_EXCEEDED, ".maxclusterrank");
  CHECK(launch("plain", {0, 1, 1}, {2, 1, 1}).status == BSC_OK);
  CHECK(launch("two_by_two", {4, 2, 1}, {}).status == BSC_OK);
  CHECK(launch("two_by_two", {4, 2, 1}, {2, 2, 1}).status == BSC_OK);
  CHECK(launch("explicit_one", {4, 1, 1}, {2, 1, 1}).status == BSC_OK);
  CHECK(launch("at_most", {8, 1, 1}, {4, 1, 1}).status == BSC_OK);
}

TEST_CASE("a cluster that cannot be resident as a whole is refused; without a limit there is always room for one") {
  bsc_simt_options options = {};
  options.resident_blocks = 3;
  Engine limited(kRing, options);
  std::vector<std::uint32_t> out(16 * 1024);
  const Outcome outcome = limited.run("ring", shape_of({4, 1, 1}, 32, {4, 1, 1}), Arguments(out.data()));
  CHECK(outcome.status == BSC_LIMIT_EXCEEDED);
  CHECK_MESSAGE(outcome.message.find("resident_blocks") != std::string::npos, outcome.message);
  check_ring(limited, 6, 2, 32, 2);
  Engine unlimited(kRing);
  Shape shape = shape_of({16, 1, 1}, 64, {16, 1, 1});
  shape.shared_bytes = 200 * 1024;
  const Outcome large = unlimited.run("ring", shape, Arguments(out.data()));
  CHECK_MESSAGE(large.status == BSC_OK, large.message);
}

TEST_CASE("a grid may be counted in clusters") {
  Engine engine(R"(
.visible .entry counted(.param .u64 out) .reqntid 32 .reqnctapercluster 2, 1, 1 .blocksareclusters {
  .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<3>;
  ld.param.u64 %d1, [out];
  red.global.add.u32 [%d1], 1;
  mov.u32 %r1, %nctaid.x; st.global.u32 [%d1+4], %r1;
  mov.u32 %r1, %nclusterid.x; st.global.u32 [%d1+8], %r1;
  ret;
})");
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  std::array<std::uint32_t, 3> out{};
  const Outcome outcome = engine.run("counted", shape_of({3, 1, 1}, 32, {}), Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  CHECK(out == std::array<std::uint32_t, 3>{192, 6, 3});
}

TEST_CASE("a deadlock of a cluster names blocks that wait, and the watchdog ends one that spins") {
  constexpr const char* kStuck = R"(
.visible .entry stuck() {
  .reg .b32 %r<8>; .reg .pred %p<3>;
  mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid.x;
  setp.eq.u32 %p1, %r1, 2; setp.lt.u32 %p2, %r2, 32; and.pred %p1, %p1, %p2;
  barrier.cluster.arrive;
  @%p1 bar.sync 1, 64;
  barrier.cluster.wait;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
}
.visible .entry spins(.param .u64 flag) {
  .reg .b32 %r<8>; .reg .b64 %d<3>; .reg .pred %p<3>;
  ld.param.u64 %d1, [flag];
  mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0; @!%p1 bra meet;
look:
  ld.volatile.global.u32 %r2, [%d1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra look;
meet:
  barrier.cluster.arrive; barrier.cluster.wait;
  ret;
})";
  Engine engine(kStuck, watched(200'000'000));
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  const Outcome outcome = engine.run("stuck", shape_of({4, 1, 1}, 64, {4, 1, 1}), Arguments());
  CHECK(outcome.status == BSC_LAUNCH_FAILED);
  for (const char* part : {"deadlock", "of the cluster", "block (0, 0, 0)", "block (3, 0, 0)", "cluster's barrier", "waits at barrier 1"}) {
    CHECK_MESSAGE(outcome.message.find(part) != std::string::npos, outcome.message);
  }
  std::uint32_t flag = 0;
  CHECK(engine.run("spins", shape_of({2, 1, 1}, 64, {2, 1, 1}), Arguments(&flag)).status == BSC_TIMED_OUT);
}

TEST_CASE("arriving twice and waiting without having arrived are faults, and so are peers that are not there") {
  Engine engine(R"(
.visible .entry twice() { .reg .b32 %r1; .reg .pred %p; mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p, %r1, 0;
  barrier.cluster.arrive; @%p barrier.cluster.arrive; barrier.cluster.wait; ret; }
.visible .entry first() { barrier.cluster.wait; ret; }
.visible .entry nobody() { .shared .b32 s; .reg .b32 %r1; mapa.shared::cluster.u32 %r1, s, 2; st.shared::cluster.u32 [%r1], 0; ret; }
.visible .entry beyond() { .shared .b32 s; .reg .b32 %r1; mapa.shared::cluster.u32 %r1, s, 1; st.shared::cluster.u32 [%r1+4], 0; ret; }
.visible .entry foreign() { .shared .b32 s; .reg .b32 %r1, %r2; mov.u32 %r2, %cluster_ctarank; xor.b32 %r2, %r2, 1;
  mapa.shared::cluster.u32 %r1, s, %r2; st.shared.u32 [%r1], 0; ret; }
)", watched());
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  const std::pair<const char*, const char*> cases[] = {{"twice", "bad_barrier"}, {"first", "bad_barrier"}, {"nobody", "out_of_bounds"},
                                                       {"beyond", "out_of_bounds"}, {"foreign", "out_of_bounds"}};
  for (const auto& [kernel, kind] : cases) {
    const Outcome outcome = engine.run(kernel, shape_of({2, 1, 1}, 32, {2, 1, 1}), Arguments());
    CAPTURE(kernel);
    CHECK(outcome.status == BSC_LAUNCH_FAILED);
    CHECK_MESSAGE(outcome.message.find(kind) != std::string::npos, outcome.message);
  }
}
