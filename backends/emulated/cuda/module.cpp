// See module.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/module.hpp"

#include <algorithm>
#include <cstdio>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/image.hpp"
#include "backends/emulated/cuda/library.hpp"
#include "backends/emulated/cuda/memory.hpp"
#include "backends/emulated/cuda/registry.hpp"

namespace bascule::emulated {
namespace {

constexpr std::uint64_t kLanes = 32;
constexpr std::uint64_t kRegisterUnit = 256;  // registers are given to warps in units of so many

// Kernels print to the program's standard output.
void print(void*, const char* text, std::uint64_t bytes) {
  std::fwrite(text, 1, bytes, stdout);
  std::fflush(stdout);
}

void keep_log(void* log, std::uint32_t level, const char* message) {
  if (level < BSC_LOG_WARNING) return;
  auto& text = *static_cast<std::string*>(log);
  text += message;
  text += '\n';
}

bsc_simt_options options_for(const Context& context) {
  const Driver& driver = Driver::get();
  bsc_simt_options options = {};
  options.sanitize = driver.sanitize() ? 1 : 0;
  options.workers = static_cast<std::uint32_t>(context.device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  options.watchdog_ns = context.device.gpu->kernel_time_limit_ms * 1000000;
  options.stack_bytes = std::max<std::uint64_t>(context.limits[CU_LIMIT_STACK_SIZE], 8 << 10);
  options.heap_bytes = context.limits[CU_LIMIT_MALLOC_HEAP_SIZE];
  options.print = print;
  return options;
}

CUresult code_of_load(bsc_status status) {
  switch (status) {
    case BSC_OUT_OF_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
    default: return CUDA_ERROR_INVALID_PTX;
  }
}

}  // namespace

Module::Module(std::shared_ptr<Context> context, const std::string& text, std::string& log)
    : context_(std::move(context)), api_(Driver::get().engine()) {
  const PtxHeader header = read_ptx_header(text);
  ptx_version_ = header.version;
  target_ = header.target;
  bsc_host_services services = {};
  services.header = {sizeof services, BSC_STRUCT_HOST_SERVICES, nullptr};
  std::string messages;
  services.context = &messages;
  services.log = keep_log;
  const bsc_simt_options options = options_for(*context_);
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  const bsc_status status = api_.load(text.data(), text.size(), "ptx", &options, &services, &module_, &error);
  log += messages;
  if (status != BSC_OK) {
    if (messages.empty()) log += std::string(error.message) + "\n";
    refuse(code_of_load(status), "{}", error.message);
  }
  bsc_simt_function_info info = {};
  for (std::uint64_t i = 0; api_.function(module_, i, &info) != 0; ++i) {
    auto function = std::make_unique<Function>(*this, i, info);
    bsc_simt_parameter parameter = {};
    while (api_.parameter(module_, i, function->parameters.size(), &parameter) != 0) function->parameters.push_back(parameter);
    const int most = context_->device.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    function->max_dynamic_shared_bytes = std::max(0, most - static_cast<int>(info.static_shared_bytes));
    functions_.push_back(std::move(function));
  }
  bsc_simt_variable variable = {};
  while (api_.variable(module_, variables_.size(), &variable) != 0) {
    variables_.push_back(variable);
    if (variable.bytes == 0) continue;
    Memory::get().adopt(reinterpret_cast<void*>(variable.address), variable.bytes, Allocation::Kind::kDevice, 0, context_->device.ordinal, nullptr);
  }
}

Module::~Module() {
  for (const bsc_simt_variable& variable : variables_) Memory::get().remove(variable.address);
  if (module_ != nullptr) api_.unload(module_);
}

Function* Module::function(std::string_view name) const {
  const auto found = std::find_if(functions_.begin(), functions_.end(), [&](const auto& function) { return name == function->info.name; });
  return found == functions_.end() ? nullptr : found->get();
}

int Function::attribute(CUfunction_attribute which) const {
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return static_cast<int>(info.max_block_threads);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return static_cast<int>(info.static_shared_bytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: return 0;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return static_cast<int>(info.local_bytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS: return static_cast<int>(std::clamp(info.registers, 16u, 255u));
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: return module.target();
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: return module.context()->device.gpu->compute_capability();
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: return 0;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return max_dynamic_shared_bytes;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return carveout;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return 0;
    default: refuse(CUDA_ERROR_INVALID_VALUE, "{} is no attribute of a function", static_cast<int>(which));
  }
}

void Function::set_attribute(CUfunction_attribute which, int value) {
  if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    const int most = module.context()->device.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) - static_cast<int>(info.static_shared_bytes);
    if (value < 0 || value > most) {
      refuse(CUDA_ERROR_INVALID_VALUE, "{}: {} bytes of dynamic shared memory; at most {} are possible", info.name, value, most);
    }
    max_dynamic_shared_bytes = value;
  } else if (which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    if (value < -1 || value > 100) refuse(CUDA_ERROR_INVALID_VALUE, "a carveout of {} percent", value);
    carveout = value;
  } else {
    refuse(CUDA_ERROR_INVALID_VALUE, "the attribute {} of a function cannot be set", static_cast<int>(which));
  }
}

int Function::blocks_per_multiprocessor(std::uint64_t threads, std::uint64_t dynamic_shared_bytes) const {
  const Device& device = module.context()->device;
  const auto limit = [&](CUdevice_attribute which) { return static_cast<std::uint64_t>(device.attribute(which)); };
  if (threads == 0 || threads > std::min(info.max_block_threads, limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK))) return 0;
  const std::uint64_t warps = (threads + kLanes - 1) / kLanes;
  const std::uint64_t shared = info.static_shared_bytes + dynamic_shared_bytes;
  if (shared > limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)) return 0;
  const auto registers = static_cast<std::uint64_t>(attribute(CU_FUNC_ATTRIBUTE_NUM_REGS));
  const std::uint64_t registers_of_a_warp = (registers * kLanes + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  std::uint64_t blocks = std::min(limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
                                  limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / (warps * kLanes));
  blocks = std::min(blocks, limit(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) / (registers_of_a_warp * warps));
  const std::uint64_t reserved = limit(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  if (shared + reserved != 0) blocks = std::min(blocks, limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) / (shared + reserved));
  return static_cast<int>(blocks);
}

std::shared_ptr<Module> load_module(const std::shared_ptr<Context>& context, const std::string& text, std::string& log) {
  auto module = std::make_shared<Module>(context, text, log);
  Registry<Module>::get().add<CUmodule>(module);
  for (const auto& function : module->functions()) Registry<Function>::get().add<CUfunction>(module->share(function.get()));
  return module;
}

void remove_module(const std::shared_ptr<Module>& module) {
  for (const auto& function : module->functions()) Registry<Function>::get().remove(function.get());
  Registry<Module>::get().remove(module.get());
}

std::shared_ptr<Function> function_of(CUfunction handle) {
  if (auto function = Registry<Function>::get().find(handle)) return function;
  if (const auto kernel = Registry<LibraryKernel>::get().find(handle)) return kernel->function();
  refuse(CUDA_ERROR_INVALID_HANDLE, "{} is no function that is alive", reinterpret_cast<const void*>(handle));
}

}  // namespace bascule::emulated
