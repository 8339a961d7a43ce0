// The conformance cases of the design note's list of traps, 18 to 25: what whole warps and blocks must do, as PTX programs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <bit>
#include <numeric>

#include "tests/ptx_models/program.hpp"

namespace bascule::ptx_models {
namespace {

/// A kernel whose body finds: %o its own word of the output, %out, %in, %t thread, %lane, %block, %g thread of the grid; free
/// registers %r0-%r15, %w0-%w7, %h0-%h3, %f0-%f7, %p0-%p7. `before` stands at module scope.
std::string kernel(const std::string& body, const std::string& before = "") {
  return before +
         ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b64 %o, %out, %in, %w<8>;\n.reg .b32 %t, %lane, %block, %g, %r<16>;\n"
         ".reg .b16 %h<4>;\n.reg .f32 %f<8>;\n.reg .pred %p<8>;\nld.param.u64 %out, [out];\nld.param.u64 %in, [in];\n"
         "mov.u32 %t, %tid.x;\nmov.u32 %block, %ctaid.x;\nmov.u32 %r0, %ntid.x;\nmad.lo.u32 %g, %block, %r0, %t;\nand.b32 %lane, %t, 31;\n"
         "mul.wide.u32 %w0, %g, 4;\nadd.u64 %o, %out, %w0;\n" +
         body + "\n}\n";
}

using Words = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("trap 18: shfl keeps to its segment and clamp and says with its predicate whether a lane was in range") {
  const auto run = [](const std::string& instruction) {
    return run_program(kernel("mul.lo.u32 %r1, %t, 10;\n" + instruction +
                              "\nselp.u32 %r3, 0x10000, 0, %p0;\nor.b32 %r2, %r2, %r3;\nst.global.u32 [%o], %r2;\nret;"),
                       {.launch = {1, 32}, .words = 32});
  };
  const Words down = run("shfl.sync.down.b32 %r2|%p0, %r1, 3, 0x181f, 0xffffffff;");  // segments of 8
  const Words up = run("shfl.sync.up.b32 %r2|%p0, %r1, 3, 0x1800, 0xffffffff;");
  const Words exchange = run("shfl.sync.bfly.b32 %r2|%p0, %r1, 5, 0x181f, 0xffffffff;");
  const Words broadcast = run("shfl.sync.idx.b32 %r2|%p0, %r1, 35, 0x181f, 0xffffffff;");
  const Words clamped = run("shfl.sync.idx.b32 %r2|%p0, %r1, 20, 15, 0xffffffff;");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t in_segment = lane % 8, base = lane - in_segment;
    CHECK(down[lane] == (in_segment + 3 < 8 ? (lane + 3) * 10 + 0x10000 : lane * 10));
    CHECK(up[lane] == (in_segment >= 3 ? (lane - 3) * 10 + 0x10000 : lane * 10));
    CHECK(exchange[lane] == (lane ^ 5) * 10 + 0x10000);
    CHECK(broadcast[lane] == (base + 3) * 10 + 0x10000);
    CHECK(clamped[lane] == lane * 10);
  }
}

TEST_CASE("trap 19: vote, match and redux see the lanes of their mask that have not exited, and no others") {
  // Lanes 0 to 7 exit, 8 to 15 stand aside, the others vote on "lane is even" with a mask of lanes 0-7 and 16-31.
  const auto run = [](const std::string& instruction) {
    return run_program(kernel("setp.lt.u32 %p0, %t, 8;\n@%p0 exit;\nmov.u32 %r2, 77;\nsetp.lt.u32 %p1, %t, 16;\n@%p1 bra DONE;\n"
                              "and.b32 %r1, %t, 1;\nsetp.eq.u32 %p2, %r1, 0;\nadd.u32 %r3, %t, 100;\n" +
                              instruction + "\nDONE:\nst.global.u32 [%o], %r2;\nret;"),
                       {.launch = {1, 32}, .words = 32});
  };
  const auto check = [&](const std::string& instruction, auto expected) {
    const Words words = run(instruction);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      INFO(instruction << ", lane " << lane);
      CHECK(words[lane] == (lane < 8 ? 0 : lane < 16 ? 77 : expected(lane)));
    }
  };
  check("vote.sync.ballot.b32 %r2, %p2, 0xffff00ff;", [](std::uint32_t) { return 0x55550000u; });
  check("vote.sync.all.pred %p3, %p2, 0xffff00ff;\nselp.u32 %r2, 1, 0, %p3;", [](std::uint32_t) { return 0u; });
  check("vote.sync.any.pred %p3, !%p2, 0xffff00ff;\nselp.u32 %r2, 1, 0, %p3;", [](std::uint32_t) { return 1u; });
  check("match.any.sync.b32 %r2, %r1, 0xffff00ff;", [](std::uint32_t lane) { return (lane & 1) != 0 ? 0xaaaa0000u : 0x55550000u; });
  check("match.all.sync.b32 %r2, 5, 0xffff00ff;", [](std::uint32_t) { return 0xffff0000u; });
  check("redux.sync.add.u32 %r2, %r3, 0xffff00ff;", [](std::uint32_t) { return 16u * 100 + (16 + 31) * 8; });
  check("redux.sync.min.s32 %r2, %r3, 0xffff00ff;", [](std::uint32_t) { return 116u; });
  check("activemask.b32 %r2;\nand.b32 %r2, %r2, 0xffff;", [](std::uint32_t) { return 0u; });
}

