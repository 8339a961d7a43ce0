// bsc_kernel: a function ready to launch, either a variant of a contract with its compiled plan or a raw function of a
// module. Also bsc_package, which keeps the kernels made from it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "bascule/bascule.h"
#include "core/package/launch_plan.hpp"
#include "core/package/package.hpp"
#include "core/runtime/instance.hpp"
#include "core/runtime/module.hpp"

struct bsc_kernel final : bascule::core::Object {
 public:
  static constexpr auto kKind = bascule::core::ObjectKind::kKernel;

  struct Contract {
    std::shared_ptr<const bascule::core::Package> package;  // keeps what `plan` points to
    bascule::core::LaunchPlan plan;
  };

  static bascule::core::Result<bascule::core::Ref<bsc_kernel>> from_module(bsc_module& module,
                                                                           const std::string& function);
  // A chosen variant whose image is loaded as `module`.
  static bascule::core::Result<bascule::core::Ref<bsc_kernel>> from_variant(
      bsc_module& module, std::shared_ptr<const bascule::core::Package> package, const bascule::core::Kernel& kernel,
      const bascule::core::Variant& variant);

  bsc_kernel(bsc_module& module, std::string name, std::string variant, bsc_plugin_function function,
             const bsc_plugin_function_info& info, std::optional<Contract> contract);

  bsc_instance& instance() const { return module_->instance(); }
  bsc_device& device() const { return module_->device(); }
  bsc_module& module() const { return *module_; }
  const std::string& name() const { return name_; }
  const std::string& variant() const { return variant_; }
  bool is_host_format() const { return host_format_; }
  bsc_plugin_function function() const { return function_; }  // of the first launch
  const bsc_plugin_function_info& function_info() const { return info_; }
  const bascule::core::LaunchPlan* plan() const { return contract_ ? &contract_->plan : nullptr; }

 private:
  bascule::core::Ref<bsc_module> module_;
  std::string name_;
  std::string variant_;
  bsc_plugin_function function_;
  bsc_plugin_function_info info_;
  std::optional<Contract> contract_;
  bool host_format_;
};

struct bsc_package final : bascule::core::Object {
 public:
  static constexpr auto kKind = bascule::core::ObjectKind::kPackage;

  bsc_package(bsc_instance& instance, std::shared_ptr<const bascule::core::Package> package);

  bsc_instance& instance() const { return *instance_; }
  const bascule::core::Package& contents() const { return *package_; }
  const std::string& description() const { return description_; }

  // Chooses, loads and remembers. An empty `variant` lets the configuration or the scores decide.
  bascule::core::Result<bascule::core::Ref<bsc_kernel>> kernel(bsc_device& device, const std::string& name,
                                                               const std::string& variant);
  bascule::core::Result<std::string> explain(bsc_device& device, const std::string& name) const;

 private:
  using KernelKey = std::tuple<const bsc_device*, std::string, std::string>;                 // kernel, forced variant
  using ModuleKey = std::tuple<const bsc_device*, std::string, std::uint64_t, std::string>;  // format, image, options

  const std::string& forced(const std::string& kernel, const std::string& variant) const;
  bascule::core::Result<bascule::core::Ref<bsc_kernel>> load(bsc_device& device, const bascule::core::Kernel& kernel,
                                                             const std::string& variant);
  bascule::core::Result<bascule::core::Ref<bsc_module>> module_of(bsc_device& device,
                                                                  const bascule::core::Variant& variant,
                                                                  const std::string& name);

  bascule::core::Ref<bsc_instance> instance_;
  std::shared_ptr<const bascule::core::Package> package_;
  std::string description_;
  std::mutex mutex_;  // guards the two maps; held while compiling, so that nothing is compiled twice
  std::map<KernelKey, bascule::core::Ref<bsc_kernel>> kernels_;
  std::map<ModuleKey, bascule::core::Ref<bsc_module>> modules_;
};
