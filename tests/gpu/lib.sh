# Shared by the tests of the run: sourced with build=, work= and cmake= set.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
unset BASCULE_CONFIG BASCULE_BACKENDS BASCULE_DEVICE LD_LIBRARY_PATH
program=$build/libexec/bascule/bascule-gpu-run
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)

fail() { echo "FAILED: $1" >&2; exit 1; }

# expect CODE NAME ARGUMENT...: runs with --out WORK/NAME and what it prints in WORK/NAME.txt
expect() {
  expected=$1 name=$2
  shift 2
  code=0
  "$program" "$@" --out "$work/$name" >"$work/$name.txt" 2>&1 || code=$?
  [ "$code" = "$expected" ] || { cat "$work/$name.txt"; fail "$name: exit code $code, expected $expected"; }
}
says() { grep -qF -- "$2" "$work/$1" || { cat "$work/$1"; fail "$1 does not say: $2"; }; }
silent() { if grep -qF -- "$2" "$work/$1"; then cat "$work/$1"; fail "$1 says: $2"; fi; }

# field NAME PATH...: a value of WORK/NAME/run.json; fails where the file is no JSON
field() {
  file=$work/$1/run.json
  shift
  cat >"$work/field.cmake" <<CMAKE
file(READ "$file" text)
string(JSON value GET "\${text}" $*)
message(NOTICE "\${value}")
CMAKE
  "$cmake" -P "$work/field.cmake" 2>&1 || fail "$file: no valid JSON, or there is no $*"
}
# step NAME STEP: the state of the step of that name
step() {
  number=$(field "$1" steps | grep -c '"kind"')
  i=0
  while [ "$i" -lt "$number" ]; do
    if [ "$(field "$1" steps $i name)" = "$2" ]; then
      field "$1" steps $i state
      return
    fi
    i=$((i + 1))
  done
  fail "$1 has no step $2"
}
# is NAME STEP STATE
is() {
  state=$(step "$1" "$2")
  [ "$state" = "$3" ] || { cat "$work/$1.txt"; fail "$1: step $2 is $state, expected $3"; }
}