TEST_CASE("trap 20: atom.inc and atom.dec wrap; f32 sums flush subnormal numbers in global memory but not in shared memory") {
  const auto after = [](const char* operation, std::uint64_t old, std::uint64_t b, const char* space = ".global", const char* at = "%cell") {
    const std::string s = space, a = std::string("[") + at + "]";
    return results_of("st" + s + ".b32 " + a + ", $a; atom" + s + "." + operation + " $d, " + a + ", $b; ld" + s + ".b32 $e, " + a,
                      {b32(old), b32(b)}, {32, 32});
  };
  using Pair = std::vector<std::uint64_t>;
  CHECK(after("inc.u32", 5, 5) == Pair{5, 0});
  CHECK(after("inc.u32", 4, 5) == Pair{4, 5});
  CHECK(after("inc.u32", 9, 5) == Pair{9, 0});
  CHECK(after("dec.u32", 0, 5) == Pair{0, 5});
  CHECK(after("dec.u32", 9, 5) == Pair{9, 5});
  CHECK(after("dec.u32", 3, 5) == Pair{3, 2});
  CHECK(after("add.f32", 1, 1) == Pair{1, 0});
  CHECK(after("add.f32", 1, 1, ".shared", "%shared") == Pair{1, 2});
  CHECK(after("add.f32", 0x80000001, 0x80000000) == Pair{0x80000001, 0x80000000});
}

TEST_CASE("trap 20: atomics of all blocks together lose nothing") {
  const std::string text = kernel(
      "atom.global.add.u32 %r1, [%out], 1;\natom.global.inc.u32 %r2, [%out+4], 6;\nred.global.add.f32 [%out+8], 0f3F800000;\n"
      "red.global.max.u32 [%out+12], %g;\nshl.b32 %r3, 1, %lane;\nred.global.xor.b32 [%out+16], %r3;\n"
      "atom.shared.add.u32 %r4, [sum], 1;\nbar.sync 0;\nld.shared.u32 %r5, [sum];\nsetp.eq.u32 %p0, %t, 0;\n"
      "@%p0 red.global.add.u32 [%out+20], %r5;\nret;",
      ".shared .align 4 .u32 sum;\n");
  // Shared memory is not initialised: the first thread clears it.
  const std::string cleared = std::string(text).replace(text.find("atom.global.add.u32 %r1"), 0,
                                                        "setp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.u32 [sum], 0;\nbar.sync 0;\n");
  const Words words = run_program(cleared, {.launch = {24, 160, 0, 0, 2}, .words = 8});
  CHECK(words[0] == 24 * 160);
  CHECK(words[1] == 24 * 160 % 7);
  CHECK(words[2] == std::bit_cast<std::uint32_t>(3840.0f));
  CHECK(words[3] == 24 * 160 - 1);
  CHECK(words[4] == 0);
  CHECK(words[5] == 24 * 160);
}

TEST_CASE("trap 21: threads that have exited do not hold a barrier") {
  const Words words = run_program(kernel("setp.ge.u32 %p0, %t, 40;\n@%p0 exit;\nmul.wide.u32 %w1, %t, 4;\nmov.u64 %w2, memory;\n"
                                         "add.u64 %w1, %w1, %w2;\nst.shared.u32 [%w1], %t;\nbar.sync 0;\nmov.u32 %r1, 39;\n"
                                         "sub.u32 %r1, %r1, %t;\nmul.wide.u32 %w3, %r1, 4;\nadd.u64 %w3, %w3, %w2;\n"
                                         "ld.shared.u32 %r2, [%w3];\nst.global.u32 [%o], %r2;\nret;",
                                         ".shared .align 4 .b8 memory[1024];\n"),
                                  {.launch = {1, 128}});
  for (std::uint32_t t = 0; t < 128; ++t) CHECK(words[t] == (t < 40 ? 39 - t : 0));
}

