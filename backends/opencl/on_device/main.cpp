// Runs the tests on a device, or tells ctest that there is none (exit status 77: skipped).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

#include "backends/opencl/instance.hpp"

int main(int argc, char** argv) {
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  bsc_plugin_open_info open_info = {};
  open_info.header = {sizeof open_info, BSC_STRUCT_OPEN_INFO, nullptr};
  bsc_plugin_instance instance = nullptr;
  const bsc_status status = bascule::opencl::instance_open(&open_info, &instance, &error);
  if (status == BSC_DRIVER_MISSING || status == BSC_NO_DEVICE) {
    std::printf("SKIPPED: no OpenCL device: %s\n", error.message);
    return 77;
  }
  if (status != BSC_OK) {
    std::printf("OpenCL cannot be opened: %s\n", error.message);
    return EXIT_FAILURE;
  }
  bascule::opencl::instance_close(instance, nullptr);
  return doctest::Context(argc, argv).run();
}
