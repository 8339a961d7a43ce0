# What every target of the project is compiled and linked with.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)

# Where things lie in the build tree: the same relative places as in an installed prefix, so that libbascule.so finds its
# plugins and helper programs beside itself in both.
set(BASCULE_OUTPUT_BIN "${PROJECT_BINARY_DIR}/bin")
set(BASCULE_OUTPUT_LIB "${PROJECT_BINARY_DIR}/lib")
set(BASCULE_OUTPUT_PLUGINS "${PROJECT_BINARY_DIR}/lib/bascule/plugins")
set(BASCULE_OUTPUT_LIBEXEC "${PROJECT_BINARY_DIR}/libexec/bascule")
set(BASCULE_OUTPUT_TESTS "${PROJECT_BINARY_DIR}/tests/bin")
set(BASCULE_GENERATED "${PROJECT_BINARY_DIR}/generated")

set(BASCULE_ABI_VERSION 0) # the number in libbascule.so.0

# bascule_settings: an interface target that carries the flags common to all of our code.
add_library(bascule_settings INTERFACE)
target_compile_features(bascule_settings INTERFACE cxx_std_20)
target_compile_options(bascule_settings INTERFACE
  -Wall -Wextra
  # Same bits on every backend and in the reference: a fused multiply-add happens only where it is written.
  -ffp-contract=off
  # __FILE__ as in the repository: no build directory in what is shipped.
  "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/="
  # Inline functions with static variables must not tie two copies of a library together for the whole process.
  $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>
  # g++ 12 warns falsely about `"text" + std::string(...)` (GCC bug 105651, fixed in 13).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
# A compiler cache knows a precompiled header by what it holds, not by when it was made.
target_compile_options(bascule_settings INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
# Plugins report it as their build: it changes whenever the code does, and only then.
target_link_options(bascule_settings INTERFACE LINKER:--build-id=sha1)
if(BASCULE_WARNINGS_AS_ERRORS)
  target_compile_options(bascule_settings INTERFACE -Werror)
endif()
# Internal headers are included from the root ("core/base/result.hpp"), public ones as <bascule/bascule.h>.
target_include_directories(bascule_settings INTERFACE
  "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/core/include" "${PROJECT_SOURCE_DIR}/kernels/include"
  "${BASCULE_GENERATED}")
# bascule.h: our own objects are where the public functions are defined.
target_compile_definitions(bascule_settings INTERFACE BASCULE_BUILDING_LIBRARY)

if(BASCULE_SANITIZE STREQUAL "address")
  set(bascule_sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(BASCULE_SANITIZE STREQUAL "thread")
  set(bascule_sanitizer_flags -fsanitize=thread -fno-omit-frame-pointer)
endif()
if(BASCULE_SANITIZE)
  target_compile_options(bascule_settings INTERFACE ${bascule_sanitizer_flags})
  target_link_options(bascule_settings INTERFACE ${bascule_sanitizer_flags})
endif()
