// Building programs, from source or from the host's cache.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/module.hpp"

#include <span>

#include "backends/common/struct_access.hpp"
#include "backends/opencl/instance.hpp"
#include "backends/opencl/plugin.hpp"

namespace bascule::opencl {
namespace {

using backend::fill_error;

// Division and square root are correctly rounded wherever the device can: results are compared across backends. A program
// that asks for fast mathematics gets what it asks for.
std::string complete_options(const Device& device, std::string options) {
  constexpr std::string_view kRounded = "-cl-fp32-correctly-rounded-divide-sqrt";
  if (!device.properties.correctly_rounded_divide_sqrt || options.find(kRounded) != std::string::npos ||
      options.find("-cl-fast-relaxed-math") != std::string::npos ||
      options.find("-cl-unsafe-math-optimizations") != std::string::npos) {
    return options;
  }
  if (!options.empty()) options += ' ';
  return options += kRounded;
}

}  // namespace

Function::Function(Module& owner, std::string kernel_name)
    : Object(owner.api), module(owner), name(std::move(kernel_name)) {}

bsc_status Function::create(bsc_plugin_error* error) {
  const cl::Api& api = module.device.api();
  const cl::DeviceId device = module.device.id;
  OwnedKernel kernel;
  BSC_PLUGIN_RETURN_IF_ERROR(borrow(kernel, error));
  const Check check(error, name);
  cl::Uint arguments = 0;
  std::size_t group_size = 0;
  cl::Ulong local_bytes = 0;
  BSC_VENDOR_RETURN_IF_ERROR(check, api, clGetKernelInfo, kernel.get(), cl::kKernelNumArgs, sizeof arguments, &arguments,
                             nullptr);
  BSC_VENDOR_RETURN_IF_ERROR(check, api, clGetKernelWorkGroupInfo, kernel.get(), device, cl::kKernelWorkGroupSize,
                             sizeof group_size, &group_size, nullptr);
  BSC_VENDOR_RETURN_IF_ERROR(check, api, clGetKernelWorkGroupInfo, kernel.get(), device, cl::kKernelLocalMemSize,
                             sizeof local_bytes, &local_bytes, nullptr);
  argument_count = arguments;
  max_block_threads = group_size;
  static_local_bytes = local_bytes;
  // Hints: a driver that does not know them is as good as any other.
  cl::Ulong bytes_of_item = 0;
  std::size_t multiple = 0;
  if (api.clGetKernelWorkGroupInfo(kernel.get(), device, cl::kKernelPrivateMemSize, sizeof bytes_of_item, &bytes_of_item,
                                   nullptr) == cl::kSuccess) {
    private_bytes = bytes_of_item;
  }
  if (api.clGetKernelWorkGroupInfo(kernel.get(), device, cl::kKernelPreferredWorkGroupSizeMultiple, sizeof multiple,
                                   &multiple, nullptr) == cl::kSuccess) {
    preferred_multiple = multiple;
  }
  give_back(std::move(kernel));
  return BSC_OK;
}

bsc_status Function::borrow(OwnedKernel& kernel, bsc_plugin_error* error) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      kernel = std::move(idle_.back());
      idle_.pop_back();
      return BSC_OK;
    }
  }
  const cl::Api& api = module.device.api();
  cl::Int code = cl::kSuccess;
  const cl::Kernel created = api.clCreateKernel(module.program.get(), name.c_str(), &code);
  BSC_PLUGIN_RETURN_IF_ERROR(module.device.note(Check(error, name)(code, "clCreateKernel")));
  kernel = OwnedKernel(api, created);
  return BSC_OK;
}

void Function::give_back(OwnedKernel kernel) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(kernel));
}

Module::Module(Device& owner, std::string module_name)
    : Object(owner.bsc_plugin_object::api), device(owner), name(std::move(module_name)) {}

std::string Module::function_names() const {
  std::string names;
  for (const auto& function : functions) {
    if (!names.empty()) names += ", ";
    names += function->name;
  }
  return names.empty() ? "none" : names;
}

