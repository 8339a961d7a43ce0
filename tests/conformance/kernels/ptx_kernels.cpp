// The suite's kernels in PTX. Those that differ only in the size of a value are made from one text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/kernels/ptx_kernels.hpp"

#include <fmt/format.h>

namespace bascule::conformance {
namespace {

// Registers and the thread's index, in %i.
constexpr const char* kBegin = R"(  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<10>; .reg .b64 %i; .reg .f32 %f<4>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mul.wide.u32 %i, %r1, %r2;
  mov.u32 %r3, %tid.x; cvt.u64.u32 %d9, %r3; add.u64 %i, %i, %d9;
)";

// The address of element %i of a buffer, in %d1; leaves if it lies beyond the buffer.
std::string element(std::uint64_t bytes) {
  return fmt::format(R"(  ld.param.u64 %d1, [base]; ld.param.u64 %d2, [offset]; ld.param.u64 %d3, [length];
  setp.ge.u64 %p, %i, %d3; @%p bra end;
  add.u64 %d1, %d1, %d2; mul.lo.u64 %d4, %i, {}; add.u64 %d1, %d1, %d4;
)",
                     bytes);
}

// The address of a buffer of at least so many elements, in %d1; only the first thread goes on.
std::string first_thread(std::uint64_t elements) {
  return fmt::format(R"(  ld.param.u64 %d1, [base]; ld.param.u64 %d2, [offset]; ld.param.u64 %d3, [length];
  setp.ne.u64 %p, %i, 0; @%p bra end;
  setp.lt.u64 %p, %d3, {}; @%p bra end;
  add.u64 %d1, %d1, %d2;
)",
                     elements);
}

constexpr const char* kBuffer = ".param .u64 base, .param .u64 offset, .param .u64 length";

std::string kernel(const std::string& name, const std::string& parameters, const std::string& body) {
  return fmt::format(".visible .entry {}({}) {{\n{}{}end:\n  ret;\n}}\n", name, parameters, kBegin, body);
}

std::string fill_index(std::uint64_t bytes) {
  const std::uint64_t bits = 8 * bytes;
  return kernel(fmt::format("fill_index_{}", bytes), fmt::format("{}, .param .u{} start", kBuffer, bits),
                element(bytes) + fmt::format("  ld.param.u{0} %d5, [start]; add.u64 %d5, %d5, %i; st.global.u{0} [%d1], %d5;\n", bits));
}

// Byte by byte: the result lies at any address.
std::string echo(std::uint64_t bytes) {
  const std::string value = bytes == 16 ? ".param .align 16 .b8 value[16]" : fmt::format(".param .u{} value", 8 * bytes);
  std::string body = first_thread(bytes + 2) + "  ld.param.u8 %r4, [before]; st.global.u8 [%d1], %r4;\n";
  for (std::uint64_t i = 0; i < bytes; ++i) {
    if (bytes == 16) {
      body += fmt::format("  ld.param.u8 %r4, [value+{}]; st.global.u8 [%d1+{}], %r4;\n", i, i + 1);
    } else {
      body += fmt::format("  ld.param.u{} %d5, [value]; shr.u64 %d5, %d5, {}; st.global.u8 [%d1+{}], %d5;\n", 8 * bytes, 8 * i, i + 1);
    }
  }
  body += fmt::format("  ld.param.u8 %r4, [after]; st.global.u8 [%d1+{}], %r4;\n", bytes + 1);
  return kernel(fmt::format("echo_{}", bytes), ".param .u8 before, " + value + ", .param .u8 after, " + kBuffer, body);
}

std::string echo_mixed() {
  std::string body = first_thread(5);
  constexpr const char* kNames[] = {"a", "b", "c", "d", "e"};
  constexpr int kBits[] = {8, 64, 16, 32, 8};
  for (int i = 0; i < 5; ++i) body += fmt::format("  ld.param.u{} %d5, [{}]; st.global.u64 [%d1+{}], %d5;\n", kBits[i], kNames[i], 8 * i);
  return kernel("echo_mixed", std::string(".param .u8 a, .param .u64 b, .param .u16 c, .param .u32 d, .param .u8 e, ") + kBuffer, body);
}

std::string axpy() {
  return kernel("axpy", std::string(".param .f32 a, .param .u64 x_base, .param .u64 x_offset, .param .u64 x_length, ") + kBuffer,
                element(4) + R"(  ld.param.u64 %d5, [x_base]; ld.param.u64 %d6, [x_offset]; ld.param.u64 %d7, [x_length];
  setp.ge.u64 %p, %i, %d7; @%p bra end;
  add.u64 %d5, %d5, %d6; add.u64 %d5, %d5, %d4;
  ld.param.f32 %f1, [a]; ld.global.f32 %f2, [%d5]; ld.global.f32 %f3, [%d1];
  mul.rn.f32 %f2, %f1, %f2; add.rn.f32 %f3, %f3, %f2; st.global.f32 [%d1], %f3;
)");
}

std::string add_one() {
  return kernel("add_one", kBuffer, element(4) + "  ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, 1; st.global.u32 [%d1], %r4;\n");
}

// Each block reverses its own elements through shared memory.
std::string reverse_block() {
  return kernel("reverse_block", std::string(kBuffer) + ", .param .u64 room", R"(  ld.param.u64 %d1, [base]; ld.param.u64 %d2, [offset]; ld.param.u64 %d3, [length];
  add.u64 %d1, %d1, %d2; mul.lo.u64 %d4, %i, 4; add.u64 %d1, %d1, %d4;
  ld.param.u64 %d5, [room]; mov.u64 %d6, dynamic; add.u64 %d5, %d5, %d6;
  mul.wide.u32 %d6, %r3, 4; add.u64 %d6, %d5, %d6;
  sub.u32 %r5, %r2, 1; sub.u32 %r5, %r5, %r3; mul.wide.u32 %d7, %r5, 4; add.u64 %d7, %d5, %d7;
  setp.lt.u64 %p, %i, %d3;
  mov.u32 %r4, 0;
  @%p ld.global.u32 %r4, [%d1];
  st.shared.u32 [%d6], %r4;
  bar.sync 0;
  ld.shared.u32 %r4, [%d7];
  @%p st.global.u32 [%d1], %r4;
)");
}

// Work that takes long: so many nanoseconds by the device's clock.
std::string nap() {
  return kernel("nap", std::string(".param .u64 nanoseconds, ") + kBuffer, first_thread(1) + R"(  ld.param.u64 %d5, [nanoseconds];
  mov.u64 %d6, %globaltimer;
again:
  mov.u64 %d7, %globaltimer; sub.u64 %d7, %d7, %d6;
  setp.lt.u64 %p, %d7, %d5; @%p bra again;
  ld.global.u64 %d5, [%d1]; add.u64 %d5, %d5, 1; st.global.u64 [%d1], %d5;
)");
}

// Work that fails.
std::string fail() { return kernel("fail", "", "  trap;\n"); }

}  // namespace

std::string ptx_kernels() {
  std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n";
  for (const std::uint64_t bytes : {1, 2, 4, 8}) text += fill_index(bytes);
  for (const std::uint64_t bytes : {1, 2, 4, 8, 16}) text += echo(bytes);
  return text + echo_mixed() + axpy() + add_one() + reverse_block() + nap() + fail();
}

}  // namespace bascule::conformance
