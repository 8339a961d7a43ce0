# How a folder takes part in the build. Sources are found by name, so that adding a file needs no edit here or elsewhere:
#
#   x.cpp               part of the folder's library or plugin
#   x_test.cpp          unit tests (doctest), in the executable <group>_test          ctest label quick
#   x_full_test.cpp     slower tests, in the executable <group>_full_test             ctest label full
#   x_nightly_test.cpp  the longest, in the executable <group>_nightly_test           ctest label nightly
#   test_x.cpp          support code shared by the folder's tests (kernels/common: by all kernels' tests)
#   x_main.cpp          a helper program, build/libexec/bascule/bascule-x (core only; core/cli/main.cpp is the CLI)
#   x_cpu.cpp           kernels only: compiled once per x86-64 level, see bascule_cpu_levels.cmake
#   x.kernel.cpp        kernels only: in the dialect, compiled for each vendor, see bascule_kernels.cmake
#   x.cl x.json x.html x.css x.js     (core, kernels) embedded as text: #include "core/loader/x.json.hpp" gives
#                       bascule::embedded::loader_x_json, see bascule_embed_text()
#
#   core/<folder>/*.cpp      core/CMakeLists.txt       libbascule.so           core_<folder>_test
#                            (link bascule_core_objects for all of it, or bascule_core_<folder>_objects)
#   core/cli/**.cpp          core/cli/CMakeLists.txt   bascule (program)       core_cli_test
#   backends/<name>/*.cpp    bascule_add_plugin(<name>) in backends/<name>/CMakeLists.txt     backends_<name>_test
#   kernels/<folder>/*.cpp   kernels/CMakeLists.txt    libbascule_kernels.so   kernels_<folder>_test
#   tests/<folder>/          tests/<folder>/CMakeLists.txt, written freely; bascule_add_test() registers executables
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include_guard(GLOBAL)

