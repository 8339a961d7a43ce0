#!/bin/sh
# The run on the drivers that a machine without a GPU has: none, the emulated one, the stand-in for HIP.
# Usage: check_drivers.sh BUILD_DIRECTORY WORK_DIRECTORY CMAKE STANDIN_HIP FAKE_BLAS_DIRECTORY
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
build=$1 work=$2 cmake=$3 standin=$4 blas=$5
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

echo "--- no driver"
expect 3 none --driver "$work/libcuda.so.1"
says none.txt "libcuda.so.1"
[ "$(field none state)" = "no device" ] || fail "it does not say that there is no device"
expect 2 unknown --emulated --kernel no_such_kernel
says unknown.txt "the kernels are "

echo "--- the emulated CUDA driver, with a library to compare with"
expect 0 emulated --emulated --no-conformance --suite quick --bench-time 0.01 --peer-directory "$blas" --kernel stream_copy_f32 --kernel gemm_bf16
is emulated "selftest gemm_bf16" passed
is emulated "bench gemm_bf16" passed
is emulated "peers gemm_bf16" passed
[ "$(field emulated emulated)" = ON ] || [ "$(field emulated emulated)" = true ] || fail "run.json does not say that it is emulated"
says emulated.txt "EMULATED: run complete on EMULATED"
says emulated.txt "cuBLASLt 13.0.1"
says emulated/report.html "<h1>EMULATED"
says emulated/bench.json "vendor library"
silent emulated/run.json median_ns
for file in emulated.txt emulated/report.html; do
  for unit in FLOP/s GB/s MB/s "&micro;s<" " us "; do silent $file "$unit"; done
done

echo "--- a library that is wrong gets no number"
FAKE_BLAS_WRONG=1 expect 0 wrong --emulated --no-conformance --suite quick --bench-time 0.01 --peer-directory "$blas" --kernel gemm_bf16
is wrong "peers gemm_bf16" WRONG
says wrong.txt "cuBLASLt 13.0.1 gives a wrong result"

echo "--- the stand-in for HIP computes nothing, and says so"
expect 1 standin --vendor amd --driver "$standin" --no-conformance --suite quick --bench-time 0.01 --kernel stream_copy_f32
is standin "selftest stream_copy_f32" FAILED
is standin "bench stream_copy_f32" skipped
says standin.txt "computes nothing"