TEST_CASE("trap 21: barriers count warps, and producers arrive where consumers wait") {
  // Warps 0 and 1 produce and arrive at barrier 1; warps 2 and 3 wait there; warps 4 to 7 take no part.
  const Words words = run_program(kernel("mov.u64 %w2, memory;\nshr.u32 %r1, %t, 5;\nsetp.ge.u32 %p0, %r1, 4;\n@%p0 ret;\n"
                                         "setp.ge.u32 %p1, %r1, 2;\n@%p1 bra CONSUMER;\nmul.wide.u32 %w1, %t, 4;\nadd.u64 %w1, %w1, %w2;\n"
                                         "mul.lo.u32 %r2, %t, 3;\nst.shared.u32 [%w1], %r2;\nbar.arrive 1, 128;\nret;\nCONSUMER:\n"
                                         "bar.sync 1, 128;\nsub.u32 %r3, %t, 64;\nmul.wide.u32 %w1, %r3, 4;\nadd.u64 %w1, %w1, %w2;\n"
                                         "ld.shared.u32 %r2, [%w1];\nst.global.u32 [%o], %r2;\nret;",
                                         ".shared .align 4 .b8 memory[1024];\n"),
                                  {.launch = {1, 256}});
  for (std::uint32_t t = 0; t < 128; ++t) CHECK(words[t] == (t < 64 ? 0 : (t - 64) * 3));
}

TEST_CASE("trap 21: bar.red counts, ands and ors predicates over the block") {
  const Words words = run_program(kernel("rem.u32 %r1, %t, 3;\nsetp.eq.u32 %p0, %r1, 0;\nsetp.lt.u32 %p1, %t, 200;\nsetp.eq.u32 %p2, %t, 77;\n"
                                         "bar.red.popc.u32 %r2, 0, %p0;\nbar.red.and.pred %p3, 0, %p1;\nbar.red.or.pred %p4, 0, %p2;\n"
                                         "bar.red.and.pred %p5, 0, %p2;\nbar.red.popc.u32 %r3, 0, !%p0;\n"
                                         "selp.u32 %r4, 0x10000, 0, %p3;\nor.b32 %r2, %r2, %r4;\nselp.u32 %r4, 0x20000, 0, %p4;\n"
                                         "or.b32 %r2, %r2, %r4;\nselp.u32 %r4, 0x40000, 0, %p5;\nor.b32 %r2, %r2, %r4;\n"
                                         "shl.b32 %r3, %r3, 20;\nor.b32 %r2, %r2, %r3;\nst.global.u32 [%o], %r2;\nret;"),
                                  {.launch = {1, 96}});
  for (std::uint32_t t = 0; t < 96; ++t) CHECK(words[t] == (64u << 20 | 0x30000 | 32));
}

TEST_CASE("trap 21: barrier.sync without .aligned is reached by the lanes of a warp from different places") {
  const Words words = run_program(kernel("mov.u64 %w2, memory;\nmul.wide.u32 %w1, %t, 4;\nadd.u64 %w1, %w1, %w2;\nand.b32 %r1, %t, 1;\n"
                                         "setp.eq.u32 %p0, %r1, 0;\n@%p0 bra EVEN;\nadd.u32 %r2, %t, 1000;\nst.shared.u32 [%w1], %r2;\n"
                                         "barrier.sync 2;\nbra JOIN;\nEVEN:\nadd.u32 %r2, %t, 2000;\nst.shared.u32 [%w1], %r2;\n"
                                         "barrier.sync 2;\nJOIN:\nxor.b32 %r3, %t, 33;\nmul.wide.u32 %w1, %r3, 4;\nadd.u64 %w1, %w1, %w2;\n"
                                         "ld.shared.u32 %r4, [%w1];\nst.global.u32 [%o], %r4;\nret;",
                                         ".shared .align 4 .b8 memory[1024];\n"),
                                  {.launch = {1, 64}});
  for (std::uint32_t t = 0; t < 64; ++t) {
    const std::uint32_t other = t ^ 33;
    CHECK(words[t] == other + ((other & 1) != 0 ? 1000 : 2000));
  }
}

