# Kernels in Bascule's dialect, inside Bascule's own build and in any project that found Bascule with find_package:
#
#   bascule_add_kernels(demo SOURCES axpb.kernel.cpp TARGETS cuda:sm_80 hip:gfx942,gfx1100 spirv cpu)
#   target_link_libraries(app PRIVATE demo)
#
# A library `demo`: its header demo.kernels.hpp has demo::package() and a typed handle for each kernel. docs/kernel-guide.md
# says more.
#
#   SOURCES     files with BASCULE_KERNEL functions; contracts come from their signatures. *.cu: in CUDA's spelling
#   CONTRACTS   JSON descriptions whose variants of the format "dialect" name a source
#   TARGETS     cuda:sm_XY[,sm_XY...]  hip:gfxN[,gfxN...]  spirv  cpu (PTX that the cpu device executes)
#   REFERENCE   files with a host function of each kernel's name and parameters, for `bascule check`
#   VERSION     of the package; 1.0.0
#   OPTIONS     further options of the compiler, INCLUDE_DIRECTORIES further directories
#   CHECK_BOUNDS  views end the launch where an index is out of bounds
#
# BASCULE_KERNEL_COMPILER names the compiler, a clang++ 22 or newer; BASCULE_KERNEL_LINKER the linker for hip, ld.lld 22.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include_guard(GLOBAL)

# bascule_find_kernel_compiler(): sets BASCULE_KERNEL_COMPILER_FOUND, and if it is false BASCULE_KERNEL_COMPILER_REASON.
function(bascule_find_kernel_compiler)
  find_program(BASCULE_KERNEL_COMPILER NAMES clang++-22 clang++ DOC "clang++ 22 or newer, for kernels in Bascule's dialect")
  find_program(BASCULE_KERNEL_LINKER NAMES ld.lld-22 ld.lld DOC "ld.lld 22 or newer, for AMD images")
  mark_as_advanced(BASCULE_KERNEL_COMPILER BASCULE_KERNEL_LINKER)
  set(found FALSE)
  set(reason "")
  if(NOT BASCULE_KERNEL_COMPILER)
    set(reason "no clang++ was found")
  else()
    execute_process(COMMAND "${BASCULE_KERNEL_COMPILER}" --version OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE result)
    if(NOT result EQUAL 0 OR NOT text MATCHES "clang version ([0-9]+)")
      set(reason "${BASCULE_KERNEL_COMPILER} is no clang")
    elseif(CMAKE_MATCH_1 LESS 22)
      set(reason "${BASCULE_KERNEL_COMPILER} is clang ${CMAKE_MATCH_1}")
    else()
      set(found TRUE)
    endif()
  endif()
  set(BASCULE_KERNEL_COMPILER_FOUND ${found} PARENT_SCOPE)
  set(BASCULE_KERNEL_COMPILER_REASON "${reason}; the dialect needs clang++ 22 (Debian 12: apt-get install clang-22 lld-22). \
Set BASCULE_KERNEL_COMPILER." PARENT_SCOPE)
endfunction()

# bascule_kernel_compiler_command(<variable> <target>...): the first words of a bascule-kernel-compiler command for these
# targets; without a compiler there are none, and the dialect's variants are left out.
function(bascule_kernel_compiler_command out)
  set(words $<TARGET_FILE:bascule::kernel_compiler>)
  if(BASCULE_KERNEL_COMPILER_FOUND)
    foreach(target IN LISTS ARGN)
      list(APPEND words --target "${target}")
    endforeach()
    list(APPEND words --compiler "${BASCULE_KERNEL_COMPILER}")
    if(BASCULE_KERNEL_LINKER)
      list(APPEND words --linker "${BASCULE_KERNEL_LINKER}")
    endif()
  endif()
  set(${out} "${words}" PARENT_SCOPE)
endfunction()

