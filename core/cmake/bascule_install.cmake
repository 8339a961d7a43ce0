# Install rules beyond the programs and plugins themselves: headers, the CMake package and the pkg-config files.
#
#   find_package(bascule CONFIG REQUIRED)
#   target_link_libraries(app PRIVATE bascule::bascule)      # or bascule::kernels, which brings bascule::bascule along
#   bascule_add_kernels(demo SOURCES axpb.kernel.cpp TARGETS cuda:sm_80 cpu)
#   pkg-config --cflags --libs bascule                       # or bascule-kernels
#
# Nothing installed names the prefix it was installed to: a tree that was moved still works.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

set(config_directory "${CMAKE_INSTALL_LIBDIR}/cmake/bascule")
set(pkgconfig_directory "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/core/include/bascule" "${PROJECT_SOURCE_DIR}/kernels/include/bascule"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT runtime)

install(TARGETS bascule bascule_kernels EXPORT bascule-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT bascule-targets NAMESPACE bascule:: DESTINATION "${config_directory}" COMPONENT development)
configure_package_config_file("${PROJECT_SOURCE_DIR}/core/cmake/bascule-config.cmake.in"
  "${PROJECT_BINARY_DIR}/generated/bascule-config.cmake" INSTALL_DESTINATION "${config_directory}"
  NO_SET_AND_CHECK_MACRO)
# 0.x: a minor version may break programs.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/bascule-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/generated/bascule-config.cmake"
              "${PROJECT_BINARY_DIR}/generated/bascule-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/core/cmake/bascule_kernels.cmake"
  DESTINATION "${config_directory}" COMPONENT development)

# The prefix is found from where the .pc file lies.
set(pkgconfig_to_prefix "\${pcfiledir}")
file(RELATIVE_PATH up "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
cmake_path(APPEND pkgconfig_to_prefix "${up}" OUTPUT_VARIABLE BASCULE_PC_PREFIX)
string(REGEX REPLACE "/$" "" BASCULE_PC_PREFIX "${BASCULE_PC_PREFIX}")
foreach(directory INCLUDEDIR LIBDIR)
  cmake_path(IS_ABSOLUTE CMAKE_INSTALL_${directory} absolute)
  if(absolute)
    set(BASCULE_PC_${directory} "${CMAKE_INSTALL_${directory}}")
  else()
    set(BASCULE_PC_${directory} "\${prefix}/${CMAKE_INSTALL_${directory}}")
  endif()
endforeach()
foreach(name bascule bascule-kernels)
  configure_file("${PROJECT_SOURCE_DIR}/core/cmake/${name}.pc.in" "${PROJECT_BINARY_DIR}/generated/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/generated/${name}.pc"
    DESTINATION "${pkgconfig_directory}" COMPONENT development)
endforeach()
