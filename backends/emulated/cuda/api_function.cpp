// Entries about functions of modules and kernels of libraries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/library.hpp"
#include "backends/emulated/cuda/module.hpp"
#include "backends/emulated/cuda/registry.hpp"

using namespace bascule::emulated;

namespace {

std::shared_ptr<LibraryKernel> kernel_of(CUkernel handle) { return Registry<LibraryKernel>::get().at(handle, "kernel"); }

void parameter_info(const Function& function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  need(offset, "where the offset goes");
  if (index >= function.parameters.size()) refuse(CUDA_ERROR_INVALID_VALUE, "{} has {} parameters", function.info.name, function.parameters.size());
  *offset = function.parameters[index].offset;
  if (bytes != nullptr) *bytes = function.parameters[index].bytes;
}

// A preference: shared memory and the first-level cache are not told apart here.
void check_cache_config(CUfunc_cache config) {
  if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) refuse(CUDA_ERROR_INVALID_VALUE, "cache configuration {}", static_cast<int>(config));
}

}  // namespace

BASCULE_CUDA_ENTRY cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc) {
  return call("cuFuncGetAttribute", [&] {
    need(pi, "where the value goes");
    *pi = function_of(hfunc)->attribute(attrib);
  });
}

BASCULE_CUDA_ENTRY cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  return call("cuFuncSetAttribute", [&] { function_of(hfunc)->set_attribute(attrib, value); });
}

BASCULE_CUDA_ENTRY cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  return call("cuFuncSetCacheConfig", [&] {
    function_of(hfunc);
    check_cache_config(config);
  });
}

BASCULE_CUDA_ENTRY cuFuncGetModule(CUmodule *hmod, CUfunction hfunc) {
  return call("cuFuncGetModule", [&] {
    need(hmod, "where the module goes");
    *hmod = reinterpret_cast<CUmodule>(&function_of(hfunc)->module);
  });
}

BASCULE_CUDA_ENTRY cuFuncGetName(const char **name, CUfunction hfunc) {
  return call("cuFuncGetName", [&] {
    need(name, "where the name goes");
    *name = function_of(hfunc)->info.name;
  });
}

BASCULE_CUDA_ENTRY cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
  return call("cuFuncGetParamInfo", [&] { parameter_info(*function_of(func), paramIndex, paramOffset, paramSize); });
}

BASCULE_CUDA_ENTRY cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  return call("cuFuncIsLoaded", [&] {
    need(state, "where the state goes");
    function_of(function);
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
  });
}

BASCULE_CUDA_ENTRY cuFuncLoad(CUfunction function) {
  return call("cuFuncLoad", [&] { function_of(function); });
}

BASCULE_CUDA_ENTRY cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel) {
  return call("cuKernelGetFunction", [&] {
    need(pFunc, "where the function goes");
    *pFunc = reinterpret_cast<CUfunction>(kernel_of(kernel)->function().get());
  });
}

BASCULE_CUDA_ENTRY cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel) {
  return call("cuKernelGetLibrary", [&] {
    need(pLib, "where the library goes");
    *pLib = reinterpret_cast<CUlibrary>(&kernel_of(kernel)->library);
  });
}

BASCULE_CUDA_ENTRY cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  return call("cuKernelGetAttribute", [&] {
    need(pi, "where the value goes");
    *pi = kernel_of(kernel)->function(dev)->attribute(attrib);
  });
}

BASCULE_CUDA_ENTRY cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  return call("cuKernelSetAttribute", [&] { kernel_of(kernel)->function(dev)->set_attribute(attrib, val); });
}

BASCULE_CUDA_ENTRY cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  return call("cuKernelSetCacheConfig", [&] {
    static_cast<void>(kernel_of(kernel)->function(dev));
    check_cache_config(config);
  });
}

BASCULE_CUDA_ENTRY cuKernelGetName(const char **name, CUkernel hfunc) {
  return call("cuKernelGetName", [&] {
    need(name, "where the name goes");
    *name = kernel_of(hfunc)->name.c_str();
  });
}

BASCULE_CUDA_ENTRY cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
  return call("cuKernelGetParamInfo", [&] { parameter_info(*kernel_of(kernel)->function(), paramIndex, paramOffset, paramSize); });
}
