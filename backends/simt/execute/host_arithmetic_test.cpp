// Guest arithmetic does not depend on the host's floating-point control.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/host_arithmetic.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "backends/simt/execute/test_engine.hpp"

namespace bascule::simt::test {

TEST_CASE("a host thread that flushes subnormals and rounds up runs kernels as any other, and stays as it was") {
  Engine engine(R"(
.visible .entry multiply(.param .u64 out) {
  .reg .u64 %p;
  .reg .f32 %a, %b;
  ld.param.u64 %p, [out];
  mov.f32 %a, 0f00400000;
  mul.f32 %b, %a, 0f3f000000;
  st.global.f32 [%p], %b;
  mov.f32 %a, 0f3f800000;
  add.f32 %b, %a, 0f2b800000;
  st.global.f32 [%p+4], %b;
  ret;
})");
  REQUIRE(engine.loaded().status == BSC_OK);
  const unsigned before = _mm_getcsr();
  constexpr unsigned kOdd = 0x1f80 | 0x8040 | 0x4000;  // flush to zero, denormals are zeros, rounding up
  float results[2] = {};
  _mm_setcsr(kOdd);
  const Outcome outcome = engine.run("multiply", {}, Arguments(&results[0]));
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  CHECK(outcome.status == BSC_OK);
  CHECK((after & ~0x3fu) == kOdd);  // the flags aside
  CHECK(std::bit_cast<std::uint32_t>(results[0]) == 0x00200000u);
  CHECK(results[1] == 1.0f);
}

}  // namespace bascule::simt::test
