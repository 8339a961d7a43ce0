// The stand-in's functions, except those about events (standin_events.cpp).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "tests/standin_opencl/standin_objects.hpp"

namespace bascule::standin {

Standin& state() {
  static Standin instance;
  return instance;
}

std::recursive_mutex& lock() {
  static std::recursive_mutex mutex;
  return mutex;
}

Int failing(const char* function) {
  const std::lock_guard guard(lock());
  ++state().calls[function];
  const auto found = state().failures.find(function);
  if (found == state().failures.end()) return 0;
  return found->second.after-- > 0 ? 0 : found->second.code;
}

namespace {

Int give(const void* value, std::size_t bytes, std::size_t capacity, void* out, std::size_t* out_bytes) {
  if (out_bytes != nullptr) *out_bytes = bytes;
  if (out == nullptr) return 0;
  if (capacity < bytes) return cl::kInvalidValue;
  std::memcpy(out, value, bytes);
  return 0;
}

Int give_text(const std::string& text, std::size_t capacity, void* out, std::size_t* out_bytes) {
  return give(text.c_str(), text.size() + 1, capacity, out, out_bytes);
}

template <class T>
Int give_value(T value, std::size_t capacity, void* out, std::size_t* out_bytes) {
  return give(&value, sizeof value, capacity, out, out_bytes);
}

template <class T>
T* fail_with(Int code, Int* out_code) {
  if (out_code != nullptr) *out_code = code;
  return nullptr;
}

const DeviceSettings& settings_of(cl::DeviceId device) {
  return state().devices[reinterpret_cast<std::uintptr_t>(device) - 1];
}

// "__kernel void NAME(a, b)" -> names and numbers of parameters.
void find_kernels(cl::ProgramTag& program) {
  constexpr std::string_view kMark = "__kernel void ";
  const std::string& source = program.source;
  for (std::size_t at = source.find(kMark); at != std::string::npos; at = source.find(kMark, at + 1)) {
    const std::size_t begin = at + kMark.size(), open = source.find('(', begin), close = source.find(')', open);
    const std::string parameters = source.substr(open + 1, close - open - 1);
    const bool none = parameters.empty() || parameters == "void";
    program.kernels.emplace_back(source.substr(begin, open - begin),
                                 none ? 0 : 1 + static_cast<Uint>(std::count(parameters.begin(), parameters.end(), ',')));
  }
}

}  // namespace
}  // namespace bascule::standin

using namespace bascule::standin;
using bascule::opencl::cl::Bitfield;
using bascule::opencl::cl::Bool;
using bascule::opencl::cl::Ulong;

