// The stand-in, reset for each test, and the plugin opened over it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>

#include "backends/opencl/on_device/fixture.hpp"
#include "tests/standin_opencl/standin.hpp"

namespace bascule::standin {

// A fresh stand-in. At the end no OpenCL object may be left.
class Fresh {
 public:
  Fresh() {
    void* const library = dlopen(BASCULE_STANDIN_OPENCL, RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, dlerror());
    const auto get = reinterpret_cast<StandinFunction>(dlsym(library, kStandinSymbol));
    REQUIRE((get != nullptr));
    state = get();
    state->reset();
  }
  ~Fresh() { CHECK(state->objects == 0); }
  Standin* operator->() const { return state; }

  Standin* state = nullptr;
};

inline constexpr const char* kSource = "__kernel void work(__global float* x, float a) {}\n__kernel void other(void) {}";

struct OpenedStandin : opencl::test::Opened {
  explicit OpenedStandin(const opencl::test::Options& options = {}) : Opened(options, BASCULE_STANDIN_OPENCL) {}
};

}  // namespace bascule::standin
