// What a sweep of single lanes does not show of memory: lanes whose addresses are nearly side by side, whose addresses a state space
// is, and accesses that must fail.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "tests/ptx_models/inputs.hpp"
#include "tests/ptx_models/program.hpp"
#include "tests/support/seed.hpp"

namespace bascule::ptx_models {
namespace {

constexpr std::uint32_t kThreads = 96;

/// Elements of shared memory that each thread names by %e, which `expression` computes: threads store their numbers there and
/// load their own elements (`load`: the other way around).
std::vector<std::uint32_t> scattered(const std::string& expression, int bytes, bool load) {
  const std::string type = "u" + std::to_string(8 * bytes), size = std::to_string(bytes);
  const std::string pick = "mul.lo.u32 %a, %e, " + size + ";\ncvt.u64.u32 %x, %a;\nadd.u64 %x, %x, %s;\n";
  const std::string own = "mul.lo.u32 %a, %t, " + size + ";\ncvt.u64.u32 %y, %a;\nadd.u64 %y, %y, %s;\n";
  const std::string value = bytes == 8 ? "%w" : bytes == 4 ? "%t" : "%h", got = bytes == 8 ? "%v" : bytes == 4 ? "%r" : "%g";
  const std::string first = load ? "[%y]" : "[%x]", second = load ? "[%x]" : "[%y]";
  return run_program(".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.shared .align 16 .b8 cells[1024];\n.reg .b64 %o, %s, %x, %y, %w, %v;\n"
                     ".reg .b32 %t, %e, %a, %r;\n.reg .b16 %h, %g;\n.reg .pred %p;\nld.param.u64 %o, [out];\nmov.u64 %s, cells;\nmov.u32 %t, %tid.x;\n" +
                         expression + pick + own + "cvt.u16.u32 %h, %t;\ncvt.u64.u32 %w, %t;\nst.shared." + type + " " + first + ", " + value +
                         ";\nbar.sync 0;\nld.shared." + type + " " + got + ", " + second + ";\n" +
                         (bytes == 8 ? "cvt.u32.u64 %r, %v;\n" : bytes == 4 ? "" : "cvt.u32.u16 %r, %g;\n") +
                         "mul.wide.u32 %x, %t, 4;\nadd.u64 %o, %o, %x;\nst.global.u32 [%o], %r;\nret;\n}\n",
                     {.launch = {1, kThreads}, .words = kThreads});
}

/// A launch that must fail, and must not reach the store of 7 behind the access.
void check_fault(const std::string& declarations, const std::string& access) {
  const Failure failure =
      failure_of(".visible .entry k(.param .u64 out, .param .u64 in)\n{\n" + declarations +
                     ".reg .b64 %o, %i, %x, %y;\n.reg .b32 %r<5>;\n.reg .b16 %h;\nld.param.u64 %o, [out];\nld.param.u64 %i, [in];\nmov.u32 %r1, 5;\n" + access +
                     "\nmov.u32 %r0, 7;\nst.global.u32 [%o], %r0;\nret;\n}\n",
                 {.launch = {1, 32}, .words = 64, .input = std::vector<std::uint64_t>(64)});
  CHECK_MESSAGE(failure.status != BSC_OK, access);
  CHECK_MESSAGE(!failure.message.empty(), access);
  REQUIRE_MESSAGE(!failure.words.empty(), access << ": refused when loaded: " << failure.message);
  CHECK_MESSAGE(failure.words[0] == 0, access << ": went on");
}

}  // namespace

TEST_CASE("chapter memory: lanes that are nearly side by side are not taken for it") {
  for (const int bytes : {1, 2, 4, 8}) {
    for (int bit = 0; bit < 5; ++bit) {
      // All but the first two lanes of a warp have the bit turned around.
      const std::string flip = std::to_string(1 << bit);
      const auto words = scattered("and.b32 %r, %t, 30;\nmov.u32 %e, %t;\nsetp.ne.u32 %p, %r, 0;\n@%p xor.b32 %e, %t, " + flip + ";\n", bytes, true);
      for (std::uint32_t t = 0; t < kThreads; ++t) CHECK(words[t] == ((t & 30) != 0 ? t ^ (1u << bit) : t));
    }
    // Nearly the same for all.
    const auto same = scattered("and.b32 %e, %t, 1;\nand.b32 %r, %t, 30;\nsetp.ne.u32 %p, %r, 0;\n@!%p mov.u32 %e, 0;\n", bytes, true);
    for (std::uint32_t t = 0; t < kThreads; ++t) CHECK(same[t] == ((t & 30) != 0 ? t & 1 : 0));
    // A permutation: pairs of lanes exchanged, but for the first.
    const auto stored = scattered("shr.u32 %r, %t, 1;\nand.b32 %r, %r, 1;\nxor.b32 %e, %t, %r;\n", bytes, false);
    for (std::uint32_t t = 0; t < kThreads; ++t) CHECK(stored[t] == (t ^ (t >> 1 & 1)));
  }
}

TEST_CASE("chapter memory: isspacep.local knows every thread's own window and its ends") {
  const std::string text =
      ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.local .align 8 .b8 own[16];\n.shared .align 8 .b8 cells[16];\n.reg .b64 %o, %l, %s, %x;\n"
      ".reg .b32 %t, %r, %v;\n.reg .pred %p;\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %x, %t, 4;\nadd.u64 %o, %o, %x;\nmov.u64 %l, own;\n"
      "cvta.local.u64 %l, %l;\nmov.u64 %s, cells;\ncvta.shared.u64 %s, %s;\nmov.u32 %r, 0;\n"
      "isspacep.local %p, %l;\n@%p or.b32 %r, %r, 1;\nadd.u64 %x, %l, 15;\nisspacep.local %p, %x;\n@%p or.b32 %r, %r, 2;\n"
      "isspacep.shared %p, %l;\n@%p or.b32 %r, %r, 4;\nisspacep.global %p, %l;\n@%p or.b32 %r, %r, 8;\n"
      "isspacep.shared %p, %s;\n@%p or.b32 %r, %r, 16;\nadd.u64 %x, %s, 15;\nisspacep.shared %p, %x;\n@%p or.b32 %r, %r, 32;\n"
      "isspacep.local %p, %s;\n@%p or.b32 %r, %r, 64;\nisspacep.global %p, %s;\n@%p or.b32 %r, %r, 128;\n"
      "isspacep.global %p, %o;\n@%p or.b32 %r, %r, 256;\nisspacep.local %p, %o;\n@%p or.b32 %r, %r, 512;\nisspacep.const %p, %o;\n@%p or.b32 %r, %r, 1024;\n"
      "st.global.u32 [%o], %r;\nret;\n}\n";
  for (const std::uint32_t word : run_program(text, {.launch = {1, kThreads}, .words = kThreads})) CHECK(word == (1 | 2 | 16 | 32 | 256));
}

TEST_CASE("chapter memory: misaligned and foreign addresses end the launch where they are") {
  const std::string shared = ".shared .align 16 .b8 cells[64];\n";
  const std::string far = "mov.u64 %x, cells;\nadd.u64 %x, %x, 65536;\n", odd = "mov.u64 %x, cells;\nadd.u64 %x, %x, 2;\n";
  for (const std::string space : {".global", ""}) {
    check_fault("", "ld" + space + ".u32 %r1, [%i+2];");
    check_fault("", "ld" + space + ".v2.u32 {%r1, %r2}, [%i+4];");
    check_fault("", "ld" + space + ".u16 %h, [%i+1];");
    check_fault("", "st" + space + ".u32 [%o+66], %r1;");
    check_fault("", "st" + space + ".v4.u32 [%o+68], {%r1, %r1, %r1, %r1};");
    check_fault("", "atom" + space + ".add.u32 %r1, [%o+66], %r1;");
    check_fault("", "red" + space + ".add.u32 [%o+66], %r1;");
  }
  for (const std::string& where : {far, odd}) {
    check_fault(shared, where + "ld.shared.u32 %r1, [%x];");
    check_fault(shared, where + "ld.shared.v2.u32 {%r1, %r2}, [%x];");
    check_fault(shared, where + "st.shared.u32 [%x], %r1;");
    check_fault(shared, where + "st.shared.b64 [%x], %y;");
    check_fault(shared, where + "atom.shared.add.u32 %r1, [%x], %r1;");
    check_fault(shared, where + "red.shared.add.u32 [%x], %r1;");
    check_fault(shared, where + "cp.async.ca.shared.global [%x], [%i], 4;");
    check_fault(shared, where + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%x];");
  }
  check_fault(shared, "mov.u64 %x, cells;\ncp.async.ca.shared.global [%x], [%i+2], 4;");
  const std::string local = ".local .align 16 .b8 own[64];\n";
  check_fault(local, "mov.u64 %x, own;\nadd.u64 %x, %x, 1048576;\nld.local.u32 %r1, [%x];");
  check_fault(local, "mov.u64 %x, own;\nst.local.u32 [%x+2], %r1;");
}

}  // namespace bascule::ptx_models