TEST_CASE("trap 22: messages passed with release and acquire arrive whole, between warps and between blocks") {
  // Block 0 writes data, then the flag; block 1 (and in it, one warp from another) waits for the flag and reads the data.
  const char* const orders[][2] = {{"fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32"},
                                   {"st.release.gpu.global.u32", "ld.acquire.gpu.global.u32"},
                                   {"membar.gl;\nst.volatile.global.u32", "ld.volatile.global.u32"},
                                   {"fence.sc.sys;\nst.relaxed.sys.global.u32", "ld.relaxed.sys.global.u32"}};
  for (const auto& order : orders) {
    const std::string text = kernel("add.u64 %w1, %out, 4096;\nmul.wide.u32 %w2, %t, 4;\nadd.u64 %w2, %w2, %w1;\nsetp.ne.u32 %p0, %block, 0;\n"
                                    "@%p0 bra WAIT;\nadd.u32 %r1, %t, 500;\nst.global.u32 [%w2], %r1;\nbar.sync 0;\nsetp.eq.u32 %p1, %t, 0;\n"
                                    "@!%p1 ret;\n" +
                                    std::string(order[0]) + " [%out+8188], 1;\nret;\nWAIT:\n" + order[1] +
                                    " %r2, [%out+8188];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra WAIT;\nfence.acq_rel.gpu;\n"
                                    "ld.global.u32 %r3, [%w2];\nst.global.u32 [%o], %r3;\nret;");
    for (const int workers : {1, 2}) {
      const Words words = run_program(text, {.launch = {4, 64, 0, BSC_LAUNCH_COOPERATIVE, workers}, .words = 2048});
      for (std::uint32_t block = 1; block < 4; ++block) {
        for (std::uint32_t t = 0; t < 64; ++t) CHECK(words[block * 64 + t] == t + 500);
      }
    }
  }
}

TEST_CASE("trap 22: with fence.sc between store and load, two threads cannot both miss each other's store") {
  // Store buffering: many rounds; each block writes its word and reads the other's.
  const std::string text = kernel("setp.ne.u32 %p0, %t, 0;\n@%p0 ret;\nxor.b32 %r1, %block, 1;\nmov.u32 %r2, 0;\nROUND:\n"
                                  "mad.lo.u32 %r3, %r2, 16, 0;\nmul.wide.u32 %w1, %r3, 1;\nadd.u64 %w1, %w1, %in;\nmul.wide.u32 %w2, %block, 4;\n"
                                  "add.u64 %w2, %w2, %w1;\nmul.wide.u32 %w3, %r1, 4;\nadd.u64 %w3, %w3, %w1;\nst.relaxed.gpu.global.u32 [%w2], 1;\n"
                                  "fence.sc.gpu;\nld.relaxed.gpu.global.u32 %r4, [%w3];\nadd.u64 %w4, %w2, 8;\nst.global.u32 [%w4], %r4;\n"
                                  "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 256;\n@%p1 bra ROUND;\n"
                                  // Count the rounds in which both read 0, once both are through.
                                  "fence.acq_rel.gpu;\natom.global.add.u32 %r5, [%out], 1;\nsetp.ne.u32 %p2, %r5, 1;\n@%p2 ret;\nfence.acq_rel.gpu;\n"
                                  "mov.u32 %r2, 0;\nmov.u32 %r8, 0;\nCOUNT:\nmul.wide.u32 %w1, %r2, 16;\nadd.u64 %w1, %w1, %in;\n"
                                  "ld.global.u32 %r6, [%w1+8];\nld.global.u32 %r7, [%w1+12];\nor.b32 %r6, %r6, %r7;\nsetp.eq.u32 %p3, %r6, 0;\n"
                                  "@%p3 add.u32 %r8, %r8, 1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 256;\n@%p1 bra COUNT;\n"
                                  "st.global.u32 [%out+4], %r8;\nret;");
  Run run{.launch = {2, 32, 0, BSC_LAUNCH_COOPERATIVE, 2}, .words = 8};
  run.input.resize(512);
  CHECK(run_program(text, run)[1] == 0);
}

