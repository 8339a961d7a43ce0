// Entries about modules and libraries: loading, and finding kernels and variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <fstream>
#include <iterator>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/image.hpp"
#include "backends/emulated/cuda/jit_options.hpp"
#include "backends/emulated/cuda/library.hpp"
#include "backends/emulated/cuda/module.hpp"
#include "backends/emulated/cuda/registry.hpp"

using namespace bascule::emulated;

namespace {

// Runs `load` with a log, and tells the program's buffers what it says.
template <class Load>
auto with_log(const JitOptions& options, Load load) {
  std::string log;
  try {
    auto loaded = load(log);
    options.report(log, "");
    return loaded;
  } catch (const Refusal& refusal) {
    options.report("", log.empty() ? std::string(refusal.what()) : log);
    throw;
  }
}

void load_data(CUmodule* out, const void* image, std::size_t bytes, const JitOptions& options) {
  need(out, "where the module goes");
  need(image, "the image");
  const auto context = current_context();
  const auto module = with_log(options, [&](std::string& log) { return load_module(context, ptx_of_image(image, bytes, *context->device.gpu), log); });
  *out = reinterpret_cast<CUmodule>(module.get());
}

std::string read_file(const char* path) {
  need(path, "the file's name");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) refuse(CUDA_ERROR_FILE_NOT_FOUND, "{} cannot be read", path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::shared_ptr<Module> module_of(CUmodule handle) { return Registry<Module>::get().at(handle, "module"); }
std::shared_ptr<Library> library_of(CUlibrary handle) { return Registry<Library>::get().at(handle, "library"); }

void find_variable(const Module& module, const char* name, CUdeviceptr* address, std::size_t* bytes) {
  need(name, "the name");
  for (const bsc_simt_variable& variable : module.variables()) {
    if (name != std::string_view(variable.name)) continue;
    if (address != nullptr) *address = variable.address;
    if (bytes != nullptr) *bytes = variable.bytes;
    return;
  }
  refuse(CUDA_ERROR_NOT_FOUND, "the module has no variable {}", name);
}

// A library is loaded at once, into the current context or the primary one of the first device that has one.
std::shared_ptr<Context> context_for_library() {
  if (const auto context = current_context_if_any()) {
    context->check();
    return context;
  }
  for (int i = 0; i < Driver::get().device_count(); ++i) {
    Device& device = Driver::get().device(i);
    const std::lock_guard lock(device.mutex);
    if (device.primary != nullptr) return device.primary;
  }
  refuse(CUDA_ERROR_INVALID_CONTEXT, "no device has a context yet");
}

void load_library(CUlibrary* out, const void* code, std::size_t bytes, const JitOptions& options, CUlibraryOption* library_options, unsigned count) {
  need(out, "where the library goes");
  need(code, "the image");
  for (unsigned i = 0; i < count; ++i) {
    if (library_options[i] != CU_LIBRARY_BINARY_IS_PRESERVED) refuse(CUDA_ERROR_NOT_SUPPORTED, "the library option {} is not supported here", static_cast<int>(library_options[i]));
  }
  const auto context = context_for_library();
  const auto library = with_log(options, [&](std::string& log) { return Library::load(context, ptx_of_image(code, bytes, *context->device.gpu), log); });
  *out = reinterpret_cast<CUlibrary>(library.get());
}

}  // namespace

BASCULE_CUDA_ENTRY cuModuleLoad(CUmodule *module, const char *fname) {
  return call("cuModuleLoad", [&] {
    const std::string image = read_file(fname);
    load_data(module, image.data(), image.size(), JitOptions());
  });
}

BASCULE_CUDA_ENTRY cuModuleLoadData(CUmodule *module, const void *image) {
  return call("cuModuleLoadData", [&] { load_data(module, image, 0, JitOptions()); });
}

BASCULE_CUDA_ENTRY cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options, void **optionValues) {
  return call("cuModuleLoadDataEx", [&] { load_data(module, image, 0, JitOptions(numOptions, options, optionValues)); });
}

BASCULE_CUDA_ENTRY cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin) {
  return call("cuModuleLoadFatBinary", [&] { load_data(module, fatCubin, 0, JitOptions()); });
}

