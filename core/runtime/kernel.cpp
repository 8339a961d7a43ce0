// Kernels; the kernel part of the C API.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/kernel.hpp"

#include <cstdlib>
#include <cstring>

#include "core/base/text.hpp"
#include "core/runtime/error_handle.hpp"
#include "core/runtime/sized.hpp"

using namespace bascule::core;

bsc_kernel::bsc_kernel(bsc_module& module, std::string name, std::string variant, bsc_plugin_function function,
                       const bsc_plugin_function_info& info, std::optional<Contract> contract)
    : Object(kKind),
      module_(Ref<bsc_module>::share(&module)),
      name_(std::move(name)),
      variant_(std::move(variant)),
      function_(function),
      info_(info),
      contract_(std::move(contract)),
      host_format_(module.format() == "host") {}

Result<Ref<bsc_kernel>> bsc_kernel::from_module(bsc_module& module, const std::string& name) {
  auto function = module.function(name);
  if (!function.ok()) return function.take_error();
  return make_ref<bsc_kernel>(module, name, std::string(), *function, module.function_info(*function), std::nullopt);
}

Result<Ref<bsc_kernel>> bsc_kernel::from_variant(bsc_module& module, std::shared_ptr<const Package> package,
                                                 const Kernel& kernel, const Variant& variant) {
  auto plan = LaunchPlan::compile(kernel, variant, module.device().traits());
  if (!plan.ok()) return plan.take_error();
  bsc_plugin_function first = nullptr;
  bsc_plugin_function_info first_info{};
  for (std::size_t i = 0; i < plan->launch_count(); ++i) {
    auto function = module.function(plan->function_name(i));
    if (!function.ok()) return function.take_error();
    const bsc_plugin_function_info info = module.function_info(*function);
    BSC_RETURN_IF_ERROR(plan->set_function(i, *function, info.max_block_threads));
    if (i == 0) {
      first = *function;
      first_info = info;
    }
  }
  return make_ref<bsc_kernel>(module, kernel.contract.name, variant.name, first, first_info,
                              Contract{std::move(package), std::move(plan).value()});
}

extern "C" {

bsc_status bsc_kernel_create(bsc_device* device, bsc_package* package, const char* name, const char* variant,
                             bsc_kernel** out, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(device);
    BSC_CHECK_HANDLE(package);
    if (!name || !*name) return invalid_argument("the kernel's name is missing");
    if (!out) return invalid_argument("out is NULL");
    BSC_CHECK_USABLE(device->instance());
    auto kernel = package->kernel(*device, name, variant ? variant : "");
    if (!kernel.ok()) return kernel.take_error();
    *out = kernel->detach();
    return {};
  });
}

bsc_kernel* bsc_kernel_retain(bsc_kernel* kernel) {
  if (is_handle(kernel)) kernel->retain();
  return kernel;
}

void bsc_kernel_release(bsc_kernel* kernel) { release_handle(kernel); }

const char* bsc_kernel_variant(const bsc_kernel* kernel) { return is_handle(kernel) ? kernel->variant().c_str() : ""; }

void bsc_kernel_get_limits(const bsc_kernel* kernel, bsc_kernel_limits* out_limits) {
  if (!is_handle(kernel) || !out_limits) return;
  const bsc_plugin_function_info& info = kernel->function_info();
  bsc_kernel_limits limits{};
  limits.max_block_threads = info.max_block_threads;
  limits.static_shared_bytes = info.static_shared_bytes;
  limits.private_bytes = info.private_bytes;
  limits.registers = info.registers;
  limits.preferred_multiple = info.preferred_multiple;
  write_sized(out_limits, limits);
}

}  // extern "C"
