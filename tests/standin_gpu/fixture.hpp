// The stand-in, reset for each test, the plugin opened over it, and images that the vendor's plugin takes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/opencl/on_device/fixture.hpp"
#include "tests/standin_gpu/standin.hpp"

namespace bascule::standin {

// A fresh stand-in. At the end nothing that the driver made may be left, unless the test says that it must be.
class Fresh {
 public:
  explicit Fresh(const char* library = BSC_STANDIN_LIBRARY);
  ~Fresh();
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;
  Standin* operator->() const { return state; }

  Standin* state = nullptr;
  bool leaves_objects = false;
};

struct Function {
  std::string member;  // in our table
  std::string name;    // the vendor's
};
const std::vector<Function>& functions();
// The vendor's name; "" where its list lacks the function.
std::string name_of(const std::string& member);
bool has(const std::string& member);

// An ELF file with one note or one global function.
std::string elf_file(std::uint16_t machine, std::uint32_t flags, const std::string& function, const std::string& note = "");
// AMD's metadata for one kernel "work" that takes an address and a number.
std::string amd_metadata(const std::string& target);

struct TestImage {
  std::string format;
  std::string bytes;
};
// With one kernel "work" for the stand-in's devices.
TestImage good_image();

struct OpenedStandin : opencl::test::Opened {
  explicit OpenedStandin(const opencl::test::Options& options = {}, const char* library = BSC_STANDIN_LIBRARY)
      : Opened(options, library) {}

  bsc_status load_image(const TestImage& image, bsc_plugin_module& module, const char* options = "");
};

}  // namespace bascule::standin