BASCULE_CUDA_ENTRY cuModuleUnload(CUmodule hmod) {
  return call("cuModuleUnload", [&] {
    const auto module = module_of(hmod);
    current_context()->synchronise();
    remove_module(module);
  });
}

BASCULE_CUDA_ENTRY cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name) {
  return call("cuModuleGetFunction", [&] {
    need(hfunc, "where the function goes");
    need(name, "the name");
    const Function* const function = module_of(hmod)->function(name);
    if (function == nullptr) refuse(CUDA_ERROR_NOT_FOUND, "the module has no kernel {}", name);
    *hfunc = reinterpret_cast<CUfunction>(const_cast<Function*>(function));
  });
}

BASCULE_CUDA_ENTRY cuModuleGetFunctionCount(unsigned int *count, CUmodule mod) {
  return call("cuModuleGetFunctionCount", [&] {
    need(count, "where the count goes");
    *count = static_cast<unsigned>(module_of(mod)->functions().size());
  });
}

BASCULE_CUDA_ENTRY cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod) {
  return call("cuModuleEnumerateFunctions", [&] {
    need(functions, "where the functions go");
    const auto module = module_of(mod);
    for (unsigned i = 0; i < std::min<std::size_t>(numFunctions, module->functions().size()); ++i) {
      functions[i] = reinterpret_cast<CUfunction>(module->functions()[i].get());
    }
  });
}

BASCULE_CUDA_ENTRY cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name) {
  return call("cuModuleGetGlobal_v2", [&] { find_variable(*module_of(hmod), name, dptr, bytes); });
}

BASCULE_CUDA_ENTRY cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  return call("cuModuleGetLoadingMode", [&] {
    need(mode, "where the mode goes");
    *mode = CU_MODULE_EAGER_LOADING;
  });
}

BASCULE_CUDA_ENTRY cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
    unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **, unsigned int numLibraryOptions) {
  return call("cuLibraryLoadData", [&] {
    load_library(library, code, 0, JitOptions(numJitOptions, jitOptions, jitOptionsValues), libraryOptions, numLibraryOptions);
  });
}

BASCULE_CUDA_ENTRY cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions, void **jitOptionsValues,
    unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **, unsigned int numLibraryOptions) {
  return call("cuLibraryLoadFromFile", [&] {
    const std::string image = read_file(fileName);
    load_library(library, image.data(), image.size(), JitOptions(numJitOptions, jitOptions, jitOptionsValues), libraryOptions, numLibraryOptions);
  });
}

BASCULE_CUDA_ENTRY cuLibraryUnload(CUlibrary library) {
  return call("cuLibraryUnload", [&] { library_of(library)->unload(); });
}

BASCULE_CUDA_ENTRY cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name) {
  return call("cuLibraryGetKernel", [&] {
    need(pKernel, "where the kernel goes");
    need(name, "the name");
    LibraryKernel* const kernel = library_of(library)->kernel(name);
    if (kernel == nullptr) refuse(CUDA_ERROR_NOT_FOUND, "the library has no kernel {}", name);
    *pKernel = reinterpret_cast<CUkernel>(kernel);
  });
}

BASCULE_CUDA_ENTRY cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib) {
  return call("cuLibraryGetKernelCount", [&] {
    need(count, "where the count goes");
    *count = static_cast<unsigned>(library_of(lib)->kernels().size());
  });
}

BASCULE_CUDA_ENTRY cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib) {
  return call("cuLibraryEnumerateKernels", [&] {
    need(kernels, "where the kernels go");
    const auto library = library_of(lib);
    for (unsigned i = 0; i < std::min<std::size_t>(numKernels, library->kernels().size()); ++i) {
      kernels[i] = reinterpret_cast<CUkernel>(library->kernels()[i].get());
    }
  });
}

BASCULE_CUDA_ENTRY cuLibraryGetModule(CUmodule *pMod, CUlibrary library) {
  return call("cuLibraryGetModule", [&] {
    need(pMod, "where the module goes");
    *pMod = reinterpret_cast<CUmodule>(library_of(library)->module(current_context()).get());
  });
}

BASCULE_CUDA_ENTRY cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
  return call("cuLibraryGetGlobal", [&] { find_variable(*library_of(library)->module(current_context()), name, dptr, bytes); });
}
