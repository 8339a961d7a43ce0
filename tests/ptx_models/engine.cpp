// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/engine.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/support/simt_call.hpp"

namespace bascule::ptx_models {
namespace {

using bascule::test::empty_error;

const bsc_host_services& services() {
  static const bsc_host_services table = [] {
    bsc_host_services result = {};
    result.header = {sizeof result, BSC_STRUCT_HOST_SERVICES, nullptr};
    result.log = [](void*, std::uint32_t level, const char* message) {
      if (level >= BSC_LOG_WARNING) std::fprintf(stderr, "engine: %s\n", message);
    };
    result.allocate = [](void*, std::uint64_t bytes, std::uint64_t alignment) -> void* {
      const std::uint64_t aligned = std::max<std::uint64_t>(alignment, 64);
      return std::aligned_alloc(aligned, (bytes + aligned - 1) / aligned * aligned);
    };
    result.deallocate = [](void*, void* pointer) { std::free(pointer); };
    result.cache_get = [](void*, const bsc_plugin_cache_key*, void**, std::uint64_t*) -> bsc_status { return BSC_NOT_FOUND; };
    result.cache_put = [](void*, const bsc_plugin_cache_key*, const void*, std::uint64_t) {};
    return result;
  }();
  return table;
}

std::string library_path() {
  if (const char* file = std::getenv("BASCULE_SIMT_LIBRARY")) return file;
  const char* folder = std::getenv("BASCULE_PLUGIN_PATH");
  return (folder != nullptr ? std::string(folder) + "/" : std::string()) + "libbascule_simt.so";
}

/// Every text that is loaded, for a look at it or for another assembler, in the folder BASCULE_PTX_MODELS_DUMP.
void keep(std::string_view text) {
  static int number = 0;
  if (const char* folder = std::getenv("BASCULE_PTX_MODELS_DUMP")) {
    std::ofstream(std::string(folder) + "/module" + std::to_string(number++) + ".ptx") << text;
  }
}

}  // namespace

const bsc_simt_api& engine() {
  static const bsc_simt_api* const api = [] {
    const std::string path = library_path();
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* query = library != nullptr ? dlsym(library, BSC_SIMT_QUERY_SYMBOL) : nullptr;
    if (query == nullptr) {
      std::fprintf(stderr, "cannot open the engine: %s\n", dlerror());
      std::exit(2);
    }
    return reinterpret_cast<bsc_simt_query_function>(query)();
  }();
  return *api;
}

std::vector<std::uint32_t> cpu_levels() {
  if (const char* text = std::getenv("BASCULE_PTX_MODELS_LEVELS")) {
    std::vector<std::uint32_t> levels;
    for (const char* c = text; *c != 0; ++c) {
      if (*c >= '2' && *c <= '4') levels.push_back(static_cast<std::uint32_t>(*c - '0'));
    }
    return levels;
  }
  __builtin_cpu_init();
  std::vector<std::uint32_t> levels = {2};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) levels.push_back(3);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd")) {
    levels.push_back(4);
  }
  return levels;
}

bsc_simt_options options_for_level(std::uint32_t level) {
  bsc_simt_options options = {};
  options.cpu_level = level;
  options.workers = 1;
  options.watchdog_ns = 120'000'000'000u;
  return options;
}

Module::Module(std::string_view text, const bsc_simt_options& options) {
  keep(text);
  bsc_plugin_error error = empty_error();
  if (engine().load(text.data(), text.size(), "models.ptx", &options, &services(), &module_, &error) != BSC_OK) {
    module_ = nullptr;
    error_ = error.message;
  }
}

Module::~Module() {
  if (module_ != nullptr) engine().unload(module_);
}

bsc_status Module::launch(const std::string& kernel, const Launch& launch, const void* arguments, std::size_t bytes) {
  bsc_simt_function_info info = {};
  bsc_simt_launch request = {};
  (void)bascule::test::find_kernel(engine(), module_, kernel, request.function, info);  // what there is not, prepare refuses
  request.grid[0] = launch.grid;
  request.block[0] = launch.block;
  request.grid[1] = request.grid[2] = request.block[1] = request.block[2] = 1;
  request.cluster[0] = request.cluster[1] = request.cluster[2] = 1;
  request.shared_bytes = launch.shared_bytes;
  request.flags = launch.flags;
  request.arguments = arguments;
  request.argument_bytes = bytes;
  const bsc_simt_range everything = {0, ~std::uint64_t{0}};
  request.ranges = &everything;
  request.range_count = 1;
  bsc_simt_job* job = nullptr;
  bsc_plugin_error error = empty_error();
  bsc_status status = engine().prepare(module_, &request, &job, &error);
  if (status == BSC_OK) status = bascule::test::run_job(engine(), job, static_cast<unsigned>(launch.workers), error);
  if (status != BSC_OK) error_ = error.message;
  return status;
}

}  // namespace bascule::ptx_models
