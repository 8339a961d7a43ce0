#!/bin/sh
# What the kernel compiler refuses, each with its reason.
# Usage: refusals.sh KERNEL_COMPILER CLANG SOURCE_ROOT
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -u
tool=$1 clang=$2 root=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
result=0

# refused TARGET TEXT: the source on standard input is refused for that target, and the message has the text.
refused() {
  { echo '#include <bascule/device.hpp>'; cat; } >"$work/x.kernel.cpp"
  if "$tool" --name x --directory "$work/out" --target "$1" --compiler "$clang" --include "$root/kernels/include" \
    --include "$root/core/include" "$work/x.kernel.cpp" >"$work/log" 2>&1; then
    echo "not refused: $2" >&2
    result=1
  elif ! grep -q "$2" "$work/log"; then
    cat "$work/log"
    echo "the message has not: $2" >&2
    result=1
  fi
}

refused cpu "parameter 'flag' has the type bool" <<'S'
BASCULE_KERNEL void k(bool flag) {}
S
refused cpu "has the type Pair" <<'S'
struct Pair { int a, b; };
BASCULE_KERNEL void k(Pair pair) {}
S
refused cpu "is a template" <<'S'
template <class T> BASCULE_KERNEL void k(bsc::in<T> x) {}
S
refused cpu "returns a value" <<'S'
BASCULE_KERNEL int k(bsc::in<float> x) { return 1; }
S
refused cpu "no BASCULE_KERNEL" <<'S'
inline void k(bsc::in<float> x) {}
S
refused cpu "'lenght' is not known" <<'S'
BASCULE_CONTRACT(k, lenght(x, 4))
BASCULE_KERNEL void k(bsc::in<float> x) {}
S
refused cpu "names no kernel" <<'S'
BASCULE_CONTRACT(other, nan(none))
BASCULE_KERNEL void k(bsc::in<float> x) {}
S
refused cpu "x.kernel.cpp:2:.*error: " <<'S'
BASCULE_KERNEL void k(bsc::in<float> x) { y[0] = 1; }
S
refused spirv "dynamic shared memory is not available on the target spirv" <<'S'
BASCULE_KERNEL void k(bsc::out<float> y) { y[0] = bsc::dynamic_shared<float>()[0]; }
S
refused spirv "is a plain pointer" <<'S'
BASCULE_KERNEL void k(float* y) { y[0] = 1; }
S
refused hip:gfx942 "bsc::print is not available" <<'S'
BASCULE_KERNEL void k(bsc::out<float> y) { bsc::print("hello"); }
S
refused hip:gfx942 "has no 16 x 8 x 16 matrix fragments" <<'S'
BASCULE_KERNEL void k(bsc::out<float> y) {
  bsc::matrix_d d{};
  bsc::multiply_add(d, bsc::matrix_a<bsc::f16>{}, bsc::matrix_b<bsc::f16>{});
  y[0] = d.value[0];
}
S
refused opencl "is no target" <<'S'
BASCULE_KERNEL void k(bsc::out<float> y) {}
S
exit $result
