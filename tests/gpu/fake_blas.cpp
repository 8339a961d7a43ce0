// A stand-in for cuBLASLt in tests: the functions that bascule-gpu-peers uses, computed in f32 on the host. It works on memory of the
// emulated driver, whose addresses are this process's. FAKE_BLAS_WRONG=1: one element comes out wrong.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kTransposeA = 3, kTransposeB = 4;  // attributes of an operation

struct Operation {
  std::int32_t transpose[2] = {0, 0};
};
struct Layout {
  int type;
  std::uint64_t rows, columns;
  std::int64_t ld;
};

float element(const Layout& layout, std::uint64_t address, bool transposed, std::uint64_t row, std::uint64_t column) {
  const std::uint64_t index = transposed ? row * static_cast<std::uint64_t>(layout.ld) + column : column * static_cast<std::uint64_t>(layout.ld) + row;
  if (layout.type == 0) return reinterpret_cast<const float*>(address)[index];
  const std::uint32_t bits = std::uint32_t{reinterpret_cast<const std::uint16_t*>(address)[index]} << 16;  // bf16
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void store(const Layout& layout, std::uint64_t address, std::uint64_t index, float value) {
  if (layout.type == 0) {
    reinterpret_cast<float*>(address)[index] = value;
    return;
  }
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits += 0x7fff + (bits >> 16 & 1);
  reinterpret_cast<std::uint16_t*>(address)[index] = static_cast<std::uint16_t>(bits >> 16);
}

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE std::size_t cublasLtGetVersion() { return 130001; }
FAKE int cublasLtCreate(void** handle) {
  *handle = new int;
  return 0;
}
FAKE int cublasLtDestroy(void* handle) {
  delete static_cast<int*>(handle);
  return 0;
}
FAKE int cublasLtMatmulDescCreate(void** operation, int, int) {
  *operation = new Operation;
  return 0;
}
FAKE int cublasLtMatmulDescSetAttribute(void* operation, int attribute, const void* value, std::size_t bytes) {
  if ((attribute != kTransposeA && attribute != kTransposeB) || bytes != sizeof(std::int32_t)) return 7;
  std::memcpy(&static_cast<Operation*>(operation)->transpose[attribute - kTransposeA], value, bytes);
  return 0;
}
FAKE int cublasLtMatmulDescDestroy(void* operation) {
  delete static_cast<Operation*>(operation);
  return 0;
}
FAKE int cublasLtMatrixLayoutCreate(void** layout, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld) {
  *layout = new Layout{type, rows, columns, ld};
  return 0;
}
FAKE int cublasLtMatrixLayoutDestroy(void* layout) {
  delete static_cast<Layout*>(layout);
  return 0;
}
FAKE int cublasLtMatmulPreferenceCreate(void** preference) { return cublasLtCreate(preference); }
FAKE int cublasLtMatmulPreferenceDestroy(void* preference) { return cublasLtDestroy(preference); }
FAKE int cublasLtMatmulPreferenceSetAttribute(void*, int attribute, const void*, std::size_t bytes) { return attribute == 1 && bytes == 8 ? 0 : 7; }
FAKE int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int wanted, void* results, int* found) {
  if (wanted != 1) return 7;
  std::memset(results, 0, 96);
  *found = 1;
  return 0;
}
FAKE int cublasLtMatmul(void*, void* operation, const void*, std::uint64_t a, void* a_layout, std::uint64_t b, void* b_layout, const void*, std::uint64_t,
                        void*, std::uint64_t d, void* d_layout, const void*, std::uint64_t, std::size_t, void*) {
  const Operation& how = *static_cast<Operation*>(operation);
  const Layout &la = *static_cast<Layout*>(a_layout), &lb = *static_cast<Layout*>(b_layout), &ld = *static_cast<Layout*>(d_layout);
  const std::uint64_t inner = how.transpose[0] != 0 ? la.rows : la.columns;
  for (std::uint64_t column = 0; column < ld.columns; ++column) {
    for (std::uint64_t row = 0; row < ld.rows; ++row) {
      float sum = 0;
      for (std::uint64_t l = 0; l < inner; ++l) sum += element(la, a, how.transpose[0] != 0, row, l) * element(lb, b, how.transpose[1] != 0, l, column);
      store(ld, d, column * static_cast<std::uint64_t>(ld.ld) + row, sum);
    }
  }
  if (std::getenv("FAKE_BLAS_WRONG") != nullptr) store(ld, d, 0, 1e6f);
  return 0;
}
