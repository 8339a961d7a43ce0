#!/bin/sh
# Installs the build into a fresh prefix, moves the prefix elsewhere, and builds and runs outside programs against it:
# two by find_package, one by pkg-config. Nothing of the build tree is visible to them.
# Usage: check_installed.sh BUILD_DIRECTORY WORK_DIRECTORY CMAKE C_COMPILER CXX_COMPILER yes|no
# The last: whether there is a compiler for kernels in the dialect.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
build=$1 work=$2 cmake=$3 cc=$4 cxx=$5 dialect=$6
here=$(cd "$(dirname "$0")" && pwd)

rm -rf "$work"
mkdir -p "$work"
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix" # what was installed must not depend on where it was installed to
prefix=$work/prefix

unset BASCULE_PLUGIN_PATH BASCULE_CONFIG BASCULE_BACKENDS BASCULE_DEVICE LD_LIBRARY_PATH
cd "$work" # neither the build tree nor the prefix

echo "--- exported names"
# shellcheck disable=SC2046  # no white space in these paths
sh "$here/check_exports.sh" $(find "$prefix" -name '*.so')

echo "--- no trace of the build tree"
if grep -rlF "$build" "$prefix"; then
  echo "the files above name the build directory $build" >&2
  exit 1
fi

# build_outside SOURCE NAME: configures and builds a CMake project against the prefix, in $work/NAME.
build_outside() {
  "$cmake" -S "$1" -B "$work/$2" "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_CXX_COMPILER=$cxx" >"$work/$2.log" 2>&1 ||
    { cat "$work/$2.log"; exit 1; }
  "$cmake" --build "$work/$2"
}

echo "--- find_package: the own-kernel example on each backend"
build_outside "$here/../../docs/examples/own_kernel" own_kernel
for backend in cpu opencl null; do
  BASCULE_BACKENDS=$backend "$work/own_kernel/bascule-example-own-kernel" | tee "$work/$backend.txt"
  grep -q "^selection: $backend:0" "$work/$backend.txt" || { echo "did not run on $backend" >&2; exit 1; }
done
grep -q "^result: *correct" "$work/cpu.txt"
grep -q "^result: *correct" "$work/opencl.txt"

echo "--- find_package: the kernel library"
build_outside "$here/cmake" kernel_names
"$work/kernel_names/kernel_names"

if [ "$dialect" = yes ]; then
  echo "--- find_package: a kernel in the dialect, executed by the cpu device"
  build_outside "$here/../../docs/examples/dialect" dialect
  BASCULE_BACKENDS=cpu "$work/dialect/bascule-example-dialect" | tee "$work/dialect.txt"
  grep -q "^variant: *ptx_sm_80" "$work/dialect.txt"
  grep -q "^result: *correct" "$work/dialect.txt"
  "$prefix/bin/bascule" explain "$work/dialect/demo.kernels/demo.bpkg" --backend cpu >"$work/explain.txt"
  grep -q "gfx1100" "$work/explain.txt" && grep -q "spirv" "$work/explain.txt" || { cat "$work/explain.txt"; exit 1; }
  if grep -qF "$work" "$work/dialect/demo.kernels/demo.bpkg"; then
    echo "the package names the directory it was built in" >&2
    exit 1
  fi

  echo "--- find_package: bascule check finds planted bugs, with their line"
  build_outside "$here/faulty" faulty
  code=0
  "$prefix/bin/bascule" check "$work/faulty/faulty.kernels/faulty.bpkg" >"$work/check.txt" || code=$?
  cat "$work/check.txt"
  [ "$code" = 4 ] || { echo "exit code $code, expected 4" >&2; exit 1; }
  grep -q "^FAILED  *shifted" "$work/check.txt"
  grep -q "faulty.kernel.cpp:7" "$work/check.txt"
  grep -q "^FAILED  *halved" "$work/check.txt"
  grep -q "^ok  *doubled" "$work/check.txt"
  "$prefix/bin/bascule" check "$work/dialect/demo.kernels/demo.bpkg"
  "$prefix/bin/bascule" ptx check "$work/dialect/demo.kernels/axpb.sm_80.ptx"
fi

echo "--- pkg-config"
pkgconfig=$(dirname "$(find "$prefix" -name bascule.pc)")
PKG_CONFIG_PATH=$pkgconfig
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir bascule)
# shellcheck disable=SC2046  # a list of options
"$cc" -std=c11 -Wall -Wextra -Werror "$here/pkg-config/axpb.c" -o "$work/axpb_c" \
  $(pkg-config --cflags --libs bascule) "-Wl,-rpath,$libdir"
"$work/axpb_c"

echo "--- the installed program"
"$prefix/bin/bascule" --version
"$prefix/bin/bascule" doctor --require cpu >"$work/doctor.txt"
grep -qF "$prefix" "$work/doctor.txt" || { cat "$work/doctor.txt"; echo "doctor does not use the installed plugins" >&2; exit 1; }
