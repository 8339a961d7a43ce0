#!/bin/sh
# Packs build/bascule-gpu.tar.gz: the installed programs and libraries with what a run on a machine with a GPU needs besides, stripped.
# Refuses a bundle that a bare machine could not start: a library that it lacks, symbols newer than its C library, or more than
# 60 MiB. Started by the target gpu_bundle.
# Usage: make_bundle.sh BUILD_DIRECTORY CMAKE [OUTPUT_DIRECTORY]     (the build directory, if no other is given)
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
build=$1 cmake=$2 output=${3:-$1}
name=bascule-gpu
mkdir -p "$output"
bundle=$output/$name
archive=$output/$name.tar.gz
limit=$((60 * 1024 * 1024))
# Of Ubuntu 22.04, the oldest that must do.
newest_glibc=2.35 newest_libstdcxx=3.4.30

fail() { echo "make_bundle.sh: $1" >&2; exit 1; }

rm -rf "$bundle" "$archive"
for component in runtime gpu_run; do
  "$cmake" --install "$build" --prefix "$bundle" --component "$component" --strip >"$output/$name.log" || fail "installing failed, see $output/$name.log"
done

# newer FILE PREFIX LIMIT: the versions of symbols that the file needs and that are above the limit.
newer() {
  objdump -T "$1" 2>/dev/null | grep -o "$2_[0-9.]*" | sed "s/^$2_//" | sort -uV |
    while read -r version; do
      [ "$(printf '%s\n%s\n' "$version" "$3" | sort -V | tail -n 1)" = "$3" ] || echo "$version"
    done
}
find "$bundle" -type f \( -perm -u+x -o -name '*.so*' \) | while read -r file; do
  needed=$(objdump -p "$file" 2>/dev/null | awk '$1 == "NEEDED" { print $2 }') || continue
  for library in $needed; do
    case $library in
      libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | ld-linux-x86-64.so.2 | libstdc++.so.6 | libgcc_s.so.1) ;;
      libbascule*.so.0) ;;
      *) fail "$file needs $library, which is neither in the bundle nor on a bare machine" ;;
    esac
  done
  above="$(newer "$file" GLIBC "$newest_glibc") $(newer "$file" GLIBCXX "$newest_libstdcxx")"
  [ -z "$(echo "$above" | tr -d ' \n')" ] || fail "$file needs symbols of $above, newer than Ubuntu 22.04 has"
done
if grep -rqF "$build" "$bundle"; then
  fail "these name the build directory: $(grep -rlF "$build" "$bundle" | tr '\n' ' ')"
fi

tar -C "$output" --owner=0 --group=0 --sort=name --mtime=@0 -czf "$archive" "$name"
bytes=$(stat -c %s "$archive")
[ "$bytes" -le "$limit" ] || fail "$archive has $bytes bytes, more than $limit"
images=$(strings -n 6 "$bundle"/lib/libbascule_kernels.so.0 | grep -oE '"target":"(sm_[0-9]+a?|gfx[0-9a-f]+)"' | sort -u | sed 's/.*:"//; s/"//' | tr '\n' ' ')
echo "$archive: $((bytes / 1024)) KiB; images for ${images:-no GPU: install clang-22 and lld-22}"