TEST_CASE("trap 23: cvta and isspacep know each window, and generic loads reach every one") {
  const std::string text = kernel(
      ".local .align 8 .b8 own[8];\n.reg .b64 %c<5>;\n"
      "mov.u64 %w1, shared_word;\ncvta.shared.u64 %c0, %w1;\nmov.u64 %w2, own;\ncvta.local.u64 %c1, %w2;\n"
      "mov.u64 %w3, constant_word;\ncvta.const.u64 %c2, %w3;\nmov.u64 %w4, global_word;\ncvta.global.u64 %c3, %w4;\n"
      "st.shared.u32 [shared_word], 11;\nst.local.u32 [own], 22;\nbar.sync 0;\n"
      "ld.u32 %r1, [%c0];\nld.u32 %r2, [%c1];\nld.u32 %r3, [%c2];\nld.u32 %r4, [%c3];\n"
      "shl.b32 %r5, %r1, 24;\nshl.b32 %r6, %r2, 16;\nor.b32 %r5, %r5, %r6;\nshl.b32 %r6, %r3, 8;\nor.b32 %r5, %r5, %r6;\nor.b32 %r5, %r5, %r4;\n"
      "st.global.u32 [%out], %r5;\nmov.u32 %r7, 0;\n"
      "isspacep.shared %p0, %c0;\nisspacep.local %p1, %c1;\nisspacep.const %p2, %c2;\nisspacep.global %p3, %c3;\n"
      "isspacep.global %p4, %c0;\nisspacep.shared %p5, %c1;\nisspacep.local %p6, %c3;\nisspacep.shared %p7, %c3;\n"
      "selp.b32 %r6, 1, 0, %p0;\nor.b32 %r7, %r7, %r6;\nselp.b32 %r6, 2, 0, %p1;\nor.b32 %r7, %r7, %r6;\nselp.b32 %r6, 4, 0, %p2;\n"
      "or.b32 %r7, %r7, %r6;\nselp.b32 %r6, 8, 0, %p3;\nor.b32 %r7, %r7, %r6;\nselp.b32 %r6, 16, 0, %p4;\nor.b32 %r7, %r7, %r6;\n"
      "selp.b32 %r6, 32, 0, %p5;\nor.b32 %r7, %r7, %r6;\nselp.b32 %r6, 64, 0, %p6;\nor.b32 %r7, %r7, %r6;\nselp.b32 %r6, 128, 0, %p7;\n"
      "or.b32 %r7, %r7, %r6;\nst.global.u32 [%out+4], %r7;\n"
      "cvta.to.shared.u64 %w5, %c0;\nsetp.eq.u64 %p0, %w5, %w1;\nselp.b32 %r8, 1, 0, %p0;\ncvta.to.local.u64 %w5, %c1;\nsetp.eq.u64 %p0, %w5, %w2;\n"
      "selp.b32 %r9, 2, 0, %p0;\nor.b32 %r8, %r8, %r9;\nst.global.u32 [%out+8], %r8;\nret;",
      ".shared .align 4 .u32 shared_word;\n.const .align 4 .u32 constant_word = 33;\n.global .align 4 .u32 global_word = 44;\n");
  const Words words = run_program(text, {.launch = {1, 1}, .words = 8});
  CHECK(words[0] == (11u << 24 | 22u << 16 | 33u << 8 | 44));
  CHECK(words[1] == 0xf);
  CHECK(words[2] == 3);
}

TEST_CASE("trap 23: local memory is a thread's own, also by generic addresses") {
  const Words words = run_program(kernel(".local .align 8 .b8 own[16];\nmov.u64 %w1, own;\ncvta.local.u64 %w2, %w1;\nmul.lo.u32 %r1, %t, 7;\n"
                                         "st.u32 [%w2+8], %r1;\nbar.sync 0;\nld.local.u32 %r2, [%w1+8];\nst.global.u32 [%o], %r2;\nret;"),
                                  {.launch = {1, 96}});
  for (std::uint32_t t = 0; t < 96; ++t) CHECK(words[t] == t * 7);
}

TEST_CASE("trap 23: brx.idx takes each lane to the target that its index names") {
  const Words words = run_program(kernel("rem.u32 %r1, %t, 4;\nmov.u32 %r2, 0;\nTARGETS: .branchtargets A, B, C, B;\nbrx.idx %r1, TARGETS;\nA:\n"
                                         "add.u32 %r2, %r2, 100;\nbra DONE;\nB:\nadd.u32 %r2, %r2, 200;\nC:\nadd.u32 %r2, %r2, 300;\nDONE:\n"
                                         "add.u32 %r2, %r2, %t;\nst.global.u32 [%o], %r2;\nret;"),
                                  {.launch = {1, 64}});
  const std::uint32_t expected[] = {100, 500, 300, 500};
  for (std::uint32_t t = 0; t < 64; ++t) CHECK(words[t] == expected[t % 4] + t);
}

TEST_CASE("trap 24: functions recurse with a frame and local memory for each activation") {
  const std::string functions =
      ".visible .func (.param .b32 result) fibonacci(.param .b32 n)\n{\n.reg .b32 %n, %a, %b;\n.reg .pred %p;\n.reg .b64 %keep;\n"
      ".local .align 4 .b8 kept[4];\nld.param.u32 %n, [n];\nsetp.lt.u32 %p, %n, 2;\n@%p bra SMALL;\nsub.u32 %a, %n, 1;\n{\n"
      ".param .b32 argument;\n.param .b32 value;\nst.param.b32 [argument], %a;\ncall (value), fibonacci, (argument);\n"
      "ld.param.b32 %a, [value];\n}\nst.local.u32 [kept], %a;\nsub.u32 %b, %n, 2;\n{\n.param .b32 argument;\n.param .b32 value;\n"
      "st.param.b32 [argument], %b;\ncall (value), fibonacci, (argument);\nld.param.b32 %b, [value];\n}\nld.local.u32 %a, [kept];\n"
      "add.u32 %n, %a, %b;\nSMALL:\nst.param.b32 [result], %n;\nret;\n}\n";
  const Words words = run_program(kernel("rem.u32 %r1, %t, 11;\n{\n.param .b32 argument;\n.param .b32 value;\nst.param.b32 [argument], %r1;\n"
                                         "call (value), fibonacci, (argument);\nld.param.b32 %r2, [value];\n}\nst.global.u32 [%o], %r2;\nret;",
                                         functions),
                                  {.launch = {1, 64}});
  const std::uint32_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
  for (std::uint32_t t = 0; t < 64; ++t) CHECK(words[t] == fibonacci[t % 11]);
}

