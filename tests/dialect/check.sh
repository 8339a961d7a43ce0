#!/bin/sh
# What `bascule check` says about right, faulty and unverified kernels, with its exit codes.
# Usage: check.sh BASCULE FAULTY_PACKAGE UNVERIFIED_PACKAGE VERIFIED_PACKAGE
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -u
bascule=$1 faulty=$2 unverified=$3 verified=$4
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
