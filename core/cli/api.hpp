// The C API as commands use it: handles that release themselves, and errors that become Failure.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bascule/bascule.h"
#include "failure.hpp"

namespace bascule::cli {

template <auto Release>
struct Releaser {
  template <class T>
  void operator()(T* handle) const {
    Release(handle);
  }
};

using InstanceHandle = std::unique_ptr<bsc_instance, Releaser<bsc_instance_release>>;
using BufferHandle = std::unique_ptr<bsc_buffer, Releaser<bsc_buffer_release>>;
using QueueHandle = std::unique_ptr<bsc_queue, Releaser<bsc_queue_release>>;
using EventHandle = std::unique_ptr<bsc_event, Releaser<bsc_event_release>>;
using PackageHandle = std::unique_ptr<bsc_package, Releaser<bsc_package_release>>;
using KernelHandle = std::unique_ptr<bsc_kernel, Releaser<bsc_kernel_release>>;
using ModuleHandle = std::unique_ptr<bsc_module, Releaser<bsc_module_release>>;

// Takes the error.
[[noreturn]] void throw_failure(bsc_status status, bsc_error* error);

// Calls `call(bsc_error**)` and throws its error as a Failure with the exit code that fits the status.
template <class Call>
void require(Call&& call) {
  bsc_error* error = nullptr;
  const bsc_status status = call(&error);
  if (status == BSC_OK) return;
  throw_failure(status, error);
}
// For calls with an out parameter: make<QueueHandle>([&](auto** out, auto** error) { return bsc_queue_create(d, 0, out, error); })
template <class Handle, class Call>
Handle make(Call&& call) {
  typename Handle::pointer raw = nullptr;
  require([&](bsc_error** error) { return call(&raw, error); });
  return Handle(raw);
}

// Text that the API says to free.
template <class Call>
std::string make_text(Call&& call) {
  char* raw = nullptr;
  require([&](bsc_error** error) { return call(&raw, error); });
  const std::unique_ptr<char, Releaser<bsc_free>> owner(raw);
  return raw;
}

// What the options common to all commands say.
struct CommonOptions {
  std::string backends;              // --backend a,b
  std::string device;                // --device
  std::string config;                // --config FILE
  std::vector<std::string> settings; // --set KEY=VALUE
  int verbosity = 0;                 // -v
  bool json = false;
};

// The C API's view of these options. Holds the strings that the struct points to.
class InstanceOptions {
 public:
  explicit InstanceOptions(const CommonOptions& common);
  InstanceOptions(const InstanceOptions&) = delete;
  InstanceOptions& operator=(const InstanceOptions&) = delete;
  const bsc_instance_options* get() const { return &options_; }

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<bsc_setting> settings_;
  std::string config_;
  bsc_instance_options options_ = BSC_INSTANCE_OPTIONS_INIT;
};

InstanceHandle open_instance(const CommonOptions& common);

bsc_device_info info_of(const bsc_device* device);

// Directory of the libbascule.so in use: its plugins, helper programs and kernel library are found from there.
std::string library_directory();
// build/libexec/bascule or <prefix>/libexec/bascule; throws Failure when the program is not installed.
std::string helper_program(const std::string& name);

}  // namespace bascule::cli