TEST_CASE("trap 24: calls through pointers go where each lane's pointer says") {
  const auto function = [](const char* name, const char* instruction) {
    return std::string(".func (.param .b32 result) ") + name + "(.param .b32 n)\n{\n.reg .b32 %n;\nld.param.u32 %n, [n];\n" + instruction +
           "\nst.param.b32 [result], %n;\nret;\n}\n";
  };
  const std::string functions = function("twice", "shl.b32 %n, %n, 1;") + function("square", "mul.lo.u32 %n, %n, %n;") +
                                function("next", "add.u32 %n, %n, 1;") + ".global .align 8 .u64 table[3] = {twice, square, next};\n";
  const std::string call = "{\n.param .b32 argument;\n.param .b32 value;\nst.param.b32 [argument], %t;\n";
  const Words by_prototype = run_program(
      kernel("PROTOTYPE: .callprototype (.param .b32 _) _ (.param .b32 _);\nrem.u32 %r1, %t, 3;\nmul.wide.u32 %w1, %r1, 8;\nmov.u64 %w2, table;\n"
             "add.u64 %w2, %w2, %w1;\nld.global.u64 %w3, [%w2];\n" +
                 call + "call (value), %w3, (argument), PROTOTYPE;\nld.param.b32 %r2, [value];\n}\nst.global.u32 [%o], %r2;\nret;",
             functions),
      {.launch = {1, 64}});
  const Words by_list = run_program(
      kernel("LIST: .calltargets twice, square;\nmov.u64 %w3, twice;\nmov.u64 %w4, square;\nand.b32 %r1, %t, 1;\nsetp.ne.u32 %p0, %r1, 0;\n"
             "selp.b64 %w3, %w4, %w3, %p0;\n" +
                 call + "call (value), %w3, (argument), LIST;\nld.param.b32 %r2, [value];\n}\nst.global.u32 [%o], %r2;\nret;",
             functions),
      {.launch = {1, 64}});
  for (std::uint32_t t = 0; t < 64; ++t) {
    CHECK(by_prototype[t] == (t % 3 == 0 ? 2 * t : t % 3 == 1 ? t * t : t + 1));
    CHECK(by_list[t] == ((t & 1) != 0 ? t * t : 2 * t));
  }
}

TEST_CASE("trap 24: structures are passed by value with their alignment, and alloca gives memory of the activation's own") {
  const std::string functions =
      ".func (.param .align 16 .b8 result[32]) swap(.param .b8 first, .param .align 16 .b8 pair[32])\n{\n.reg .b64 %a, %b;\n.reg .b32 %f;\n"
      ".reg .b64 %l, %h;\nld.param.u8 %f, [first];\nld.param.v2.u64 {%a, %b}, [pair];\nld.param.u64 %l, [pair+16];\ncvt.u64.u32 %h, %f;\n"
      "add.u64 %l, %l, %h;\nst.param.v2.b64 [result], {%b, %a};\nst.param.b64 [result+16], %l;\nret;\n}\n"
      ".func (.param .b32 result) scratch(.param .b32 n)\n{\n.reg .b32 %n, %s, %v;\n.reg .b64 %p, %q;\n.reg .pred %done;\n"
      "ld.param.u32 %n, [n];\nadd.u32 %s, %n, 4;\nshl.b32 %s, %s, 2;\ncvt.u64.u32 %q, %s;\nalloca.u64 %p, %q, 16;\nmul.lo.u32 %v, %n, 5;\n"
      "st.local.u32 [%p], %v;\nadd.u64 %q, %p, %q;\nst.local.u32 [%q+-4], %n;\nld.local.u32 %s, [%p];\nld.local.u32 %v, [%q+-4];\n"
      "add.u32 %s, %s, %v;\nand.b64 %p, %p, 15;\nsetp.ne.u64 %done, %p, 0;\n@%done mov.u32 %s, 0;\nst.param.b32 [result], %s;\nret;\n}\n";
  const Words words = run_program(
      kernel("cvt.u64.u32 %w1, %t;\nadd.u64 %w2, %w1, 1000;\n{\n.param .b8 first;\n.param .align 16 .b8 pair[32];\n.param .align 16 .b8 value[32];\n"
             "mov.u32 %r1, 300;\nst.param.b8 [first], %r1;\nst.param.b64 [pair], %w1;\nst.param.b64 [pair+8], %w2;\nst.param.b64 [pair+16], %w2;\n"
             "call (value), swap, (first, pair);\nld.param.b64 %w3, [value];\nld.param.b64 %w4, [value+8];\nld.param.b64 %w5, [value+16];\n}\n"
             "{\n.param .b32 argument;\n.param .b32 value;\nst.param.b32 [argument], %t;\ncall (value), scratch, (argument);\n"
             "ld.param.b32 %r2, [value];\n}\ncvt.u32.u64 %r3, %w3;\ncvt.u32.u64 %r4, %w4;\ncvt.u32.u64 %r5, %w5;\n"
             "mul.wide.u32 %w6, %t, 16;\nadd.u64 %w6, %w6, %out;\nst.global.v4.u32 [%w6], {%r2, %r3, %r4, %r5};\nret;",
             functions),
      {.launch = {1, 32}});
  for (std::uint32_t t = 0; t < 32; ++t) {
    CHECK(words[4 * t] == 6 * t);
    CHECK(words[4 * t + 1] == t + 1000);
    CHECK(words[4 * t + 2] == t);
    CHECK(words[4 * t + 3] == t + 1000 + (300 & 0xff));
  }
}

