// The functions behind simt.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <cstring>

#include "backends/common/error.hpp"
#include "backends/simt/execute/coverage.hpp"
#include "backends/simt/execute/fault_guard.hpp"
#include "backends/simt/execute/module.hpp"
#include "backends/simt/ptx/describe.hpp"
#include "backends/simt/sanitizer/launch_sanitizer.hpp"

using bascule::simt::Finding;
using bascule::simt::Kernel;
using bascule::simt::Launch;

struct bsc_simt_job {
  bsc_simt_module* module = nullptr;
  Kernel* kernel = nullptr;
  std::unique_ptr<Launch> launch;  // null: an empty grid
  std::unique_ptr<bascule::simt::LaunchSanitizer> sanitizer;
};

namespace bascule::simt {
namespace {

using backend::fill_error;
using backend::guarded;

bsc_status load(const void* text, uint64_t bytes, const char* name, const bsc_simt_options* options,
                const bsc_host_services* services, bsc_simt_module** out_module, bsc_plugin_error* error) {
  return guarded(error, "ptx", [&]() -> bsc_status {
    if (text == nullptr || bytes == 0) {
      return fill_error(error, BSC_INVALID_IMAGE, "ptx", "the PTX image \"{}\" is empty", name != nullptr ? name : "");
    }
    static const bsc_simt_options defaults = {};
    std::unique_ptr<bsc_simt_module> module;
    BSC_PLUGIN_RETURN_IF_ERROR(load_module({static_cast<const char*>(text), static_cast<std::size_t>(bytes)},
                                           name != nullptr && *name != '\0' ? name : "ptx",
                                           options != nullptr ? *options : defaults, services, module, error));
    *out_module = module.release();
    return BSC_OK;
  });
}

void unload(bsc_simt_module* module) {
  delete module;
  write_coverage();
}

int function(bsc_simt_module* module, uint64_t index, bsc_simt_function_info* out_info) {
  if (index >= module->kernels.size()) return 0;
  const Kernel& kernel = module->kernels[index];
  const ptx::Function& of = module->module->functions[kernel.function];
  bsc_simt_function_info info = {};
  info.name = of.name.c_str();
  info.argument_bytes = kernel.argument_bytes;
  info.argument_count = of.parameters.size();
  info.static_shared_bytes = kernel.program->static_shared_bytes;
  info.local_bytes = kernel.program->local_bytes;
  info.max_block_threads = max_threads_of(of);
  if (of.required_threads.x != 0) {
    info.required_block[0] = of.required_threads.x;
    info.required_block[1] = of.required_threads.y != 0 ? of.required_threads.y : 1;
    info.required_block[2] = of.required_threads.z != 0 ? of.required_threads.z : 1;
  }
  info.registers = kernel.program->functions[kernel.function]->live_registers;
  *out_info = info;
  return 1;
}

int parameter(bsc_simt_module* module, uint64_t function, uint64_t index, bsc_simt_parameter* out_parameter) {
  if (function >= module->kernels.size()) return 0;
  const auto& parameters = module->module->functions[module->kernels[function].function].parameters;
  if (index >= parameters.size()) return 0;
  *out_parameter = {parameters[index].name.c_str(), parameters[index].offset, parameters[index].bytes};
  return 1;
}

int variable(bsc_simt_module* module, uint64_t index, bsc_simt_variable* out_variable) {
  const auto& variables = module->module->variables;
  const auto& addresses = module->memory->addresses().variables;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (addresses[i] == 0 || index-- != 0) continue;  // shared memory has no address
    *out_variable = {variables[i].name.c_str(), addresses[i], variables[i].bytes, variables[i].space == ptx::Space::constant ? 1u : 0u};
    return 1;
  }
  return 0;
}

bsc_status prepare(bsc_simt_module* module, const bsc_simt_launch* launch, bsc_simt_job** out_job, bsc_plugin_error* error) {
  return guarded(error, "launch", [&]() -> bsc_status {
    LaunchShape shape;
    BSC_PLUGIN_RETURN_IF_ERROR(check_launch(*module, *launch, shape, error));
    auto job = std::make_unique<bsc_simt_job>();
    job->module = module;
    job->kernel = &module->kernels[launch->function];
    if (shape.blocks() != 0) {
      if (module->options.keep_signals == 0) install_fault_handler();
      LaunchOptions options;
      options.sanitize = module->options.sanitize != 0;
      options.statistics = module->options.statistics != 0;
      options.seed = module->options.seed;
      options.watchdog_ns = module->options.watchdog_ns;
      options.workers = module->options.workers;
      options.resident_blocks = module->options.resident_blocks;
      job->launch = std::make_unique<Launch>(*job->kernel->program, shape, options, launch->arguments, launch->argument_bytes,
                                             ++module->launches);
      Launch& made = *job->launch;
      made.LaunchServices::constants = module->memory->constants();
      made.constant_bytes = module->memory->constant_bytes();
      made.heap = module->heap.get();
      if (options.sanitize) {
        for (uint64_t i = 0; i < launch->range_count; ++i) {
          made.ranges.push_back({launch->ranges[i].address, launch->ranges[i].bytes, {}, false});
        }
        const auto& own = module->memory->ranges();
        made.ranges.insert(made.ranges.end(), own.begin(), own.end());
        job->sanitizer = std::make_unique<LaunchSanitizer>(made);
        made.sanitizer = job->sanitizer.get();
      }
      made.tracer = [module](std::string_view line) { module->services.log(BSC_LOG_TRACE, "{}", line); };
      made.printer = [module](std::string_view text) {
        if (module->options.print != nullptr) {
          module->options.print(module->options.print_context, text.data(), text.size());
          return;
        }
        while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
        module->services.log(BSC_LOG_INFO, "{}", text);
      };
    }
    *out_job = job.release();
    return BSC_OK;
  });
}

bsc_status run(bsc_simt_job* job, uint32_t worker, bsc_plugin_error* error) {
  return guarded(error, "launch", [&]() -> bsc_status {
    if (job->launch == nullptr) return BSC_OK;
    try {
      job->launch->run(worker);
    } catch (...) {
      job->launch->end(Launch::End::internal);  // the other threads must not wait for this one's blocks
      throw;
    }
    const std::string& kernel = job->module->module->functions[job->kernel->function].name;
    switch (job->launch->how_it_ended()) {
      case Launch::End::running:
        if (job->launch->findings().empty()) return BSC_OK;
        break;
      case Launch::End::timed_out:
        return fill_error(error, BSC_TIMED_OUT, "launch",
                          "the kernel {} ran for longer than the watchdog allows ({} ms) and was ended (option watchdog)", kernel,
                          job->launch->options.watchdog_ns / 1000000);
      case Launch::End::internal:
        return fill_error(error, BSC_INTERNAL, "launch", "the kernel {} was ended because a thread that ran it failed", kernel);
      case Launch::End::finding: break;
    }
    const std::vector<Finding> findings = job->launch->findings();
    std::string text = render(findings.front(), job->module->name);
    if (findings.size() > 1) text += "\n  and " + std::to_string(findings.size() - 1) + " more, see the report";
    return fill_error(error, BSC_LAUNCH_FAILED, "launch", "{}", text);
  });
}

void finish(bsc_simt_job* job) {
  if (job->launch != nullptr) {
    const std::lock_guard lock(job->module->mutex);
    constexpr std::size_t kMostFindings = 1000;
    for (Finding& finding : job->launch->findings()) {
      if (job->module->findings.size() < kMostFindings) job->module->findings.push_back(std::move(finding));
    }
    ++job->kernel->launches;
    job->kernel->executed_operations += job->launch->executed_operations;
    job->kernel->executed_lanes += job->launch->executed_lanes;
  }
  delete job;
}

bsc_status hand_out(const std::string& text, char** out_text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *out_text = copy;
  return BSC_OK;
}

bsc_status describe(const void* text, uint64_t bytes, const char* name, char** out_json, bsc_plugin_error* error) {
  return guarded(error, "ptx", [&]() -> bsc_status {
    const std::string_view file = name != nullptr && *name != '\0' ? name : "ptx";
    const ptx::Parsed parsed = ptx::parse({static_cast<const char*>(text), static_cast<std::size_t>(bytes)}, file);
    if (parsed.module == nullptr) return hand_out(ptx::describe_failure_json(file, parsed.diagnostics), out_json);
    return hand_out(ptx::describe_json(*parsed.module, parsed.diagnostics, is_executed), out_json);
  });
}

bsc_status report(bsc_simt_module* module, char** out_json, bsc_plugin_error* error) {
  return guarded(error, "report", [&] { return hand_out(report_of(*module), out_json); });
}

void release_text(char* text) { std::free(text); }

}  // namespace
}  // namespace bascule::simt

extern "C" __attribute__((visibility("default"))) const bsc_simt_api* bascule_simt_query(void) {
  using namespace bascule::simt;
  static const bsc_simt_api api = {BSC_SIMT_ABI, load, unload, function, parameter, variable,
                                   prepare,      run,  finish, describe, report,    release_text};
  return &api;
}
