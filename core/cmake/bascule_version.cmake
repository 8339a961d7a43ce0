# The versions, read from the public headers that state them, so that they stand in one place only:
#   BASCULE_VERSION (0.1.0)                      from bascule.h
#   BASCULE_PLUGIN_ABI_MAJOR, ..._ABI_MINOR      from plugin.h; manifests carry them
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include_guard(GLOBAL)

function(bascule_read_define out header name)
  set(path "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include/bascule/${header}")
  file(STRINGS "${path}" line REGEX "^#define ${name} [0-9]+u?$")
  if(NOT line MATCHES "${name} ([0-9]+)")
    message(FATAL_ERROR "${path} has no line '#define ${name} <number>'.")
  endif()
  set(${out} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
endfunction()

bascule_read_define(bascule_major bascule.h BASCULE_VERSION_MAJOR)
bascule_read_define(bascule_minor bascule.h BASCULE_VERSION_MINOR)
bascule_read_define(bascule_patch bascule.h BASCULE_VERSION_PATCH)
set(BASCULE_VERSION "${bascule_major}.${bascule_minor}.${bascule_patch}")
bascule_read_define(BASCULE_PLUGIN_ABI_MAJOR plugin.h BSC_PLUGIN_ABI_MAJOR)
bascule_read_define(BASCULE_PLUGIN_ABI_MINOR plugin.h BSC_PLUGIN_ABI_MINOR)
