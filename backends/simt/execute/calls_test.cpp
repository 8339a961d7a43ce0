// Calls: parameters of all kinds, recursion, pointers to functions, the stack.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "backends/simt/execute/test_engine.hpp"

using bascule::simt::test::Arguments;
using bascule::simt::test::Engine;
using bascule::simt::test::Outcome;
using bascule::simt::test::Shape;

namespace {

constexpr const char* kStore = R"(
  mov.u32 %t0, %tid.x;
  mul.wide.u32 %at, %t0, 4;
  add.s64 %at, %out, %at;
)";

std::vector<std::uint32_t> run(Engine& engine, const char* kernel, std::uint32_t threads) {
  REQUIRE_MESSAGE(engine.loaded().status == BSC_OK, engine.loaded().message);
  std::vector<std::uint32_t> out(threads, 0xdeadbeef);
  const Outcome outcome = engine.run(kernel, {{1, 1, 1}, {threads, 1, 1}}, Arguments(out.data()));
  REQUIRE_MESSAGE(outcome.status == BSC_OK, outcome.message);
  return out;
}

std::string entry(const char* name, const std::string& body) {
  return std::string(".visible .entry ") + name +
         "(.param .u64 p) {\n  .reg .b32 %t0, %v, %w; .reg .b64 %out, %at, %f; .reg .pred %q;\n  ld.param.u64 %out, [p];\n" +
         kStore + body + "  st.global.u32 [%at], %v;\n  ret;\n}\n";
}

}  // namespace

TEST_CASE("a function is called with parameters in registers, and with parameters in memory") {
  Engine engine(R"(
.func (.reg .b32 r) madd(.reg .b32 a, .reg .b32 b) {
  mad.lo.u32 r, a, b, 1;
  ret;
}
.func (.param .b32 r) sum(.param .b64 a, .param .align 4 .b8 s[12]) {
  .reg .b32 %x<5>; .reg .b64 %y;
  ld.param.u64 %y, [a];
  cvt.u32.u64 %x0, %y;
  ld.param.u32 %x1, [s];
  ld.param.u32 %x2, [s+4];
  ld.param.u32 %x3, [s+8];
  add.u32 %x0, %x0, %x1; add.u32 %x0, %x0, %x2; add.u32 %x0, %x0, %x3;
  st.param.b32 [r], %x0;
  ret;
}
.func (.param .b32 r) bytes(.param .align 4 .b8 s[4]) {
  .reg .b32 %x<3>;
  ld.param.s8 %x0, [s+3];
  ld.param.u8 %x1, [s];
  add.s32 %x0, %x0, %x1;
  st.param.b32 [r], %x0;
  ret;
}
)" + entry("registers", "  call (%v), madd, (%t0, 3);\n") +
                entry("memory", R"(
  { .param .b32 res; .param .b64 a; .param .align 4 .b8 s[12];
  cvt.u64.u32 %f, %t0;
  st.param.b64 [a], %f;
  st.param.b32 [s], 100; st.param.b32 [s+4], %t0; st.param.b32 [s+8], 1;
  call (res), sum, (a, s);
  ld.param.b32 %v, [res];
  })") + entry("parts", R"(
  { .param .b32 res; .param .align 4 .b8 s[4];
  or.b32 %w, %t0, 0xfe000000;
  st.param.b32 [s], %w;
  call (res), bytes, (s);
  ld.param.b32 %v, [res];
  })"));
  auto out = run(engine, "registers", 100);
  for (std::uint32_t i = 0; i < 100; ++i) CHECK(out[i] == 3 * i + 1);
  out = run(engine, "memory", 100);
  for (std::uint32_t i = 0; i < 100; ++i) CHECK(out[i] == 2 * i + 101);
  out = run(engine, "parts", 100);
  for (std::uint32_t i = 0; i < 100; ++i) CHECK(out[i] == i - 2);
}

TEST_CASE("a function calls itself, each lane as often as it needs") {
  Engine engine(R"(
.func (.param .b32 r) fib(.param .b32 n) {
  .reg .b32 %x<6>; .reg .pred %p;
  ld.param.u32 %x0, [n];
  setp.lt.u32 %p, %x0, 2;
  @%p bra small;
  sub.u32 %x1, %x0, 1;
  { .param .b32 a, b;
  st.param.b32 [a], %x1;
  call (b), fib, (a);
  ld.param.b32 %x2, [b]; }
  sub.u32 %x1, %x0, 2;
  { .param .b32 a, b;
  st.param.b32 [a], %x1;
  call (b), fib, (a);
  ld.param.b32 %x3, [b]; }
  add.u32 %x0, %x2, %x3;
small:
  st.param.b32 [r], %x0;
  ret;
}
.func (.param .b32 r) down(.param .b32 n) {
  .reg .b32 %x<3>;
  ld.param.u32 %x0, [n];
  { .param .b32 a, b;
  st.param.b32 [a], %x0;
  call (b), down, (a);
  ld.param.b32 %x1, [b]; }
  st.param.b32 [r], %x1;
  ret;
}
)" + entry("fibonacci", R"(
  { .param .b32 a, b;
  rem.u32 %w, %t0, 13;
  st.param.b32 [a], %w;
  call (b), fib, (a);
  ld.param.b32 %v, [b]; })") + entry("endless", R"(
  { .param .b32 a, b;
  st.param.b32 [a], %t0;
  call (b), down, (a);
  ld.param.b32 %v, [b]; })"));
  const auto out = run(engine, "fibonacci", 80);
  const std::uint32_t expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
  for (std::uint32_t i = 0; i < 80; ++i) CHECK(out[i] == expected[i % 13]);

  std::vector<std::uint32_t> none(32);
  const Outcome outcome = engine.run("endless", {}, Arguments(none.data()));
  CHECK(outcome.status == BSC_LAUNCH_FAILED);
  CHECK(outcome.message.find("stack_overflow") != std::string::npos);
}

