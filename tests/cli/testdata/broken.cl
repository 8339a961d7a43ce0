// Does not compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__kernel void broken(__global float* y) { y[0] = undeclared_name; }
