#!/bin/sh
# The run keeps its promises when its children do not: one hangs, one crashes, one is wrong; the time is up; the run is killed; the
# results cannot be written. The children are planted/bascule.
# Usage: check_planted.sh BUILD_DIRECTORY WORK_DIRECTORY CMAKE
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
build=$1 work=$2 cmake=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
prefix=$work/prefix
mkdir -p "$prefix/bin"
ln -s "$build/lib" "$build/libexec" "$prefix/"
ln -s "$here/planted/bascule" "$prefix/bin/bascule"
PLANTED_NOTES=$work
export PLANTED_NOTES
planted="--prefix $prefix --no-peers"
alive() { kill -0 "$(cat "$work/grandchild")" 2>/dev/null; }

echo "--- one hangs, one crashes, one is wrong, one fails, one is right"
# shellcheck disable=SC2086  # a list of words
expect 4 faults $planted --child-limit 3 --kernel stream_copy_f32 --kernel stream_scale_f32 --kernel stream_add_f32 --kernel stream_dot_f32 --kernel stream_triad_f32
is faults "conformance core" passed
is faults "selftest stream_copy_f32" "TIMED OUT"
is faults "bench stream_copy_f32" skipped
is faults "selftest stream_scale_f32" CRASHED
is faults "selftest stream_add_f32" WRONG
is faults "selftest stream_dot_f32" FAILED
is faults "selftest stream_triad_f32" passed
is faults "bench stream_triad_f32" passed
says faults.txt "SIGSEGV"
says faults.txt "its last words: bascule: about to hang"
says faults.txt "ptx_sm80, n=3: it computes nothing"
says faults.txt "skipped, its selftest did not pass: bench stream_copy_f32"
says faults/report.html "about to crash"
says faults/bench.json "stream_triad_f32 n=1"
case $(field faults rows 0 median_ns) in 1001 | 1001.0) ;; *) fail "run.json has another median: $(field faults rows 0)" ;; esac
[ "$(field faults state)" = complete ] || fail "the run did not go to its end"
[ "$(field faults exit_code)" = 4 ] || fail "run.json has another exit code"
if alive; then fail "what the hanging child had started lives on"; fi

echo "--- the time is up"
# shellcheck disable=SC2086
expect 5 late $planted --no-conformance --no-bench --time-limit 3 --kernel reduce_sum_f32 --kernel stream_copy_f32 --kernel stream_triad_f32 --kernel rms_norm_f32
is late "selftest reduce_sum_f32" passed
is late "selftest stream_copy_f32" skipped
is late "selftest rms_norm_f32" skipped
says late.txt "no time left"
[ "$(field late state)" = "out of time" ] || fail "it does not say that the time was up"

wait_for() { # until the hanging child says so
  for _ in $(seq 600); do
    if grep -qF -- "$2" "$work/$1"/logs/*selftest-stream_copy_f32.err.txt 2>/dev/null; then return; fi
    sleep 0.1
  done
  fail "$1: its hanging child never said: $2"
}
begin() { # NAME: a run that hangs in its second kernel
  # shellcheck disable=SC2086
  "$program" $planted --no-conformance --kernel stream_triad_f32 --kernel stream_copy_f32 --out "$work/$1" >"$work/$1.txt" 2>&1 &
  runner=$!
  wait_for "$1" "about to hang"
}

echo "--- it is killed"
begin killed
kill -KILL "$runner"
wait "$runner" 2>/dev/null || true
is killed "selftest stream_triad_f32" passed
is killed "selftest stream_copy_f32" running
[ "$(field killed state)" = running ] || fail "it says that it is at its end"
says killed/report.html "the run was killed"
says killed/bench.json "stream_triad_f32 n=1"

echo "--- it is asked to end"
begin stopped
kill -TERM "$runner"
code=0
wait "$runner" || code=$?
[ "$code" = 6 ] || { cat "$work/stopped.txt"; fail "exit code $code, expected 6"; }
[ "$(field stopped state)" = interrupted ] || fail "it does not say that it was interrupted"
is stopped "bench stream_triad_f32" passed
is stopped "bench stream_copy_f32" skipped
if alive; then fail "its children live on"; fi

echo "--- no device"
# shellcheck disable=SC2086
PLANTED_DEVICE=no expect 3 deviceless $planted
says deviceless.txt "no card is plugged in"
says deviceless/report.html "no card is plugged in"

echo "--- results cannot be written"
: >"$work/a_file"
expect 7 a_file --prefix "$prefix" --kernel stream_triad_f32
says a_file.txt "--out"
mkdir -p "$work/full"
if unshare -m true 2>/dev/null && [ "$(id -u)" = 0 ]; then
  code=0
  # A disk of which the first results take all, and the next ones find none.
  unshare -m sh -c "mount -t tmpfs -o size=24k tmpfs '$work/full' && '$program' $planted --kernel stream_triad_f32 --kernel rms_norm_f32 --out '$work/full'" \
    >"$work/full.txt" 2>&1 || code=$?
  [ "$code" = 7 ] || { cat "$work/full.txt"; fail "full disk: exit code $code, expected 7"; }
  says full.txt "No space left"
else
  echo "(a full disk is not tried: it takes root)"
fi
