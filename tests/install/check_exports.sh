#!/bin/sh
# Only our names leave our libraries: fails for a dynamic symbol defined in a given library that is not bsc_* or bascule_*,
# or, in an emulated driver, not a function of the driver that it stands for.
# Usage: check_exports.sh LIBRARY...
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
[ $# -gt 0 ] || { echo "check_exports.sh: no libraries given" >&2; exit 2; }
result=0
for library in "$@"; do
  symbols=$(nm -D --defined-only "$library" | awk '{ print $NF }')
  if [ -z "$symbols" ]; then
    echo "$library: exports nothing" >&2
    result=1
  fi
  case $library in
    */emulated/cuda/*) ours='^(bascule_[a-z0-9_]+|cu[A-Z][A-Za-z0-9]*(_v[0-9]+)?(_ptds|_ptsz)?)(@|$)' ;;
    *) ours='^(bsc|bascule)_[a-z0-9_]+(@|$)' ;;
  esac
  foreign=$(printf '%s\n' "$symbols" | grep -Ev "$ours" | c++filt || true)
  if [ -n "$foreign" ]; then
    echo "$library: exports names that are not ours:" >&2
    printf '%s\n' "$foreign" | sed 's/^/  /' >&2
    result=1
  fi
done
exit $result
