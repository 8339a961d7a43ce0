// For Clang without a CUDA toolkit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" __attribute__((global)) void saxpy(float a, const float* x, float* y, int n) {
  const int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i < n) y[i] = a * x[i] + y[i];
}
