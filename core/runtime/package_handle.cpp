// Packages at run time: choosing and loading variants once per device; the package part of the C API.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <cstring>

#include "core/base/text.hpp"
#include "core/package/choice.hpp"
#include "core/runtime/error_handle.hpp"
#include "core/runtime/kernel.hpp"
#include "core/runtime/owned_text.hpp"

using namespace bascule::core;

bsc_package::bsc_package(bsc_instance& instance, std::shared_ptr<const Package> package)
    : Object(kKind),
      instance_(Ref<bsc_instance>::share(&instance)),
      package_(std::move(package)),
      description_(package_->describe()) {}

const std::string& bsc_package::forced(const std::string& kernel, const std::string& variant) const {
  return variant.empty() ? instance_->forced_variant(kernel) : variant;
}

Result<Ref<bsc_kernel>> bsc_package::kernel(bsc_device& device, const std::string& name, const std::string& variant) {
  if (&device.instance() != instance_.get()) {
    return invalid_argument("the package and the device belong to different instances",
                            "load the package into the device's instance");
  }
  auto kernel = package_->require(name);
  if (!kernel.ok()) return kernel.take_error();
  const std::string& wanted = forced(name, variant);
  const KernelKey key{&device, name, wanted};
  const std::lock_guard lock(mutex_);
  if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second;
  auto loaded = load(device, **kernel, wanted);
  if (loaded.ok()) kernels_.emplace(key, *loaded);
  return loaded;
}

Result<Ref<bsc_kernel>> bsc_package::load(bsc_device& device, const Kernel& kernel, const std::string& wanted) {
  auto index = choose_variant(*package_, kernel, device.traits(), wanted);
  if (!index.ok()) return index.take_error();
  const Variant& variant = kernel.variants[*index];
  auto module = module_of(device, variant, kernel.contract.name);
  if (!module.ok()) return module.take_error();
  return bsc_kernel::from_variant(**module, package_, kernel, variant);
}

Result<Ref<bsc_module>> bsc_package::module_of(bsc_device& device, const Variant& variant, const std::string& name) {
  const std::string options = variant.compiler_options();
  const ModuleKey key{&device, variant.format, variant.image ? *variant.image : UINT64_MAX, options};
  if (const auto found = modules_.find(key); found != modules_.end()) return found->second;
  ImageSource image{.format = variant.format,
                    .options = options,
                    .name = "variant " + quoted(variant.name) + " of kernel " + quoted(name)};
  if (variant.image) {
    image.bytes = package_->image(*variant.image);
  } else {
    image.host_table = package_->host_table();
  }
  auto module = bsc_module::load(device, image);
  if (module.ok()) modules_.emplace(key, *module);
  return module;
}

Result<std::string> bsc_package::explain(bsc_device& device, const std::string& name) const {
  auto kernel = package_->require(name);
  if (!kernel.ok()) return kernel.take_error();
  return explain_choice(*package_, **kernel, device.traits(), instance_->forced_variant(name));
}

extern "C" {

bsc_status bsc_package_load(bsc_instance* instance, const void* data, uint64_t bytes,
                            const struct bsc_host_table* host_table, bsc_package** out, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(instance);
    if (!data) return invalid_argument("data is NULL");
    if (!out) return invalid_argument("out is NULL");
    auto package = Package::load({static_cast<const std::byte*>(data), bytes}, host_table, "memory");
    if (!package.ok()) return package.take_error();
    *out = make_ref<bsc_package>(*instance, std::move(package).value()).detach();
    return {};
  });
}

bsc_status bsc_package_load_file(bsc_instance* instance, const char* path, bsc_package** out, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(instance);
    if (!path || !*path) return invalid_argument("path is missing");
    if (!out) return invalid_argument("out is NULL");
    auto package = Package::load_file(path);
    if (!package.ok()) return package.take_error();
    *out = make_ref<bsc_package>(*instance, std::move(package).value()).detach();
    return {};
  });
}

void bsc_package_release(bsc_package* package) { release_handle(package); }

const char* bsc_package_kernel_name(const bsc_package* package, uint64_t index) {
  if (!is_handle(package)) return nullptr;
  const auto& kernels = package->contents().kernels();
  return index < kernels.size() ? kernels[index].contract.name.c_str() : nullptr;
}

const char* bsc_package_describe(const bsc_package* package) {
  return is_handle(package) ? package->description().c_str() : "";
}

bsc_status bsc_kernel_explain(bsc_device* device, bsc_package* package, const char* name, char** out_json,
                              bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(device);
    BSC_CHECK_HANDLE(package);
    if (!name || !*name) return invalid_argument("the kernel's name is missing");
    if (!out_json) return invalid_argument("out_json is NULL");
    auto text = package->explain(*device, name);
    if (!text.ok()) return text.take_error();
    *out_json = copy_text(*text);
    return {};
  });
}

}  // extern "C"
