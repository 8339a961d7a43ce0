// What the sample programs share: checked calls, and a device with a context.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

inline void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "unknown";
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "%s: %s\n", call, name);
  std::exit(1);
}
#define CHECK(call) check(call, #call)

inline CUdevice open_device() {
  CHECK(cuInit(0));
  CUdevice device = 0;
  CHECK(cuDeviceGet(&device, 0));
  char name[100];
  CHECK(cuDeviceGetName(name, sizeof name, device));
  int major = 0, minor = 0;
  CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  std::printf("device 0: %s, compute capability %d.%d\n", name, major, minor);
  return device;
}
