// SGEMM for one CPU level: checks the call, then picks the path for its shape. See sgemm_arguments.hpp for the
// contract. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/host_entries.hpp"
#include "../common/rows.hpp"
#include "sgemm_arguments.hpp"
#include "sgemm_skinny.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE::sgemm {
namespace {

// Below this many multiply-adds one thread is faster than a team that has to meet.
constexpr double kOneThreadProducts = 64.0 * 64.0 * 64.0;

constexpr uint64_t kSingleColumns = 512;  // columns of a block of B when there is no shared memory to hold more
constexpr uint64_t kMostMembers = 256;

constexpr uint64_t whole_lines(uint64_t floats) { return ceil_div(floats, 16) * 16; }

constexpr uint64_t kPrivateFloats = whole_lines(larger(kPackedAFloats, kSkinnyFloats));
constexpr uint64_t kSharedFloats = 2 * whole_lines(kPackedBFloats(kBlockColumns));
constexpr uint64_t kSingleFloats = kPrivateFloats + 2 * whole_lines(kPackedBFloats(kSingleColumns));

bool valid(const sgemm_arguments& x) {
  if (x.transpose_a > 1 || x.transpose_b > 1 || !holds_rows(x.c, x.m, x.n, x.ldc)) return false;
  if (x.alpha == 0.0f || x.m == 0 || x.n == 0) return true;  // A and B are not read
  return (x.transpose_a != 0 ? holds_rows(x.a, x.k, x.m, x.lda) : holds_rows(x.a, x.m, x.k, x.lda)) &&
         (x.transpose_b != 0 ? holds_rows(x.b, x.n, x.k, x.ldb) : holds_rows(x.b, x.k, x.n, x.ldb));
}

operand make_operand(const bsc_host_span& span, uint64_t leading, bool depth_is_contiguous) {
  const auto* data = static_cast<const float*>(span.data);
  return depth_is_contiguous ? operand{data, leading, 1} : operand{data, 1, leading};
}

// C = beta * C
void scale(const sgemm_arguments& x, const member& me) {
  auto* const c = static_cast<float*>(x.c.data);
  const range rows = share_of(x.m, me.size, me.rank);
  for (uint64_t i = rows.begin; i < rows.end; ++i)
    for (uint64_t j = 0; j < x.n; ++j) {
      float& element = c[i * x.ldc + j];
      element = x.beta == 0.0f ? 0.0f : x.beta * element;
    }
}

void multiply(const sgemm_arguments& x, const member& me, uint64_t block_columns, float* scratch,
              float* const (&packed_b)[2]) {
  auto* const c = static_cast<float*>(x.c.data);
  const operand a = make_operand(x.a, x.lda, x.transpose_a == 0);
  const operand b = make_operand(x.b, x.ldb, x.transpose_b != 0);
  if (x.m <= kSkinnyLimit && x.m <= x.n)
    multiply_skinny({a, b, x.m, x.n, x.k, x.alpha, x.beta, c, x.ldc, 1}, me, scratch);
  else if (x.n <= kSkinnyLimit)
    multiply_skinny({b, a, x.n, x.m, x.k, x.alpha, x.beta, c, 1, x.ldc}, me, scratch);
  else
    multiply_blocked({a, b, x.m, x.n, x.k, x.alpha, x.beta, c, x.ldc}, me, block_columns, scratch, packed_b);
}

bsc_status run(const sgemm_arguments& x, member me, uint64_t block_columns, float* scratch, float* shared) {
  if (!valid(x)) return BSC_INVALID_ARGUMENT;
  if (x.m == 0 || x.n == 0) return BSC_OK;
  if (double(x.m) * double(x.n) * double(x.k) < kOneThreadProducts) {
    if (me.rank != 0) return BSC_OK;
    me.size = 1;
  }
  if (x.alpha == 0.0f || x.k == 0)
    scale(x, me);
  else
    multiply(x, me, block_columns, scratch, {shared, shared + whole_lines(kPackedBFloats(block_columns))});
  return BSC_OK;
}

bsc_status run_team(const void* blob, uint64_t, uint64_t, uint32_t worker, void* scratch, bsc_host_team* team) {
  const member me = team != nullptr ? member{worker, team->size, team} : member{0, 1, nullptr};
  if (team == nullptr) return BSC_INVALID_ARGUMENT;
  return run(*static_cast<const sgemm_arguments*>(blob), me, kBlockColumns, static_cast<float*>(scratch),
             static_cast<float*>(team->shared));
}

bsc_status run_single(const void* blob, uint64_t begin, uint64_t, uint32_t, void* scratch, bsc_host_team*) {
  if (begin != 0) return BSC_OK;
  auto* const memory = static_cast<float*>(scratch);
  return run(*static_cast<const sgemm_arguments*>(blob), {0, 1, nullptr}, kSingleColumns, memory,
             memory + kPrivateFloats);
}

constexpr bsc_host_entry kTable[] = {
    {"sgemm_f32_" BASCULE_CPU_SUFFIX, run_team, sizeof(sgemm_arguments), kPrivateFloats * sizeof(float),
     kSharedFloats * sizeof(float), BSC_HOST_TEAM, kMostMembers},
    {"sgemm_f32_single_" BASCULE_CPU_SUFFIX, run_single, sizeof(sgemm_arguments), kSingleFloats * sizeof(float), 0, 0,
     0},
};

}  // namespace
}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE::sgemm

namespace bascule::kernels::BASCULE_CPU_NAMESPACE {
constexpr host_entries sgemm_entries = {sgemm::kTable, sizeof(sgemm::kTable) / sizeof(sgemm::kTable[0])};
}
