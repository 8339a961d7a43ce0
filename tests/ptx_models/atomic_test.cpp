// Atomics while several threads of the host run blocks: none of their updates may be lost.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <bit>
#include <cstring>

#include "tests/ptx_models/program.hpp"

namespace bascule::ptx_models {
namespace {

constexpr std::uint64_t kBlocks = 64, kThreads = 256, kRounds = 8, kUpdates = kBlocks * kThreads * kRounds;

/// The 8 bytes at `out` after every thread has executed `code` some times.
std::uint64_t counted(const std::string& code) {
  const std::string text = ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b64 %o, %w;\n.reg .b32 %i, %r;\n.reg .f32 %f;\n.reg .f64 %d;\n.reg .pred %p;\n"
                           "ld.param.u64 %o, [out];\nmov.u32 %i, 0;\nmov.f32 %f, 0f3F800000;\nmov.f64 %d, 0d3FF0000000000000;\nmov.b64 %w, 1;\nAGAIN:\n" +
                           code + "\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, " + std::to_string(kRounds) + ";\n@%p bra AGAIN;\nret;\n}\n";
  const auto words = run_program(text, {.launch = {.grid = kBlocks, .block = kThreads, .workers = 4}, .words = 2});
  return words[0] | std::uint64_t{words[1]} << 32;
}

}  // namespace

TEST_CASE("chapter atomic: several threads of the host lose no update of global memory") {
  for (const std::string space : {".global", ""}) {
    CHECK(counted("atom" + space + ".add.u32 %r, [%o], 1;") == kUpdates);
    CHECK(counted("red" + space + ".add.u64 [%o], %w;") == kUpdates);
    CHECK(counted("atom" + space + ".inc.u32 %r, [%o], 0xffffffff;") == kUpdates);
    CHECK(counted("atom" + space + ".dec.u32 %r, [%o], 0xffffffff;") == (std::uint64_t{1} << 32) - kUpdates);
    CHECK(std::bit_cast<float>(static_cast<std::uint32_t>(counted("red" + space + ".add.f32 [%o], %f;"))) == static_cast<float>(kUpdates));
    CHECK(std::bit_cast<double>(counted("red" + space + ".add.f64 [%o], %d;")) == static_cast<double>(kUpdates));
  }
}

}  // namespace bascule::ptx_models