std::string Module::build_log() const {
  const cl::Api& api = device.api();
  std::size_t bytes = 0;
  if (api.clGetProgramBuildInfo(program.get(), device.id, cl::kProgramBuildLog, 0, nullptr, &bytes) != cl::kSuccess) return {};
  std::string log(bytes, '\0');
  if (bytes == 0 || api.clGetProgramBuildInfo(program.get(), device.id, cl::kProgramBuildLog, bytes, log.data(), nullptr) !=
                        cl::kSuccess) {
    return {};
  }
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

bsc_status Module::build_source(std::string_view source, const std::string& options, bsc_plugin_error* error) {
  const cl::Api& api = device.api();
  const char* text = source.data();
  const std::size_t length = source.size();
  cl::Int code = cl::kSuccess;
  program = OwnedProgram(api, api.clCreateProgramWithSource(device.context.get(), 1, &text, &length, &code));
  BSC_PLUGIN_RETURN_IF_ERROR(device.note(Check(error, name)(code, "clCreateProgramWithSource")));
  code = api.clBuildProgram(program.get(), 1, &device.id, options.c_str(), nullptr, nullptr);
  if (code == cl::kSuccess) return BSC_OK;
  const std::string log = build_log();
  bsc_status status = status_of(code);
  if (status == BSC_INTERNAL) status = BSC_BUILD_FAILED;  // bad options and the like
  return backend::fill_vendor_error(error, device.note(status), "clBuildProgram", {code, error_name(code)},
                                    "building {} for {} with options \"{}\" failed with {}:\n{}", name, device.properties.name,
                                    options, error_name(code), log.empty() ? "(the compiler left no log)" : log);
}

bool Module::build_cached(const std::vector<std::byte>& binary, const std::string& options) {
  const cl::Api& api = device.api();
  const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  cl::Int binary_status = cl::kSuccess;
  cl::Int code = cl::kSuccess;
  program = OwnedProgram(
      api, api.clCreateProgramWithBinary(device.context.get(), 1, &device.id, &length, &data, &binary_status, &code));
  if (code != cl::kSuccess || binary_status != cl::kSuccess) return false;
  if (api.clBuildProgram(program.get(), 1, &device.id, options.c_str(), nullptr, nullptr) != cl::kSuccess) return false;
  return create_functions(nullptr) == BSC_OK;
}

void Module::put_binary(const backend::CacheKey& key) {
  const cl::Api& api = device.api();
  std::size_t bytes = 0;
  if (api.clGetProgramInfo(program.get(), cl::kProgramBinarySizes, sizeof bytes, &bytes, nullptr) != cl::kSuccess ||
      bytes == 0) {
    return;
  }
  std::vector<std::byte> binary(bytes);
  auto* data = reinterpret_cast<unsigned char*>(binary.data());
  if (api.clGetProgramInfo(program.get(), cl::kProgramBinaries, sizeof data, &data, nullptr) != cl::kSuccess) return;
  device.instance.services.cache_put(key, binary);
}

bsc_status Module::create_functions(bsc_plugin_error* error) {
  const cl::Api& api = device.api();
  functions.clear();
  std::size_t bytes = 0;
  BSC_VENDOR_RETURN_IF_ERROR(Check(error, name), api, clGetProgramInfo, program.get(), cl::kProgramKernelNames, 0, nullptr,
                             &bytes);
  std::string names(bytes, '\0');
  if (bytes > 0) {
    BSC_VENDOR_RETURN_IF_ERROR(Check(error, name), api, clGetProgramInfo, program.get(), cl::kProgramKernelNames, bytes,
                               names.data(), nullptr);
  }
  names.resize(std::min(names.find('\0'), names.size()));
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find(';', begin), names.size());
    if (end > begin) {
      auto function = std::make_unique<Function>(*this, names.substr(begin, end - begin));
      BSC_PLUGIN_RETURN_IF_ERROR(function->create(error));
      functions.push_back(std::move(function));
    }
    begin = end + 1;
  }
  return BSC_OK;
}

bsc_status Module::load(std::string_view source, std::string options, bsc_plugin_error* error) {
  options = complete_options(device, std::move(options));
  const backend::CacheKey key = {std::as_bytes(std::span(source.data(), source.size())), options, kPluginBuild,
                                 device.properties.driver_version, device.properties.name};
  const backend::HostServices& services = device.instance.services;
  if (const auto binary = services.cache_get(key)) {
    if (build_cached(*binary, options)) return BSC_OK;
    services.log(BSC_LOG_INFO, "opencl: {} rejects the cached binary of {}; it is built again", device.properties.name, name);
    functions.clear();
  }
  BSC_PLUGIN_RETURN_IF_ERROR(build_source(source, options, error));
  BSC_PLUGIN_RETURN_IF_ERROR(create_functions(error));
  put_binary(key);
  return BSC_OK;
}

