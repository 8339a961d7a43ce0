// The stand-in's devices, contexts and memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "backends/hip/properties_layout.hpp"
#include "tests/standin_gpu/machine.hpp"

namespace bascule::standin::calls {
namespace {

constexpr int kInvalidValue = 1;
constexpr int kNoDevice = 100;
constexpr int kInvalidDevice = 101;
constexpr int kInvalidContext = 201;

bool exists(int device) { return device >= 0 && device < static_cast<int>(machine().state.devices.size()); }
DeviceSettings& settings(int device) { return machine().state.devices[static_cast<std::size_t>(device)]; }
void* context_of(int device) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(0x1000 + device)); }

// By CUDA's numbers of attributes.
int attribute_value(int attribute, int device) {
  switch (attribute) {
    case 1: case 2: case 3: return 1024;
    case 4: return 64;
    case 5: return 2147483647;
    case 6: case 7: return 65535;
    case 8: return 48 * 1024;
    case 10: return 32;
    case 13: return 1410000;
    case 16: return settings(device).compute_units;
    case 19: return 1;
    case 36: return 1215000;
    case 37: return 5120;
    case 38: return 40 << 20;
    case 39: return 2048;
    case 75: return 8;
    case 76: return 0;
    case 81: return 164 * 1024;
    case 82: return 65536;
    case 95: return 1;
    case 97: return 163 * 1024;
    case 115: return 1;
    default: return 0;
  }
}

template <class Properties>
void write_properties(Properties& to, int device) {
  const DeviceSettings& from = settings(device);
  std::snprintf(to.name, sizeof to.name, "%s", from.name.c_str());
  std::snprintf(to.architecture, sizeof to.architecture, "%s", from.architecture.c_str());
  to.memory_bytes = from.memory_bytes;
  to.shared_per_block = 64 * 1024;
  to.registers_per_block = 65536;
  to.warp_size = 64;
  to.max_threads = 1024;
  for (int i = 0; i < 3; ++i) {
    to.max_block[i] = 1024;
    to.max_grid[i] = i == 0 ? 2147483647 : 65535;
  }
  to.clock_rate = 1700000;
  to.memory_clock_rate = 1600000;
  to.memory_bus_width = 4096;
  to.compute_units = from.compute_units;
  to.l2_cache = 8 << 20;
  to.threads_per_unit = 2048;
  to.maps_host_memory = 1;
  to.cooperative = 1;
}

}  // namespace

int initialise(unsigned) { return 0; }

int driver_version(int* version) {
  const int wanted = machine().state.version;
  *version = wanted != 0 ? wanted : BSC_STANDIN_VERSION;
  return 0;
}

int device_count(int* count) {
  *count = static_cast<int>(machine().state.devices.size());
  return *count == 0 ? kNoDevice : 0;
}

int device_get(int* device, int ordinal) {
  *device = ordinal;
  return exists(ordinal) ? 0 : kInvalidDevice;
}

int device_name(char* name, int bytes, int device) {
  std::snprintf(name, static_cast<std::size_t>(bytes), "%s", settings(device).name.c_str());
  return 0;
}

int device_total_memory(std::size_t* bytes, int device) {
  *bytes = settings(device).memory_bytes;
  return 0;
}

int device_attribute(int* value, int attribute, int device) {
  *value = attribute_value(attribute, device);
  return 0;
}

int device_uuid(void* uuid, int device) {
  std::memset(uuid, 0xa0 + device, 16);
  return 0;
}

int device_pci(char* text, int bytes, int device) {
  std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02X:00.0", 0x65 + device);
  return 0;
}

int device_properties(void* properties, int device) {
  // As long as the vendor's struct, not as ours.
  gpu::hip::PropertiesR0600 written = {};
  write_properties(written, device);
  written.pools = 1;
  written.amd_shared_per_unit = 64 * 1024;
  std::memcpy(properties, &written, offsetof(gpu::hip::PropertiesR0600, room));
  return 0;
}