TEST_CASE("trap 25: wider registers are extended by the type, kernels take parameters smaller than a word") {
  CHECK(result_of("st.global.b32 [%cell], $a; ld.global.s8 $d, [%cell]", {b32(0x80)}) == 0xffffff80);
  CHECK(result_of("st.global.b32 [%cell], $a; ld.global.u8 $d, [%cell+1]", {b32(0x8000)}) == 0x80);
  CHECK(result_of("st.global.b32 [%cell], $a; ld.global.s16 $d, [%cell+2]", {b32(0x80000000)}, 64) == 0xffffffffffff8000u);
  CHECK(result_of("slct.b32.f32 $d, $a, $b, $c", {b32(1), b32(2), b32(0x80000000)}) == 1);
  const std::string text =
      ".visible .entry k(.param .u64 out, .param .u64 in, .param .u8 a, .param .u16 b, .param .s8 c)\n{\n.reg .b64 %o;\n.reg .b32 %x;\n"
      "ld.param.u64 %o, [out];\nld.param.u8 %x, [a];\nst.global.u32 [%o], %x;\nld.param.u16 %x, [b];\nst.global.u32 [%o+4], %x;\n"
      "ld.param.s8 %x, [c];\nst.global.u32 [%o+8], %x;\nret;\n}\n";
  const Words words = run_program(text, {.launch = {1, 1}, .words = 4, .more_arguments = {0xfe, 0, 0x34, 0xf2, 0x80}});
  CHECK(words[0] == 0xfe);
  CHECK(words[1] == 0xf234);
  CHECK(words[2] == 0xffffff80);
}

TEST_CASE("trap 25: cp.async fills with zeros what its source size leaves out") {
  Run run{.launch = {1, 4}, .words = 32};
  for (std::uint64_t i = 0; i < 16; ++i) run.input.push_back(0x1111111111111111u * (i + 1));
  const Words words = run_program(
      kernel("mov.u64 %w1, buffer;\nmul.wide.u32 %w2, %t, 16;\nadd.u64 %w1, %w1, %w2;\nadd.u64 %w3, %in, %w2;\n"
             "mov.u32 %r1, 0xffffffff;\nst.shared.v4.b32 [%w1], {%r1, %r1, %r1, %r1};\nmul.lo.u32 %r2, %t, 4;\n"
             "cp.async.ca.shared.global [%w1], [%w3], 16, %r2;\ncp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
             "ld.shared.v4.b32 {%r3, %r4, %r5, %r6}, [%w1];\nadd.u64 %w4, %out, %w2;\nst.global.v4.b32 [%w4], {%r3, %r4, %r5, %r6};\nret;",
             ".shared .align 16 .b8 buffer[64];\n"),
      run);
  for (std::uint32_t t = 0; t < 4; ++t) {
    for (std::uint32_t i = 0; i < 4; ++i) CHECK(words[4 * t + i] == (i < t ? 0x11111111u * (2 * t + i / 2 + 1) : 0));
  }
}

