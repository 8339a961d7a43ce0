# Options of the build. Every one can be set with -D<name>=<value>; `cmake -LH` prints them.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include_guard(GLOBAL)
include(GNUInstallDirs)

option(BASCULE_BUILD_TESTS "Build the tests and register them with ctest" "${PROJECT_IS_TOP_LEVEL}")
option(BASCULE_INSTALL "Create the install rules" "${PROJECT_IS_TOP_LEVEL}")
option(BASCULE_WARNINGS_AS_ERRORS "Turn compiler warnings into errors (for developers; off for packagers)" OFF)
option(BASCULE_BUILD_PEERS "Build bascule-peers: our CPU kernels against OpenBLAS, BLIS and oneDNN (opened at run time)" OFF)
set(BASCULE_SANITIZE "" CACHE STRING "Sanitizer: empty, address (address + undefined behaviour) or thread")
set_property(CACHE BASCULE_SANITIZE PROPERTY STRINGS "" address thread)

if(NOT BASCULE_SANITIZE MATCHES "^(|address|thread)$")
  message(FATAL_ERROR "BASCULE_SANITIZE is '${BASCULE_SANITIZE}'; it must be empty, 'address' or 'thread'.")
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  message(FATAL_ERROR "Bascule is built and tested on x86-64 Linux only; this is "
                      "${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}.")
endif()

# An unset build type would mean no optimisation at all, which nobody wants from a numeric library.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type: Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
