#!/bin/sh
# What `bascule check` says about right, faulty and unverified kernels, with its exit codes.
# Then `bascule run` with the engine's options, and `bascule ptx check`, on a PTX file made from plain.cu.
# Usage: check.sh BASCULE FAULTY_PACKAGE UNVERIFIED_PACKAGE VERIFIED_PACKAGE PTX
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -u
bascule=$1 faulty=$2 unverified=$3 verified=$4 ptx=$5
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# expect CODE ARGUMENT...: runs `bascule check ARGUMENT...`; its output stays in $output.
expect() {
  code=$1
  shift
  "$bascule" check "$@" >"$output" 2>&1
  got=$?
  if [ $got -ne "$code" ]; then
    cat "$output"
    echo "check $*: exit code $got, expected $code" >&2
    exit 1
  fi
}
# says PATTERN...: each stands in the output.
says() {
  for pattern in "$@"; do
    grep -q "$pattern" "$output" || { cat "$output"; echo "not there: $pattern" >&2; exit 1; }
  done
}

expect 0 "$verified"
says "^ok  *axpb: ptx_sm_80" "not run  *axpb: spirv" "compared with reference"
expect 0 "$verified" --json --seeds 1 --seed 5
says '"verdict": "ok"' '"failed": 0'
expect 6 "$unverified"
says "^UNVERIFIED  *axpb: ptx_sm_80" "add a REFERENCE"
expect 4 "$faulty"
says "^FAILED  *shifted: ptx_sm_80" "^FAILED  *halved: ptx_sm_80" "^ok  *doubled: ptx_sm_80" "faulty.kernel.cpp:7"
expect 4 "$faulty" --kernel halved
says "y\[[0-9]*\] is .*, expected" "1 failed"
expect 0 "$faulty" --kernel doubled --seeds 2
expect 2 "$faulty" --kernel nothing
expect 2 /nowhere.bpkg

# saxpy ELEMENTS OPTION...: y = 2 x + 0 for four elements of memory.
saxpy() {
  elements=$1
  shift
  "$bascule" run "$ptx:saxpy" --backend cpu --grid 1 --block 32 "$@" "i32:$elements" f32:2 in:f32:=1,2,3,4 u64:0 u64:4 \
    out:f32:4:- u64:0 u64:4 >"$output" 2>&1
}
saxpy 4 && says "2 4 6 8"
saxpy 4 --sanitize --seed 3 && says "2 4 6 8"
saxpy 4 --stats && says "PTX statistics" "executed_lanes"
if saxpy 5 --sanitize; then
  cat "$output"
  echo "the fifth element of four was not found" >&2
  exit 1
fi
says "plain.cu:8"

"$bascule" ptx check "$ptx" >"$output" 2>&1 || { cat "$output"; exit 1; }
says "^kernel saxpy" "^kernel votes" "0 instructions that cannot run"
"$bascule" ptx check "$ptx" --json >"$output" && says '"kernels"'
echo "not PTX at all" >"$output.ptx"
"$bascule" ptx check "$output.ptx" >"$output" 2>&1
got=$?
rm -f "$output.ptx"
[ $got -eq 2 ] || { cat "$output"; echo "ptx check of no PTX: exit code $got, expected 2" >&2; exit 1; }
