# Kernels compiled several times, once for each x86-64 micro-architecture level.
#
# A file x_cpu.cpp is compiled with -march=x86-64-v2, -v3 and -v4, and with BASCULE_CPU_LEVEL (2, 3, 4) and
# BASCULE_CPU_NAMESPACE (x86_64_v2, x86_64_v3, x86_64_v4) defined. It puts all it offers to other files into
# `namespace bascule::kernels::BASCULE_CPU_NAMESPACE` (bascule::simt:: in backends/simt), or into extern "C" functions whose names end in _x86_64_v<level>.
#
# The trap: an inline function or template (std::max, std::vector<float>::push_back) used in such a file is emitted as a
# weak symbol, once per level and once more for the ordinary files, and a plain link keeps any one of these for everybody.
# If that is the AVX-512 one, ordinary code dies of SIGILL on a machine without AVX-512. Hidden visibility does not help:
# the duplicates meet in one link, and libstdc++ marks its own as visible anyway. So each level's objects are first linked
# into one relocatable object (ld -r, with COMDAT groups dissolved so that the final link does not merge them), and then
# every symbol but the level's own becomes local to it (objcopy --keep-global-symbol). tests/cpu_levels shows that it works.
# For the same reason such a file must have no global constructors: the build refuses them.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include_guard(GLOBAL)

find_program(BASCULE_LD NAMES ld.bfd ld REQUIRED)
find_program(BASCULE_OBJCOPY NAMES objcopy REQUIRED)
find_program(BASCULE_READELF NAMES readelf REQUIRED)
mark_as_advanced(BASCULE_LD BASCULE_OBJCOPY BASCULE_READELF)
set(bascule_isolate_script "${CMAKE_CURRENT_LIST_DIR}/isolate_cpu_level.cmake")

# Per namespace: the level that the code is written for, and how it is compiled.
set(BASCULE_CPU_NAMESPACES x86_64_v2 x86_64_v3 x86_64_v4)
set(bascule_x86_64_v2 2 -march=x86-64-v2)
set(bascule_x86_64_v3 3 -march=x86-64-v3)
set(bascule_x86_64_v4 4 -march=x86-64-v4 -mprefer-vector-width=512)
if(BASCULE_SANITIZE)
  # One source for all levels, so one level is instrumented: that of nearly every machine that runs the sanitizers. The others
  # would be half of the compile time; level 4's source also runs instrumented, as x86_64_v4_on_v3, where kernels are tested.
  list(APPEND bascule_x86_64_v2 -O0 -fno-sanitize=all)
  list(APPEND bascule_x86_64_v4 -O0 -fno-sanitize=all)
endif()
# For tests: level 4's source, 64-byte vectors included, compiled for AVX2, in a third of the time of -O3.
set(bascule_x86_64_v4_on_v3 4 -march=x86-64-v3 -O1)

# bascule_add_cpu_level_objects(<target> SOURCES <file>... [NAMESPACES <name>...]): an interface target that hands over one
# object per namespace (all three levels, unless said otherwise).
function(bascule_add_cpu_level_objects target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;NAMESPACES")
  add_library(${target} INTERFACE)
  if(NOT arg_SOURCES)
    return()
  endif()
  if(NOT arg_NAMESPACES)
    set(arg_NAMESPACES ${BASCULE_CPU_NAMESPACES})
  endif()
  set(objects)
  set(all_parts)
  foreach(namespace IN LISTS arg_NAMESPACES)
    set(flags ${bascule_${namespace}})
    list(POP_FRONT flags level)
    set(parts ${target}_${namespace}_parts)
    add_library(${parts} OBJECT ${arg_SOURCES})
    target_link_libraries(${parts} PRIVATE bascule_settings)
    target_compile_options(${parts} PRIVATE ${flags}
      -fno-lto # ld -r needs machine code
      $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>)
    target_compile_definitions(${parts} PRIVATE BASCULE_CPU_LEVEL=${level} BASCULE_CPU_NAMESPACE=${namespace})
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${target}_${namespace}.o")
    add_custom_command(OUTPUT "${object}"
      COMMAND "${CMAKE_COMMAND}" "-DLD=${BASCULE_LD}" "-DOBJCOPY=${BASCULE_OBJCOPY}" "-DREADELF=${BASCULE_READELF}"
              "-DNAMESPACE=${namespace}" "-DOBJECTS=$<TARGET_OBJECTS:${parts}>" "-DOUTPUT=${object}"
              # the sanitizers' own module constructors are plain calls
              "-DCHECK_CONSTRUCTORS=$<NOT:$<BOOL:${BASCULE_SANITIZE}>>" -P "${bascule_isolate_script}"
      DEPENDS $<TARGET_OBJECTS:${parts}> "${bascule_isolate_script}"
      COMMENT "Isolating the ${namespace} code of ${target}"
      VERBATIM)
    list(APPEND objects "${object}")
    list(APPEND all_parts ${parts})
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  add_custom_target(${target}_isolated DEPENDS ${objects})
  add_dependencies(${target}_isolated ${all_parts}) # make knows the parts' objects in their own target only
  add_dependencies(${target} ${target}_isolated)
  target_sources(${target} INTERFACE ${objects})
endfunction()