# The directories of <bascule/device.hpp> and <bascule/bascule.h>: one in an installed prefix, two in Bascule's own build.
if(DEFINED BASCULE_OUTPUT_LIBEXEC)
  set(bascule_dialect_includes "${CMAKE_CURRENT_LIST_DIR}/../../kernels/include" "${CMAKE_CURRENT_LIST_DIR}/../include")
else()
  get_target_property(bascule_dialect_includes bascule::bascule INTERFACE_INCLUDE_DIRECTORIES)
endif()
set_property(GLOBAL PROPERTY BASCULE_DIALECT_INCLUDES "${bascule_dialect_includes}")

function(bascule_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CHECK_BOUNDS" "VERSION"
    "SOURCES;CONTRACTS;TARGETS;REFERENCE;OPTIONS;INCLUDE_DIRECTORIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_TARGETS OR NOT (arg_SOURCES OR arg_CONTRACTS))
    message(FATAL_ERROR "bascule_add_kernels(${target}): SOURCES or CONTRACTS and TARGETS are needed, "
                        "not known: '${arg_UNPARSED_ARGUMENTS}'.")
  endif()
  bascule_find_kernel_compiler()
  if(NOT BASCULE_KERNEL_COMPILER_FOUND)
    if(arg_SOURCES)
      message(FATAL_ERROR "bascule_add_kernels(${target}): ${BASCULE_KERNEL_COMPILER_REASON}")
    endif()
    message(STATUS "bascule_add_kernels(${target}): native variants only: ${BASCULE_KERNEL_COMPILER_REASON}")
  endif()

  set(directory "${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels")
  file(MAKE_DIRECTORY "${directory}")
  bascule_kernel_compiler_command(command ${arg_TARGETS})
  list(APPEND command --name "${target}" --directory "${directory}" --depfile "${directory}/depends.d")
  get_property(includes GLOBAL PROPERTY BASCULE_DIALECT_INCLUDES)
  foreach(include IN LISTS includes)
    list(APPEND command --include "${include}")
  endforeach()
  list(APPEND command --root "${CMAKE_CURRENT_SOURCE_DIR}")
  foreach(include IN LISTS arg_INCLUDE_DIRECTORIES)
    cmake_path(ABSOLUTE_PATH include BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND command --option "-I${include}")
  endforeach()
  foreach(option IN LISTS arg_OPTIONS)
    list(APPEND command --option "${option}")
  endforeach()
  if(arg_VERSION)
    list(APPEND command --package-version "${arg_VERSION}")
  endif()
  if(arg_CHECK_BOUNDS)
    list(APPEND command --check-bounds)
  endif()
  set(inputs)
  foreach(file IN LISTS arg_REFERENCE)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND command --reference "${file}")
    list(APPEND inputs "${file}")
  endforeach()
  foreach(file IN LISTS arg_CONTRACTS)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND command --contract "${file}")
    list(APPEND inputs "${file}")
  endforeach()
  foreach(file IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND command "${file}")
    list(APPEND inputs "${file}")
  endforeach()

  add_custom_command(
    OUTPUT "${directory}/${target}.bpkg" "${directory}/${target}.kernels.cpp" "${directory}/${target}.kernels.hpp"
    COMMAND ${command}
    DEPENDS bascule::kernel_compiler ${inputs}
    DEPFILE "${directory}/depends.d"
    COMMENT "Compiling the kernels of ${target}" VERBATIM)
  add_library(${target} STATIC "${directory}/${target}.kernels.cpp" "${directory}/${target}.kernels.hpp")
  set_source_files_properties("${directory}/${target}.kernels.cpp" PROPERTIES OBJECT_DEPENDS "${directory}/${target}.bpkg")
  set_target_properties(${target} PROPERTIES BASCULE_PACKAGE "${directory}/${target}.bpkg" POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PUBLIC cxx_std_17)
  target_include_directories(${target} PUBLIC "${directory}")
  target_link_libraries(${target} PUBLIC bascule::bascule)
endfunction()
