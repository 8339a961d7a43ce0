// Entries about devices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstring>
#include <string>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/driver.hpp"
#include "backends/emulated/cuda/entries.hpp"

using namespace bascule::emulated;

namespace {

constexpr unsigned kFirstBus = 0xe0;  // no machine's slots begin there

std::string pci_of(const Device& device) { return fmt::format("0000:{:02X}:00.0", kFirstBus + static_cast<unsigned>(device.ordinal)); }

void copy_text(const std::string& text, char* to, int length) {
  need(to, "where the text goes");
  if (length <= 0) refuse(CUDA_ERROR_INVALID_VALUE, "{} bytes for a text", length);
  std::snprintf(to, static_cast<std::size_t>(length), "%s", text.c_str());
}

int attribute_of(const Device& device, CUdevice_attribute which) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: return static_cast<int>(kFirstBus) + device.ordinal;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID: return 0;
    case CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID: return device.ordinal;
    case CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT: return device.gpu->kernel_time_limit_ms != 0 ? 1 : 0;
    default: break;
  }
  if (which < 1 || which >= CU_DEVICE_ATTRIBUTE_MAX) refuse(CUDA_ERROR_INVALID_VALUE, "{} is no attribute of a device", static_cast<int>(which));
  return device.attribute(which);
}

}  // namespace

BASCULE_CUDA_ENTRY cuDeviceGet(CUdevice *device, int ordinal) {
  return call("cuDeviceGet", [&] {
    need(device, "where the device goes");
    *device = Driver::get().device(ordinal).ordinal;
  });
}

BASCULE_CUDA_ENTRY cuDeviceGetCount(int *count) {
  return call("cuDeviceGetCount", [&] {
    need(count, "where the count goes");
    *count = Driver::get().device_count();
  });
}

BASCULE_CUDA_ENTRY cuDeviceGetName(char *name, int len, CUdevice dev) {
  return call("cuDeviceGetName", [&] { copy_text(Driver::get().device(dev).gpu->name, name, len); });
}

BASCULE_CUDA_ENTRY cuDeviceGetUuid(CUuuid *uuid, CUdevice dev) {
  return call("cuDeviceGetUuid", [&] {
    need(uuid, "where the UUID goes");
    *uuid = Driver::get().device(dev).uuid;
  });
}

BASCULE_CUDA_ENTRY cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) {
  return call("cuDeviceGetUuid_v2", [&] {
    need(uuid, "where the UUID goes");
    *uuid = Driver::get().device(dev).uuid;
  });
}

BASCULE_CUDA_ENTRY cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev) {
  return call("cuDeviceTotalMem_v2", [&] {
    need(bytes, "where the size goes");
    *bytes = Driver::get().device(dev).gpu->memory_bytes;
  });
}

BASCULE_CUDA_ENTRY cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev) {
  return call("cuDeviceGetAttribute", [&] {
    need(pi, "where the value goes");
    *pi = attribute_of(Driver::get().device(dev), attrib);
  });
}

BASCULE_CUDA_ENTRY cuDeviceGetProperties(CUdevprop *prop, CUdevice dev) {
  return call("cuDeviceGetProperties", [&] {
    need(prop, "where the properties go");
    const Device& device = Driver::get().device(dev);
    *prop = {};
    prop->maxThreadsPerBlock = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    prop->maxThreadsDim[0] = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
    prop->maxThreadsDim[1] = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
    prop->maxThreadsDim[2] = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
    prop->maxGridSize[0] = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
    prop->maxGridSize[1] = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
    prop->maxGridSize[2] = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
    prop->sharedMemPerBlock = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    prop->totalConstantMemory = device.attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    prop->SIMDWidth = device.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    prop->memPitch = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    prop->regsPerBlock = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    prop->clockRate = device.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    prop->textureAlign = device.attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  });
}

BASCULE_CUDA_ENTRY cuDeviceComputeCapability(int *major, int *minor, CUdevice dev) {
  return call("cuDeviceComputeCapability", [&] {
    need(major, "where the major number goes");
    need(minor, "where the minor number goes");
    const Device& device = Driver::get().device(dev);
    *major = device.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = device.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  });
}

BASCULE_CUDA_ENTRY cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev) {
  return call("cuDeviceGetPCIBusId", [&] { copy_text(pci_of(Driver::get().device(dev)), pciBusId, len); });
}

BASCULE_CUDA_ENTRY cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId) {
  return call("cuDeviceGetByPCIBusId", [&] {
    need(dev, "where the device goes");
    need(pciBusId, "the bus id");
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    if (std::sscanf(pciBusId, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
      domain = 0;
      if (std::sscanf(pciBusId, "%x:%x.%x", &bus, &slot, &function) < 2) refuse(CUDA_ERROR_INVALID_VALUE, "{} is no PCI address", pciBusId);
    }
    const int ordinal = static_cast<int>(bus) - static_cast<int>(kFirstBus);
    if (domain != 0 || slot != 0 || function != 0 || ordinal < 0 || ordinal >= Driver::get().device_count()) {
      refuse(CUDA_ERROR_INVALID_DEVICE, "no device is at {}", pciBusId);
    }
    *dev = ordinal;
  });
}

BASCULE_CUDA_ENTRY cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev) {
  return call("cuDeviceCanAccessPeer", [&] {
    need(canAccessPeer, "where the answer goes");
    *canAccessPeer = &Driver::get().device(dev) != &Driver::get().device(peerDev) ? 1 : 0;
  });
}

BASCULE_CUDA_ENTRY cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice) {
  return call("cuDeviceGetP2PAttribute", [&] {
    need(value, "where the value goes");
    if (&Driver::get().device(srcDevice) == &Driver::get().device(dstDevice)) refuse(CUDA_ERROR_INVALID_DEVICE, "a device is no peer of itself");
    switch (static_cast<int>(attrib)) {
      case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
      case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED: *value = 0; break;
      case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
      case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED: *value = 1; break;
      default: refuse(CUDA_ERROR_INVALID_VALUE, "{} is no attribute of a pair of devices", static_cast<int>(attrib));
    }
  });
}
