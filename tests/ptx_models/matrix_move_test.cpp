// ldmatrix, stmatrix and movmatrix: 8x8 matrices of 16 bits between shared memory and the lanes of a warp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "tests/ptx_models/engine.hpp"
#include "tests/ptx_models/matrix_model.hpp"
#include "tests/ptx_models/sweep.hpp"
#include "tests/support/seed.hpp"

namespace bascule::ptx_models {
namespace {

/// `address` is %row (shared), %before+32 (the same), %row32 (the same in 32 bits) or %generic.
std::string matrix_move_text(bool store, bool transposed, int count, const std::string& address) {
  const std::string vector = vector_of("r", count);
  const std::string suffix = ".sync.aligned.m8n8.x" + std::to_string(count) + (transposed ? ".trans" : "") + (address.starts_with("%generic") ? ".b16 " : ".shared.b16 ");
  std::string text = module_header(store ? 90 : 80) + ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.shared .align 16 .b8 tile[1024];\n"
                     ".reg .b64 %o, %i, %x, %y, %row, %generic, %before;\n.reg .b32 %t, %r<4>, %v, %row32;\nld.param.u64 %o, [out];\nld.param.u64 %i, [in];\nmov.u32 %t, %tid.x;\n"
                     "mul.wide.u32 %x, %t, 16;\nadd.u64 %y, %i, %x;\nmov.u64 %row, tile;\nadd.u64 %row, %row, %x;\nsub.u64 %before, %row, 32;\ncvt.u32.u64 %row32, %row;\ncvta.shared.u64 %generic, %row;\n.reg .b32 %m<4>;\n";
  if (!store) {
    text += "ld.global.v4.b32 {%m0, %m1, %m2, %m3}, [%y];\nst.shared.v4.b32 [%row], {%m0, %m1, %m2, %m3};\nbar.warp.sync 0xffffffff;\n"
            "mov.b32 %r0, 0;\nmov.b32 %r1, 0;\nmov.b32 %r2, 0;\nmov.b32 %r3, 0;\nldmatrix" + suffix + vector + ", [" + address + "];\n"
            "add.u64 %y, %o, %x;\nst.global.v4.b32 [%y], {%r0, %r1, %r2, %r3};\nret;\n}\n";
  } else {
    text += "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%y];\nmov.b32 %v, 0;\nst.shared.v4.b32 [%row], {%v, %v, %v, %v};\nbar.warp.sync 0xffffffff;\nstmatrix" +
            suffix + "[" + address + "], " + vector + ";\nbar.warp.sync 0xffffffff;\nld.shared.v4.b32 {%m0, %m1, %m2, %m3}, [%row];\nadd.u64 %y, %o, %x;\n"
            "st.global.v4.b32 [%y], {%m0, %m1, %m2, %m3};\nret;\n}\n";
  }
  return text;
}

/// Where the e-th half of register r of a lane lies in shared memory: row l of matrix r is at the address of lane 8r + l.
std::size_t half_in_memory(int lane, int r, int e, bool transposed) {
  const int first = lane / 4, second = lane % 4 * 2 + e;
  const int row = transposed ? second : first, column = transposed ? first : second;
  return static_cast<std::size_t>((8 * r + row) * 8 + column);
}

void check_matrix_move(bool store, bool transposed, int count, const std::string& address, std::uint32_t level, Random& random) {
  std::vector<std::uint16_t> in(256), out(256), expected(256);
  for (auto& value : in) value = static_cast<std::uint16_t>(random.next());
  for (int lane = 0; lane < 32; ++lane) {
    for (int r = 0; r < count; ++r) {
      for (int e = 0; e < 2; ++e) {
        const auto in_register = static_cast<std::size_t>(lane * 8 + r * 2 + e);
        const std::size_t in_memory = half_in_memory(lane, r, e, transposed);
        store ? expected[in_memory] = in[in_register] : expected[in_register] = in[in_memory];
      }
    }
  }
  Module module(matrix_move_text(store, transposed, count, address), options_for_level(level));
  REQUIRE_MESSAGE(module.loaded(), module.error());
  const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(out.data()), reinterpret_cast<std::uint64_t>(in.data())};
  const bsc_status status = module.launch("k", {}, arguments, sizeof arguments);
  REQUIRE_MESSAGE(status == BSC_OK, module.error());
  CHECK_MESSAGE(out == expected, (store ? "stmatrix x" : "ldmatrix x") << count << (transposed ? " transposed" : "") << " at " << address);
}

}  // namespace

TEST_CASE("chapter matrix: ldmatrix, stmatrix and movmatrix put the halves where the ISA draws them") {
  Random random(test::seed());
  for (const std::uint32_t level : cpu_levels()) {
    for (const bool store : {false, true}) {
      for (const bool transposed : {false, true}) {
        for (const int count : {1, 2, 4}) {
          for (const char* address : {"%row", "%row32", "%generic", "%before+32"}) check_matrix_move(store, transposed, count, address, level, random);
        }
      }
    }
    std::vector<std::uint16_t> in(64), out(64);
    for (auto& value : in) value = static_cast<std::uint16_t>(random.next());
    Module module(module_header(80) +
                      ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b64 %o, %i, %x;\n.reg .b32 %t, %a, %d;\nld.param.u64 %o, [out];\n"
                      "ld.param.u64 %i, [in];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %x, %t, 4;\nadd.u64 %o, %o, %x;\nadd.u64 %i, %i, %x;\n"
                      "ld.global.b32 %a, [%i];\nmovmatrix.sync.aligned.m8n8.trans.b16 %d, %a;\nst.global.b32 [%o], %d;\nret;\n}\n",
                  options_for_level(level));
    REQUIRE_MESSAGE(module.loaded(), module.error());
    const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(out.data()), reinterpret_cast<std::uint64_t>(in.data())};
    REQUIRE(module.launch("k", {}, arguments, sizeof arguments) == BSC_OK);
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < 8; ++j) CHECK(out[8 * i + j] == in[8 * j + i]);
    }
  }
}

}  // namespace bascule::ptx_models