TEST_CASE("trap 25: mma of f16 with f32 accumulators agrees with a matrix product") {
  // A[i][k] = i + 2k - 8, B[k][j] = k - j, as the fragments of m16n8k16 hold them; C = 1.
  const std::string value_a = "cvt.rn.f16.s32 %h0, %r9;\n", value_b = "cvt.rn.f16.s32 %h1, %r9;\n";
  std::string body = "shr.u32 %r1, %lane, 2;\nand.b32 %r2, %lane, 3;\nshl.b32 %r2, %r2, 1;\n.reg .b32 %a<4>, %b<2>;\n.reg .f32 %d<4>;\n";
  const auto a_element = [&](int row, int column, const char* to) {
    return "add.s32 %r8, %r1, " + std::to_string(row) + ";\nadd.s32 %r9, %r2, " + std::to_string(column) +
           ";\nshl.b32 %r9, %r9, 1;\nadd.s32 %r9, %r9, %r8;\nsub.s32 %r9, %r9, 8;\ncvt.rn.f16.s32 " + to + ", %r9;\n";
  };
  const auto b_element = [&](int row, const char* to) {
    return "add.s32 %r9, %r2, " + std::to_string(row) + ";\nsub.s32 %r9, %r9, %r1;\ncvt.rn.f16.s32 " + std::string(to) + ", %r9;\n";
  };
  for (int i = 0; i < 4; ++i) {
    const int row = (i & 1) != 0 ? 8 : 0, column = (i & 2) != 0 ? 8 : 0;
    body += a_element(row, column, "%h0") + a_element(row, column + 1, "%h1") + "mov.b32 %a" + std::to_string(i) + ", {%h0, %h1};\n";
  }
  for (int i = 0; i < 2; ++i) {
    body += b_element(8 * i, "%h0") + b_element(8 * i + 1, "%h1") + "mov.b32 %b" + std::to_string(i) + ", {%h0, %h1};\n";
  }
  body += "mov.f32 %f0, 0f3F800000;\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, "
          "{%f0, %f0, %f0, %f0};\nmul.wide.u32 %w1, %lane, 16;\nadd.u64 %w1, %w1, %out;\nst.global.v4.f32 [%w1], {%d0, %d1, %d2, %d3};\nret;";
  const Words words = run_program(kernel(body), {.launch = {1, 32}, .words = 128});
  for (int lane = 0; lane < 32; ++lane) {
    for (int e = 0; e < 4; ++e) {
      const int i = lane / 4 + (e >= 2 ? 8 : 0), j = lane % 4 * 2 + e % 2;
      int sum = 1;
      for (int k = 0; k < 16; ++k) sum += (i + 2 * k - 8) * (k - j);
      CHECK(std::bit_cast<float>(words[static_cast<std::size_t>(4 * lane + e)]) == doctest::Approx(sum).epsilon(1e-6));
    }
  }
}

TEST_CASE("divergence: loops that lanes leave at different times, nested, with a barrier after them") {
  const Words words = run_program(kernel("mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nOUTER:\nsetp.ge.u32 %p0, %r1, %lane;\n@%p0 bra DONE;\nmov.u32 %r3, 0;\nINNER:\n"
                                         "setp.gt.u32 %p1, %r3, %r1;\n@%p1 bra NEXT;\nadd.u32 %r2, %r2, %r3;\nadd.u32 %r3, %r3, 1;\n"
                                         "setp.eq.u32 %p2, %r2, 100;\n@%p2 bra DONE;\nbra INNER;\nNEXT:\nadd.u32 %r1, %r1, 1;\nbra OUTER;\nDONE:\n"
                                         "bar.sync 0;\nst.global.u32 [%o], %r2;\nret;"),
                                  {.launch = {1, 96}});
  for (std::uint32_t t = 0; t < 96; ++t) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < t % 32 && sum != 100; ++i) {
      for (std::uint32_t j = 0; j <= i && sum != 100; ++j) sum += j;
    }
    CHECK(words[t] == sum);
  }
}

TEST_CASE("divergence: a spin lock taken lane by lane and warp by warp does not hang") {
  const std::string text = kernel("LOCK:\natom.global.cas.b32 %r1, [%out], 0, 1;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra LOCK;\nfence.acq_rel.gpu;\n"
                                  "ld.volatile.global.u32 %r2, [%out+4];\nadd.u32 %r2, %r2, 1;\nst.volatile.global.u32 [%out+4], %r2;\n"
                                  "fence.acq_rel.gpu;\natom.global.exch.b32 %r3, [%out], 0;\nret;");
  CHECK(run_program(text, {.launch = {3, 64, 0, 0, 2}, .words = 8})[1] == 192);
}

}  // namespace bascule::ptx_models
