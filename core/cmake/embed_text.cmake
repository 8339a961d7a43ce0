# Turns a text file into a C++ header with one constant. Run by bascule_embed_text() as a script:
#   cmake -DINPUT=... -DOUTPUT=... -DNAME=kernels/stream/copy.cl -P embed_text.cmake
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
get_filename_component(folder "${NAME}" DIRECTORY)
get_filename_component(folder "${folder}" NAME)
get_filename_component(file "${NAME}" NAME)
string(MAKE_C_IDENTIFIER "${folder}_${file}" identifier)

# Hexadecimal bytes rather than a raw string: CMake would mangle brackets and semicolons of the text on the way.
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
string(REGEX REPLACE "(('..?x..',){20})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "// The text of ${NAME}, made by the build.
#pragma once
namespace bascule::embedded {
inline constexpr char ${identifier}[] = {
${bytes}'\\0'};
}  // namespace bascule::embedded
")