# bascule_sources(<variable> <directory> [RECURSE]): the library sources of a folder, by the rules above.
function(bascule_sources out directory)
  cmake_parse_arguments(PARSE_ARGV 2 arg "RECURSE" "" "")
  set(glob GLOB)
  if(arg_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  file(${glob} files CONFIGURE_DEPENDS "${directory}/*.cpp" "${directory}/*.c")
  list(FILTER files EXCLUDE REGEX "_(test|main|cpu)\\.cpp$|\\.kernel\\.cpp$|/main\\.cpp$|/test_[^/]*$")
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# bascule_precompile(<target> <header> <file>...): parses the header once for all of the target's files, where there are
# enough of them to win by it.
function(bascule_precompile target header)
  set(sources "${ARGN}")
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(LENGTH sources count)
  if(count GREATER 3)
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/${header}>")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
      # In a precompiled header g++ forgets what is the system's, and warns of what it falsely sees in std::string (bug 105651).
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
  endif()
endfunction()

# bascule_compile_quickly(<target>...): for code in which no time is spent; -O1 compiles in half of the time of -O3, and under
# a sanitizer -O0 in half of the time of -O1.
function(bascule_compile_quickly)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O1>" "$<$<BOOL:${BASCULE_SANITIZE}>:-O0>")
  endforeach()
endfunction()

# bascule_add_objects(<target> SOURCES <file>... [LINK <target>...]): sources compiled once, for a shared library and for
# the unit tests alike (a test must reach what the library's version script hides). Consumers name <target> in
# target_link_libraries; it is an interface target that hands over the object files and the include paths. A folder without
# sources gives an empty one.
function(bascule_add_objects target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE bascule_settings bascule_third_party)
  if(arg_SOURCES)
    add_library(${target}_compiled OBJECT ${arg_SOURCES})
    set_target_properties(${target}_compiled PROPERTIES LINKER_LANGUAGE CXX) # a folder may hold embedded texts alone
    target_link_libraries(${target}_compiled PRIVATE bascule_settings bascule_third_party ${arg_LINK})
    bascule_precompile(${target}_compiled core/third_party/precompiled.hpp ${arg_SOURCES})
    target_sources(${target} INTERFACE $<TARGET_OBJECTS:${target}_compiled>)
    add_dependencies(${target} ${target}_compiled)
  endif()
endfunction()

# bascule_program(<target>...): makes targets part of what `make build` builds (everything but tests).
function(bascule_program)
  set_property(GLOBAL APPEND PROPERTY BASCULE_PROGRAMS ${ARGN})
endfunction()

# bascule_texts(<variable> <directory> [RECURSE]): the text files of a folder that are embedded.
function(bascule_texts out directory)
  cmake_parse_arguments(PARSE_ARGV 2 arg "RECURSE" "" "")
  set(glob GLOB)
  if(arg_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  set(files)
  foreach(extension cl json html css js)
    file(${glob} found CONFIGURE_DEPENDS "${directory}/*.${extension}")
    list(APPEND files ${found})
  endforeach()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# bascule_set_exports(<target> <version script>): only the names in the script leave the library. Hidden visibility alone
# still leaks weak symbols of header-only libraries.
function(bascule_set_exports target script)
  target_link_options(${target} PRIVATE "LINKER:--version-script=${script}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
  if(NOT BASCULE_SANITIZE) # the sanitizers' run time is linked into programs only
    target_link_options(${target} PRIVATE "LINKER:--no-undefined")
  endif()
endfunction()

# bascule_add_test(<name> SOURCES <file>... [LABEL quick|full|nightly] [LINK <target>...] [ENVIRONMENT <NAME=value>...]
#                  [TIMEOUT <seconds>] [ARGUMENTS <argument>...] [EACH <NAME=value>...] [OWN_MAIN] [SERIAL])
# A test executable in build/tests/bin, registered with ctest. OWN_MAIN: it brings its own main instead of doctest's.
# SERIAL: ctest runs nothing beside it. EACH: a test <name>_<value> for each value, which the executable finds in its
# environment. Tests never see the user's own configuration and caches.
function(bascule_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_MAIN;SERIAL" "LABEL;TIMEOUT" "SOURCES;LINK;ENVIRONMENT;ARGUMENTS;EACH")
  if(NOT BASCULE_BUILD_TESTS OR NOT arg_SOURCES)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  # Tests wait for what they test, not for themselves.
  bascule_compile_quickly(${name})
  bascule_precompile(${name} tests/support/precompiled.hpp ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE bascule_settings bascule_third_party bascule_doctest
    bascule_opencl_headers ${arg_LINK})
  if(NOT arg_OWN_MAIN)
    target_link_libraries(${name} PRIVATE bascule_doctest_main)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${BASCULE_OUTPUT_TESTS}")
  if(NOT arg_EACH)
    add_test(NAME ${name} COMMAND ${name} ${arg_ARGUMENTS})
    bascule_set_test_properties(${name} "${arg_LABEL}" "${arg_TIMEOUT}" "${arg_SERIAL}" "${arg_ENVIRONMENT}")
  endif()
  foreach(setting ${arg_EACH})
    string(REGEX REPLACE "^[^=]*=" "" value "${setting}")
    add_test(NAME ${name}_${value} COMMAND ${name} ${arg_ARGUMENTS})
    bascule_set_test_properties(${name}_${value} "${arg_LABEL}" "${arg_TIMEOUT}" "${arg_SERIAL}" "${arg_ENVIRONMENT};${setting}")
  endforeach()
endfunction()

set(BASCULE_PTX_COVERAGE_FOLDER "${PROJECT_BINARY_DIR}/tests/ptx_coverage_of_tests")

# bascule_set_test_properties(<ctest name> <label> <timeout> <serial> <environment>): what bascule_add_test sets, for a
# test that was registered with add_test() itself. Empty values take the defaults.
function(bascule_set_test_properties name label timeout serial environment)
  if(NOT label)
    set(label quick)
  endif()
  if(NOT timeout)
    set(timeout 300)
  endif()
  if(BASCULE_SANITIZE)
    math(EXPR timeout "${timeout} * 5")
  endif()
  set(home "${PROJECT_BINARY_DIR}/tests/home")
  file(MAKE_DIRECTORY "${home}")
  if(BASCULE_SANITIZE)
    # ocl-icd opens drivers with RTLD_DEEPBIND, which some drivers do not survive under a sanitizer: PoCL alone is tested.
    list(PREPEND environment "OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd" ${bascule_symbolizer})
  endif()
  list(PREPEND environment
    "HOME=${home}" "XDG_CONFIG_HOME=${home}/.config" "XDG_CACHE_HOME=${home}/.cache"
    "BASCULE_PLUGIN_PATH=${BASCULE_OUTPUT_PLUGINS}"
    # A refused allocation is an error to handle, and a driver's SIGSEGV in a child is a signal, also under a sanitizer.
    "ASAN_OPTIONS=allocator_may_return_null=1:handle_segv=0"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/core/cmake/lsan.supp:print_suppressions=0")
  # Tests that execute PTX say what they executed; tests/ptx_coverage reads it, so they are its fixture.
  set(fixture)
  if(name MATCHES "simt|ptx" AND NOT name MATCHES "ptx_coverage")
    list(PREPEND environment "BASCULE_SIMT_COVERAGE=${BASCULE_PTX_COVERAGE_FOLDER}")
    file(MAKE_DIRECTORY "${BASCULE_PTX_COVERAGE_FOLDER}")
    if(NOT label STREQUAL "nightly")
      set(fixture ptx_executed)
    endif()
  endif()
  set_tests_properties(${name} PROPERTIES
    LABELS "${label}" TIMEOUT "${timeout}" RUN_SERIAL "$<BOOL:${serial}>" ENVIRONMENT "${environment}"
    FIXTURES_SETUP "${fixture}")
endfunction()

# bascule_add_folder_tests(<group> <directory> [RECURSE] [LINK <target>...]): the executables <group>_test,
# <group>_full_test and <group>_nightly_test from the *_test.cpp files of a folder, as far as there are any.
function(bascule_add_folder_tests group directory)
  cmake_parse_arguments(PARSE_ARGV 2 arg "RECURSE" "" "LINK")
  if(NOT BASCULE_BUILD_TESTS)
    return()
  endif()
  set(glob GLOB)
  if(arg_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  file(${glob} quick CONFIGURE_DEPENDS "${directory}/*_test.cpp")
  set(full "${quick}")
  set(nightly "${quick}")
  file(${glob} support CONFIGURE_DEPENDS "${directory}/test_*.cpp")
  list(FILTER support EXCLUDE REGEX "_test\\.cpp$")
  if(support)
    bascule_add_objects(${group}_test_support SOURCES ${support} LINK bascule_doctest)
    list(APPEND arg_LINK ${group}_test_support)
  endif()
  list(FILTER quick EXCLUDE REGEX "_(full|nightly)_test\\.cpp$")
  list(FILTER full INCLUDE REGEX "_full_test\\.cpp$")
  list(FILTER nightly INCLUDE REGEX "_nightly_test\\.cpp$")
  bascule_add_test(${group}_test SOURCES ${quick} LINK ${arg_LINK} LABEL quick)
  bascule_add_test(${group}_full_test SOURCES ${full} LINK ${arg_LINK} LABEL full TIMEOUT 900)
  bascule_add_test(${group}_nightly_test SOURCES ${nightly} LINK ${arg_LINK} LABEL nightly TIMEOUT 14400)
endfunction()

# bascule_add_plugin(<name> [RECURSE] [LINK <target>...]): the backend plugin in the current folder.
# Gives build/lib/bascule/plugins/libbascule_<name>.so, which exports bascule_plugin_query alone, and its manifest
# <name>.json beside it, made from manifest.json.in in the same folder (see bascule_configure_manifest). The objects are
# also available to tests elsewhere as bascule_plugin_<name>_objects.
function(bascule_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RECURSE" "" "LINK")
  set(recurse)
  if(arg_RECURSE)
    set(recurse RECURSE)
  endif()
  bascule_sources(sources "${CMAKE_CURRENT_SOURCE_DIR}" ${recurse})
  if(NOT sources)
    return()
  endif()
  bascule_add_objects(bascule_plugin_${name}_objects SOURCES ${sources} LINK ${arg_LINK})
  add_library(bascule_${name} MODULE)
  target_link_libraries(bascule_${name} PRIVATE
    bascule_plugin_${name}_objects bascule_backends_common_objects ${arg_LINK})
  bascule_set_exports(bascule_${name} "${PROJECT_SOURCE_DIR}/core/cmake/exports/plugin.map")
  set_target_properties(bascule_${name} PROPERTIES
    LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY "${BASCULE_OUTPUT_PLUGINS}"
    BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  bascule_program(bascule_${name})
  bascule_configure_manifest(${name} "${BASCULE_OUTPUT_PLUGINS}/${name}.json")
  if(BASCULE_INSTALL)
    install(TARGETS bascule_${name} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/bascule/plugins" COMPONENT runtime)
    install(FILES "${BASCULE_OUTPUT_PLUGINS}/${name}.json"
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/bascule/plugins" COMPONENT runtime)
  endif()
  bascule_add_folder_tests(backends_${name} "${CMAKE_CURRENT_SOURCE_DIR}" ${recurse}
    LINK bascule_plugin_${name}_objects bascule_backends_common_objects ${arg_LINK})
endfunction()

# bascule_configure_manifest(<name> <output>): fills @BASCULE_PLUGIN_NAME@, @BASCULE_PLUGIN_FILE@ (a plain file name) and
# @BASCULE_PLUGIN_ABI_MAJOR@, @BASCULE_PLUGIN_ABI_MINOR@ (the ABI that plugin.h states) in manifest.json.in.
function(bascule_configure_manifest name output)
  set(BASCULE_PLUGIN_NAME "${name}")
  set(BASCULE_PLUGIN_FILE "libbascule_${name}.so")
  configure_file("${CMAKE_CURRENT_SOURCE_DIR}/manifest.json.in" "${output}" @ONLY)
endfunction()

# bascule_embed_text(<output variable> <file>...): makes each text file a header <path from the root>.hpp with
# `inline constexpr char <folder>_<file>_<extension>[]` (zero-terminated) in namespace bascule::embedded, and returns the
# headers' paths in the build tree; list them among a target's sources.
function(bascule_embed_text out)
  set(headers)
  foreach(file IN LISTS ARGN)
    file(RELATIVE_PATH relative "${PROJECT_SOURCE_DIR}" "${file}")
    set(header "${BASCULE_GENERATED}/${relative}.hpp")
    add_custom_command(OUTPUT "${header}"
      COMMAND "${CMAKE_COMMAND}" "-DINPUT=${file}" "-DOUTPUT=${header}" "-DNAME=${relative}"
              -P "${PROJECT_SOURCE_DIR}/core/cmake/embed_text.cmake"
      DEPENDS "${file}" "${PROJECT_SOURCE_DIR}/core/cmake/embed_text.cmake"
      COMMENT "Embedding ${relative}" VERBATIM)
    list(APPEND headers "${header}")
  endforeach()
  set(${out} "${headers}" PARENT_SCOPE)
endfunction()

if(BASCULE_SANITIZE)
  find_program(BASCULE_SYMBOLIZER NAMES llvm-symbolizer-22 llvm-symbolizer)
  mark_as_advanced(BASCULE_SYMBOLIZER)
  set(bascule_symbolizer)
  if(BASCULE_SYMBOLIZER)
    set(bascule_symbolizer "ASAN_SYMBOLIZER_PATH=${BASCULE_SYMBOLIZER}"
      "TSAN_OPTIONS=external_symbolizer_path=${BASCULE_SYMBOLIZER}:allocator_may_return_null=1:handle_segv=0")
  endif()
endif()

# doctest's main function, compiled once for all test executables.
if(BASCULE_BUILD_TESTS)
  add_library(bascule_doctest_main_compiled OBJECT "${PROJECT_SOURCE_DIR}/tests/support/doctest_main.cpp")
  target_link_libraries(bascule_doctest_main_compiled PRIVATE bascule_settings bascule_doctest)
  add_library(bascule_doctest_main INTERFACE)
  target_sources(bascule_doctest_main INTERFACE $<TARGET_OBJECTS:bascule_doctest_main_compiled>)
endif()
