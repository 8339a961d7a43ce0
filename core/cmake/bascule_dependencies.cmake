# Libraries the project needs. All are headers, and none of them is in a public header: a program that links
# Bascule never needs them. Nothing is downloaded.
#
# spdlog and fmt come as headers on purpose (their CMake packages would link libfmt.so): no symbol of theirs may leave
# our libraries, and a host program may bring its own versions.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include_guard(GLOBAL)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# bascule_find_header(<target> <header> <Debian package>): an interface target for a header-only library.
function(bascule_find_header target header package)
  find_path(${target}_INCLUDE_DIR "${header}")
  mark_as_advanced(${target}_INCLUDE_DIR)
  if(NOT ${target}_INCLUDE_DIR)
    message(FATAL_ERROR "Header <${header}> was not found. On Debian: apt-get install ${package}. "
                        "Elsewhere: point CMAKE_PREFIX_PATH at where it is installed.")
  endif()
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE "${${target}_INCLUDE_DIR}")
endfunction()

bascule_find_header(bascule_spdlog spdlog/spdlog.h libspdlog-dev)
bascule_find_header(bascule_fmt fmt/format.h libfmt-dev)
bascule_find_header(bascule_toml toml++/toml.h libtomlplusplus-dev)
bascule_find_header(bascule_json nlohmann/json.hpp nlohmann-json3-dev)
bascule_find_header(bascule_cli11 CLI/CLI.hpp libcli11-dev)
bascule_find_header(bascule_xxhash xxhash.h libxxhash-dev)

# Header-only, fmt is compiled anew in each file that formats, more than half of the compile time of a backend's file. So
# its functions are compiled once, into a static library with hidden symbols. What that must hold differs between versions:
# it is known for 9, Debian 12's; any other is used header-only.
file(STRINGS "${bascule_fmt_INCLUDE_DIR}/fmt/core.h" bascule_fmt_version REGEX "#define FMT_VERSION 9[0-9][0-9][0-9][0-9]$")
if(bascule_fmt_version)
  add_library(bascule_fmt_compiled STATIC "${PROJECT_SOURCE_DIR}/core/third_party/fmt.cpp")
  target_include_directories(bascule_fmt_compiled SYSTEM PRIVATE "${bascule_fmt_INCLUDE_DIR}")
  target_link_libraries(bascule_fmt_compiled PRIVATE bascule_settings)
  target_link_libraries(bascule_fmt INTERFACE bascule_fmt_compiled)
else()
  target_compile_definitions(bascule_fmt INTERFACE FMT_HEADER_ONLY)
endif()
target_compile_definitions(bascule_spdlog INTERFACE SPDLOG_FMT_EXTERNAL=1)
target_compile_definitions(bascule_toml INTERFACE TOML_HEADER_ONLY=1)
target_compile_definitions(bascule_xxhash INTERFACE XXH_INLINE_ALL)

# One name for all of them: each of our source files may include what it needs.
add_library(bascule_third_party INTERFACE)
target_link_libraries(bascule_third_party INTERFACE
  bascule_spdlog bascule_fmt bascule_toml bascule_json bascule_cli11 bascule_xxhash
  Threads::Threads ${CMAKE_DL_LIBS})

if(BASCULE_BUILD_TESTS)
  bascule_find_header(bascule_doctest doctest/doctest.h doctest-dev)
  # The opencl plugin carries its own declarations; a test compares them with Khronos' headers.
  bascule_find_header(bascule_opencl_headers CL/cl.h opencl-c-headers)
  target_compile_definitions(bascule_opencl_headers INTERFACE CL_TARGET_OPENCL_VERSION=300)
endif()
