// libOpenCL as this process opened it, the meaning of its error codes, and owning handles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <string>
#include <string_view>
#include <utility>

#include "backends/common/error.hpp"
#include "backends/common/vendor_library.hpp"
#include "backends/opencl/opencl_api.hpp"

namespace bascule::opencl {

struct Driver {
  backend::VendorLibrary library;
  cl::Api api;

  bsc_status open(std::string_view configured_path, bsc_plugin_error* error);
};

// "CL_OUT_OF_RESOURCES"; "CL_UNKNOWN_ERROR" for numbers that neither the core specification nor cl_khr_icd has.
std::string_view error_name(cl::Int code);
// What a code means when a call returns it at once.
bsc_status status_of(cl::Int code);
// What a code means as the execution status of a command that ran.
bsc_status status_of_execution(cl::Int code);
// What a user can do about a code; "" where nothing general can be said.
std::string_view remedy_of(cl::Int code);

// For BSC_VENDOR_RETURN_IF_ERROR: turns a call's result into a status and, where it is a failure, a filled error.
// `doing` says what for, as in "cannot allocate 64 bytes".
class Check {
 public:
  explicit Check(bsc_plugin_error* error, std::string_view doing = {}) : error_(error), doing_(doing) {}
  bsc_status operator()(cl::Int code, std::string_view call) const;

 private:
  bsc_plugin_error* error_;
  std::string_view doing_;
};

// Owns one reference of an OpenCL object.
template <class Handle, cl::Int (*cl::Api::*kRelease)(Handle)>
class Owned {
 public:
  Owned() = default;
  Owned(const cl::Api& api, Handle handle) : api_(&api), handle_(handle) {}
  Owned(Owned&& other) noexcept : api_(other.api_), handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      reset();
      api_ = other.api_;
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Owned() { reset(); }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  Handle release() { return std::exchange(handle_, nullptr); }
  void reset() {
    if (handle_ != nullptr) (api_->*kRelease)(std::exchange(handle_, nullptr));
  }

 private:
  const cl::Api* api_ = nullptr;
  Handle handle_ = nullptr;
};

using OwnedContext = Owned<cl::Context, &cl::Api::clReleaseContext>;
using OwnedQueue = Owned<cl::CommandQueue, &cl::Api::clReleaseCommandQueue>;
using OwnedMem = Owned<cl::Mem, &cl::Api::clReleaseMemObject>;
using OwnedProgram = Owned<cl::Program, &cl::Api::clReleaseProgram>;
using OwnedKernel = Owned<cl::Kernel, &cl::Api::clReleaseKernel>;
using OwnedEvent = Owned<cl::Event, &cl::Api::clReleaseEvent>;

}  // namespace bascule::opencl