int device_properties_old(void* properties, int device) {
  gpu::hip::PropertiesR0000 written = {};
  write_properties(written, device);
  written.shared_per_unit = 64 * 1024;
  std::memcpy(properties, &written, offsetof(gpu::hip::PropertiesR0000, room));
  return 0;
}

int context_retain(void** context, int device) {
  const std::lock_guard lock(machine().mutex);
  *context = context_of(device);
  ++machine().state.contexts;
  ++machine().state.objects;
  return 0;
}

int context_release(int) {
  const std::lock_guard lock(machine().mutex);
  --machine().state.contexts;
  --machine().state.objects;
  return 0;
}

int context_push(void* context) {
  contexts.push_back(context);
  return 0;
}

int context_pop(void** context) {
  if (contexts.empty()) return kInvalidContext;
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}

int current_device_set(int device) {
  if (!exists(device)) return kInvalidDevice;
  current_device = device;
  return 0;
}

int current_device_get(int* device) {
  *device = current_device;
  return 0;
}

int memory_info(std::size_t* free, std::size_t* total) {
  const std::lock_guard lock(machine().mutex);
  const Standin& state = machine().state;
  *total = settings(0).memory_bytes;
  *free = *total - state.allocated_bytes - state.pooled_bytes;
  return 0;
}

int memory_allocate(std::uint64_t* address, std::size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  return machine().allocate(address, bytes, nullptr);
}

int memory_free(std::uint64_t address) {
  const std::lock_guard lock(machine().mutex);
  return machine().free(address);
}

int host_allocate(void** pointer, std::size_t bytes, unsigned) {
  *pointer = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (*pointer == nullptr) return 2;
  const std::lock_guard lock(machine().mutex);
  machine().live[*pointer] = std::free;
  ++machine().state.objects;
  return 0;
}

int host_free(void* pointer) {
  const std::lock_guard lock(machine().mutex);
  machine().destroy(pointer);
  return 0;
}

int host_address(std::uint64_t* address, void* pointer, unsigned) {
  *address = reinterpret_cast<std::uintptr_t>(pointer);
  return 0;
}

int pool_create(void** pool, const void*) {
  const std::lock_guard lock(machine().mutex);
  *pool = machine().own(new Pool);
  return 0;
}

int pool_destroy(void* pool) {
  const std::lock_guard lock(machine().mutex);
  machine().state.pooled_bytes -= static_cast<Pool*>(pool)->kept;
  machine().destroy(pool);
  return 0;
}

int pool_set_attribute(void* pool, int attribute, void* value) {
  constexpr int kReleaseThreshold = 4;
  if (attribute != kReleaseThreshold) return kInvalidValue;
  std::memcpy(&static_cast<Pool*>(pool)->threshold, value, sizeof(std::uint64_t));
  return 0;
}

int pool_trim(void* pool, std::size_t bytes_to_keep) {
  const std::lock_guard lock(machine().mutex);
  Pool& trimmed = *static_cast<Pool*>(pool);
  const std::uint64_t kept = std::min<std::uint64_t>(trimmed.kept, bytes_to_keep);
  machine().state.pooled_bytes -= trimmed.kept - kept;
  trimmed.kept = kept;
  return 0;
}

int pool_allocate(std::uint64_t* address, std::size_t bytes, void* pool, void*) {
  const std::lock_guard lock(machine().mutex);
  Pool& from = *static_cast<Pool*>(pool);
  const std::uint64_t reused = std::min<std::uint64_t>(from.kept, bytes);
  from.kept -= reused;
  machine().state.pooled_bytes -= reused;
  const int code = machine().allocate(address, bytes, &from);
  if (code == 0) return 0;
  from.kept += reused;
  machine().state.pooled_bytes += reused;
  return code;
}

int pool_free(std::uint64_t address, void*) {
  const std::lock_guard lock(machine().mutex);
  return machine().free(address);
}

}  // namespace bascule::standin::calls
