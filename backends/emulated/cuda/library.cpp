// See library.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/library.hpp"

#include <algorithm>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/registry.hpp"

namespace bascule::emulated {

std::shared_ptr<Library> Library::load(const std::shared_ptr<Context>& context, std::string text, std::string& log) {
  auto library = std::make_shared<Library>();
  library->text_ = std::move(text);
  const auto module = load_module(context, library->text_, log);
  library->modules_[context->id] = module;
  for (const auto& function : module->functions()) {
    library->kernels_.push_back(std::make_unique<LibraryKernel>(LibraryKernel{*library, function->info.name}));
    Registry<LibraryKernel>::get().add<CUkernel>(std::shared_ptr<LibraryKernel>(library, library->kernels_.back().get()));
  }
  Registry<Library>::get().add<CUlibrary>(library);
  return library;
}

std::shared_ptr<Module> Library::module(const std::shared_ptr<Context>& context) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Module>& module = modules_[context->id];
  std::string log;
  if (module == nullptr) module = load_module(context, text_, log);
  return module;
}

LibraryKernel* Library::kernel(std::string_view name) const {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& kernel) { return kernel->name == name; });
  return found == kernels_.end() ? nullptr : found->get();
}

void Library::unload() {
  for (const auto& kernel : kernels_) Registry<LibraryKernel>::get().remove(kernel.get());
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [context, module] : modules_) remove_module(module);
    modules_.clear();
  }
  Registry<Library>::get().remove(this);
}

std::shared_ptr<Function> LibraryKernel::function() const {
  const auto module = library.module(current_context());
  return module->share(module->function(name));
}

std::shared_ptr<Function> LibraryKernel::function(CUdevice ordinal) const {
  Device& device = Driver::get().device(ordinal);
  std::shared_ptr<Context> context = current_context_if_any();
  if (context == nullptr || &context->device != &device) {
    const std::lock_guard lock(device.mutex);
    context = device.primary;
  }
  if (context == nullptr) refuse(CUDA_ERROR_INVALID_CONTEXT, "device {} has no context", ordinal);
  const auto module = library.module(context);
  return module->share(module->function(name));
}

}  // namespace bascule::emulated
