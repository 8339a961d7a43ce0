// See driver.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/driver.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/faults.hpp"
#include "backends/emulated/cuda/memory.hpp"

/// By which a program knows this driver from a real one: the text names the GPU that is emulated, once cuInit has read it.
extern "C" {
__attribute__((visibility("default"))) const char* bascule_emulated_driver = "Bascule emulated CUDA driver";
}

namespace bascule::emulated {
namespace {

std::string own_directory() {
  Dl_info info = {};
  if (dladdr(&bascule_emulated_driver, &info) == 0 || info.dli_fname == nullptr) return ".";
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

// CUDA_VISIBLE_DEVICES as far as it lists numbers: what stands behind the first that is none, or no device's, does not count.
std::vector<int> visible_devices(int count) {
  std::vector<int> visible;
  const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (text == nullptr) {
    for (int i = 0; i < count; ++i) visible.push_back(i);
    return visible;
  }
  for (;;) {
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    if (end == text || number < 0 || number >= count || (*end != '\0' && *end != ',')) return visible;
    visible.push_back(static_cast<int>(number));
    if (*end == '\0') return visible;
    text = end + 1;
  }
}

}  // namespace

Driver::Driver() : directory_(own_directory()), sanitize_(is_set("BASCULE_EMULATED_SANITIZE")), logs_(is_set("BASCULE_EMULATED_LOG")) {}

Driver& Driver::get() {
  static Driver& driver = *new Driver;
  return driver;
}

bool Driver::forked() const { return initialised() && getpid() != process_; }

void Driver::initialise() {
  const std::lock_guard lock(mutex_);
  if (initialised()) return;
  if (const std::string& complaint = Faults::get().complaint(); !complaint.empty()) {
    std::fprintf(stderr, "Bascule emulated CUDA driver: %s\n", complaint.c_str());
    refuse(CUDA_ERROR_INVALID_VALUE, "{}", complaint);
  }
  if (gpu_.name.empty()) {
    try {
      gpu_ = chosen_gpu(directory_);
    } catch (const Refusal& refusal) {
      std::fprintf(stderr, "Bascule emulated CUDA driver: %s\n", refusal.what());
      throw;
    }
    static const std::string text = gpu_.name + " (" + gpu_.architecture + ", emulated on this machine's CPU)";
    bascule_emulated_driver = text.c_str();
    open_devices();
  }
  if (devices_.empty()) refuse(CUDA_ERROR_NO_DEVICE, "no device is described or visible (CUDA_VISIBLE_DEVICES)");
  process_ = getpid();
  initialised_.store(true, std::memory_order_release);
}

void Driver::open_devices() {
  for (const int number : visible_devices(gpu_.count)) {
    auto device = std::make_unique<Device>();
    device->ordinal = static_cast<int>(devices_.size());
    device->gpu = &gpu_;
    // "emulated", a zero byte pair, the architecture's number, the device's.
    std::memcpy(device->uuid.bytes, "emulated", 8);
    device->uuid.bytes[13] = static_cast<char>(gpu_.compute_capability());
    device->uuid.bytes[15] = static_cast<char>(number);
    device->default_pool = std::make_shared<Pool>();
    device->default_pool->device = device->ordinal;
    device->default_pool->is_default = true;
    device->current_pool = device->default_pool;
    devices_.push_back(std::move(device));
  }
}

Device& Driver::device(CUdevice ordinal) {
  if (ordinal < 0 || ordinal >= device_count()) refuse(CUDA_ERROR_INVALID_DEVICE, "there is no device {}; there are {}", ordinal, device_count());
  return *devices_[static_cast<std::size_t>(ordinal)];
}

const bsc_simt_api& Driver::engine() {
  const std::lock_guard lock(mutex_);
  if (engine_ != nullptr) return *engine_;
  const std::string path = directory_ + "/../../plugins/libbascule_simt.so";
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    refuse(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "the engine {} cannot be opened: {}; install bascule again, whole", path, reason != nullptr ? reason : "unknown");
  }
  const auto query = reinterpret_cast<bsc_simt_query_function>(dlsym(handle, BSC_SIMT_QUERY_SYMBOL));
  const bsc_simt_api* const found = query != nullptr ? query() : nullptr;
  if (found == nullptr || std::strcmp(found->abi, BSC_SIMT_ABI) != 0) {
    refuse(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "{} is of another build than this driver ({} against {}); install both from one build", path,
           found != nullptr ? found->abi : "none", BSC_SIMT_ABI);
  }
  engine_ = found;
  return *engine_;
}

void Driver::say(const std::string& text) const { std::fprintf(stderr, "Bascule emulated CUDA driver: %s\n", text.c_str()); }

}  // namespace bascule::emulated
