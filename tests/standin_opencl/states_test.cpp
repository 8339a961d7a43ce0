// What the plugin says about an OpenCL that is absent, old, empty or partly unusable.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>

#include "tests/standin_opencl/standin_fixture.hpp"

using namespace bascule::standin;
using bascule::opencl::test::Opened;
using bascule::opencl::test::option;

namespace {
bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE("no library at the configured path is DRIVER_MISSING with the path and the linker's words") {
  Opened opened({}, "/nonexistent/libOpenCL.so.1");
  CHECK(opened.status == BSC_DRIVER_MISSING);
  CHECK(contains(opened.message(), "/nonexistent/libOpenCL.so.1"));
  CHECK(contains(opened.message(), "No such file"));
}

TEST_CASE("a library without functions of OpenCL 1.2 is TOO_OLD, naming them and the library") {
  Opened opened({}, BASCULE_STANDIN_OPENCL_OLD);
  CHECK(opened.status == BSC_TOO_OLD);
  CHECK(contains(opened.message(), "clEnqueueMarkerWithWaitList"));
  CHECK(contains(opened.message(), BASCULE_STANDIN_OPENCL_OLD));
}

TEST_CASE("a library that is no OpenCL at all is TOO_OLD rather than used") {
  Opened opened({}, "/lib/x86_64-linux-gnu/libm.so.6");
  CHECK(opened.status == BSC_TOO_OLD);
}

TEST_CASE("a loader without platforms is NO_DEVICE with the library opened and the directory it reads") {
  const Fresh standin;
  standin->platforms = 0;
  OpenedStandin opened;
  CHECK(opened.status == BSC_NO_DEVICE);
  CHECK(contains(opened.message(), BASCULE_STANDIN_OPENCL));
  CHECK(contains(opened.message(), "/etc/OpenCL/vendors"));
  CHECK(std::string(opened.error.vendor_name) == "CL_PLATFORM_NOT_FOUND_KHR");
}

TEST_CASE("a platform without devices is NO_DEVICE") {
  const Fresh standin;
  standin->devices.clear();
  OpenedStandin opened;
  CHECK(opened.status == BSC_NO_DEVICE);
  CHECK(contains(opened.message(), "Stand-in platform: it has no device"));
}

TEST_CASE("an unusable device is left out with its reason and hides no other") {
  struct Case {
    void (*spoil)(DeviceSettings&);
    const char* reason;
  };
  const Case cases[] = {
      {[](DeviceSettings& device) { device.version = "OpenCL 1.1 old"; }, "OpenCL 1.2 is needed"},
      {[](DeviceSettings& device) { device.version = "gibberish"; }, "'gibberish'"},
      {[](DeviceSettings& device) { device.profile = "EMBEDDED_PROFILE"; }, "embedded profile"},
      {[](DeviceSettings& device) { device.available = false; }, "not available"},
      {[](DeviceSettings& device) { device.compiler = false; }, "no compiler"},
  };
  for (const Case& spoiled : cases) {
    const Fresh standin;
    standin->devices[0].name = "Spoiled";
    spoiled.spoil(standin->devices[0]);
    {
      OpenedStandin opened;
      REQUIRE(opened.status == BSC_OK);
      CHECK(opened.devices.size() == 1);
      CHECK(std::string_view(opened.info().name) == "Stand-in");
      CHECK(contains(opened.host.log, "Spoiled (Stand-in platform) is not used"));
      CHECK(contains(opened.host.log, spoiled.reason));
    }
    standin->devices.resize(1);
    OpenedStandin alone;
    CHECK(alone.status == BSC_NO_DEVICE);
    CHECK(contains(alone.message(), spoiled.reason));
  }
}

TEST_CASE("a device that cannot be opened hides no other") {
  const Fresh standin;
  standin->failures["clCreateContext"] = {1, -2};
  OpenedStandin opened;
  REQUIRE(opened.status == BSC_OK);
  CHECK(opened.devices.size() == 1);
  CHECK(contains(opened.host.log, "CL_DEVICE_NOT_AVAILABLE"));
}

TEST_CASE("a driver that fails for every device is BROKEN, with the driver's own code, not a machine without devices") {
  for (const char* function : {"clGetDeviceIDs", "clGetDeviceInfo", "clCreateContext"}) {
    const Fresh standin;
    standin->failures[function] = {0, -6};
    OpenedStandin opened;
    CHECK(opened.status == BSC_BROKEN);
    CHECK(std::string(opened.error.call) == function);
    CHECK(opened.error.vendor_code == -6);
  }
}

TEST_CASE("a forked child is told so by every call that would reach the driver, and releases nothing") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(64);
  const pid_t child = fork();
  if (child == 0) {
    bsc_plugin_memory_description description = {};
    description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
    bsc_plugin_memory another = nullptr;
    bsc_plugin_module module = nullptr;
    bsc_plugin_instance instance = nullptr;
    bsc_plugin_open_info info = {};
    info.header = {sizeof info, BSC_STRUCT_OPEN_INFO, nullptr};
    info.driver_path = BASCULE_STANDIN_OPENCL;
    const bsc_plugin_api& api = *opened.api;
    const bool told = opened.submit(queue, {}) == BSC_FORKED && opened.wait(queue, 0) == BSC_FORKED &&
                      api.memory->allocate(opened.device, &description, &another, nullptr) == BSC_FORKED &&
                      opened.load(kSource, module) == BSC_FORKED && api.instance->open(&info, &instance, nullptr) == BSC_FORKED &&
                      api.instance->close(opened.instance, nullptr) == BSC_FORKED &&
                      api.memory->release(memory, nullptr) == BSC_OK && standin->objects > 0;
    _exit(told ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(opened.submit(queue, {}) == BSC_OK);
}

TEST_CASE("identity, sub-group sizes and capabilities come from the device's extensions") {
  const Fresh standin;
  standin->devices[1].extensions = "";
  standin->devices[1].type = 1 << 1;
  OpenedStandin opened;
  const auto info = opened.info(opened.devices[0]);
  CHECK(std::string_view(info.uuid) == "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
  CHECK(std::string_view(info.pci) == "0000:65:00.1");
  CHECK(std::string_view(info.type) == "gpu");
  CHECK(std::string_view(info.vendor) == "Nobody");
  CHECK(info.min_sub_group == 8);
  CHECK(info.max_sub_group == 32);
  const auto plain = opened.info(opened.devices[1]);
  CHECK(std::string_view(plain.uuid) == "");
  CHECK(std::string_view(plain.pci) == "");
  CHECK(std::string_view(plain.type) == "cpu");
  CHECK(plain.max_sub_group == 1);
}

TEST_CASE("division stays correctly rounded unless the program asks for fast mathematics") {
  const Fresh standin;
  OpenedStandin opened;
  bsc_plugin_module module = nullptr;
  REQUIRE(opened.load(kSource, module, "-DX=1") == BSC_OK);
  CHECK(standin->last_options == "-DX=1 -cl-fp32-correctly-rounded-divide-sqrt");
  REQUIRE(opened.load(kSource, module, "-cl-fast-relaxed-math") == BSC_OK);
  CHECK(standin->last_options == "-cl-fast-relaxed-math");
}

TEST_CASE("a cached binary that the driver rejects costs one build and is replaced") {
  const Fresh standin;
  OpenedStandin opened;
  bsc_plugin_module module = nullptr;
  REQUIRE(opened.load(kSource, module) == BSC_OK);
  standin->reject_binaries = true;
  REQUIRE(opened.load(kSource, module) == BSC_OK);
  CHECK(opened.host.puts == 2);
  CHECK(standin->calls["clCreateProgramWithSource"] == 2);
  standin->reject_binaries = false;
  REQUIRE(opened.load(kSource, module) == BSC_OK);
  CHECK(standin->calls["clCreateProgramWithSource"] == 2);
}
