/* Kernels, modules and packages. Include <bascule/bascule.hpp>.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CPP_KERNEL_HPP
#define BASCULE_CPP_KERNEL_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "../host_kernel.h"
#include "handle.hpp"

namespace bascule {
inline namespace BASCULE_ERROR_FORM {

/// Something to launch: a variant chosen for a device, or a raw function of a module.
class Kernel {
 public:
  Kernel() = default;
  explicit Kernel(bsc_kernel* adopted) : handle_(adopted) {}
  /// The chosen variant's name; "" for a raw function.
  const char* variant() const noexcept { return bsc_kernel_variant(handle_.get()); }
  /// Limits and needs of the (first) function; zeros where unknown.
  bsc_kernel_limits limits() const noexcept {
    bsc_kernel_limits limits{};
    limits.size = sizeof limits;
    bsc_kernel_get_limits(handle_.get(), &limits);
    return limits;
  }
  bsc_kernel* get() const noexcept { return handle_.get(); }

 private:
  internal::KernelHandle handle_;
};

/// A raw image that a device has loaded: no contract, arguments as given.
class Module {
 public:
  Module() = default;
  explicit Module(bsc_module* adopted) : handle_(adopted, &bsc_module_release) {}
  /// NOT_FOUND with the names there are.
  Outcome<Kernel> kernel(const std::string& function) const {
    bsc_kernel* kernel = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_module_kernel(handle_.get(), function.c_str(), &kernel, &error);
    if (status != BSC_OK) return internal::fail<Kernel>(Error(status, error));
    return Kernel(kernel);
  }
  /// Empty where the backend cannot list.
  std::vector<std::string> function_names() const {
    std::vector<std::string> names;
    while (const char* name = bsc_module_function_name(handle_.get(), names.size())) names.emplace_back(name);
    return names;
  }
  bsc_module* get() const noexcept { return handle_.get(); }

 private:
  internal::ModuleHandle handle_;
};

/// The bytes of a package as `bascule pack` makes them (copied when loaded), and the host functions that its variants
/// of format "host" name, if any (must outlive everything that uses the package).
struct PackageData {
  const void* data = nullptr;
  std::uint64_t bytes = 0;
  const bsc_host_table* host_table = nullptr;
};

class Package {
 public:
  Package() = default;
  explicit Package(bsc_package* adopted) : handle_(adopted, &bsc_package_release) {}
  std::vector<std::string> kernel_names() const {
    std::vector<std::string> names;
    while (const char* name = bsc_package_kernel_name(handle_.get(), names.size())) names.emplace_back(name);
    return names;
  }
  bool has_kernel(const std::string& name) const {
    for (std::uint64_t i = 0; const char* known = bsc_package_kernel_name(handle_.get(), i); ++i) {
      if (name == known) return true;
    }
    return false;
  }
  /// Contracts, variants, plans and hashes as JSON text.
  const char* describe() const noexcept { return bsc_package_describe(handle_.get()); }
  bsc_package* get() const noexcept { return handle_.get(); }

 private:
  internal::PackageHandle handle_;
};

}  // namespace BASCULE_ERROR_FORM
}  // namespace bascule
#endif