#define FAIL_IF_TOLD(name) \
  if (const Int told = failing(#name); told != 0) return told
#define FAIL_IF_TOLD_CREATING(name, type, out_code) \
  if (const Int told = failing(#name); told != 0) return fail_with<type>(told, out_code); \
  if (out_code != nullptr) *out_code = 0

extern "C" {

STANDIN_EXPORT Standin* bascule_standin_opencl() {
  state().reset = [] {
    const auto reset = state().reset;
    const auto release = state().release;
    state() = Standin{};
    state().reset = reset;
    state().release = release;
  };
  state().release = release_held;
  return &state();
}

STANDIN_EXPORT Int clGetPlatformIDs(Uint capacity, cl::PlatformId* out, Uint* out_count) {
  FAIL_IF_TOLD(clGetPlatformIDs);
  if (out_count != nullptr) *out_count = static_cast<Uint>(state().platforms);
  if (state().platforms == 0) return cl::kPlatformNotFound;
  for (Uint i = 0; out != nullptr && i < capacity && i < static_cast<Uint>(state().platforms); ++i) {
    out[i] = reinterpret_cast<cl::PlatformId>(std::uintptr_t{i} + 1);
  }
  return 0;
}

STANDIN_EXPORT Int clGetPlatformInfo(cl::PlatformId, Uint what, std::size_t capacity, void* out, std::size_t* out_bytes) {
  FAIL_IF_TOLD(clGetPlatformInfo);
  return give_text(what == cl::kPlatformName ? "Stand-in platform" : "OpenCL 3.0", capacity, out, out_bytes);
}

STANDIN_EXPORT Int clGetDeviceIDs(cl::PlatformId, Bitfield, Uint capacity, cl::DeviceId* out, Uint* out_count) {
  FAIL_IF_TOLD(clGetDeviceIDs);
  const auto count = static_cast<Uint>(state().devices.size());
  if (out_count != nullptr) *out_count = count;
  if (count == 0) return cl::kDeviceNotFound;
  for (Uint i = 0; out != nullptr && i < std::min(capacity, count); ++i) {
    out[i] = reinterpret_cast<cl::DeviceId>(std::uintptr_t{i} + 1);
  }
  return 0;
}

STANDIN_EXPORT Int clGetDeviceInfo(cl::DeviceId device, Uint what, std::size_t capacity, void* out, std::size_t* out_bytes) {
  FAIL_IF_TOLD(clGetDeviceInfo);
  const DeviceSettings& settings = settings_of(device);
  const auto text = [&](const std::string& value) { return give_text(value, capacity, out, out_bytes); };
  const auto value = [&](auto number) { return give_value(number, capacity, out, out_bytes); };
  switch (what) {
    case cl::kDeviceName: return text(settings.name);
    case cl::kDeviceVendor: return text("  Nobody ");
    case cl::kDriverVersion: return text("1.0");
    case cl::kDeviceVersion: return text(settings.version);
    case cl::kDeviceProfile: return text(settings.profile);
    case cl::kDeviceExtensions: return text(settings.extensions);
    case cl::kDeviceType: return value(settings.type);
    case cl::kDeviceMaxComputeUnits: return value(Uint{4});
    case cl::kDeviceMaxWorkItemDimensions: return value(Uint{3});
    case cl::kDeviceMaxWorkGroupSize: return value(std::size_t{256});
    case cl::kDeviceMaxWorkItemSizes: {
      const std::size_t sizes[3] = {256, 256, 64};
      return give(sizes, sizeof sizes, capacity, out, out_bytes);
    }
    case cl::kDeviceMaxMemAllocSize: return value(Ulong{1} << 30);
    case cl::kDeviceGlobalMemSize: return value(Ulong{1} << 32);
    case cl::kDeviceLocalMemSize: return value(Ulong{65536});
    case cl::kDeviceLocalMemType: return value(Uint{1});
    case cl::kDeviceMaxParameterSize: return value(std::size_t{1024});
    case cl::kDeviceMemBaseAddrAlign: return value(settings.base_align_bits);
    case cl::kDeviceSingleFpConfig: return value(cl::kFpDenorm | cl::kFpCorrectlyRoundedDivideSqrt);
    case cl::kDeviceProfilingTimerResolution: return value(std::size_t{1});
    case cl::kDeviceAvailable: return value(Bool{settings.available});
    case cl::kDeviceCompilerAvailable: return value(Bool{settings.compiler});
    case cl::kDeviceEndianLittle: return value(cl::kTrue);
    case cl::kDeviceSvmCapabilities: return value(settings.shared_memory ? cl::kSvmFineGrainBuffer : Bitfield{0});
    case cl::kDeviceUuid: {
      unsigned char uuid[16];
      for (unsigned i = 0; i < 16; ++i) uuid[i] = static_cast<unsigned char>(0xA0 + i);
      return give(uuid, sizeof uuid, capacity, out, out_bytes);
    }
    case cl::kDevicePciBusInfo: return value(cl::PciBusInfo{0, 0x65, 0, 1});
    case cl::kDeviceSubGroupSizes: {
      const std::size_t sizes[3] = {8, 16, 32};
      return give(sizes, sizeof sizes, capacity, out, out_bytes);
    }
    default: return cl::kInvalidValue;
  }
}

STANDIN_EXPORT cl::Context clCreateContext(const cl::ContextProperties*, Uint, const cl::DeviceId*, cl::ContextCallback, void*,
                                           Int* out_code) {
  FAIL_IF_TOLD_CREATING(clCreateContext, cl::ContextTag, out_code);
  return make<cl::ContextTag>();
}
STANDIN_EXPORT Int clReleaseContext(cl::Context context) { return release(context, "clReleaseContext"); }

STANDIN_EXPORT cl::CommandQueue clCreateCommandQueue(cl::Context, cl::DeviceId, Bitfield, Int* out_code) {
  FAIL_IF_TOLD_CREATING(clCreateCommandQueue, cl::CommandQueueTag, out_code);
  return make<cl::CommandQueueTag>();
}
STANDIN_EXPORT Int clReleaseCommandQueue(cl::CommandQueue queue) {
  set_last_event(queue, nullptr);
  return release(queue, "clReleaseCommandQueue");
}

STANDIN_EXPORT cl::Mem clCreateBuffer(cl::Context, Bitfield flags, std::size_t bytes, void* host, Int* out_code) {
  FAIL_IF_TOLD_CREATING(clCreateBuffer, cl::MemTag, out_code);
  const cl::Mem memory = make<cl::MemTag>();
  memory->owned = (flags & cl::kMemUseHostPtr) == 0;
  memory->data = memory->owned ? static_cast<char*>(std::aligned_alloc(128, (bytes + 127) / 128 * 128)) : static_cast<char*>(host);
  return memory;
}
STANDIN_EXPORT cl::Mem clCreateSubBuffer(cl::Mem parent, Bitfield, Uint, const void* region, Int* out_code) {
  FAIL_IF_TOLD_CREATING(clCreateSubBuffer, cl::MemTag, out_code);
  const cl::Mem memory = make<cl::MemTag>();
  memory->data = parent->data + static_cast<const cl::BufferRegion*>(region)->origin;
  return memory;
}
STANDIN_EXPORT Int clReleaseMemObject(cl::Mem memory) {
  if (memory->owned) std::free(memory->data);
  return release(memory, "clReleaseMemObject");
}
STANDIN_EXPORT void* clSVMAlloc(cl::Context, Bitfield, std::size_t bytes, Uint) {
  if (failing("clSVMAlloc") != 0) return nullptr;
  ++state().objects;
  return std::aligned_alloc(128, (bytes + 127) / 128 * 128);
}
STANDIN_EXPORT void clSVMFree(cl::Context, void* pointer) {
  --state().objects;
  std::free(pointer);
}

STANDIN_EXPORT cl::Program clCreateProgramWithSource(cl::Context, Uint, const char** texts, const std::size_t* lengths,
                                                     Int* out_code) {
  FAIL_IF_TOLD_CREATING(clCreateProgramWithSource, cl::ProgramTag, out_code);
  const cl::Program program = make<cl::ProgramTag>();
  program->source.assign(texts[0], lengths[0]);
  return program;
}
STANDIN_EXPORT cl::Program clCreateProgramWithBinary(cl::Context, Uint, const cl::DeviceId*, const std::size_t* lengths,
                                                     const unsigned char** binaries, Int* out_status, Int* out_code) {
  FAIL_IF_TOLD_CREATING(clCreateProgramWithBinary, cl::ProgramTag, out_code);
  *out_status = 0;
  if (state().reject_binaries) return fail_with<cl::ProgramTag>(cl::kInvalidBinary, out_code);
  const cl::Program program = make<cl::ProgramTag>();
  program->source.assign(reinterpret_cast<const char*>(binaries[0]), lengths[0]);
  return program;
}
STANDIN_EXPORT Int clReleaseProgram(cl::Program program) { return release(program, "clReleaseProgram"); }

STANDIN_EXPORT Int clBuildProgram(cl::Program program, Uint, const cl::DeviceId*, const char* options, cl::BuildCallback, void*) {
  FAIL_IF_TOLD(clBuildProgram);
  state().last_options = options;
  if (program->source.find("#error") != std::string::npos) return cl::kBuildProgramFailure;
  find_kernels(*program);
  return 0;
}
STANDIN_EXPORT Int clGetProgramInfo(cl::Program program, Uint what, std::size_t capacity, void* out, std::size_t* out_bytes) {
  FAIL_IF_TOLD(clGetProgramInfo);
  if (what == cl::kProgramBinarySizes) return give_value(program->source.size(), capacity, out, out_bytes);
  if (what == cl::kProgramBinaries) {
    std::memcpy(*static_cast<unsigned char**>(out), program->source.data(), program->source.size());
    return 0;
  }
  std::string names;
  for (const auto& [name, arguments] : program->kernels) names += (names.empty() ? "" : ";") + name;
  return give_text(names, capacity, out, out_bytes);
}
STANDIN_EXPORT Int clGetProgramBuildInfo(cl::Program, cl::DeviceId, Uint, std::size_t capacity, void* out,
                                         std::size_t* out_bytes) {
  FAIL_IF_TOLD(clGetProgramBuildInfo);
  return give_text("line 1: the stand-in's log", capacity, out, out_bytes);
}

STANDIN_EXPORT cl::Kernel clCreateKernel(cl::Program program, const char* name, Int* out_code) {
  FAIL_IF_TOLD_CREATING(clCreateKernel, cl::KernelTag, out_code);
  const cl::Kernel kernel = make<cl::KernelTag>();
  for (const auto& [known, arguments] : program->kernels) {
    if (known == name) kernel->arguments = arguments;
  }
  return kernel;
}
STANDIN_EXPORT Int clReleaseKernel(cl::Kernel kernel) { return release(kernel, "clReleaseKernel"); }
STANDIN_EXPORT Int clSetKernelArg(cl::Kernel, Uint, std::size_t, const void*) {
  FAIL_IF_TOLD(clSetKernelArg);
  return 0;
}
STANDIN_EXPORT Int clGetKernelInfo(cl::Kernel kernel, Uint, std::size_t capacity, void* out, std::size_t* out_bytes) {
  FAIL_IF_TOLD(clGetKernelInfo);
  return give_value(kernel->arguments, capacity, out, out_bytes);
}
STANDIN_EXPORT Int clGetKernelWorkGroupInfo(cl::Kernel, cl::DeviceId, Uint what, std::size_t capacity, void* out,
                                            std::size_t* out_bytes) {
  FAIL_IF_TOLD(clGetKernelWorkGroupInfo);
  if (what == cl::kKernelWorkGroupSize) return give_value(std::size_t{64}, capacity, out, out_bytes);
  if (what == cl::kKernelPreferredWorkGroupSizeMultiple) return give_value(std::size_t{32}, capacity, out, out_bytes);
  return give_value(Ulong{what == cl::kKernelLocalMemSize ? 1024u : 16u}, capacity, out, out_bytes);
}

STANDIN_EXPORT Int clFlush(cl::CommandQueue) {
  FAIL_IF_TOLD(clFlush);
  return 0;
}
STANDIN_EXPORT Int clEnqueueReadBuffer(cl::CommandQueue queue, cl::Mem memory, Bool, std::size_t offset, std::size_t bytes,
                                       void* host, Uint wait_count, const cl::Event* waits, cl::Event* out) {
  FAIL_IF_TOLD(clEnqueueReadBuffer);
  std::memcpy(host, memory->data + offset, bytes);
  return enqueue(queue, wait_count, waits, out);
}
STANDIN_EXPORT Int clEnqueueWriteBuffer(cl::CommandQueue queue, cl::Mem memory, Bool, std::size_t offset, std::size_t bytes,
                                        const void* host, Uint wait_count, const cl::Event* waits, cl::Event* out) {
  FAIL_IF_TOLD(clEnqueueWriteBuffer);
  std::memcpy(memory->data + offset, host, bytes);
  return enqueue(queue, wait_count, waits, out);
}
STANDIN_EXPORT Int clEnqueueCopyBuffer(cl::CommandQueue queue, cl::Mem from, cl::Mem to, std::size_t from_offset,
                                       std::size_t to_offset, std::size_t bytes, Uint wait_count, const cl::Event* waits,
                                       cl::Event* out) {
  FAIL_IF_TOLD(clEnqueueCopyBuffer);
  std::memcpy(to->data + to_offset, from->data + from_offset, bytes);
  return enqueue(queue, wait_count, waits, out);
}
STANDIN_EXPORT Int clEnqueueFillBuffer(cl::CommandQueue queue, cl::Mem memory, const void* pattern, std::size_t size,
                                       std::size_t offset, std::size_t bytes, Uint wait_count, const cl::Event* waits,
                                       cl::Event* out) {
  FAIL_IF_TOLD(clEnqueueFillBuffer);
  for (std::size_t at = 0; at < bytes; at += size) std::memcpy(memory->data + offset + at, pattern, size);
  return enqueue(queue, wait_count, waits, out);
}
STANDIN_EXPORT void* clEnqueueMapBuffer(cl::CommandQueue, cl::Mem memory, Bool, Bitfield, std::size_t offset, std::size_t, Uint,
                                        const cl::Event*, cl::Event*, Int* out_code) {
  FAIL_IF_TOLD_CREATING(clEnqueueMapBuffer, void, out_code);
  return memory->data + offset;
}
STANDIN_EXPORT Int clEnqueueUnmapMemObject(cl::CommandQueue, cl::Mem, void*, Uint, const cl::Event*, cl::Event*) {
  FAIL_IF_TOLD(clEnqueueUnmapMemObject);
  return 0;
}
STANDIN_EXPORT Int clEnqueueNDRangeKernel(cl::CommandQueue queue, cl::Kernel, Uint, const std::size_t*, const std::size_t*,
                                          const std::size_t*, Uint wait_count, const cl::Event* waits, cl::Event* out) {
  FAIL_IF_TOLD(clEnqueueNDRangeKernel);
  return enqueue(queue, wait_count, waits, out);
}
#ifndef BASCULE_STANDIN_OLD
STANDIN_EXPORT Int clEnqueueMarkerWithWaitList(cl::CommandQueue queue, Uint wait_count, const cl::Event* waits, cl::Event* out) {
  FAIL_IF_TOLD(clEnqueueMarkerWithWaitList);
  return enqueue(queue, wait_count, waits, out);
}
#endif

}  // extern "C"
