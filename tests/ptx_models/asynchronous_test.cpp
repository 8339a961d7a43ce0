// cp.async and mbarrier: what arrives in shared memory, and the phases of barriers step by step.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "tests/ptx_models/inputs.hpp"
#include "tests/ptx_models/program.hpp"
#include "tests/support/seed.hpp"

namespace bascule::ptx_models {
namespace {

constexpr std::uint32_t kThreads = 160;

/// Each thread copies `bytes` bytes to 16 bytes of its own that hold ones before; %r5 is a size below `bytes`, %p1 holds for
/// every third thread, %w7 is a policy.
std::vector<std::uint32_t> copied(const std::string& instruction, const std::string& wait, const std::vector<std::uint64_t>& source) {
  const std::string text =
      ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.shared .align 16 .b8 buffer[4096];\n.reg .b64 %o, %i, %s, %x, %w7;\n.reg .b32 %t, %r<6>, %s32;\n"
      ".reg .pred %p1;\nld.param.u64 %o, [out];\nld.param.u64 %i, [in];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %x, %t, 16;\nadd.u64 %o, %o, %x;\n"
      "add.u64 %i, %i, %x;\nmov.u64 %s, buffer;\nadd.u64 %s, %s, %x;\ncvt.u32.u64 %s32, %s;\nmov.u32 %r0, 0xffffffff;\n"
      "st.shared.v4.b32 [%s], {%r0, %r0, %r0, %r0};\nrem.u32 %r5, %t, 4;\nrem.u32 %r1, %t, 3;\nsetp.eq.u32 %p1, %r1, 0;\nmov.u64 %w7, 0;\n" +
      instruction + "\n" + wait +
      "\nld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%s];\nst.global.v4.b32 [%o], {%r1, %r2, %r3, %r4};\nret;\n}\n";
  return run_program(text, {.launch = {1, kThreads}, .words = 4 * kThreads, .input = source});
}

}  // namespace

TEST_CASE("chapter asynchronous: cp.async copies 4, 8 or 16 bytes, or as many as it is told and zeros") {
  Random random(test::seed());
  std::vector<std::uint64_t> source(2 * kThreads);
  for (auto& word : source) word = random.next();
  const char* const waits[] = {"cp.async.wait_all;", "cp.async.commit_group;\ncp.async.wait_group 0;",
                               "cp.async.commit_group;\ncp.async.commit_group;\ncp.async.wait_group 1;"};
  int turn = 0;
  for (const std::uint32_t bytes : {4u, 8u, 16u}) {
    for (const std::string cache : {"ca", "cg"}) {
      if (cache == "cg" && bytes != 16) continue;
      for (const std::string& last : std::vector<std::string>{"", ", %r5", ", %p1", ", %w7", ", 3", ", " + std::to_string(bytes)}) {
        for (const std::string to : {"%s", "%s32"}) {
          const std::string hint = last == ", %w7" ? ".L2::cache_hint" : turn % 4 == 3 ? ".L2::128B" : "";
          const std::string instruction =
              "cp.async." + cache + ".shared.global" + hint + " [" + to + "], [%i], " + std::to_string(bytes) + last + ";";
          const auto words = copied(instruction, waits[turn++ % 3], source);
          for (std::uint32_t t = 0; t < kThreads; ++t) {
            const std::uint32_t taken = last == ", %r5" ? t % 4 : last == ", 3" ? 3 : last == ", %p1" && t % 3 == 0 ? 0 : bytes;
            for (std::uint32_t b = 0; b < 16; ++b) {
              const std::uint64_t wanted = b >= bytes ? 0xff : b >= taken ? 0 : source[2 * t + b / 8] >> (8 * (b % 8)) & 0xff;
              const std::uint64_t got = words[4 * t + b / 4] >> (8 * (b % 4)) & 0xff;
              if (got != wanted) FAIL_CHECK(instruction << ": thread " << t << ", byte " << b << " is " << got << ", expected " << wanted);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("chapter asynchronous: cp.async takes an offset on either address") {
  std::vector<std::uint64_t> source(2 * kThreads + 4);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = 0x0101010101010101u * i;
  const auto words = copied("cp.async.ca.shared.global [%s+8], [%i+16], 8;", "cp.async.wait_all;", source);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    CHECK(words[4 * t] == 0xffffffff);
    CHECK(words[4 * t + 2] == static_cast<std::uint32_t>(source[2 * t + 2]));
    CHECK(words[4 * t + 3] == source[2 * t + 2] >> 32);
  }
}

namespace {

/// One thread runs `steps`; %b is a barrier, %s0-%s3 states, %c a count, %p a predicate; NOTE stores %c and goes on.
std::vector<std::uint32_t> noted(const std::string& steps, std::uint32_t notes, unsigned target = 90) {
  std::string body = steps;
  int offset = 0;
  for (std::size_t at = body.find("NOTE"); at != std::string::npos; at = body.find("NOTE", at)) {
    body.replace(at, 4, "st.global.u32 [%o+" + std::to_string(offset) + "], %c");
    offset += 4;
  }
  const std::string text = ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.shared .align 8 .b64 barrier;\n.reg .b64 %o, %b, %s<4>, %g;\n"
                           ".reg .b32 %c, %b32;\n.reg .pred %p;\nld.param.u64 %o, [out];\nmov.u64 %b, barrier;\ncvt.u32.u64 %b32, %b;\ncvta.shared.u64 %g, %b;\n" +
                           body + "ret;\n}\n";
  auto words = run_program(text, {.launch = {1, 1}, .words = 64, .target = target});
  words.resize(notes);
  return words;
}

std::string test(const std::string& state) {
  return "mbarrier.test_wait.shared.b64 %p, [%b], " + state + ";\nselp.u32 %c, 1, 0, %p;\nNOTE;\n";
}
std::string test_parity(int parity) {
  return "mbarrier.test_wait.parity.shared.b64 %p, [%b], " + std::to_string(parity) + ";\nselp.u32 %c, 1, 0, %p;\nNOTE;\n";
}
std::string pending(const std::string& state) { return "mbarrier.pending_count.b64 %c, " + state + ";\nNOTE;\n"; }

using Words = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("chapter asynchronous: a phase of an mbarrier ends with its last arrival, and the next one begins at once") {
  CHECK(noted("mbarrier.init.shared.b64 [%b], 3;\nmbarrier.arrive.shared.b64 %s0, [%b];\n" + test("%s0") + pending("%s0") +
                  "mbarrier.arrive.shared.b64 %s1, [%b];\n" + pending("%s1") + test("%s1") + test_parity(0) + test_parity(1) +
                  "mbarrier.arrive.b64 %s2, [%g];\n" + pending("%s2") + test("%s0") + test("%s2") + test_parity(0) + test_parity(1) +
                  // The second phase.
                  "mbarrier.arrive.shared.b64 %s3, [%b32], 2;\n" + pending("%s3") + test("%s3") + test("%s2") + "mbarrier.arrive.shared.b64 _, [%b];\n" +
                  test("%s3") + test_parity(1),
              16) == Words{0, 3, 2, 0, 0, 1, 1, 1, 1, 1, 0, 3, 0, 1, 1, 1});
}

TEST_CASE("chapter asynchronous: dropped arrivals are missing from the following phases") {
  CHECK(noted("mbarrier.init.shared.b64 [%b], 3;\nmbarrier.arrive_drop.shared.b64 %s0, [%b];\nmbarrier.arrive.shared.b64 %s1, [%b], 2;\n" + test("%s0") +
                  "mbarrier.arrive.shared.b64 %s2, [%b];\n" + pending("%s2") + test("%s2") + "mbarrier.arrive.shared.b64 %s3, [%b];\n" + test("%s2") +
                  "mbarrier.arrive_drop.shared.b64 %s0, [%b], 1;\n" + pending("%s0") + "mbarrier.arrive.shared.b64 _, [%b];\n" + test("%s0") +
                  "mbarrier.arrive.shared.b64 %s1, [%b];\n" + pending("%s1") + test("%s1"),
              8) == Words{1, 2, 0, 1, 2, 1, 1, 1});
}

TEST_CASE("chapter asynchronous: expected bytes hold a phase until they have come") {
  CHECK(noted("mbarrier.init.shared.b64 [%b], 1;\nmbarrier.arrive.expect_tx.shared.b64 %s0, [%b], 64;\n" + test("%s0") +
                  "mbarrier.complete_tx.shared.b64 [%b], 48;\n" + test("%s0") + "mbarrier.complete_tx.shared.b64 [%b], 16;\n" + test("%s0") +
                  "mbarrier.expect_tx.relaxed.cta.shared.b64 [%b], 8;\nmbarrier.arrive.shared.b64 %s1, [%b];\n" + test("%s1") +
                  "mbarrier.complete_tx.shared.b64 [%b], 8;\n" + test("%s1"),
              5) == Words{0, 0, 1, 0, 1});
}

TEST_CASE("chapter asynchronous: arrive.noComplete, try_wait and inval") {
  CHECK(noted("mbarrier.init.shared.b64 [%b], 5;\nmbarrier.arrive.noComplete.shared.b64 %s0, [%b], 2;\n" + pending("%s0") + test("%s0") +
                  "mbarrier.arrive.shared.b64 %s1, [%b], 3;\n" + pending("%s1") +
                  "mbarrier.try_wait.shared.b64 %p, [%b], %s0;\nselp.u32 %c, 1, 0, %p;\nNOTE;\nmbarrier.try_wait.parity.shared.b64 %p, [%b], 0, 1000;\n"
                  "selp.u32 %c, 1, 0, %p;\nNOTE;\nmbarrier.inval.shared.b64 [%b];\nmbarrier.init.shared.b64 [%b], 1;\n" +
                  test_parity(0),
              6) == Words{5, 0, 3, 1, 1, 0});
}

TEST_CASE("chapter asynchronous: cp.async.mbarrier.arrive arrives when the thread's copies have") {
  Random random(test::seed());
  std::vector<std::uint64_t> source(2 * kThreads);
  for (auto& word : source) word = random.next();
  for (const bool counted : {false, true}) {
    // The generic address, and the shared one in 64 and in 32 bits. Without .noinc the arrival is added to what is expected first, so each thread arrives once more.
    for (const std::string to : {".b64 [%g]", ".shared.b64 [%x]", ".shared.b64 [%r2]"}) {
      const std::string wait = std::string("setp.eq.u32 %p2, %t, 0;\n@%p2 mbarrier.init.shared.b64 [barrier], 160;\nbar.sync 0;\n") + "COPY\n" +
                               "mov.u64 %x, barrier;\ncvt.u32.u64 %r2, %x;\ncvta.shared.u64 %g, %x;\ncp.async.mbarrier.arrive" + (counted ? ".noinc" : "") + to + ";\n" +
                               (counted ? "" : "mbarrier.arrive.shared.b64 _, [barrier];\n") +
                               "WAIT:\nmbarrier.test_wait.parity.shared.b64 %p2, [barrier], 0;\n@!%p2 bra WAIT;\nxor.b32 %r1, %t, 1;\n"
                               "mul.wide.u32 %x, %r1, 16;\nmov.u64 %s, buffer;\nadd.u64 %s, %s, %x;\n";
      std::string steps = ".shared .align 8 .b64 barrier;\n.reg .pred %p2;\n.reg .b64 %g;\n" + wait;
      steps.replace(steps.find("COPY"), 4, "cp.async.cg.shared.global [%s], [%i], 16;");
      const auto words = copied(steps, "", source);
      for (std::uint32_t t = 0; t < kThreads; ++t) {
        for (std::uint32_t i = 0; i < 4; ++i) CHECK(words[4 * t + i] == static_cast<std::uint32_t>(source[2 * (t ^ 1) + i / 2] >> (32 * (i % 2))));
      }
    }
  }
}

}  // namespace bascule::ptx_models
