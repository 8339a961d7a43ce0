// What a launch costs, each pair measured in turn in one run:
//   1. through the C API against a direct call of the plugin's table, on the null backend;
//   2. submit and wait of an empty kernel on cpu and on opencl, against a condition-variable round trip of two threads.
// Prints medians. Usage: launch_overhead [ROUNDS]
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/bascule.h>
#include <bascule/host_kernel.h>
#include <bascule/plugin.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what, bsc_status status, bsc_error* error) {
  std::fprintf(stderr, "%s: %s: %s\n", what, bsc_status_name(status), error ? bsc_error_message(error) : "");
  std::exit(1);
}

#define REQUIRE_OK(call)                              \
  do {                                                \
    bsc_error* error = nullptr;                       \
    const bsc_status status = (call);                 \
    if (status != BSC_OK) fail(#call, status, error); \
  } while (false)

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

double per_call(std::uint64_t calls, const std::function<void()>& batch) {
  const auto start = Clock::now();
  batch();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(calls);
}

bsc_instance* open_instance(const char* backend) {
  const bsc_setting setting = {"backends", backend};
  bsc_instance_options options = BSC_INSTANCE_OPTIONS_INIT;
  options.setting_count = 1;
  options.settings = &setting;
  bsc_instance* instance = nullptr;
  bsc_error* error = nullptr;
  if (bsc_instance_create(&options, &instance, &error) != BSC_OK) {
    std::printf("%s: not here (%s)\n", backend, bsc_error_message(error));
    bsc_error_release(error);
    return nullptr;
  }
  return instance;
}

// ---- 1: the null backend ---------------------------------------------------------------------------------------------

// A plugin's tables without the runtime in between.
struct DirectNull {
  const bsc_plugin_api* api = nullptr;
  bsc_plugin_queue queue = nullptr;
  bsc_plugin_function function = nullptr;
  bsc_plugin_memory memory = nullptr;

  explicit DirectNull(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::exit(1);
    }
    const auto query = reinterpret_cast<bsc_plugin_query_function>(dlsym(library, BSC_PLUGIN_QUERY_SYMBOL));
    const bsc_plugin_host_info host = {{sizeof host, BSC_STRUCT_HOST_INFO, nullptr}, BSC_PLUGIN_ABI_MAJOR, BSC_PLUGIN_ABI_MINOR, "0.1.0"};
    bsc_plugin_info info = {};
    info.header = {sizeof info, BSC_STRUCT_PLUGIN_INFO, nullptr};
    if (query(&host, &info) != BSC_OK) fail("query", BSC_ABI_MISMATCH, nullptr);
    api = info.api;
    static const bsc_host_services services = make_services();
    bsc_plugin_open_info open = {};
    open.header = {sizeof open, BSC_STRUCT_OPEN_INFO, nullptr};
    open.services = &services;
    bsc_plugin_instance instance = nullptr;
    check(api->instance->open(&open, &instance, nullptr));
    bsc_plugin_device device = nullptr;
    std::uint64_t count = 0;
    check(api->instance->enumerate(instance, 1, &device, &count, nullptr));
    bsc_plugin_queue_description queue_description = {};
    queue_description.header = {sizeof queue_description, BSC_STRUCT_QUEUE_DESCRIPTION, nullptr};
    check(api->queue->create(device, &queue_description, &queue, nullptr));
    bsc_plugin_image image = {};
    image.header = {sizeof image, BSC_STRUCT_IMAGE, nullptr};
    image.format = "opencl-c";
    image.data = "x";
    image.bytes = 1;
    bsc_plugin_module module = nullptr;
    check(api->module->load(device, &image, &module, nullptr));
    check(api->module->function(module, "f", &function, nullptr));
    bsc_plugin_memory_description memory_description = {};
    memory_description.header = {sizeof memory_description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
    memory_description.bytes = 4096;
    check(api->memory->allocate(device, &memory_description, &memory, nullptr));
  }

  static void check(bsc_status status) {
    if (status != BSC_OK) fail("direct table call", status, nullptr);
  }

  static bsc_host_services make_services() {
    bsc_host_services services = {};
    services.header = {sizeof services, BSC_STRUCT_HOST_SERVICES, nullptr};
    services.log = [](void*, uint32_t, const char*) {};
    services.allocate = [](void*, uint64_t bytes, uint64_t alignment) -> void* {
      return std::aligned_alloc(std::max<std::size_t>(alignment, 64), (bytes + 63) / 64 * 64);
    };
    services.deallocate = [](void*, void* pointer) { std::free(pointer); };
    services.cache_get = [](void*, const bsc_plugin_cache_key*, void**, uint64_t*) -> bsc_status { return BSC_NOT_FOUND; };
    services.cache_put = [](void*, const bsc_plugin_cache_key*, const void*, uint64_t) {};
    return services;
  }

  void submit() const {
    const float scalar = 2;
    const bsc_plugin_argument arguments[] = {{BSC_ARGUMENT_VALUE, 0, 0, 4, 0, nullptr},
                                             {BSC_ARGUMENT_BUFFER, 0, 8, 2048, 0, memory},
                                             {BSC_ARGUMENT_BUFFER, 0, 24, 2048, 2048, memory}};
    unsigned char blob[40] = {};
    std::memcpy(blob, &scalar, sizeof scalar);
    bsc_plugin_command command = {};
    command.header = {sizeof command, BSC_STRUCT_COMMAND, nullptr};
    command.kind = BSC_COMMAND_LAUNCH;
    command.launch.function = function;
    command.launch.grid[0] = 8;
    command.launch.grid[1] = command.launch.grid[2] = 1;
    command.launch.block[0] = 64;
    command.launch.block[1] = command.launch.block[2] = 1;
    command.launch.argument_count = 3;
    command.launch.argument_stride = sizeof arguments[0];
    command.launch.arguments = arguments;
    command.launch.blob = blob;
    command.launch.blob_bytes = sizeof blob;
    const bsc_plugin_submission submission = {{sizeof submission, BSC_STRUCT_SUBMISSION, nullptr}, 0, 1, sizeof command, &command};
    std::uint64_t value = 0;
    check(api->queue->submit(queue, &submission, &value, nullptr));
  }
};

void measure_null(int rounds) {
  constexpr std::uint64_t kCalls = 2000;
  bsc_instance* instance = open_instance("null");
  if (instance == nullptr) return;
  std::string plugin_path;
  bsc_backend_info backend = {};
  backend.size = sizeof backend;
  for (std::uint64_t i = 0; bsc_instance_backend(instance, i, &backend) == BSC_OK; ++i) {
    if (std::strcmp(backend.name, "null") == 0) plugin_path = backend.path;
  }
  const DirectNull direct(plugin_path);

  bsc_device* device = bsc_instance_default_device(instance);
  bsc_queue* queue = nullptr;
  bsc_module* module = nullptr;
  bsc_kernel* kernel = nullptr;
  bsc_buffer* buffer = nullptr;
  REQUIRE_OK(bsc_queue_create(device, nullptr, &queue, &error));
  REQUIRE_OK(bsc_module_load(device, "opencl-c", "x", 1, "", nullptr, &module, &error));
  REQUIRE_OK(bsc_module_kernel(module, "f", &kernel, &error));
  REQUIRE_OK(bsc_buffer_create(device, 4096, BSC_BUFFER_DEVICE, &buffer, &error));
  const float scalar = 2;
  const bsc_argument arguments[] = {{BSC_ARG_VALUE, 0, &scalar, 4, nullptr, 0},
                                    {BSC_ARG_BUFFER, 4, nullptr, 2048, buffer, 0},
                                    {BSC_ARG_BUFFER, 4, nullptr, 2048, buffer, 2048}};
  bsc_launch_options options = {};
  options.size = sizeof options;
  options.grid[0] = 8;
  options.grid[1] = options.grid[2] = 1;
  options.block[0] = 64;
  options.block[1] = options.block[2] = 1;

  std::vector<double> table, api;
  for (int round = 0; round < rounds; ++round) {
    table.push_back(per_call(kCalls, [&] { for (std::uint64_t i = 0; i < kCalls; ++i) direct.submit(); }));
    api.push_back(per_call(kCalls, [&] {
      for (std::uint64_t i = 0; i < kCalls; ++i) REQUIRE_OK(bsc_queue_launch(queue, kernel, &options, 3, arguments, nullptr, &error));
    }));
    REQUIRE_OK(bsc_queue_wait(queue, BSC_FOREVER, &error));
  }
  std::printf("null, one launch of three arguments: table %.1f ns, C API %.1f ns, difference %.1f ns\n", median(table), median(api),
              median(api) - median(table));
  bsc_buffer_release(buffer);
  bsc_kernel_release(kernel);
  bsc_module_release(module);
  bsc_queue_release(queue);
  bsc_instance_release(instance);
}

// ---- 2: empty kernels ------------------------------------------------------------------------------------------------

bsc_status empty_kernel(const void*, std::uint64_t, std::uint64_t, std::uint32_t, void*, bsc_host_team*) { return BSC_OK; }

const bsc_host_entry kEntries[] = {{"empty", empty_kernel, 0, 0, 0, 0, 0}};
const bsc_host_table kTable = {sizeof kTable, BSC_HOST_ABI_VERSION, 1, sizeof kEntries[0], kEntries};

// Submit and wait of an empty kernel of one backend.
class EmptyLaunch {
 public:
  EmptyLaunch(bsc_instance* instance, const char* format, const char* source, const bsc_host_table* table) {
    bsc_device* device = bsc_instance_default_device(instance);
    REQUIRE_OK(bsc_queue_create(device, nullptr, &queue_, &error));
    bsc_module* module = nullptr;
    REQUIRE_OK(bsc_module_load(device, format, source, std::strlen(source), "", table, &module, &error));
    REQUIRE_OK(bsc_module_kernel(module, "empty", &kernel_, &error));
    bsc_module_release(module);
    options_.size = sizeof options_;
    for (int i = 0; i < 3; ++i) options_.grid[i] = options_.block[i] = 1;
  }
  ~EmptyLaunch() {
    bsc_kernel_release(kernel_);
    bsc_queue_release(queue_);
  }
  void submit() const { REQUIRE_OK(bsc_queue_launch(queue_, kernel_, &options_, 0, nullptr, nullptr, &error)); }
  void submit_and_wait() const {
    submit();
    REQUIRE_OK(bsc_queue_wait(queue_, BSC_FOREVER, &error));
  }
  // The work is done by somebody else, the caller only looks.
  void submit_and_watch() const {
    submit();
    const std::uint64_t wanted = bsc_queue_submitted(queue_);
    for (std::uint64_t done = 0; done < wanted;) {
      REQUIRE_OK(bsc_queue_completed(queue_, &done, &error));
      std::this_thread::yield();
    }
  }

 private:
  bsc_queue* queue_ = nullptr;
  bsc_kernel* kernel_ = nullptr;
  bsc_launch_options options_ = {};
};

// Two threads hand a token back and forth; one round trip is two wake-ups.
class RoundTrip {
 public:
  RoundTrip() : partner_([this] { answer(); }) {}
  ~RoundTrip() {
    set(2);
    partner_.join();
  }
  void once() {
    set(1);
    std::unique_lock lock(mutex_);
    back_.wait(lock, [this] { return turn_ == 0; });
  }

 private:
  void set(int turn) {
    {
      const std::lock_guard lock(mutex_);
      turn_ = turn;
    }
    forth_.notify_one();
  }
  void answer() {
    std::unique_lock lock(mutex_);
    for (;;) {
      forth_.wait(lock, [this] { return turn_ != 0; });
      if (turn_ == 2) return;
      turn_ = 0;
      back_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable forth_, back_;
  int turn_ = 0;
  std::thread partner_;
};

void measure_empty(int rounds) {
  constexpr std::uint64_t kCalls = 200;
  bsc_instance* cpu_instance = open_instance("cpu");
  bsc_instance* opencl_instance = open_instance("opencl");
  RoundTrip round_trip;
  std::vector<double> cpu, watched, opencl, condition;
  {
    const EmptyLaunch on_cpu(cpu_instance, "host", "", &kTable);
    const EmptyLaunch* on_opencl =
        opencl_instance ? new EmptyLaunch(opencl_instance, "opencl-c", "__kernel void empty() {}", nullptr) : nullptr;
    for (int round = 0; round < rounds; ++round) {
      cpu.push_back(per_call(kCalls, [&] { for (std::uint64_t i = 0; i < kCalls; ++i) on_cpu.submit_and_wait(); }));
      watched.push_back(per_call(kCalls, [&] { for (std::uint64_t i = 0; i < kCalls; ++i) on_cpu.submit_and_watch(); }));
      condition.push_back(per_call(kCalls, [&] { for (std::uint64_t i = 0; i < kCalls; ++i) round_trip.once(); }));
      if (on_opencl) opencl.push_back(per_call(kCalls, [&] { for (std::uint64_t i = 0; i < kCalls; ++i) on_opencl->submit_and_wait(); }));
    }
    delete on_opencl;
  }
  std::printf("cpu, empty kernel, submit and wait: %.0f ns\n", median(cpu));
  std::printf("cpu, empty kernel, submit and poll (a worker runs it): %.0f ns\n", median(watched));
  std::printf("condition-variable round trip: %.0f ns\n", median(condition));
  if (!opencl.empty()) std::printf("opencl, empty kernel, submit and wait: %.0f ns\n", median(opencl));
  bsc_instance_release(cpu_instance);
  bsc_instance_release(opencl_instance);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 101;
  measure_null(rounds);
  measure_empty(rounds);
}
