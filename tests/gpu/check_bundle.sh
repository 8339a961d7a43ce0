#!/bin/sh
# The bundle runs where nothing else of ours is: unpacked under another path, with this machine's processor as its device.
# Usage: check_bundle.sh BUILD_DIRECTORY WORK_DIRECTORY CMAKE
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
build=$1 work=$2 cmake=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
unset BASCULE_PLUGIN_PATH
sh "$here/make_bundle.sh" "$build" "$cmake" "$work/made"
mkdir "$work/elsewhere"
tar -xzf "$work/made/bascule-gpu.tar.gz" -C "$work/elsewhere"
rm -rf "$work/made/bascule-gpu"
cd /
code=0
"$work/elsewhere/bascule-gpu/run" --vendor cpu --suite quick --bench-time 0.01 --kernel stream_copy_f32 --kernel rms_norm_f32 --out "$work/cpu" \
  >"$work/cpu.txt" 2>&1 || code=$?
[ "$code" = 0 ] || { cat "$work/cpu.txt"; fail "exit code $code"; }
is cpu "conformance core" passed
is cpu "selftest rms_norm_f32" passed
is cpu "bench rms_norm_f32" passed
says cpu.txt "run complete"
says cpu/logs/00-doctor.out.txt "$work/elsewhere/bascule-gpu/lib/bascule/plugins"

code=0
"$work/elsewhere/bascule-gpu/run-amd" --driver "$work/libamdhip64.so.6" --out "$work/amd" >"$work/amd.txt" 2>&1 || code=$?
[ "$code" = 3 ] || { cat "$work/amd.txt"; fail "run-amd: exit code $code, expected 3"; }
says amd.txt "libamdhip64.so.6"

echo "--- packed, from the repository's script"
code=0
GPU_RUN_BUILD=$work/made sh "$here/run" --vendor cpu --no-conformance --no-bench --kernel stream_copy_f32 --out "$work/packed" >"$work/packed.txt" 2>&1 || code=$?
[ "$code" = 0 ] || { cat "$work/packed.txt"; fail "packed: exit code $code"; }
