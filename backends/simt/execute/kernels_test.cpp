// Whole kernels: straight-line code, divergence, loops, special registers, parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "backends/simt/execute/test_engine.hpp"

using bascule::simt::test::Arguments;
using bascule::simt::test::Engine;
using bascule::simt::test::Outcome;
using bascule::simt::test::Shape;

TEST_CASE("a kernel adds two vectors of any length") {
  Engine engine(R"(
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra done;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd4, %rd5;
  ld.global.f32 %f1, [%rd6];
  add.s64 %rd6, %rd2, %rd5;
  ld.global.f32 %f2, [%rd6];
  add.rn.f32 %f3, %f1, %f2;
  add.s64 %rd7, %rd3, %rd5;
  st.global.f32 [%rd7], %f3;
done:
  ret;
})");
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  for (const std::uint32_t n : {1u, 31u, 32u, 33u, 255u, 256u, 1000u, 4097u}) {
    std::vector<float> a(n), b(n), c(n + 1, -1.0f);
    std::iota(a.begin(), a.end(), 1.0f);
    std::iota(b.begin(), b.end(), 0.5f);
    for (const std::uint64_t block : {32u, 96u, 256u, 1000u}) {
      const Outcome outcome = engine.run("add", {{(n + block - 1) / block, 1, 1}, {block, 1, 1}, 0, 0, 2},
                                         Arguments(a.data(), b.data(), c.data(), n));
      REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
      for (std::uint32_t i = 0; i < n; ++i) REQUIRE(c[i] == a[i] + b[i]);
      REQUIRE(c[n] == -1.0f);
    }
  }
}

TEST_CASE("lanes that take different ways through a loop meet again behind it") {
  // Collatz steps, with both sides of a branch in the loop.
  Engine engine(R"(
.visible .entry collatz(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r1, 1;
  mov.u32 %r3, 0;
loop:
  setp.eq.u32 %p1, %r2, 1;
  @%p1 bra done;
  and.b32 %r4, %r2, 1;
  setp.eq.u32 %p2, %r4, 1;
  @%p2 bra odd;
  shr.u32 %r2, %r2, 1;
  bra next;
odd:
  mad.lo.u32 %r2, %r2, 3, 1;
next:
  add.u32 %r3, %r3, 1;
  bra loop;
done:
  mul.wide.u32 %rd2, %r1, 8;
  add.s64 %rd3, %rd1, %rd2;
  activemask.b32 %r5;
  st.global.v2.u32 [%rd3], {%r3, %r5};
  ret;
})");
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  std::vector<std::array<std::uint32_t, 2>> out(300);
  const Outcome outcome = engine.run("collatz", {{1, 1, 1}, {300, 1, 1}}, Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    std::uint32_t steps = 0;
    for (std::uint64_t x = i + 1; x != 1; x = x % 2 == 1 ? 3 * x + 1 : x / 2) ++steps;
    CHECK(out[i][0] == steps);
    CHECK(out[i][1] == (i / 32 == 9 ? 0xfffu : 0xffffffffu));
  }
}

TEST_CASE("special registers say where a thread is") {
  Engine engine(R"(
.visible .entry where(.param .u64 out) {
  .reg .b32 %r<20>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
  mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;
  mad.lo.u32 %r6, %r3, %r5, %r2;
  mad.lo.u32 %r6, %r6, %r4, %r1;
  mov.u32 %r7, %ctaid.y; mov.u32 %r8, %nctaid.x; mov.u32 %r9, %ctaid.x;
  mad.lo.u32 %r10, %r7, %r8, %r9;
  mad.lo.u32 %r10, %r10, 60, %r6;
  mul.wide.u32 %rd2, %r10, 32;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r11, %laneid; mov.u32 %r12, %warpid; mov.u32 %r13, %lanemask_lt; mov.u32 %r14, %lanemask_ge;
  st.global.v4.u32 [%rd3], {%r1, %r2, %r3, %r11};
  mov.u32 %r15, %nctaid.y;
  st.global.v4.u32 [%rd3+16], {%r12, %r13, %r14, %r15};
  exit;
})");
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  std::vector<std::array<std::uint32_t, 8>> out(60 * 6);
  const Outcome outcome = engine.run("where", {{3, 2, 1}, {5, 4, 3}, 0, 0, 2}, Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const std::uint32_t thread = i % 60, lane = thread % 32;
    CHECK(out[i] == std::array<std::uint32_t, 8>{thread % 5, thread / 5 % 4, thread / 20, lane, thread / 32, (1u << lane) - 1,
                                                 ~((1u << lane) - 1), 2});
  }
}

TEST_CASE("a jump through a table takes each lane to its own place") {
  Engine engine(R"(
.visible .entry table(.param .u64 out) {
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  rem.u32 %r2, %r1, 3;
  targets: .branchtargets one, two, three;
  brx.idx %r2, targets;
one:
  mov.u32 %r3, 10; bra done;
two:
  mov.u32 %r3, 20; bra done;
three:
  mov.u32 %r3, 30;
done:
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
})");
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  std::vector<std::uint32_t> out(100);
  const Outcome outcome = engine.run("table", {{1, 1, 1}, {100, 1, 1}}, Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (std::uint32_t i = 0; i < out.size(); ++i) CHECK(out[i] == (i % 3 + 1) * 10);
}

TEST_CASE("a register keeps its value in lanes that a guard leaves out") {
  Engine engine(R"(
.visible .entry guarded(.param .u64 out) {
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 7;
  setp.lt.u32 %p1, %r1, 5;
  @%p1 mov.u32 %r2, 1;
  @!%p1 add.u32 %r2, %r2, %r1;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  @%p1 exit;
  st.global.u32 [%rd3+256], %r2;
  ret;
})");
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  std::vector<std::uint32_t> out(128, 99);
  const Outcome outcome = engine.run("guarded", {{1, 1, 1}, {64, 1, 1}}, Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  for (std::uint32_t i = 0; i < 64; ++i) {
    CHECK(out[i] == (i < 5 ? 1 : 7 + i));
    CHECK(out[i + 64] == (i < 5 ? 99 : 7 + i));
  }
}

TEST_CASE("a trace shows each operation with its values") {
  std::vector<std::string> lines;
  bsc_host_services services = {};
  services.header = {sizeof services, BSC_STRUCT_HOST_SERVICES, nullptr};
  services.context = &lines;
  services.log = [](void* context, std::uint32_t level, const char* message) {
    if (level == BSC_LOG_TRACE) static_cast<std::vector<std::string>*>(context)->emplace_back(message);
  };
  bsc_simt_options options = {};
  options.trace = 1;
  Engine engine(R"(
.visible .entry traced() {
  .reg .pred %p; .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r1, 3;
  setp.gt.u32 %p, %r2, 3;
  @%p add.u32 %r2, %r2, 16;
  ret;
})",
                options, &services);
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  REQUIRE(engine.run("traced", {{1, 1, 1}, {3, 1, 1}}, Arguments()).status == BSC_OK);
  const auto shown = [&](const char* text) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  CHECK(shown("warp 0 lanes 0x00000007: mul.lo.u32 -> {0x0 0x3 0x6}"));
  CHECK(shown("lanes 0x00000004: add.u32 -> 0x16"));
  CHECK(shown("ret"));
}
