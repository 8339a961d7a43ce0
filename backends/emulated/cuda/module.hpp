// Modules: PTX that the engine has loaded, its kernels and variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/include/cuda_structs.h"
#include "backends/simt/simt.h"

namespace bascule::emulated {

class Module;

struct Function {
  Function(Module& of, std::uint64_t its_index, const bsc_simt_function_info& its_info) : module(of), index(its_index), info(its_info) {}

  Module& module;
  const std::uint64_t index;
  const bsc_simt_function_info info;
  std::vector<bsc_simt_parameter> parameters;
  std::atomic<int> max_dynamic_shared_bytes{0};
  std::atomic<int> carveout{-1};

  /// CU_FUNC_ATTRIBUTE_*. Throws Refusal.
  [[nodiscard]] int attribute(CUfunction_attribute which) const;
  void set_attribute(CUfunction_attribute which, int value);
  /// Blocks that one multiprocessor holds.
  [[nodiscard]] int blocks_per_multiprocessor(std::uint64_t threads, std::uint64_t dynamic_shared_bytes) const;
};

class Module : public std::enable_shared_from_this<Module> {
 public:
  /// `log` gets the engine's messages. Throws Refusal (INVALID_PTX and others).
  Module(std::shared_ptr<Context> context, const std::string& text, std::string& log);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  [[nodiscard]] const Context* context() const { return context_.get(); }
  [[nodiscard]] const bsc_simt_api& api() const { return api_; }
  [[nodiscard]] bsc_simt_module* engine_module() const { return module_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Function>>& functions() const { return functions_; }
  [[nodiscard]] const std::vector<bsc_simt_variable>& variables() const { return variables_; }
  [[nodiscard]] int ptx_version() const { return ptx_version_; }
  [[nodiscard]] int target() const { return target_; }
  /// nullptr if there is none of the name.
  Function* function(std::string_view name) const;
  /// A reference that keeps the module.
  std::shared_ptr<Function> share(Function* function) { return {shared_from_this(), function}; }

 private:
  const std::shared_ptr<Context> context_;
  const bsc_simt_api& api_;
  bsc_simt_module* module_ = nullptr;
  int ptx_version_ = 0;
  int target_ = 0;
  std::vector<std::unique_ptr<Function>> functions_;
  std::vector<bsc_simt_variable> variables_;
};

/// Loads and registers it with its functions. Throws Refusal.
std::shared_ptr<Module> load_module(const std::shared_ptr<Context>& context, const std::string& text, std::string& log);
/// Its handles and its functions' are no longer valid; running kernels keep the code.
void remove_module(const std::shared_ptr<Module>& module);

/// The function behind a CUfunction, which may also be a CUkernel: that one's function in the current context. Throws Refusal.
std::shared_ptr<Function> function_of(CUfunction handle);

}  // namespace bascule::emulated
