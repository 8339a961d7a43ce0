// Texts that are nearly PTX: each mutant of a sample ends in a consistent module or in an error, never in anything
// else. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>
#include <algorithm>
#include <cctype>
#include <random>
#include <vector>

#include "backends/simt/ptx/describe.hpp"
#include "backends/simt/ptx/parser.hpp"
#include "backends/simt/ptx/test_wellformed.hpp"
#include "tests/support/seed.hpp"

namespace bascule::simt::ptx {
namespace {

constexpr std::string_view kSample = R"(.version 9.0
.target sm_90a, debug
.address_size 64
.file 1 "sample.cu"
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.func (.reg .f32 y) twice(.reg .f32 x) { add.f32 y, x, x; ret; }
.global .align 4 .u16 table[2][3] = {{1, 2}, {4}};
.const .f32 scale[] = {1.5, 0f40000000};
.global .u64 pointers[3] = {table, generic(table)+4, twice};
.extern .shared .align 16 .b8 dynamic[];
.shared .align 8 .b8 barrier[8];
.visible .entry k(.param .u64 .ptr .global .align 16 p, .param .u32 n, .param .align 8 .b8 s[24])
.maxntid 128, 1, 1
.minnctapersm 2
{
  .reg .pred %p<5>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %rd<9>; .reg .v4 .f32 v;
  .local .align 8 .b8 frame[16]; .param .b32 out; .param .b64 in;
  .loc 1 12 3, function_name $L__f, inlined_at 1 3 4
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mad.lo.s32 %r2, %r1, (1 << 4) - 3, -7;
  setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;
  @%p1 bra $L_end;
  ld.global.nc.L1::no_allocate.v4.f32 {%f1, %f2, _, %f4}, [%rd2 + 16];
  ld.global.v4.f32 v, [%rd2];
  fma.rn.ftz.f32 %f5, v.x, %f2, 0f3F800000;
  mov.b64 {%r3, %r4}, %rd2;
  shfl.sync.bfly.b32 %f6|%p2, %f5, 1, 31, -1;
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};
  mbarrier.try_wait.parity.shared.b64 %p3, [barrier], 1, 1000;
  atom.acq_rel.gpu.global.add.u32 %r7, [%rd2], 1;
  cvt.rn.f16x2.f32 %r8, %f1, %f2;
  { .reg .b32 %r1; again: mov.b32 %r1, 5; @!%p2 bra again; }
  proto: .callprototype (.param .b32 _) _ (.param .b64 _);
  call (%f7), twice, (1.5);
  call.uni (out), %rd3, (in), proto;
  targets: .branchtargets $L_a, $L_end;
  brx.idx %r1, targets;
$L_a: bar.red.popc.u32 %r9, 0, 64, %p1;
  st.global.v2.f32 [%rd2], {%f1, 2.5e-3};
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, 1, 1, -1, 0, 0;
$L_end: ret;
}
.section .debug_str { $L__f: .b8 1, 2, 3 }
)";

void check_mutant(const std::string& text) {
  const Parsed parsed = parse(text, "mutant.ptx");
  for (const Diagnostic& diagnostic : parsed.diagnostics) REQUIRE_FALSE(render(diagnostic, "mutant.ptx", text).empty());
  if (parsed.module == nullptr) {
    REQUIRE_FALSE(parsed.diagnostics.empty());
    return;
  }
  REQUIRE(malformation(*parsed.module) == "");
  REQUIRE_FALSE(describe_json(*parsed.module, parsed.diagnostics, {}).empty());
}

// Words, numbers and single characters of a text, so that mutants stay near to PTX.
std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (in_word(text[at]) && end < text.size() && in_word(text[end])) ++end;
    pieces.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

}  // namespace

TEST_CASE("the sample parses") {
  check_mutant(std::string(kSample));
  CHECK(parse(kSample, "sample.ptx").module != nullptr);
}

TEST_CASE("every beginning of the sample ends in a module or in an error") {
  for (std::size_t length = 0; length < kSample.size(); length += 7)
    check_mutant(std::string(kSample.substr(0, length)));
}

TEST_CASE("mutants of the sample end in a module or in an error") {
  std::mt19937_64 random(test::seed());
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  const std::vector<std::string> pieces = pieces_of(kSample);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> mutant = pieces;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(mutant.size());
      switch (below(5)) {
        case 0:
          mutant.erase(mutant.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 1:
          mutant[at] = pieces[below(pieces.size())];
          break;
        case 2:
          mutant.insert(mutant.begin() + static_cast<std::ptrdiff_t>(at), pieces[below(pieces.size())]);
          break;
        case 3:
          std::swap(mutant[at], mutant[below(mutant.size())]);
          break;
        default:
          mutant[at][below(mutant[at].size())] = static_cast<char>(below(256));
          break;
      }
    }
    std::string text;
    for (const std::string& piece : mutant) text += piece;
    CAPTURE(text);
    check_mutant(text);
  }
}

}  // namespace bascule::simt::ptx
