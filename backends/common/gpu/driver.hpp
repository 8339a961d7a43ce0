// The vendor's library as this process opened it, and what its result codes mean.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <string>
#include <string_view>
#include <vector>

#include "backends/common/error.hpp"
#include "backends/common/vendor_library.hpp"
#include "backends/common/gpu/api.hpp"
#include "backends/common/gpu/vendor.hpp"

namespace bascule::gpu {

struct Driver {
  backend::VendorLibrary library;
  Api api;
  int version = 0;
  std::string emulated_gpu;  // what an emulated driver says it is; "" for a real one

  // Opens the library, finds its functions, initialises it and checks its version.
  bsc_status open(std::string_view configured_path, bsc_plugin_error* error);
  std::string version_text() const { return vendor().version_text(version); }

 private:
  bsc_status load(std::string_view configured_path, bsc_plugin_error* error);
  bsc_status check_version(bsc_plugin_error* error);
  bsc_status initialise(bsc_plugin_error* error);
};

// The meaning of a code; a code that the table lacks is BSC_INTERNAL.
const ResultCode& result_of(int code);
// "CUDA_ERROR_OUT_OF_MEMORY", or the vendor's prefix with the number.
std::string result_name(int code);

// A failed call's status, with the error filled. `doing`: what for, as in "cannot allocate 64 bytes".
bsc_status fill_call_error(bsc_plugin_error* error, std::string_view doing, CallResult failed);
// The same for what a driver says while it is opened, where the same number means a state of the machine.
bsc_status fill_open_error(const Driver& driver, bsc_plugin_error* error, CallResult failed);

// " CUDA_VISIBLE_DEVICES is \"\"." for each variable that hides devices and is set; "" if none is.
std::string describe_visibility();
// The first of the files that exists and that this user may not open; "" if there is none.
std::string forbidden_file(std::span<const char* const> files);
// Other files of the driver's library where a loader may find them: "" or "/a/libx.so.5, /b/libx.so.6".
std::string other_libraries(const std::string& opened);

}  // namespace bascule::gpu