TEST_CASE("lanes call different functions through a pointer") {
  Engine engine(R"(
.func (.param .b32 r) twice(.param .b32 n) {
  .reg .b32 %x; ld.param.u32 %x, [n]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret;
}
.func (.param .b32 r) square(.param .b32 n) {
  .reg .b32 %x; ld.param.u32 %x, [n]; mul.lo.u32 %x, %x, %x; st.param.b32 [r], %x; ret;
}
.func (.param .b32 r) minus(.param .b32 n) {
  .reg .b32 %x; ld.param.u32 %x, [n]; neg.s32 %x, %x; st.param.b32 [r], %x; ret;
}
.global .u64 table[3] = {twice, square, minus};
)" + entry("through", R"(
  { .reg .b64 %t;
  rem.u32 %w, %t0, 3;
  mov.u64 %f, table;
  mul.wide.u32 %t, %w, 8;
  add.s64 %f, %f, %t;
  ld.global.u64 %f, [%f]; }
  { .param .b32 a, b;
  st.param.b32 [a], %t0;
  shape: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (b), %f, (a), shape;
  ld.param.b32 %v, [b]; })") + entry("nowhere", R"(
  { .param .b32 a, b;
  st.param.b32 [a], %t0;
  shape: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (b), %out, (a), shape;
  ld.param.b32 %v, [b]; })"));
  const auto out = run(engine, "through", 96);
  for (std::uint32_t i = 0; i < 96; ++i) CHECK(out[i] == (i % 3 == 0 ? 2 * i : i % 3 == 1 ? i * i : 0u - i));

  std::vector<std::uint32_t> none(32);
  const Outcome outcome = engine.run("nowhere", {}, Arguments(none.data()));
  CHECK(outcome.status == BSC_LAUNCH_FAILED);
  CHECK(outcome.message.find("bad_call") != std::string::npos);
}

TEST_CASE("local variables of functions and memory from alloca belong to the activation") {
  Engine engine(R"(
.func (.param .b32 r) depth(.param .b32 n) {
  .local .align 4 .b8 here[16];
  .reg .b32 %x<6>; .reg .pred %p; .reg .b64 %d<3>;
  ld.param.u32 %x0, [n];
  st.local.u32 [here+4], %x0;
  mov.u32 %x2, 0;
  setp.eq.u32 %p, %x0, 0;
  @%p bra end;
  sub.u32 %x1, %x0, 1;
  { .param .b32 a, b;
  st.param.b32 [a], %x1;
  call (b), depth, (a);
  ld.param.b32 %x2, [b]; }
end:
  mov.u64 %d0, here;
  cvta.local.u64 %d1, %d0;
  ld.u32 %x3, [%d1+4];
  add.u32 %x2, %x2, %x3;
  st.param.b32 [r], %x2;
  ret;
}
)" + entry("locals", R"(
  { .param .b32 a, b;
  rem.u32 %w, %t0, 10;
  st.param.b32 [a], %w;
  call (b), depth, (a);
  ld.param.b32 %v, [b]; })") + entry("allocated", R"(
  { .reg .b64 %a<4>;
  stacksave.u64 %a2;
  cvt.u64.u32 %a1, %t0;
  add.u64 %a1, %a1, 8;
  alloca.u64 %a0, %a1, 8;
  st.local.u32 [%a0+4], %t0;
  alloca.u64 %a3, 8, 8;
  st.local.u32 [%a3+4], 77;
  ld.local.u32 %v, [%a0+4];
  stackrestore.u64 %a2; })"));
  auto out = run(engine, "locals", 64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(out[i] == (i % 10) * (i % 10 + 1) / 2);
  out = run(engine, "allocated", 64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(out[i] == i);
}

TEST_CASE("a function that exits ends the thread, not the call") {
  Engine engine(R"(
.func leave(.reg .b32 n) {
  .reg .pred %p;
  setp.gt.u32 %p, n, 40;
  @%p exit;
  ret;
}
)" + entry("some", "  call leave, (%t0);\n  mov.u32 %v, 1;\n"));
  const auto out = run(engine, "some", 64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(out[i] == (i > 40 ? 0xdeadbeef : 1));
}

TEST_CASE("what is declared and nowhere defined is refused by name") {
  Engine engine(".extern .func missing(.param .b32 a);\n" + entry("k", R"(
  { .param .b32 a; st.param.b32 [a], %t0; call missing, (a); }
  mov.u32 %v, 0;)"));
  CHECK(engine.loaded().status != BSC_OK);
  CHECK(engine.loaded().message.find("missing") != std::string::npos);
}