bsc_status module_load(bsc_plugin_device handle, const bsc_plugin_image* image, bsc_plugin_module* out_module,
                       bsc_plugin_error* error) {
  return backend::guarded(error, "module.load", [&]() -> bsc_status {
    auto* const device = backend::object_cast<Device>(handle, plugin_api());
    if (device == nullptr) return backend::fill_handle_error(error, "module.load", handle, BSC_OBJECT_DEVICE);
    if (image == nullptr || out_module == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "module.load", "image and out_module must not be null");
    }
    BSC_PLUGIN_RETURN_IF_ERROR(device->check_usable("module.load", error));
    const bsc_plugin_image given = backend::read_struct(image);
    const std::string_view format = given.format != nullptr ? given.format : "";
    const std::string name = given.name != nullptr && *given.name != '\0' ? given.name : "the OpenCL C image";
    if (format != "opencl-c") {
      return fill_error(error, BSC_UNSUPPORTED, "module.load", "{} has format '{}'; this backend takes 'opencl-c'", name, format);
    }
    if (given.data == nullptr || given.bytes == 0) {
      return fill_error(error, BSC_INVALID_IMAGE, "module.load", "{} is empty", name);
    }
    const std::string_view source(static_cast<const char*>(given.data), static_cast<std::size_t>(given.bytes));
    if (const auto zero = source.find('\0'); zero != std::string_view::npos && zero + 1 != source.size()) {
      return fill_error(error, BSC_INVALID_IMAGE, "module.load", "{} is not OpenCL C text: byte {} is zero", name, zero);
    }
    auto module = std::make_unique<Module>(*device, name);
    BSC_PLUGIN_RETURN_IF_ERROR(module->load(source.substr(0, source.find('\0')),
                                            given.options != nullptr ? given.options : "", error));
    device->adopt(module.get());
    *out_module = module.release();
    return BSC_OK;
  });
}

bsc_status module_unload(bsc_plugin_module handle, bsc_plugin_error* error) {
  return backend::guarded(error, "module.unload", [&]() -> bsc_status {
    auto* const module = backend::object_cast<Module>(handle, plugin_api());
    if (module == nullptr) return backend::fill_handle_error(error, "module.unload", handle, BSC_OBJECT_MODULE);
    if (forked_since_open()) return BSC_OK;  // the parent's
    module->device.disown(module);
    delete module;
    return BSC_OK;
  });
}

bsc_status module_function(bsc_plugin_module handle, const char* name, bsc_plugin_function* out_function,
                           bsc_plugin_error* error) {
  return backend::guarded(error, "module.function", [&]() -> bsc_status {
    auto* const module = backend::object_cast<Module>(handle, plugin_api());
    if (module == nullptr) return backend::fill_handle_error(error, "module.function", handle, BSC_OBJECT_MODULE);
    if (name == nullptr || out_function == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "module.function", "name and out_function must not be null");
    }
    for (const auto& function : module->functions) {
      if (function->name == name) {
        *out_function = function.get();
        return BSC_OK;
      }
    }
    return fill_error(error, BSC_NOT_FOUND, "module.function", "{} has no kernel '{}'; it has: {}", module->name, name,
                      module->function_names());
  });
}

bsc_status module_function_info(bsc_plugin_function handle, bsc_plugin_function_info* out_info, bsc_plugin_error* error) {
  auto* const function = backend::object_cast<Function>(handle, plugin_api());
  if (function == nullptr) return backend::fill_handle_error(error, "module.function_info", handle, BSC_OBJECT_FUNCTION);
  if (out_info == nullptr) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "module.function_info", "out_info must not be null");
  }
  bsc_plugin_function_info info = {};
  info.max_block_threads = function->max_block_threads;
  info.static_shared_bytes = function->static_local_bytes;
  info.private_bytes = function->private_bytes;
  info.preferred_multiple = function->preferred_multiple;
  info.argument_count = function->argument_count;
  backend::write_struct(out_info, info);
  return BSC_OK;
}

bsc_status module_function_name(bsc_plugin_module handle, std::uint64_t index, const char** out_name,
                                bsc_plugin_error* error) {
  auto* const module = backend::object_cast<Module>(handle, plugin_api());
  if (module == nullptr) return backend::fill_handle_error(error, "module.function_name", handle, BSC_OBJECT_MODULE);
  if (out_name == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "module.function_name", "out_name must not be null");
  if (index >= module->functions.size()) {
    return fill_error(error, BSC_NOT_FOUND, "module.function_name", "{} has {} kernels; there is no index {}", module->name,
                      module->functions.size(), index);
  }
  *out_name = module->functions[index]->name.c_str();
  return BSC_OK;
}

}  // namespace bascule::opencl
