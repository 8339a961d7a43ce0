#!/bin/sh
# make evidence must fail where a tool is missing or too old, on warnings C75xx and on spills. Usage: evidence_refusals.sh SOURCE_ROOT
# EXPANDER. Exit code 77, skipped, without Python. With a real ptxas and nvdisasm (PTXAS, NVDISASM or on the path) the planted
# files are assembled; without, stand-ins print what ptxas would.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -u
root=$1
expander=$2
command -v python3 >/dev/null || { echo "python3 is not here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# refused WORDS_OF_THE_MESSAGE OPTION...
refused() {
  expected=$1
  shift
  if python3 "$root/kernels/ptx/evidence/evidence.py" --root "$root" --expander "$expander" --only nvidia --print "$@" >"$work/out" 2>&1; then
    echo "not refused: $*"
    failures=$((failures + 1))
  elif ! grep -q -e "$expected" "$work/out"; then
    echo "refused, but not with '$expected': $(cat "$work/out")"
    failures=$((failures + 1))
  fi
}

# stand_in NAME RELEASE LINE...: a ptxas that prints these lines for every file.
stand_in() {
  name=$1
  release=$2
  shift 2
  {
    echo '#!/bin/sh'
    echo "if [ \"\$1\" = --version ]; then echo 'Cuda compilation tools, release $release, V$release.1'; exit 0; fi"
    for line in "$@"; do echo "echo \"$line\""; done
  } >"$work/$name"
  chmod +x "$work/$name"
}

planted=$root/tests/ptx_kernels/planted
stand_in old 12.8
stand_in nvdisasm 13.0
compiling="ptxas info    : Compiling entry function 'spills' for 'sm_80'"
stand_in warning 13.0 "$compiling" "ptxas warning : (C7508) Potential Performance Loss: 'setmaxnreg' ignored"
stand_in information 13.0 "$compiling" "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized"
stand_in spilling 13.0 "$compiling" "    24 bytes stack frame, 20 bytes spill stores, 20 bytes spill loads"

refused "is not here" --ptxas "$work/nothing" --nvdisasm "$work/nvdisasm" "$planted/spills_sm80.ptx"
refused "13.0 or newer" --ptxas "$work/old" --nvdisasm "$work/nvdisasm" "$planted/spills_sm80.ptx"
refused "is not here" --ptxas "$work/warning" --nvdisasm "$work/nothing" "$planted/spills_sm80.ptx"
refused "C7508" --ptxas "$work/warning" --nvdisasm "$work/nvdisasm" "$planted/spills_sm80.ptx"
refused "C7514" --ptxas "$work/information" --nvdisasm "$work/nvdisasm" "$planted/spills_sm80.ptx"
refused "spills registers" --ptxas "$work/spilling" --nvdisasm "$work/nvdisasm" "$planted/spills_sm80.ptx"

ptxas=${PTXAS:-$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)}
if [ -x "$ptxas" ] && "$ptxas" --version | grep -q 'release \(1[3-9]\|[2-9][0-9]\)'; then
  echo "with $ptxas"
  refused "spills registers" --ptxas "$ptxas" --nvdisasm "$work/nvdisasm" "$planted/spills_sm80.ptx"
  refused "C7508" --ptxas "$ptxas" --nvdisasm "$work/nvdisasm" "$planted/warns_sm90a.ptx"
fi
[ "$failures" = 0 ] && echo "all refused"
exit "$failures"
